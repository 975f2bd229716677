import { useSyncExternalStore } from 'react';

let open = false;
/** Text typed after the palette was requested but before its field was rendered. */
let typedAhead = '';
const watchers = new Set<() => void>();

function set(value: boolean): void {
  open = value;
  for (const notify of watchers) notify();
}

export function openPalette(): void {
  typedAhead = '';
  set(true);
}

export const closePalette = (): void => set(false);

/** Stores keys pressed before the palette's field exists. Returns whether the key was consumed. */
export function typeAhead(event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey'>): boolean {
  if (!open || event.metaKey || event.ctrlKey || event.altKey) return false;
  if (event.key === 'Escape') set(false);
  else if (event.key === 'Backspace') typedAhead = typedAhead.slice(0, -1);
  else if (event.key.length === 1) typedAhead += event.key;
  else return false;
  return true;
}

/** Called once by the palette's field when it mounts. */
export function takeTypedAhead(): string {
  const typed = typedAhead;
  typedAhead = '';
  return typed;
}

export const usePaletteOpen = (): boolean =>
  useSyncExternalStore(
    (notify) => {
      watchers.add(notify);
      return () => watchers.delete(notify);
    },
    () => open,
  );
