import { useCallback, useMemo, useRef, useState } from 'react';

export interface Selection {
  ids: ReadonlySet<string>;
  toggle(cardId: string): void;
  extendTo(cardId: string): void;
  add(cardIds: readonly string[]): void;
  all(): void;
  clear(): void;
}

const NOTHING: ReadonlySet<string> = new Set();

export function useSelection(shown: readonly { id: string }[]): Selection {
  const [chosen, setChosen] = useState(NOTHING);
  const latest = useRef(shown);
  latest.current = shown;
  const anchor = useRef<string>(undefined);

  const add = useCallback((cardIds: readonly string[]) => {
    anchor.current = cardIds.at(-1) ?? anchor.current;
    setChosen((before) => new Set([...before, ...cardIds]));
  }, []);
  const toggle = useCallback((cardId: string) => {
    anchor.current = cardId;
    setChosen((before) => {
      const after = new Set(before);
      if (!after.delete(cardId)) after.add(cardId);
      return after;
    });
  }, []);
  const extendTo = useCallback((cardId: string) => {
    const ids = latest.current.map(({ id }) => id);
    const to = ids.indexOf(cardId);
    const from = anchor.current === undefined ? to : ids.indexOf(anchor.current);
    if (to === -1) return;
    const [first, last] = from === -1 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
    anchor.current ??= cardId;
    setChosen((before) => new Set([...before, ...ids.slice(first, last + 1)]));
  }, []);
  const all = useCallback(() => setChosen(new Set(latest.current.map(({ id }) => id))), []);
  const clear = useCallback(() => {
    anchor.current = undefined;
    setChosen(NOTHING);
  }, []);

  // Exclude cards that were filtered out or removed, so that batch actions change only visible cards.
  const ids = useMemo(() => {
    if (chosen.size === 0) return NOTHING;
    return new Set(shown.filter(({ id }) => chosen.has(id)).map(({ id }) => id));
  }, [chosen, shown]);
  return useMemo(
    () => ({ ids, toggle, extendTo, add, all, clear }),
    [ids, toggle, extendTo, add, all, clear],
  );
}
