import { useEffect, useReducer } from 'react';
import type { DiffLine } from '../diff.js';
import type { Coloured } from '../line-parts.js';
import { languageOf } from './languages.js';

const MOST_LINES = 5_000;

/** Diff lines never change, so their tokens are cached as long as the lines exist. */
const known = new WeakMap<DiffLine, readonly Coloured[]>();
const ofAfter = ({ kind }: DiffLine): boolean => kind === 'same' || kind === 'added';
const ofBefore = ({ kind }: DiffLine): boolean => kind === 'same' || kind === 'removed';

async function paint(language: string, run: DiffLine[]): Promise<boolean> {
  const fresh = run.filter((line) => line.kind !== 'note' && !known.has(line));
  if (fresh.length === 0) return false;
  const { askColours } = await import('./colours.js');
  const ask = async (belongs: (line: DiffLine) => boolean) => {
    const lines = run.filter(belongs);
    const found = await askColours(
      language,
      lines.map(({ text }) => text),
    );
    for (const [at, line] of lines.entries()) known.set(line, found[at] ?? []);
  };
  if (fresh.some(({ kind }) => kind === 'removed')) await ask(ofBefore);
  await ask(ofAfter);
  return true;
}

/**
 * Highlights runs of consecutive lines. The old and the new version are tokenized separately, each as part of
 * its own file. Lines are plain until the worker answers.
 */
export function useColours(path: string, runs: readonly DiffLine[][]): ReadonlyColours {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const language = languageOf(path);
    const count = runs.reduce((sum, run) => sum + run.length, 0);
    if (!language || count > MOST_LINES) return;
    let left = false;
    void Promise.all(runs.map((run) => paint(language, run))).then((changed) => {
      if (!left && changed.some(Boolean)) draw();
    });
    return () => {
      left = true;
    };
  }, [path, runs]);
  return known;
}

export type ReadonlyColours = Pick<WeakMap<DiffLine, readonly Coloured[]>, 'get'>;
