import type { Build } from '../../../client/src/index.js';
import type { TileCard } from '../api/boards.js';
import { checksWords, reviewMark, toneOfChecks, toneOfState } from '../forges/pull-request-words.js';
import { LabelMarks } from '../ui/card-marks.js';
import { Avatar, Badge, formatInstant, formatMoney, plainWords, type Tone } from '../ui/display.js';
import { AgentsIcon, BranchIcon, BuildsIcon, PaperclipIcon, SubTasksIcon } from '../ui/icons.js';
import { describeEstimate, type SubTasks } from './sub-tasks.js';

export type OpenBuild = Pick<
  Build,
  'build_id' | 'status' | 'silent' | 'stalled' | 'waiting_for' | 'waiting_reason'
>;

const MOST_LABELS = 3;
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const SOON_MS = 2 * 86_400_000;

interface MarksProps {
  card: TileCard;
  build: OpenBuild | undefined;
  agentName: string | undefined;
  subTasks?: SubTasks;
}

export function CardMarks({ card, build, agentName, subTasks }: MarksProps) {
  const estimate = describeEstimate(card);
  return (
    <div className="card-foot">
      {build && <BuildMark build={build} />}
      {card.error_code && !build && (
        <Badge tone="bad" title={card.error_code}>
          failed
        </Badge>
      )}
      <Branch card={card} />
      <PullMarks card={card} />
      {card.due_at && <Due at={card.due_at} open={card.status !== 'done' && card.status !== 'canceled'} />}
      <LabelMarks labels={card.labels} most={MOST_LABELS} />
      <span className="card-figures">
        {subTasks && (
          <span className="sub-tasks" data-whole={subTasks.done === subTasks.all || undefined}>
            <SubTasksIcon size={13} />
            {subTasks.done}/{subTasks.all}
            <span className="off-screen"> sub-tasks done</span>
          </span>
        )}
        {estimate && <span title="Estimate">{estimate}</span>}
        {card.progress_percent !== null && card.progress_percent < 100 && card.status === 'in_progress' && (
          <span title="Progress">{card.progress_percent}%</span>
        )}
        {card.cost_usd > 0 && <span title="Cost so far">{formatMoney(card.cost_usd)}</span>}
        {card.attachment_count > 0 && (
          <span className="attachment-mark">
            <PaperclipIcon size={12} />
            {card.attachment_count}
            <span className="off-screen"> {card.attachment_count === 1 ? 'attachment' : 'attachments'}</span>
          </span>
        )}
        {card.comment_count > 0 && (
          <span className="comment-mark">
            {card.comment_count}
            <span className="off-screen"> {card.comment_count === 1 ? 'comment' : 'comments'}</span>
          </span>
        )}
        <Owner card={card} agentName={agentName} />
      </span>
    </div>
  );
}

function Owner({ card, agentName }: { card: TileCard; agentName: string | undefined }) {
  const agent = card.assignee_agent_id && (agentName ?? card.assignee_agent_id);
  return (
    <>
      {agent && (
        <span className="agent-mark" title={`Agent: ${agent}`}>
          <AgentsIcon size={12} />
          <span className="agent-name">{agent}</span>
        </span>
      )}
      {card.assignee && (
        <span>
          <Avatar name={card.assignee.name} size={20} />
          <span className="off-screen">Assigned to {card.assignee.name}</span>
        </span>
      )}
    </>
  );
}

const BUILD_WORDS: Record<string, string> = {
  queued: 'waiting',
  claimed: 'starting',
  running: 'building',
  waiting: 'needs an answer',
  checking: 'checking',
};

function wordOf({ status, silent, stalled, waiting_for }: OpenBuild): string {
  if (silent) return 'silent';
  if (stalled) return 'stalled';
  if (waiting_for === 'budget') return 'waits for budget';
  return BUILD_WORDS[status] ?? status;
}

function BuildMark({ build }: { build: OpenBuild }) {
  const works = build.status === 'running' || build.status === 'checking';
  return (
    <span className={works ? 'build-mark build-on' : 'build-mark'} title={build.waiting_reason ?? undefined}>
      <BuildsIcon size={12} /> {wordOf(build)}
    </span>
  );
}

function Branch({ card }: { card: TileCard }) {
  if (card.pr_number !== null)
    return (
      <Badge tone={toneOfState(card.pr_state)} title={card.branch ?? undefined}>
        <BranchIcon size={12} /> #{card.pr_number} {card.pr_state && plainWords(card.pr_state)}
      </Badge>
    );
  if (!card.branch) return null;
  return (
    <span className="card-branch" title={card.branch}>
      <BranchIcon size={12} /> <span>{card.branch}</span>
    </span>
  );
}

/** Hidden once the pull request is merged or closed. */
function PullMarks({ card }: { card: TileCard }) {
  if (card.pr_state === 'merged' || card.pr_state === 'closed') return null;
  const checks = card.checks_state && checksWords(card.checks_state);
  const review = card.pr_number === null ? undefined : reviewMark(card.review_state);
  return (
    <>
      {checks && <Badge tone={toneOfChecks(card.checks_state!)}>{checks}</Badge>}
      {review && <Badge tone={review.tone}>{review.words}</Badge>}
    </>
  );
}

function Due({ at, open }: { at: string; open: boolean }) {
  const left = new Date(at).getTime() - Date.now();
  const tone: Tone = !open || left > SOON_MS ? 'plain' : left < 0 ? 'bad' : 'warn';
  return (
    <Badge tone={tone} title={formatInstant(at)}>
      {tone === 'bad' ? 'overdue' : 'due'} {day.format(new Date(at))}
    </Badge>
  );
}
