import { useSyncExternalStore } from 'react';

/** Whether the palette is open: anything on the page may open it. */
let open = false;
const watchers = new Set<() => void>();

function set(value: boolean): void {
  open = value;
  for (const tell of watchers) tell();
}

export const openPalette = (): void => set(true);
export const closePalette = (): void => set(false);

export const usePaletteOpen = (): boolean =>
  useSyncExternalStore(
    (tell) => {
      watchers.add(tell);
      return () => watchers.delete(tell);
    },
    () => open,
  );
