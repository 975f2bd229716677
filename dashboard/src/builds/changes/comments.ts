import { useCallback, useMemo } from 'react';
import { useDraft } from '../../ui/draft.js';
import { type DraftComment, keyOf, type Spot } from './remarks.js';

export interface Comments {
  all: DraftComment[];
  /** Those that say something. */
  written: DraftComment[];
  at(spot: Pick<DraftComment, 'path' | 'side' | 'line'>): DraftComment | undefined;
  open(spot: Spot): void;
  change(comment: DraftComment, changes: Partial<DraftComment>): void;
  remove(comment: DraftComment): void;
  clear(): void;
}

const NONE: DraftComment[] = [];

/** The remarks on a build, kept for this window until they are sent: neither a reload nor a sign-in loses them. */
export function useComments(buildId: string): Comments {
  const { value: all, set, clear } = useDraft<DraftComment[]>(`review:${buildId}`, NONE);
  const at = useCallback(
    (spot: Pick<DraftComment, 'path' | 'side' | 'line'>) => all.find((each) => keyOf(each) === keyOf(spot)),
    [all],
  );
  return useMemo(
    () => ({
      all,
      written: all.filter(({ body }) => body.trim() !== ''),
      at,
      open: (spot) => {
        const known = at(spot);
        set(
          known
            ? all.map((each) => (each === known ? { ...each, editing: true } : each))
            : [...all, { ...spot, body: '', editing: true }],
        );
      },
      change: (comment, changes) =>
        set(all.map((each) => (keyOf(each) === keyOf(comment) ? { ...each, ...changes } : each))),
      remove: (comment) => set(all.filter((each) => keyOf(each) !== keyOf(comment))),
      clear,
    }),
    [all, at, set, clear],
  );
}
