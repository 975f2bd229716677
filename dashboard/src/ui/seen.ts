import { type RefCallback, useCallback, useState } from 'react';

type Told = (seen: boolean) => void;

/** One shared observer per scroll container: thousands of observers would be slow. */
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

/** The observer's margin is relative to the scroll container: the page or its main element. */
function scrollerOf(element: Element): Element | null {
  const main = element.closest('.main');
  return main && getComputedStyle(main).overflowY !== 'visible' ? main : null;
}

/** True once an element has come within `margin` of the viewport, and from then on. */
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
