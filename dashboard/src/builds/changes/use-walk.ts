import { useMemo } from 'react';
import { useCommands } from '../../shell/commands.js';
import type { Spot } from './remarks.js';

/** Keyboard shortcuts to move through a diff; the focus marks the position. */
export function useWalk(onComment: (spot: Spot) => void): void {
  useCommands(
    useMemo(() => {
      const commands = [
        { id: 'diff-next-file', label: 'Next file', keys: 'n', perform: () => stepFile(1) },
        { id: 'diff-file-before', label: 'Previous file', keys: 'p', perform: () => stepFile(-1) },
        { id: 'diff-next-unviewed', label: 'Next unviewed file', keys: 'u', perform: stepUnviewed },
        { id: 'diff-next-line', label: 'Next line', keys: 'j', perform: () => stepLine(1) },
        { id: 'diff-line-before', label: 'Previous line', keys: 'k', perform: () => stepLine(-1) },
      ];
      const comment = {
        id: 'diff-comment',
        label: 'Comment on this line or file',
        keys: 'c',
        perform: () => {
          const spot = spotHere();
          if (spot) onComment(spot);
        },
      };
      return [...commands, comment].map((each) => ({ ...each, group: 'Changes' }));
    }, [onComment]),
  );
}

const heads = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-file]')];

function stepFile(step: number): void {
  const all = heads();
  const here = document.activeElement?.closest('.diff-file')?.querySelector<HTMLElement>('[data-file]');
  const at = here ? all.indexOf(here) : step > 0 ? -1 : all.length;
  const next = all[Math.min(Math.max(at + step, 0), all.length - 1)];
  next?.closest('section')?.scrollIntoView({ block: 'start' });
  next?.focus({ preventScroll: true });
}

/** Moves to the next unviewed file and wraps around at the end. */
export function stepUnviewed(): void {
  const all = heads();
  const here = document.activeElement?.closest('.diff-file')?.querySelector<HTMLElement>('[data-file]');
  const at = here ? all.indexOf(here) + 1 : 0;
  const next = [...all.slice(at), ...all.slice(0, at)].find(({ dataset }) => dataset['viewed'] === undefined);
  next?.closest('section')?.scrollIntoView({ block: 'start' });
  next?.focus({ preventScroll: true });
}

function stepLine(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('tr[data-line]')];
  const active = document.activeElement as HTMLElement | null;
  const row = active?.closest<HTMLElement>('tr[data-line]');
  const card = active?.closest('.diff-file');
  const at = row ? rows.indexOf(row) + step : rows.findIndex((each) => !card || card.contains(each));
  const next = rows[at];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
}

function spotHere(): Spot | undefined {
  const active = document.activeElement as HTMLElement | null;
  const row = active?.closest<HTMLElement>('tr[data-line]');
  if (row) {
    const { path = '', side, line } = row.dataset;
    return { path, side: side === 'old' ? 'old' : 'new', line: Number(line) };
  }
  const path = active?.closest('.diff-file')?.querySelector<HTMLElement>('[data-file]')?.dataset['file'];
  return path === undefined ? undefined : { path, side: 'file', line: null };
}
