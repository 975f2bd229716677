import { useMemo, useState } from 'react';
import { readFigures } from '../api/figures.js';
import {
  countRunningBuilds,
  type ListedWorkstation,
  listWorkstations,
  readReauthStatus,
  requestAllUpdates,
} from '../api/machines.js';
import { useResource } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { Link, navigate, usePlace, withParameters } from '../shell/router.js';
import { useIsAdmin, useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Time } from '../ui/display.js';
import { Empty, Loaded, Note } from '../ui/feedback.js';
import { MachinesIcon, PlusIcon, SearchIcon } from '../ui/icons.js';
import { Page, Section } from '../ui/page.js';
import { useToast } from '../ui/toast.js';
import { DeskRows } from './desk-rows.js';
import type { DeskState } from './desk-states.js';
import { isListed, runtimeWords, STATE_WORDS } from './desk-words.js';
import { OrderDialog } from './order-dialog.js';
import { MachinesOff, useMachinesShown } from './switched-off.js';

const LIST_POLL_MS = 5000;
const AVAILABILITY_MS = 60_000;

export function MachinesPage() {
  return useMachinesShown() ? <Fleet /> : <MachinesOff />;
}

type Ask = 'order' | 'update' | undefined;

function Fleet() {
  const isAdmin = useIsAdmin();
  const desks = useResource('desks', listWorkstations, { pollMs: LIST_POLL_MS });
  const [asking, setAsking] = useState<Ask>();
  const any = (desks.data?.total ?? 0) > 0;
  const canUpdate = isAdmin && any;
  useCommands(
    useMemo(
      () => [
        {
          id: 'order-desk',
          label: 'Order a desk',
          group: 'Machines',
          keys: 'n',
          words: 'new machine workstation install',
          perform: () => setAsking('order'),
        },
        ...(canUpdate
          ? [
              {
                id: 'update-desks',
                label: 'Update all desks',
                group: 'Machines',
                perform: () => setAsking('update'),
              },
            ]
          : []),
      ],
      [canUpdate],
    ),
  );
  return (
    <Page
      wide
      title="Machines"
      lead="The desks where agents build."
      actions={
        <>
          {canUpdate && <Button onClick={() => setAsking('update')}>Update all</Button>}
          <Button tone="primary" icon={<PlusIcon size={16} />} onClick={() => setAsking('order')}>
            Order a desk
          </Button>
        </>
      }
    >
      <ExpiredLogins />
      <Loaded of={desks}>
        {(data) =>
          data.total === 0 ? (
            <Empty
              title="No desks yet"
              icon={<MachinesIcon size={28} />}
              action={
                <Button tone="primary" onClick={() => setAsking('order')}>
                  Order the first desk
                </Button>
              }
            >
              A desk is a Linux machine of yours. Order one and run the shown command on it. Agents can build
              there about 90 seconds later.
            </Empty>
          ) : (
            <DeskLists live={data.workstations} dormant={data.dormant} />
          )
        }
      </Loaded>
      {asking === 'order' && <OrderDialog onClose={() => setAsking(undefined)} />}
      {asking === 'update' && <UpdateAll onClose={() => setAsking(undefined)} />}
    </Page>
  );
}

function UpdateAll({ onClose }: { onClose(): void }) {
  const toast = useToast();
  return (
    <Confirm
      title="Update all desks?"
      submit="Update all"
      tone="primary"
      onClose={onClose}
      perform={async () => {
        const { queued, failed, requests } = await requestAllUpdates();
        const reason = requests.find(({ error }) => error)?.error;
        const done = `${queued} ${queued === 1 ? 'update' : 'updates'} queued`;
        toast({ text: failed ? `${done}, ${failed} not: ${reason}` : done });
      }}
    >
      <p>Each desk installs the newest sidecar when no build is running on it.</p>
    </Confirm>
  );
}

function ExpiredLogins() {
  const status = useResource('reauth', readReauthStatus);
  if (!status.data || status.data.expired.length === 0) return null;
  return (
    <Note tone="warn">
      <p>On these desks somebody has to sign in to the coding agent again:</p>
      <ul>
        {status.data.expired.map((login) => (
          <li key={`${login.workstation_id}:${login.runtime}`}>
            <Link to={`/dashboard/machines/${login.workstation_id}`}>{login.name}</Link>,{' '}
            {runtimeWords(login.runtime)}, expired <Time at={login.since} />
          </li>
        ))}
      </ul>
    </Note>
  );
}

interface Lists {
  live: ListedWorkstation[];
  dormant: ListedWorkstation[];
}

/** The filters are stored in the URL so that a list can be saved and shared. */
function DeskLists({ live, dormant }: Lists) {
  const { brand } = useSession();
  const { query } = usePlace();
  const [words, setWords] = useState(query.get('q') ?? '');
  const state = query.get('state');
  const running = useResource('desks:running', countRunningBuilds, { pollMs: LIST_POLL_MS });
  const figures = useResource(
    `figures:${brand.brand_id}:1`,
    (signal) => readFigures(brand.brand_id, 1, signal),
    { freshMs: AVAILABILITY_MS },
  );
  const shown = (desks: ListedWorkstation[]) =>
    desks.filter((desk) => isListed(desk, words) && (!state || desk.status === state));
  const rows = { running: running.data, availability: figures.data?.desks };
  const found = shown(live).length + shown(dormant).length;
  return (
    <>
      <div className="find-bar">
        <span className="search-box">
          <SearchIcon size={15} />
          <input
            type="search"
            aria-label="Find a desk"
            placeholder="Find a desk"
            value={words}
            onChange={(event) => {
              setWords(event.target.value);
              navigate(withParameters({ q: event.target.value }), { replace: true });
            }}
          />
        </span>
        <StateChips desks={[...live, ...dormant]} current={state} />
      </div>
      {found === 0 && (
        <Empty
          title="No desks match"
          action={
            <Button
              onClick={() => {
                setWords('');
                navigate(withParameters({ q: null, state: null }), { replace: true });
              }}
            >
              Show all
            </Button>
          }
        />
      )}
      {shown(live).length > 0 && <DeskRows desks={shown(live)} label="Desks" {...rows} />}
      {shown(dormant).length > 0 && (
        <Section
          title="Dormant"
          lead="Not seen for more than two weeks. They do not count towards the plan and return when they report."
        >
          <DeskRows desks={shown(dormant)} label="Dormant desks" {...rows} />
        </Section>
      )}
    </>
  );
}

function StateChips({ desks, current }: { desks: ListedWorkstation[]; current: string | null }) {
  const states = (Object.keys(STATE_WORDS) as DeskState[])
    .map((state) => ({ state, count: desks.filter(({ status }) => status === state).length }))
    .filter(({ state, count }) => count > 0 || state === current);
  if (states.length < 2 && !current) return null;
  return (
    <fieldset className="chips">
      <legend className="off-screen">State</legend>
      {states.map(({ state, count }) => (
        <button
          key={state}
          type="button"
          className="chip"
          aria-pressed={state === current}
          onClick={() => navigate(withParameters({ state: state === current ? null : state }))}
        >
          {STATE_WORDS[state]} <span className="chip-count">{count}</span>
        </button>
      ))}
    </fieldset>
  );
}
