import { type RefCallback, useCallback, useState } from 'react';

type Told = (seen: boolean) => void;

/** One watch for all elements of a scroller: thousands of its own would cost more than what they spare. */
const watches = new WeakMap<object, Map<string, IntersectionObserver>>();
const listeners = new WeakMap<Element, Told>();

function watchOf(root: Element | null, margin: string): IntersectionObserver {
  const all = watches.get(root ?? document) ?? new Map<string, IntersectionObserver>();
  watches.set(root ?? document, all);
  const watch =
    all.get(margin) ??
    new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
      },
      { root, rootMargin: margin },
    );
  all.set(margin, watch);
  return watch;
}

/** A margin counts from the edge of what scrolls, which is the page or the main part of it. */
function scrollerOf(element: Element): Element | null {
  const main = element.closest('.main');
  return main && getComputedStyle(main).overflowY !== 'visible' ? main : null;
}

/** Whether an element has come into sight, or as near to it as the margin says; once it has, it stays so. */
export function useSeen<E extends Element>(margin = '200px'): [RefCallback<E>, boolean] {
  const [seen, setSeen] = useState(false);
  const ref = useCallback(
    (element: E | null) => {
      if (!element) return;
      const watch = watchOf(scrollerOf(element), margin);
      const stop = () => {
        watch.unobserve(element);
        listeners.delete(element);
      };
      listeners.set(element, (now) => {
        if (!now) return;
        setSeen(true);
        stop();
      });
      watch.observe(element);
      return stop;
    },
    [margin],
  );
  return [ref, seen];
}
