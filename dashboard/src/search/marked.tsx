import type { SearchHit } from '../api/search.js';
import { sentence } from '../ui/display.js';

export function Marked({ text, marks }: { text: string; marks: SearchHit['marks'] }) {
  let end = 0;
  return (
    <>
      {marks.map(({ from, to }) => {
        const before = text.slice(end, from);
        end = to;
        return (
          <span key={from}>
            {before}
            <mark>{text.slice(from, to)}</mark>
          </span>
        );
      })}
      {text.slice(end)}
    </>
  );
}

export function HitText({ hit }: { hit: SearchHit }) {
  const inTitle = hit.field === 'title';
  return (
    <span className="hit-text">
      <span className="hit-title">
        {inTitle ? <Marked text={hit.snippet} marks={hit.marks} /> : hit.title}
      </span>
      {!inTitle && (
        <span className="hit-place">
          <span className="hit-field">{placeOf(hit)}</span> <Marked text={hit.snippet} marks={hit.marks} />
        </span>
      )}
    </span>
  );
}

const placeOf = ({ field, by }: SearchHit): string =>
  field === 'comment' && by ? `Comment by ${by}:` : `${field === 'agent_id' ? 'Id' : sentence(field)}:`;

export const besideHit = ({ within, status, kind }: SearchHit): string | undefined =>
  within ?? (kind === 'person' && status === 'guest' ? 'guest' : undefined);
