import { IconButton } from '../../ui/button.js';
import { SearchIcon } from '../../ui/icons.js';

interface SearchProps {
  field: React.RefObject<HTMLInputElement | null>;
  words: string;
  onWords(words: string): void;
  /** The words that `found` and `total` refer to. */
  sought: string;
  found: number;
  total: number;
  onGo(index: number): void;
}

/** Enter goes to the next match, Shift+Enter to the previous one, Escape clears the field. */
export function LogSearch({ field, words, onWords, sought, found, total, onGo }: SearchProps) {
  const step = (by: number) => total > 0 && onGo((found + by + total) % total);
  return (
    <span className="log-search">
      <label className="search-box">
        <SearchIcon size={15} />
        <span className="off-screen">Search in the log</span>
        <input
          ref={field}
          type="search"
          placeholder="Search in the log"
          value={words}
          onChange={(event) => onWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
            if (event.key === 'Escape') onWords('');
          }}
        />
      </label>
      {sought && (
        <>
          <span className="muted small numbers" role="status">
            {total === 0 ? 'no matches' : `${found + 1} of ${total}`}
          </span>
          {total > 1 && (
            <>
              <IconButton label="Previous match" onClick={() => step(-1)}>
                <span aria-hidden="true">↑</span>
              </IconButton>
              <IconButton label="Next match" onClick={() => step(1)}>
                <span aria-hidden="true">↓</span>
              </IconButton>
            </>
          )}
        </>
      )}
    </span>
  );
}
