import { useEffect } from 'react';
import { focusHeading } from '../ui/row-focus.js';

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled)';

/** Whoever knows better where the focus belongs has given it by then. */
const PATIENCE_MS = 150;

/** Where the focus is: in which row of which list, and by what it is called. */
interface Trail {
  element: HTMLElement;
  list: Element | null;
  at: number;
  words: string;
}

/**
 * The focus never falls to the top of the page: when what had it is gone, it goes to the same button of the row that
 * took its place, or to the heading.
 */
export function useFocusKeeper(): void {
  useEffect(() => {
    let trail: Trail | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onFocus = (event: FocusEvent) => {
      trail = trailOf(event.target as HTMLElement);
    };
    // Somebody who clicks beside everything has left by their own wish.
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

/** A board finds its cards itself: they leave the page when they are scrolled out of sight. */
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
