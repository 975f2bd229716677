import { type RefObject, useLayoutEffect, useRef } from 'react';

const GAP = 4;

interface PopoverOptions {
  open: boolean;
  list: RefObject<HTMLElement | null>;
  frame: RefObject<HTMLElement | null>;
  edge: 'left' | 'right';
  onClose(): void;
}

/** Shows a list below its button in the top layer. An outside click, scrolling or Escape closes it. */
export function usePopover({ open, list, frame, edge, onClose }: PopoverOptions): void {
  const close = useRef(onClose);
  close.current = onClose;
  // A layout effect opens the popover before its children's effects, which can focus only visible fields.
  useLayoutEffect(() => {
    const element = list.current;
    const button = frame.current?.querySelector('button');
    if (!open || !element || !button) return;
    element.showPopover();
    const settle = () => placeBeside(element, button.getBoundingClientRect(), edge);
    settle();
    // Reposition when the content changes size.
    const observer = new ResizeObserver(settle);
    observer.observe(element);
    const onToggle = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') close.current();
    };
    // A scroll event can arrive late, so close only if the button has really moved.
    const openedAt = button.getBoundingClientRect().top;
    const onScroll = (event: Event) => {
      if (element.contains(event.target as Node)) return;
      if (Math.abs(button.getBoundingClientRect().top - openedAt) > GAP) close.current();
    };
    // A native listener runs before the surrounding dialog, which would close too.
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

/** Places the list below the button, or above it if there is no space, within the window. */
export function placeBeside(element: HTMLElement, button: DOMRect, edge: 'left' | 'right'): void {
  const { offsetHeight: height, offsetWidth: width } = element;
  const below = button.bottom + GAP + height <= window.innerHeight;
  const top = below ? button.bottom + GAP : Math.max(GAP, button.top - GAP - height);
  const wanted = edge === 'left' ? button.left : button.right - width;
  const left = Math.min(Math.max(GAP, wanted), window.innerWidth - width - GAP);
  element.style.top = `${top}px`;
  element.style.left = `${left}px`;
}
