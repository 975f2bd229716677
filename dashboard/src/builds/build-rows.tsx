import type { Build, BuildList } from '../api/builds.js';
import { OutsideLink } from '../forges/outside-link.js';
import { toneOfState } from '../forges/pull-request-words.js';
import { Link } from '../shell/router.js';
import { ActorAvatar } from '../ui/actor.js';
import { Badge, formatCount, Time } from '../ui/display.js';
import { More } from '../ui/feedback.js';
import { BranchIcon } from '../ui/icons.js';
import { BuildDuration, BuildStatus, DiffSize } from './build-status.js';
import { buildAddress, coderName, costOf, explain, isReview, tokensOf } from './build-words.js';
import type { Names } from './desk-names.js';
import { RiskMark, RiskReasons } from './gate/risk-mark.js';

interface RowsProps {
  reasons?: boolean;
  builds: Build[];
  tasks: NonNullable<BuildList['tasks']>;
  desks: Names;
}

export function BuildRows({ builds, tasks, desks, reasons = false }: RowsProps) {
  const cards = new Map(tasks.map((card) => [card.task_id, card]));
  return (
    <ul className="build-rows">
      {builds.map((build) => (
        <BuildRow
          key={build.build_id}
          build={build}
          card={cards.get(build.task_id)}
          desks={desks}
          reasons={reasons}
        />
      ))}
    </ul>
  );
}

type ListedCard = NonNullable<BuildList['tasks']>[number];

interface RowProps {
  build: Build;
  card: ListedCard | undefined;
  desks: Names;
  reasons: boolean;
}

function BuildRow({ build, card, desks, reasons }: RowProps) {
  const reason = explain(build);
  const deskId = build.workstation_id ?? build.wanted_workstation_id;
  const troubled =
    build.silent ||
    build.stalled ||
    build.push_error ||
    ['failed', 'timed_out', 'lost'].includes(build.status);
  return (
    <li className="build-entry" data-build={build.build_id}>
      <span className="build-row-status">
        <BuildStatus build={build} />
      </span>
      <span className="build-row-main">
        <span className="row-title">
          <Link className="build-row-link" to={buildAddress(build.build_id)}>
            <span className="mono build-ref">{build.ref}</span> {card?.title ?? 'a deleted card'}
          </Link>
          {isReview(build) ? (
            <span className="muted small">review of attempt {build.attempt}</span>
          ) : (
            build.attempt > 1 && <span className="muted small">attempt {build.attempt}</span>
          )}
          <RiskMark build={build} told={reasons} />
          {build.pushed_at && card && <PullMark card={card} />}
        </span>
        {reasons && <RiskReasons build={build} />}
        {reason && (
          <span className={troubled ? 'bad small build-reason' : 'muted small build-reason'}>{reason}</span>
        )}
        <span className="muted small build-row-who">
          {build.created_by && <ActorAvatar actor={build.created_by} size={18} />}
          <span>
            {build.created_by?.name ?? 'a former member'}, <Time at={build.queued_at} /> ·{' '}
            {coderName(build.coder)}
            {deskId && ` on ${desks.get(deskId) ?? 'a deleted desk'}`}
            {build.local && ' on their own machine'}
          </span>
        </span>
      </span>
      <span className="build-row-numbers small">
        <Cell label="Took">
          <BuildDuration build={build} />
        </Cell>
        <Cell label="Changes">
          <DiffSize build={build} />
        </Cell>
        <Cell label="Tokens">{tokensOf(build) !== null && formatCount(tokensOf(build)!)}</Cell>
        <Cell label="Cost">{costOf(build)}</Cell>
      </span>
    </li>
  );
}

function PullMark({ card: { pr_number, pr_url, pr_state } }: { card: ListedCard }) {
  if (pr_number === null) return null;
  const mark = (
    <Badge tone={toneOfState(pr_state)}>
      <BranchIcon size={12} /> #{pr_number} {pr_state}
    </Badge>
  );
  return (
    <span className="build-row-pull">
      <OutsideLink href={pr_url ?? ''}>
        <span className="off-screen">Pull request </span>
        {mark}
      </OutsideLink>
    </span>
  );
}

function Cell({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <span className="build-cell numbers">
      <span className="off-screen">{label}: </span>
      {children || <span className="muted">–</span>}
    </span>
  );
}

interface PagesProps {
  pages: BuildList[];
  desks: Names;
  paging: { readMore: (() => void) | undefined; readingMore: boolean };
  empty: React.ReactNode;
  reasons?: boolean;
}

export function BuildPages({ pages, desks, paging, empty, reasons }: PagesProps) {
  const builds = pages.flatMap((page) => page.builds);
  const tasks = pages.flatMap((page) => page.tasks ?? []);
  if (builds.length === 0) return empty;
  return (
    <>
      <BuildRows builds={builds} tasks={tasks} desks={desks} reasons={reasons} />
      <More
        shown={builds.length}
        total={pages[0]?.total}
        noun="builds"
        readMore={paging.readMore}
        busy={paging.readingMore}
      />
    </>
  );
}
