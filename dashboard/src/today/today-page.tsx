import { useEffect } from 'react';
import { listBoards } from '../api/boards.js';
import { listBuilds } from '../api/builds.js';
import { listInbox } from '../api/inbox.js';
import { useResource } from '../api/resource.js';
import { findCards } from '../api/work.js';
import { BuildRows } from '../builds/build-rows.js';
import { useDeskNames } from '../builds/desk-names.js';
import { FirstRun } from '../builds/first-run.js';
import { InboxRow } from '../inbox/inbox-row.js';
import { useInboxActions } from '../inbox/use-inbox-actions.js';
import { Link, navigate } from '../shell/router.js';
import { useIsGuest, useSession } from '../shell/session.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { Page, Section } from '../ui/page.js';
import { OPEN_STATES } from '../work/filters.js';
import { useDirectory } from '../work/use-directory.js';
import { WorkRow } from '../work/work-row.js';

const FEW = 6;
const BUILDS_MS = 3000;

/** Guests with a single board are redirected to it. */
function GuestLanding() {
  const boards = useResource('boards', listBoards);
  const all = boards.data?.boards;
  useEffect(() => {
    if (!all) return;
    const only = all.length === 1 ? all[0] : undefined;
    navigate(only ? `/dashboard/boards/${only.board_id}` : '/dashboard/boards', { replace: true });
  }, [all]);
  return (
    <Page title="Boards">
      <Loaded of={boards}>{() => null}</Loaded>
    </Page>
  );
}

export const TodayPage = () => (useIsGuest() ? <GuestLanding /> : <Day />);

function Day() {
  const { user } = useSession();
  return (
    <Page wide title={`${greeting(new Date().getHours())}, ${user.full_name.split(' ', 1)[0]}`}>
      <div className="today">
        <div className="today-wide">
          <FirstRun />
        </div>
        <WaitingForYou />
        <YourCards />
        <Running />
      </div>
    </Page>
  );
}

function greeting(hour: number): string {
  if (hour < 5) return 'Good night';
  if (hour < 12) return 'Good morning';
  return hour < 18 ? 'Good afternoon' : 'Good evening';
}

function WaitingForYou() {
  const inbox = useResource('inbox:today', (signal) =>
    listInbox({ state: 'open', limit: FEW }, undefined, signal),
  );
  const actions = useInboxActions();
  return (
    <Section
      title="Needs your attention"
      actions={<Link to="/dashboard/inbox">{rest(inbox.data?.total_open)}</Link>}
    >
      <Loaded of={inbox}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="All done">Nothing needs your attention.</Empty>
          ) : (
            <ul className="rows">
              {items.map((item, place) => (
                <InboxRow
                  key={item.item_id}
                  item={item}
                  place={place}
                  chosen={false}
                  onOpen={() => actions.read(item)}
                  onDone={() => void actions.toggleDone([item])}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

const rest = (total: number | undefined): string => (total && total > FEW ? `All ${total}` : 'Inbox');

function YourCards() {
  const directory = useDirectory();
  const cards = useResource('work:today', (signal) =>
    findCards({ assignee: 'me', status: OPEN_STATES, limit: FEW }, undefined, signal),
  );
  return (
    <Section title="Your cards" actions={<Link to="/dashboard/work">All your work</Link>}>
      <Loaded of={cards}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No cards are assigned to you">
              Take one from a <Link to="/dashboard/boards">board</Link>, or look at{' '}
              <Link to={`/dashboard/work?status=${OPEN_STATES}&group=board`}>everything open</Link>.
            </Empty>
          ) : (
            <ul className="rows">
              {items.map((card, place) => (
                <WorkRow
                  key={card.id}
                  card={card}
                  place={place}
                  chosen={false}
                  hide={{ details: true }}
                  nameAgent={directory.nameAgent}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function Running() {
  const desks = useDeskNames();
  const builds = useResource(
    'builds:today',
    (signal) => listBuilds({ state: 'open', with: 'tasks', limit: FEW }, signal),
    {
      pollMs: BUILDS_MS,
    },
  );
  return (
    <div className="today-wide">
      <Section title="Builds now" actions={<Link to="/dashboard/builds">All builds</Link>}>
        <Loaded of={builds}>
          {(data) =>
            data.builds.length === 0 ? (
              <Empty title="No builds are running">
                Open a card and start a build. The coder returns a diff.
              </Empty>
            ) : (
              <BuildRows builds={data.builds} tasks={data.tasks ?? []} desks={desks} />
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}
