import { useEffect, useRef, useState } from 'react';
import { type Build, type BuildFilter, listBuilds, listCoders, STATUSES } from '../api/builds.js';
import { refresh, usePages, useResource } from '../api/resource.js';
import { Link, navigate, usePlace, withParameters } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { SelectField } from '../ui/field.js';
import { BuildsIcon } from '../ui/icons.js';
import { Page, Section } from '../ui/page.js';
import { BuildPages } from './build-rows.js';
import { coderName, isOpenStatus, STATUS_WORDS } from './build-words.js';
import { CancelDialog } from './cancel-dialog.js';
import { type Names, useDeskNames } from './desk-names.js';
import { PolicyStrip } from './policy.js';
import { ReviewQueue, ReviewTabs, readReview } from './review-queue.js';
import { useCancelKey, useRowSteps } from './row-keys.js';

const QUEUE_POLL_MS = 2_500;
const HISTORY_POLL_MS = 20_000;
const PAGE_SIZE = 50;

export function BuildsPage() {
  const { query } = usePlace();
  const review = readReview(query);
  return (
    <Page wide title="Builds" lead="Queued, running and finished builds.">
      <ReviewTabs current={review} />
      {review ? <ReviewQueue review={review} /> : <AllBuilds />}
    </Page>
  );
}

function AllBuilds() {
  const { query } = usePlace();
  const filter = readFilter(query);
  const [canceling, setCanceling] = useState<Build>();
  const desks = useDeskNames();
  const queue = useBuilds('open', filter, QUEUE_POLL_MS);
  const history = useBuilds('finished', filter, HISTORY_POLL_MS);
  const whole = useResource(
    'builds:open-count',
    (signal) => listBuilds({ state: 'open', limit: 1 }, signal),
    {
      pollMs: QUEUE_POLL_MS * 2,
    },
  );
  useHistoryRefresh(queue.data?.flatMap(({ builds }) => builds));
  useRowSteps();
  useCancelKey(
    () => [...(queue.data ?? []), ...(history.data ?? [])].flatMap(({ builds }) => builds),
    setCanceling,
  );
  const filtered = Object.keys(filter).length > 0;
  const showQueue = !filter.status || isOpenStatus(filter.status);
  const showHistory = !filter.status || !isOpenStatus(filter.status);
  return (
    <>
      <PolicyStrip open={whole.data?.total} />
      <Filters filter={filter} desks={desks} />
      {showQueue && (
        <Section title="Open">
          <Loaded of={queue} rows={2}>
            {(pages) => (
              <BuildPages
                pages={pages}
                desks={desks}
                paging={queue}
                empty={<QuietQueue filtered={filtered} />}
              />
            )}
          </Loaded>
        </Section>
      )}
      {showHistory && (
        <Section title="History">
          <Loaded of={history} rows={5}>
            {(pages) => (
              <BuildPages
                pages={pages}
                desks={desks}
                paging={history}
                empty={<NoHistory filtered={filtered} />}
              />
            )}
          </Loaded>
        </Section>
      )}
      {canceling && <CancelDialog build={canceling} onClose={() => setCanceling(undefined)} />}
    </>
  );
}

type Filter = Pick<BuildFilter, 'status' | 'workstation_id' | 'coder'>;

function readFilter(query: URLSearchParams): Filter {
  const status = STATUSES.find((each) => each === query.get('status'));
  const coder = query.get('coder');
  const desk = query.get('desk');
  return {
    ...(status && { status }),
    ...(coder && /^[a-z0-9-]{1,40}$/.test(coder) && { coder }),
    ...(desk && /^[0-9a-f-]{36}$/i.test(desk) && { workstation_id: desk }),
  };
}

function useBuilds(state: 'open' | 'finished', filter: Filter, pollMs: number) {
  const wanted = !filter.status || isOpenStatus(filter.status) === (state === 'open');
  const key = `builds:${state}:${JSON.stringify(filter)}`;
  return usePages(
    wanted ? key : null,
    (cursor, signal) =>
      listBuilds({ ...filter, state, with: 'tasks', limit: PAGE_SIZE, ...(cursor && { cursor }) }, signal),
    { pollMs, keep: true },
  );
}

function useHistoryRefresh(open: Build[] | undefined): void {
  const ids = open?.map(({ build_id }) => build_id).join(' ');
  const before = useRef<string>(undefined);
  useEffect(() => {
    const gone = before.current?.split(' ').some((id) => id && !ids?.includes(id));
    if (gone) refresh('builds:finished');
    before.current = ids;
  }, [ids]);
}

function Filters({ filter, desks }: { filter: Filter; desks: Names }) {
  const listed = useResource('coders', listCoders, { freshMs: 60_000 }).data?.coders ?? [];
  // A select shows only values that have an option.
  const coders = new Set([...(filter.coder ? [filter.coder] : []), ...listed.map(({ name }) => name)]);
  const set = (name: string) => (event: { target: { value: string } }) =>
    navigate(withParameters({ [name]: event.target.value || null }), { replace: true });
  return (
    <div className="build-filters">
      <SelectField label="Status" value={filter.status ?? ''} onChange={set('status')}>
        <option value="">Every status</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {STATUS_WORDS[status]}
          </option>
        ))}
      </SelectField>
      <SelectField label="Desk" value={filter.workstation_id ?? ''} onChange={set('desk')}>
        <option value="">Every desk</option>
        {[...desks].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField label="Coder" value={filter.coder ?? ''} onChange={set('coder')}>
        <option value="">Every coder</option>
        {[...coders].map((name) => (
          <option key={name} value={name}>
            {coderName(name)}
          </option>
        ))}
      </SelectField>
      {Object.keys(filter).length > 0 && (
        <Button tone="quiet" onClick={() => navigate('/dashboard/builds', { replace: true })}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

const QuietQueue = ({ filtered }: { filtered: boolean }) => (
  <p className="muted">{filtered ? 'No open builds match.' : 'No builds are queued or running.'}</p>
);

function NoHistory({ filtered }: { filtered: boolean }) {
  if (filtered) return <p className="muted">No finished builds match. Clear a filter to see more.</p>;
  return (
    <Empty
      title="No builds yet"
      icon={<BuildsIcon size={28} />}
      action={
        <Link className="button button-primary" to="/dashboard/boards">
          Go to the boards
        </Link>
      }
    >
      Open a card that has a project, press “Start a build”, and watch a coder work on it here.
    </Empty>
  );
}
