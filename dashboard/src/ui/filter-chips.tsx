import { Button } from './button.js';
import { CloseIcon } from './icons.js';

export interface FilterChip {
  /** What is filtered by, such as `Label: safety`. */
  words: string;
  clear(): void;
}

/** Every filter that hides something, each with a way to take it away. */
export function FilterChips({ chips, onClear }: { chips: FilterChip[]; onClear(): void }) {
  if (chips.length === 0) return null;
  return (
    <ul className="filter-chips" aria-label="Active filters">
      {chips.map(({ words, clear }) => (
        <li key={words} className="filter-chip">
          <span>{words}</span>
          <button type="button" aria-label={`Remove filter: ${words}`} onClick={clear}>
            <CloseIcon size={12} />
          </button>
        </li>
      ))}
      <li>
        <Button small tone="quiet" onClick={onClear}>
          Clear
        </Button>
      </li>
    </ul>
  );
}

/** For when nothing is left: which filters it is that leave nothing. */
export const describeChips = (chips: readonly FilterChip[]): string =>
  chips.map(({ words }) => words).join(' · ');
