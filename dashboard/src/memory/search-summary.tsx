import { MOST_FOUND, type SearchAnswer } from '../api/memory.js';
import { Link, withParameters } from '../shell/router.js';
import { Badge } from '../ui/display.js';

const TRIED: Record<NonNullable<SearchAnswer['explain']>['tried'], string> = {
  top: 'the most important ones',
  words: 'by their words',
  prefixes: 'by word prefixes',
  typos: 'by similar spelling',
  substring: 'by the text itself',
  meaning: 'by words and meaning',
};

export function SearchSummary({ answer: { explain, count } }: { answer: SearchAnswer }) {
  if (!explain) return null;
  const { archived, merged, low_confidence, other_kind } = explain.left_out;
  const nothing = archived + merged + low_confidence + other_kind === 0;
  return (
    <div className="search-summary small" role="status">
      <span>
        <strong>{count}</strong> found {TRIED[explain.tried]}
        {count === MOST_FOUND && `, the best ${MOST_FOUND}`}
      </span>
      {explain.terms.length > 0 && (
        <span className="tags">
          <span className="muted">Looked for</span>
          {explain.terms.map(({ word, entity }) => (
            <Badge key={word} title={entity ? 'Taken for a name' : undefined}>
              {word}
            </Badge>
          ))}
        </span>
      )}
      {!nothing && (
        <span className="tags">
          <span className="muted">Left out</span>
          {archived > 0 && <Link to={withParameters({ status: 'archived' })}>{archived} archived</Link>}
          {merged > 0 && <Link to={withParameters({ status: 'merged' })}>{merged} merged</Link>}
          {low_confidence > 0 && <span>{low_confidence} with a confidence below 30%</span>}
          {other_kind > 0 && <Link to={withParameters({ kind: null })}>{other_kind} of another kind</Link>}
        </span>
      )}
    </div>
  );
}
