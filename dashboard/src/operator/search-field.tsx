import { useState } from 'react';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { SearchIcon } from '../ui/icons.js';
import { useSettled } from '../ui/settled.js';

export interface Words {
  typed: string;
  settled: string;
  type(words: string): void;
}

export function useWords(): Words {
  const [typed, setTyped] = useState(usePlace().query.get('q') ?? '');
  return {
    typed,
    settled: useSettled(typed.trim()),
    type(words) {
      setTyped(words);
      navigate(withParameters({ q: words }), { replace: true });
    },
  };
}

export function SearchField({ label, words }: { label: string; words: Words }) {
  return (
    <div className="find-bar">
      <span className="search-box search-wide operator-search">
        <SearchIcon size={15} />
        <input
          type="search"
          aria-label={label}
          placeholder={label}
          value={words.typed}
          onChange={(event) => words.type(event.target.value)}
        />
      </span>
    </div>
  );
}
