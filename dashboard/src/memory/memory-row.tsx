import type { Memory, MemoryHit } from '../api/memory.js';
import { Link, withParameters } from '../shell/router.js';
import { Badge, Meter, Time } from '../ui/display.js';
import { type Reason, Why } from './why.js';

interface RowProps {
  memory: Memory | MemoryHit;
  why?: Reason;
}

export function MemoryRow({ memory, why }: RowProps) {
  return (
    <Link to={withParameters({ memory: memory.id })} className="row memory-row" data-row={memory.id}>
      <span className="row-main">
        <span className="row-title">
          <Badge tone="accent">{memory.kind}</Badge>
          <strong>{memory.title}</strong>
          {memory.importance !== 'normal' && memory.importance !== 'low' && (
            <Badge tone="info">{memory.importance}</Badge>
          )}
          {memory.stale && (
            <Badge tone="warn" title={memory.stale_caveat ?? undefined}>
              stale
            </Badge>
          )}
        </span>
        <RowText memory={memory} />
        {memory.tags.length > 0 && (
          <span className="tags">
            {memory.tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </span>
        )}
        {why && <Why reason={why} />}
      </span>
      <span className="row-side">
        <Meter value={memory.confidence} label="Confidence" />
        <span className="muted small">
          <Time at={memory.updated_at} />
        </span>
      </span>
    </Link>
  );
}

/** Hides a body that only repeats the title. */
function RowText({ memory }: { memory: Memory | MemoryHit }) {
  // List markers are meaningless in a single line.
  const text = memory.description || memory.body.replace(/^[-*] /gm, '');
  const bare = (words: string) => words.trim().replace(/\.$/, '');
  if (bare(text) === bare(memory.title)) return null;
  return <span className="row-text muted">{text}</span>;
}
