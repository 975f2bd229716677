import type { Gap } from './context.js';
import type { ContextHands } from './use-context.js';

export const PlaceRow = ({ place, columns }: { place: string; columns: number }) => (
  <tr className="diff-place">
    <td colSpan={columns}>{place ? `… ${place}` : '…'}</td>
  </tr>
);

interface GapProps {
  gap: Gap;
  place: string | undefined;
  columns: number;
  around: ContextHands;
}

const STEP = 20;
/** The largest gap that is expanded in one step. */
const MOST_AT_ONCE = 2_000;

export function GapRow({ gap: { first, last, above, below }, place, columns, around }: GapProps) {
  const { busy, show } = around;
  const count = last === undefined ? undefined : last - first + 1;
  const few = count !== undefined && count <= STEP;
  const deeds: [string, string, () => void][] = [];
  if (above && !few)
    deeds.push([`${STEP} below`, `lines below line ${first - 1}`, () => show(first, first + STEP - 1)]);
  if (below && !few && last !== undefined)
    deeds.push([`${STEP} above`, `lines above line ${last + 1}`, () => show(last - STEP + 1, last)]);
  if (count === undefined || count > MOST_AT_ONCE)
    deeds.push(['500 more', `lines from line ${first}`, () => show(first, first + 499)]);
  else if (last !== undefined)
    deeds.push([
      count === 1 ? '1 line' : `all ${count} lines`,
      `from line ${first}`,
      () => show(first, last),
    ]);
  return (
    <tr className="diff-place">
      <td colSpan={columns}>
        <span className="diff-gap">
          <span className="diff-gap-deeds">
            <span aria-hidden="true">Show</span>
            {deeds.map(([words, where, perform]) => (
              <button
                key={words}
                type="button"
                className="diff-more"
                disabled={busy}
                aria-label={`Show ${words}, ${where}`}
                onClick={perform}
              >
                {words}
              </button>
            ))}
          </span>
          {place && <span className="diff-gap-place">… {place}</span>}
        </span>
      </td>
    </tr>
  );
}
