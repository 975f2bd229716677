import type { Lesson, NearLesson } from '../api/lessons.js';
import { Badge } from '../ui/display.js';
import { PinIcon } from '../ui/icons.js';

const describeHops = (hops: number): string =>
  hops === 0 ? 'here' : hops === 1 ? '1 hop away' : `${hops} hops away`;

/** A lesson opens in place: its text is what one came for. */
export function LessonRow({ lesson }: { lesson: Lesson | NearLesson }) {
  const near = 'path_to' in lesson ? lesson : undefined;
  // What is found near some code says less of itself.
  const found: Partial<Lesson> = lesson;
  return (
    <details className="row row-details">
      <summary>
        <span className="row-main">
          <span className="row-title">
            {lesson.pinned && (
              <span className="accent" title="Pinned">
                <PinIcon size={14} />
              </span>
            )}
            <Badge tone="accent">{lesson.type}</Badge>
            <strong>{found.title || lesson.id}</strong>
            {lesson.stale && <Badge tone="warn">stale</Badge>}
            {found.matched_by && <Badge>by {found.matched_by}</Badge>}
            {near && <Badge tone="info">{describeHops(near.hops)}</Badge>}
          </span>
          <span className="mono muted small">{lesson.path}</span>
          {lesson.stale_reason && <span className="warn small">{lesson.stale_reason}</span>}
        </span>
      </summary>
      <div className="prose">{lesson.body.trim()}</div>
      {near && near.path_to.length > 1 && (
        <p className="small muted path-to">
          {near.path_to.map((step) => (
            <span key={step.node_id}>
              {step.edge && <em>{step.edge.replace('_', ' ')}</em>} <span className="mono">{step.path}</span>
            </span>
          ))}
        </p>
      )}
      <div className="tags">
        {found.anchors?.map((anchor) => (
          <code key={anchor}>{anchor}</code>
        ))}
        {found.author && <span className="muted small">by {found.author}</span>}
        {found.card && <span className="muted small">card {found.card}</span>}
      </div>
    </details>
  );
}
