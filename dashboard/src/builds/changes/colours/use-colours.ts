import { useEffect, useReducer } from 'react';
import type { DiffLine } from '../diff.js';
import type { Coloured } from '../line-parts.js';
import { languageOf } from './languages.js';

/** Larger ones stay plain. */
const MOST_LINES = 5_000;

/** Lines of a diff never change, so what they are made of is known for as long as they are. */
const known = new WeakMap<DiffLine, readonly Coloured[]>();
const ofAfter = ({ kind }: DiffLine): boolean => kind === 'same' || kind === 'added';
const ofBefore = ({ kind }: DiffLine): boolean => kind === 'same' || kind === 'removed';

/** Whether anything was found out that was not known. */
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
 * The colours of lines, by the runs in which they follow each other. What was and what is are read apart, each as the file it
 * belongs to. First there are none, and then they are there.
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
