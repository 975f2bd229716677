import { useSyncExternalStore } from 'react';

/** What a new card begins with: anything on the page may ask for one. */
export interface CardWish {
  boardId?: string;
  columnId?: string;
}

type Wish = { kind: 'card'; wish: CardWish } | { kind: 'build'; taskId: string };

let wanted: Wish | undefined;
/** What was typed since a card was asked for, and before there was a field for it. */
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

/** Letters between the wish for a card and its title belong to the title, never to the page. */
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

/** Events every card that was made here; answers how to listen no longer. */
export function onCardMade(listener: (cardId: string) => void): () => void {
  madeListeners.add(listener);
  return () => madeListeners.delete(listener);
}

export function tellCardMade(cardId: string): void {
  for (const tell of madeListeners) tell(cardId);
}
