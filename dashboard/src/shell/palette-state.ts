import { useSyncExternalStore } from 'react';

/** Whether the palette is open: anything on the page may open it. */
let open = false;
/** What was typed since it was asked for, and before it was there to be typed into. */
let typedAhead = '';
const watchers = new Set<() => void>();

function set(value: boolean): void {
  open = value;
  for (const tell of watchers) tell();
}

export function openPalette(): void {
  typedAhead = '';
  set(true);
}

export const closePalette = (): void => set(false);

/**
 * Keys between the wish for the palette and its field belong to the palette, never to the page. Answers whether the key
 * was taken.
 */
export function typeAhead(event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey'>): boolean {
  if (!open || event.metaKey || event.ctrlKey || event.altKey) return false;
  if (event.key === 'Escape') set(false);
  else if (event.key === 'Backspace') typedAhead = typedAhead.slice(0, -1);
  else if (event.key.length === 1) typedAhead += event.key;
  else return false;
  return true;
}

/** To be asked once, by the field, when it is there. */
export function takeTypedAhead(): string {
  const typed = typedAhead;
  typedAhead = '';
  return typed;
}

export const usePaletteOpen = (): boolean =>
  useSyncExternalStore(
    (tell) => {
      watchers.add(tell);
      return () => watchers.delete(tell);
    },
    () => open,
  );
