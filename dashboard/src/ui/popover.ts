import { type RefObject, useLayoutEffect, useRef } from 'react';

const GAP = 4;

interface PopoverOptions {
  open: boolean;
  list: RefObject<HTMLElement | null>;
  frame: RefObject<HTMLElement | null>;
  /** Which edges of the list and of its button are in line. */
  edge: 'left' | 'right';
  onClose(): void;
}

/** A list under its button, above everything: a click elsewhere, a scroll of the page and Escape close it. */
export function usePopover({ open, list, frame, edge, onClose }: PopoverOptions): void {
  const close = useRef(onClose);
  close.current = onClose;
  // Before the effects of what it lists: a field in it can take the focus only once it is shown.
  useLayoutEffect(() => {
    const element = list.current;
    const button = frame.current?.querySelector('button');
    if (!open || !element || !button) return;
    element.showPopover();
    const settle = () => placeBeside(element, button.getBoundingClientRect(), edge);
    settle();
    // What it lists may come or go while it is open.
    const observer = new ResizeObserver(settle);
    observer.observe(element);
    const onToggle = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') close.current();
    };
    // A page that came to rest under the click says so afterwards: only what moves the button away closes its list.
    const openedAt = button.getBoundingClientRect().top;
    const onScroll = (event: Event) => {
      if (element.contains(event.target as Node)) return;
      if (Math.abs(button.getBoundingClientRect().top - openedAt) > GAP) close.current();
    };
    // Heard before a dialog around it, which would close too.
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      close.current();
      button.focus();
    };
    element.addEventListener('toggle', onToggle);
    element.addEventListener('keydown', onKey);
    document.addEventListener('scroll', onScroll, true);
    return () => {
      observer.disconnect();
      element.removeEventListener('toggle', onToggle);
      element.removeEventListener('keydown', onKey);
      document.removeEventListener('scroll', onScroll, true);
    };
  }, [open, list, frame, edge]);
}

/** Under the button, or above it where there is no room; never beyond the edge of the window. */
export function placeBeside(element: HTMLElement, button: DOMRect, edge: 'left' | 'right'): void {
  const { offsetHeight: height, offsetWidth: width } = element;
  const below = button.bottom + GAP + height <= window.innerHeight;
  const top = below ? button.bottom + GAP : Math.max(GAP, button.top - GAP - height);
  const wanted = edge === 'left' ? button.left : button.right - width;
  const left = Math.min(Math.max(GAP, wanted), window.innerWidth - width - GAP);
  element.style.top = `${top}px`;
  element.style.left = `${left}px`;
}
