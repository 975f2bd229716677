import type { Build } from '../../../client/src/index.js';
import type { TileCard } from '../api/boards.js';
import { Avatar, Badge, formatInstant, formatMoney, plainWords, type Tone } from '../ui/display.js';
import { AgentsIcon, BranchIcon, BuildsIcon } from '../ui/icons.js';

export type OpenBuild = Pick<Build, 'build_id' | 'status' | 'silent' | 'waiting_reason'>;

const MOST_LABELS = 3;
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const SOON_MS = 2 * 86_400_000;

interface MarksProps {
  card: TileCard;
  build: OpenBuild | undefined;
  agentName: string | undefined;
}

/** Everything worth knowing of a card at a glance, each only where there is something to say. */
export function CardMarks({ card, build, agentName }: MarksProps) {
  const more = card.labels.length - MOST_LABELS;
  return (
    <div className="card-foot">
      {build && <BuildMark build={build} />}
      {card.error_code && !build && (
        <Badge tone="bad" title={card.error_code}>
          failed
        </Badge>
      )}
      <Branch card={card} />
      {card.checks_state && (
        <Badge tone={checksTone(card.checks_state)}>{plainWords(card.checks_state)}</Badge>
      )}
      {card.due_at && <Due at={card.due_at} open={card.status !== 'done' && card.status !== 'canceled'} />}
      {card.labels.slice(0, MOST_LABELS).map((label) => (
        <span key={label} className="label-mark">
          {label}
        </span>
      ))}
      {more > 0 && <span className="small muted">+{more}</span>}
      <span className="card-figures">
        {card.progress_percent !== null && card.progress_percent < 100 && card.status === 'in_progress' && (
          <span title="Progress">{card.progress_percent}%</span>
        )}
        {card.cost_usd > 0 && <span title="Cost so far">{formatMoney(card.cost_usd)}</span>}
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

const BUILD_WORDS: Record<string, string> = { queued: 'waiting', claimed: 'starting', running: 'building' };

function BuildMark({ build }: { build: OpenBuild }) {
  const word = build.silent ? 'silent' : (BUILD_WORDS[build.status] ?? build.status);
  return (
    <span
      className={build.status === 'running' ? 'build-mark build-on' : 'build-mark'}
      title={build.waiting_reason ?? undefined}
    >
      <BuildsIcon size={12} /> {word}
    </span>
  );
}

function Branch({ card }: { card: TileCard }) {
  if (card.pr_number !== null)
    return (
      <Badge tone={prTone(card.pr_state)} title={card.branch ?? undefined}>
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

function Due({ at, open }: { at: string; open: boolean }) {
  const left = new Date(at).getTime() - Date.now();
  const tone: Tone = !open || left > SOON_MS ? 'plain' : left < 0 ? 'bad' : 'warn';
  return (
    <Badge tone={tone} title={formatInstant(at)}>
      {tone === 'bad' ? 'overdue' : 'due'} {day.format(new Date(at))}
    </Badge>
  );
}

function prTone(state: string | null): Tone {
  if (state === 'merged') return 'accent';
  return state === 'closed' ? 'plain' : 'info';
}

function checksTone(state: string): Tone {
  if (/^(pass|success|green|ok)/.test(state)) return 'good';
  return /^(fail|error|red)/.test(state) ? 'bad' : 'warn';
}
