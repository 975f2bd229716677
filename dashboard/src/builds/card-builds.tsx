import { useEffect, useMemo, useRef, useState } from 'react';
import type { FullCard } from '../api/boards.js';
import { type Build, listBuildsOfCard } from '../api/builds.js';
import { refresh, useResource } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { Link } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { formatMoney, Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { BuildsIcon } from '../ui/icons.js';
import { BuildDuration, BuildStatus, DiffSize } from './build-status.js';
import {
  buildAddress,
  coderName,
  costOf,
  describeHostFeedback,
  explain,
  isOpen,
  isReview,
} from './build-words.js';
import { CancelDialog } from './cancel-dialog.js';
import { RiskMark } from './gate/risk-mark.js';
import { BuildQuestions } from './questions.js';
import { StartBuildDialog } from './start-build-dialog.js';
import { useReadiness } from './use-obstacles.js';

const OPEN_POLL_MS = 2_500;
const REST_POLL_MS = 15_000;

export function CardBuilds({ card }: { card: FullCard }) {
  const [busy, setBusy] = useState(false);
  const [starting, setStarting] = useState(false);
  const list = useResource(`builds:card:${card.id}`, (signal) => listBuildsOfCard(card.id, signal), {
    pollMs: busy ? OPEN_POLL_MS : REST_POLL_MS,
  });
  const builds = list.data?.builds;
  const open = builds?.some(isOpen) ?? false;
  if (open !== busy) setBusy(open);
  const readiness = useReadiness(card, builds);
  useCardRefresh(card.id, builds);
  const canStart = !readiness.loading && !readiness.obstacle;
  useCommands(
    useMemo(
      () =>
        canStart
          ? [
              {
                id: 'card-build',
                label: `Start a build of ${card.ref}`,
                group: 'Card',
                keys: 'b',
                perform: () => setStarting(true),
              },
            ]
          : [],
      [canStart, card.ref],
    ),
  );
  return (
    <section className="card-builds" aria-label="Builds">
      <header className="card-builds-head">
        <h3>Builds</h3>
        <CardCost builds={builds ?? []} card={card} />
        <Button small icon={<BuildsIcon size={15} />} disabled={!canStart} onClick={() => setStarting(true)}>
          Start a build
        </Button>
      </header>
      {readiness.obstacle && !open && (
        <p className="muted small">
          {readiness.obstacle.text}{' '}
          {readiness.obstacle.link && (
            <Link to={readiness.obstacle.link.to}>{readiness.obstacle.link.label}</Link>
          )}
        </p>
      )}
      {builds?.map((build) => (
        <BuildQuestions key={build.build_id} build={build} />
      ))}
      <Loaded of={list} rows={1}>
        {(data) =>
          data.builds.length === 0 ? (
            <p className="muted small">No attempts yet. Start a build to give this card to a coder.</p>
          ) : (
            <ul className="rows">
              {data.builds.map((build) => (
                <AttemptRow key={build.build_id} build={build} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {starting && <StartBuildDialog taskId={card.id} onClose={() => setStarting(false)} />}
    </section>
  );
}

/** Reloads the card when a build changes its state, in case the feed has not reported it yet. */
function useCardRefresh(cardId: string, builds: Build[] | undefined): void {
  const states = builds?.map(({ build_id, status }) => `${build_id}:${status}`).join(' ');
  const known = useRef(states);
  useEffect(() => {
    if (known.current !== undefined && states !== known.current) refresh(`card:${cardId}`);
    known.current = states;
  }, [cardId, states]);
}

function CardCost({ builds, card }: { builds: Build[]; card: FullCard }) {
  const counted = builds.filter(({ usage }) => usage).length;
  if (card.cost_usd === 0 && counted === 0) return null;
  return (
    <span className="muted small numbers" title="All attempts together">
      {formatMoney(card.cost_usd)} in all
    </span>
  );
}

function AttemptRow({ build }: { build: Build }) {
  const [canceling, setCanceling] = useState(false);
  const hostFeedback = describeHostFeedback(build);
  const reason = explain(build);
  return (
    <li className="attempt-row">
      <div className="row-main">
        <span className="row-title">
          <Link to={buildAddress(build.build_id)}>
            {isReview(build) ? `Review of attempt ${build.attempt}` : `Attempt ${build.attempt}`}
          </Link>
          <BuildStatus build={build} />
          <RiskMark build={build} />
          <span className="muted small">
            {coderName(build.coder)}, <Time at={build.queued_at} />
          </span>
        </span>
        {hostFeedback && <span className="muted small attempt-reason">{hostFeedback}</span>}
        {reason && <span className="muted small attempt-reason">{reason}</span>}
      </div>
      <span className="attempt-numbers small">
        <BuildDuration build={build} />
        <DiffSize build={build} />
        {costOf(build) && <span className="numbers">{costOf(build)}</span>}
      </span>
      {isOpen(build) && !build.cancel_requested_at && (
        <Button small tone="quiet" onClick={() => setCanceling(true)}>
          Cancel
        </Button>
      )}
      {canceling && <CancelDialog build={build} onClose={() => setCanceling(false)} />}
    </li>
  );
}
