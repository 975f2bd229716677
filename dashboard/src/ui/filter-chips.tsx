import { Button } from './button.js';
import { CloseIcon } from './icons.js';

export interface FilterChip {
  /** The active filter in words, such as `Label: safety`. */
  words: string;
  clear(): void;
}

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

/** Names the active filters in the text of an empty list. */
export const describeChips = (chips: readonly FilterChip[]): string =>
  chips.map(({ words }) => words).join(' · ');
