import { useEffect, useRef } from 'react';

const rows = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-row]')];

/**
 * Focuses the next row when the item in the drawer leaves the list, for example when it is deleted. If its
 * row remains, the closing drawer restores the focus itself.
 */
export function useFocusKept(open: string | null): void {
  const before = useRef<{ id: string; at: number }>(undefined);
  useEffect(() => {
    if (open) {
      const at = rows().findIndex((row) => row.dataset.row === open);
      if (at >= 0) before.current = { id: open, at };
      return;
    }
    const left = before.current;
    before.current = undefined;
    if (!left) return;
    const settle = () => {
      if (document.activeElement && document.activeElement !== document.body) return;
      const all = rows();
      const target =
        all.find((row) => row.dataset.row === left.id) ??
        all[Math.min(left.at, all.length - 1)] ??
        document.querySelector<HTMLElement>('h1');
      target?.focus();
    };
    // The row may disappear only after the list is reloaded.
    settle();
    const observer = new MutationObserver(settle);
    observer.observe(document.body, { childList: true, subtree: true });
    const timer = setTimeout(() => observer.disconnect(), 3000);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [open]);
}

/** Focuses the heading of the topmost dialog or the page when the focused element is gone. */
export function focusHeading(): void {
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
  (dialog?.querySelector<HTMLElement>('h2') ?? document.querySelector<HTMLElement>('h1'))?.focus();
}

export function walkRows(event: React.KeyboardEvent): void {
  const all = rows();
  const at = all.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return;
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  all[to]?.focus();
}

/** Focuses the next or previous row, or the first or last if no row has the focus. */
export function stepRows(step: 1 | -1): void {
  const all = rows();
  const at = all.indexOf(document.activeElement as HTMLElement);
  const to = at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step;
  all[to]?.focus();
}
