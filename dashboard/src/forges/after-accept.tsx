import type { FullCard } from '../api/boards.js';
import { readCard } from '../api/boards.js';
import type { Build } from '../api/builds.js';
import { readForge } from '../api/forges.js';
import { useResource } from '../api/resource.js';
import { Badge } from '../ui/display.js';
import { forgeKey } from './forge-key.js';
import { isSimulatedAddress } from './forge-words.js';
import { OutsideLink } from './outside-link.js';
import { usePullRequest } from './pull-request-panel.js';
import { describeChecks, toneOfState } from './pull-request-words.js';

const OPENING_POLL_MS = 3_000;
const REST_POLL_MS = 20_000;

/** Whether a pull request follows; undefined while loading. */
export function useLeadsOn(projectId: string): boolean | undefined {
  const forge = useResource(forgeKey(projectId), (signal) => readForge(projectId, signal), {
    freshMs: 30_000,
  });
  return forge.fault ? false : forge.data === undefined ? undefined : forge.data !== null;
}

export function PulledOn({ build }: { build: Build }) {
  const card = useResource(`card:${build.task_id}`, (signal) => readCard(build.task_id, signal), {
    pollMs: build.pushed_at ? OPENING_POLL_MS : REST_POLL_MS,
  });
  if (!card.data) return null;
  if (card.data.pr_number === null)
    return <span>Its pull request will be opened; the card is done when it is merged.</span>;
  return <PullLine card={card.data} />;
}

function PullLine({ card }: { card: FullCard }) {
  const pull = usePullRequest(card).data;
  const state = pull?.state ?? card.pr_state ?? '';
  const url = pull?.url ?? card.pr_url ?? '';
  return (
    <span className="pull-line">
      <OutsideLink href={url}>Pull request #{card.pr_number}</OutsideLink>{' '}
      <Badge tone={toneOfState(state)}>{state}</Badge>
      {isSimulatedAddress(url) && <> on the simulated host</>}
      {pull && pull.checks.length > 0 && <>, checks: {describeChecks(pull.checks)}</>}
      {describeEnd(state, pull?.mergeable ?? null)}
    </span>
  );
}

function describeEnd(state: string, mergeable: boolean | null): string {
  if (state === 'merged') return '. The card is done.';
  if (state === 'closed') return '. It was closed without a merge.';
  if (mergeable === false) return '. It has conflicts.';
  return '. The card is done when it is merged.';
}
