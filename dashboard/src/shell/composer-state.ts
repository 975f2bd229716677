import { useSyncExternalStore } from 'react';

export interface CardWish {
  boardId?: string;
  columnId?: string;
}

type Wish = { kind: 'card'; wish: CardWish } | { kind: 'build'; taskId: string };

let wanted: Wish | undefined;
/** Text typed after the dialog was requested but before its title field was rendered. */
let typedAhead = '';
const watchers = new Set<() => void>();
const madeListeners = new Set<(cardId: string) => void>();

function set(wish: Wish | undefined): void {
  wanted = wish;
  typedAhead = '';
  for (const tell of watchers) tell();
}

export const openComposer = (wish: CardWish = {}): void => set({ kind: 'card', wish });
export const openBuildDialog = (taskId: string): void => set({ kind: 'build', taskId });
export const closeComposer = (): void => set(undefined);

export const useComposer = (): Wish | undefined =>
  useSyncExternalStore(
    (tell) => {
      watchers.add(tell);
      return () => watchers.delete(tell);
    },
    () => wanted,
  );

/** Adds keys pressed before the title field is rendered to the title. */
export function typeTitleAhead({ key, metaKey, ctrlKey, altKey }: KeyboardEvent): boolean {
  if (wanted?.kind !== 'card' || metaKey || ctrlKey || altKey || key.length !== 1) return false;
  typedAhead += key;
  return true;
}

export function takeTitleAhead(): string {
  const typed = typedAhead;
  typedAhead = '';
  return typed;
}

export function onCardMade(listener: (cardId: string) => void): () => void {
  madeListeners.add(listener);
  return () => madeListeners.delete(listener);
}

export function tellCardMade(cardId: string): void {
  for (const tell of madeListeners) tell(cardId);
}
