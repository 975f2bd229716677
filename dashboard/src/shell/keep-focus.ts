import { useEffect } from 'react';
import { focusHeading } from '../ui/row-focus.js';

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled)';

/** Time for other code to restore the focus to a better element. */
const PATIENCE_MS = 150;

/** Location of the focused element: its list, row index and label. */
interface Trail {
  element: HTMLElement;
  list: Element | null;
  at: number;
  words: string;
}

/**
 * Keeps the focus from falling back to the page body: when the focused element is removed, it focuses the
 * same button in the row that took its place, or the heading.
 */
export function useFocusKeeper(): void {
  useEffect(() => {
    let trail: Trail | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onFocus = (event: FocusEvent) => {
      trail = trailOf(event.target as HTMLElement);
    };
    // The user removed the focus on purpose by clicking an empty area.
    const onLeave = () =>
      queueMicrotask(() => {
        if (trail?.element.isConnected && document.activeElement === document.body) trail = undefined;
      });
    const isLost = () =>
      trail !== undefined && !trail.element.isConnected && document.activeElement === document.body;
    const mend = () => {
      if (!trail || !isLost()) return;
      const target = findNeighbour(trail);
      trail = undefined;
      if (target) target.focus({ preventScroll: true });
      else focusHeading();
    };
    const observer = new MutationObserver(() => {
      if (!isLost()) return;
      clearTimeout(timer);
      timer = setTimeout(mend, PATIENCE_MS);
    });
    document.addEventListener('focusin', onFocus);
    document.addEventListener('focusout', onLeave);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('focusout', onLeave);
      observer.disconnect();
      clearTimeout(timer);
    };
  }, []);
}

/** Boards restore the focus themselves, because their cards unmount when scrolled out of view. */
function trailOf(element: HTMLElement): Trail | undefined {
  if (element.closest('[data-cell]')) return undefined;
  const row = element.closest('li, tr');
  const list = row?.parentElement ?? null;
  return { element, list, at: list ? [...list.children].indexOf(row!) : -1, words: wordsOf(element) };
}

const wordsOf = (element: Element): string =>
  element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '';

function findNeighbour({ list, at, words }: Trail): HTMLElement | undefined {
  if (!list?.isConnected) return undefined;
  const rows = [...list.children];
  const nearest = [...rows.slice(at), ...rows.slice(0, at).reverse()];
  const candidates = nearest.flatMap((row) => [...row.querySelectorAll<HTMLElement>(FOCUSABLE)]);
  return candidates.find((each) => wordsOf(each) === words) ?? candidates[0];
}
