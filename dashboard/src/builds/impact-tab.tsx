import { type Build, type MergeImpact, readImpact } from '../api/builds.js';
import { useResource } from '../api/resource.js';
import { Link } from '../shell/router.js';
import { Badge } from '../ui/display.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { PinIcon } from '../ui/icons.js';
import { Section } from '../ui/page.js';

export function ImpactTab({ build }: { build: Build }) {
  const impact = useResource(
    build.head_sha ? `impact:${build.build_id}:${build.head_sha}` : null,
    (signal) => readImpact(build.build_id, signal),
    { freshMs: 60_000 },
  );
  if (!build.head_sha)
    return <Empty title="No commits yet">The impact appears when the commits are submitted.</Empty>;
  return (
    <Loaded of={impact} rows={3}>
      {(data) => <Impact impact={data} projectId={build.project_id} />}
    </Loaded>
  );
}

function Impact({ impact, projectId }: { impact: MergeImpact; projectId: string }) {
  const { stale, moved, touched } = impact;
  if (stale.length + moved.length + touched.length === 0)
    return <Empty title="No lesson is affected">The change does not touch code with lessons.</Empty>;
  return (
    <div className="stack">
      <p className="muted">
        If this branch is merged, from <span className="mono">{impact.base.slice(0, 10)}</span> to{' '}
        <span className="mono">{impact.head.slice(0, 10)}</span>.{' '}
        <Link to={`/dashboard/lessons/${projectId}`}>Lessons of this project</Link>
      </p>
      {stale.length > 0 && (
        <Section title={`Stale: ${stale.length}`} lead="Their code is removed. Review these lessons.">
          <Rows items={stale} detail={({ anchors }) => anchors.join(', ')} />
        </Section>
      )}
      {moved.length > 0 && (
        <Section title={`Moved: ${moved.length}`} lead="These lessons move with their code automatically.">
          <Rows
            items={moved}
            detail={({ moves }) => moves.map(({ from, to }) => `${from} → ${to}`).join(', ')}
          />
        </Section>
      )}
      {touched.length > 0 && (
        <Section title={`Touched: ${touched.length}`} lead="Their code changes in place.">
          <Rows items={touched} detail={({ anchors }) => anchors.join(', ')} />
        </Section>
      )}
    </div>
  );
}

type Affected = MergeImpact['touched'][number] | MergeImpact['moved'][number];

function Rows<T extends Affected>({ items, detail }: { items: T[]; detail(item: T): string }) {
  return (
    <ul className="rows">
      {items.map((item) => (
        <li key={item.id} className="row">
          <div className="row-main">
            <span className="row-title">
              <span className="mono">{item.path}</span> <Badge>{item.type}</Badge>
              {item.pinned && (
                <Badge tone="accent">
                  <PinIcon size={12} /> pinned
                </Badge>
              )}
            </span>
            <span className="muted small mono">{detail(item)}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}
