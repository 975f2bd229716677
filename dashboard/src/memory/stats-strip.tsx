import type { MemoryStats } from '../api/memory.js';
import { sentence } from '../ui/display.js';

/** The figures of one agent or of all. */
export function StatsStrip({ stats }: { stats: MemoryStats }) {
  const kinds = Object.entries(stats.by_kind).filter(([, count]) => count > 0);
  return (
    <dl className="figures">
      <Figure name="Active" value={stats.total_active} />
      <Figure name="Archived" value={stats.total_archived} />
      <Figure name="Merged" value={stats.total_merged} />
      <Figure
        name="Mean confidence"
        value={stats.avg_confidence === null ? 'none' : `${Math.round(stats.avg_confidence * 100)}%`}
      />
      {kinds.map(([kind, count]) => (
        <Figure key={kind} name={sentence(kind)} value={count} quiet />
      ))}
    </dl>
  );
}

function Figure({ name, value, quiet }: { name: string; value: string | number; quiet?: boolean }) {
  return (
    <div className={quiet ? 'figure figure-quiet' : 'figure'}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
