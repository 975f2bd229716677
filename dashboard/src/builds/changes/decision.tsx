import { useEffect } from 'react';
import { useAction } from '../../api/action.js';
import { followActivity, listActivity } from '../../api/boards.js';
import { acceptBuild, type Build, listBuildsOfCard } from '../../api/builds.js';
import type { GuildhallError } from '../../api/client.js';
import { putResource, refresh, useResource } from '../../api/resource.js';
import { PulledOn, useLeadsOn } from '../../forges/after-accept.js';
import { Link } from '../../shell/router.js';
import { useSession } from '../../shell/session.js';
import { ActorName } from '../../ui/actor.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { Time } from '../../ui/display.js';
import { ErrorNote } from '../../ui/feedback.js';
import { branchOf, buildAddress, describeDecision, isOpen } from '../build-words.js';
import { readFirstRun } from '../first-run-state.js';

export type Decision = NonNullable<Build['review']>;

const NEXT_POLL_MS = 3_000;

/** Shows the decision in every open window. It is mounted empty so that screen readers announce it. */
export function DecisionNote({ build }: { build: Build }) {
  const { review } = build;
  return (
    <div
      role="status"
      aria-label="Decision"
      className={review ? `decision decision-${review.decision}` : undefined}
    >
      {review && (
        <>
          <DecisionWords review={review} /> <Outcome build={build} review={review} />
        </>
      )}
    </div>
  );
}

const DecisionWords = ({ review }: { review: Decision }) => (
  <span>
    <strong>
      <ActorName actor={review.by} /> {describeDecision(review)}
    </strong>{' '}
    <Time at={review.at} />.
  </span>
);

const Outcome = ({ build, review }: { build: Build; review: Decision }) =>
  review.decision === 'rework' ? <NextAttempt build={build} /> : <PushState build={build} />;

function NextAttempt({ build }: { build: Build }) {
  const list = useResource(
    `builds:card:${build.task_id}`,
    (signal) => listBuildsOfCard(build.task_id, signal),
    { pollMs: NEXT_POLL_MS },
  );
  const next = list.data?.builds.find(({ continues }) => continues === build.build_id);
  if (!next) return <span>Attempt {build.attempt + 1} is queued.</span>;
  return (
    <span>
      <Link to={buildAddress(next.build_id)}>Attempt {next.attempt}</Link>{' '}
      {isOpen(next) ? 'is open.' : 'finished.'}
    </span>
  );
}

function PushState({ build }: { build: Build }) {
  // The final branch name is known only after the push.
  const branch = build.pushed_at ? <span className="mono">{branchOf(build)}</span> : 'Its branch';
  const leadsOn = useLeadsOn(build.project_id);
  if (build.push_error) return <PushAgain build={build} />;
  if (leadsOn)
    return (
      <span>
        {branch} {build.pushed_at ? 'was pushed' : 'is being pushed…'}{' '}
        {build.pushed_at && (
          <>
            <Time at={build.pushed_at} />.{' '}
          </>
        )}
        <PulledOn build={build} />
        {build.pushed_at && <FirstRunLink />}
      </span>
    );
  if (build.pushed_at)
    return (
      <span>
        {branch} was pushed <Time at={build.pushed_at} />. Merge it on the host.
        <FirstRunLink />
      </span>
    );
  return <span>{branch} is being pushed… The card is done when the push finishes.</span>;
}

function PushAgain({ build }: { build: Build }) {
  const again = useAction(async () => {
    const changed = await acceptBuild(build.build_id);
    putResource<Build>(`build:${build.build_id}`, () => changed);
  });
  return (
    <>
      <span className="bad">Not pushed: {build.push_error}</span>{' '}
      {build.head_sha && (
        <Button small busy={again.busy} onClick={() => void again.run()}>
          Retry push
        </Button>
      )}
      {again.fault && <ErrorNote fault={again.fault} />}
    </>
  );
}

function FirstRunLink() {
  const { brand } = useSession();
  if (readFirstRun(brand.brand_id) !== 'begun') return null;
  return (
    <>
      {' '}
      <Link to="/dashboard">Next steps</Link>
    </>
  );
}

/** A decision that another person made first; undefined without one. */
export function useDecidedMeanwhile(build: Build, fault: GuildhallError | undefined): Decision | undefined {
  const { user } = useSession();
  const refused = decisionIn(fault);
  useEffect(() => {
    if (refused) refresh(`build:${build.build_id}`);
  }, [refused, build.build_id]);
  if (refused) return refused;
  const by = build.review?.by;
  const isOwn = by?.user_id === user.user_id && by.agent_id === null;
  return isOwn ? undefined : (build.review ?? undefined);
}

/** A build has a single decision; the conflict response names it. */
function decisionIn(fault: GuildhallError | undefined): Decision | undefined {
  const detail = fault?.detail as ({ error?: string } & Decision) | undefined;
  return detail?.error === 'decided' ? detail : undefined;
}

interface DecidedProps {
  build: Build;
  review: Decision;
  /** Number of the user's unsent comments. */
  comments: number;
  onClose(): void;
}

/** Replaces the decision dialog when another person has already decided. */
export function DecidedDialog({ build, review, comments, onClose }: DecidedProps) {
  return (
    <Dialog title="Already decided" onClose={onClose}>
      <p>
        <DecisionWords review={review} /> Your decision was not saved.
      </p>
      <p>
        <Outcome build={build} review={review} />
      </p>
      {comments > 0 && (
        <p className="muted">
          Your {comments === 1 ? 'comment was' : `${comments} comments were`} not sent and{' '}
          {comments === 1 ? 'stays' : 'stay'} here as drafts.
        </p>
      )}
      <div className="dialog-actions">
        <Button tone="primary" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

/**
 * Follows the feed of the card's board and refreshes the review when someone comments or decides. Without a
 * board, the page polls every few seconds.
 */
export function useReviewNews(build: Build | undefined, boardId: string | undefined): void {
  const { build_id: buildId, task_id: taskId } = build ?? {};
  useEffect(() => {
    if (!buildId || !boardId) return;
    const stop = new AbortController();
    const tell = () => {
      refresh(`build:${buildId}`);
      refresh('builds:');
      refresh('remarks:');
      refresh(`card:${taskId}`);
    };
    async function follow(board: string) {
      const { next_cursor } = await listActivity(board, undefined, stop.signal);
      // Refresh once: a decision may have been made before the feed was connected.
      tell();
      const options = { signal: stop.signal, onState: () => {} };
      for await (const { data } of followActivity(board, next_cursor, options))
        if (data.task_id === taskId) tell();
    }
    follow(boardId).catch(() => {});
    return () => stop.abort();
  }, [boardId, buildId, taskId]);
}
