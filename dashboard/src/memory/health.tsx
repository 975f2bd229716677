import { type MemoryHealth, readHealth } from '../api/memory.js';
import { useResource } from '../api/resource.js';
import { Link } from '../shell/router.js';
import { countOf, sentence } from '../ui/display.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { Columns, HorizontalBars, Line, Picture } from './pictures.js';

export const healthKey = (agentId: string | undefined): string => `memory-health:${agentId ?? ''}`;

export const useHealth = (agentId: string | undefined) =>
  useResource(healthKey(agentId), (signal) => readHealth(agentId, signal), { freshMs: 15_000 });

export const activeOf = (health: MemoryHealth): number => sum(Object.values(health.by_kind));

const sum = (numbers: number[]): number => numbers.reduce((all, one) => all + one, 0);

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const nameOfWeek = (week: string): string => day.format(new Date(week));

/** Charts of growth, confidence, kinds and pending conversations, for one agent or the workspace. */
export function HealthPictures({ agentId }: { agentId?: string }) {
  const health = useHealth(agentId);
  return (
    <Loaded of={health} rows={4}>
      {(data) =>
        activeOf(data) === 0 && sum(data.weeks.map(({ created }) => created)) === 0 ? (
          <Empty title="Nothing to draw yet">Charts appear after the first memory.</Empty>
        ) : (
          <div className="pictures">
            <Growth health={data} />
            <Confidence health={data} />
            <Kinds health={data} />
            <Learning health={data} agentId={agentId} />
          </div>
        )
      }
    </Loaded>
  );
}

function Growth({ health: { weeks } }: { health: MemoryHealth }) {
  const first = weeks[0];
  const last = weeks.at(-1);
  if (!first || !last) return null;
  const created = sum(weeks.map((week) => week.created));
  const archived = sum(weeks.map((week) => week.archived));
  const says = `From ${countOf(first.total, 'memory', 'memories')} in the week of ${nameOfWeek(first.week)} to ${last.total} now; ${created} written and ${archived} archived in ${countOf(weeks.length, 'week')}.`;
  return (
    <Picture title="Growth" says={says} aside={`${first.total} → ${last.total} in use`}>
      <Line values={weeks.map(({ total }) => total)} className="line-tall" />
      <Columns
        every={Math.ceil(weeks.length / 6)}
        bars={weeks.map((week) => ({
          name: nameOfWeek(week.week),
          value: week.created,
          title: `Week of ${nameOfWeek(week.week)}: ${week.created} written, ${week.archived} archived, ${week.total} in use`,
        }))}
      />
      <p className="picture-key muted small">
        <span className="key-line" /> in use <span className="key-bar" /> written in the week
      </p>
    </Picture>
  );
}

const percent = (share: number): string => `${Math.round(share * 100)}%`;
/** Search excludes memories below this confidence. */
const LEAST_CONFIDENCE = 0.3;

function Confidence({ health: { confidence } }: { health: MemoryHealth }) {
  const sure = sum(confidence.filter(({ from }) => from >= 0.7).map(({ count }) => count));
  const weak = sum(confidence.filter(({ to }) => to <= LEAST_CONFIDENCE).map(({ count }) => count));
  const all = sum(confidence.map(({ count }) => count));
  return (
    <Picture
      title="Confidence"
      aside={weak > 0 ? `${weak} below ${percent(LEAST_CONFIDENCE)}: search leaves them out` : undefined}
      says={`Of ${countOf(all, 'memory', 'memories')} ${sure} ${sure === 1 ? 'has' : 'have'} a confidence of 70% or more, and ${weak} one below 30%, which search leaves out.`}
    >
      <Columns
        bars={confidence.map(({ from, to, count }) => ({
          name: percent(from),
          value: count,
          title: `${percent(from)} to ${percent(to)}: ${count}`,
          tone: to <= LEAST_CONFIDENCE ? 'warn' : 'accent',
        }))}
      />
    </Picture>
  );
}

function Kinds({ health }: { health: MemoryHealth }) {
  const kinds = Object.entries(health.by_kind)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
  const active = activeOf(health);
  return (
    <Picture
      title="Kinds"
      aside={`${health.stale} of ${active} stale`}
      says={`${kinds.map(([kind, count]) => `${sentence(kind)} ${count}`).join(', ')}; ${health.stale} of ${active} not verified for 30 days.`}
    >
      <HorizontalBars
        bars={[
          ...kinds.map(([kind, count]) => ({
            name: sentence(kind),
            value: count,
            title: `${sentence(kind)}: ${count}`,
          })),
          {
            name: 'Stale',
            value: health.stale,
            title: `Not verified for 30 days: ${health.stale}`,
            tone: 'warn' as const,
          },
        ]}
      />
    </Picture>
  );
}

function Learning({ health, agentId }: { health: MemoryHealth; agentId: string | undefined }) {
  const { conversations, sources } = health;
  const address = agentId && `/dashboard/memory/${encodeURIComponent(agentId)}?tab=conversations`;
  const failing = sources.failing > 0 ? `, ${sources.failing} failing` : '';
  const states = (['waiting', 'processing', 'done', 'failed'] as const).map((state) => ({
    name: sentence(state),
    value: conversations[state],
    title: `${sentence(state)}: ${conversations[state]}`,
    tone:
      state === 'failed' ? ('warn' as const) : state === 'done' ? ('accent' as const) : ('quiet' as const),
  }));
  return (
    <div className="picture-box">
      <Picture
        title="Conversations"
        aside={`${sources.enabled} ${sources.enabled === 1 ? 'source' : 'sources'} on${failing}`}
        says={`${states.map(({ name, value }) => `${name} ${value}`).join(', ')}.`}
      >
        <HorizontalBars bars={states} />
      </Picture>
      {address && conversations.failed > 0 && (
        <Link to={`${address}&state=failed`} className="small">
          See what failed
        </Link>
      )}
    </div>
  );
}
