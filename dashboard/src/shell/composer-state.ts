import { useSyncExternalStore } from 'react';

export interface ComposerDefaults {
  boardId?: string;
  columnId?: string;
}

type DialogRequest = { kind: 'card'; defaults: ComposerDefaults } | { kind: 'build'; taskId: string };

let wanted: DialogRequest | undefined;
/** Text typed after the dialog was requested but before its title field was rendered. */
let typedAhead = '';
const watchers = new Set<() => void>();
const madeListeners = new Set<(cardId: string) => void>();

function set(request: DialogRequest | undefined): void {
  wanted = request;
  typedAhead = '';
  for (const notify of watchers) notify();
}

export const openComposer = (request: ComposerDefaults = {}): void =>
  set({ kind: 'card', defaults: request });
export const openBuildDialog = (taskId: string): void => set({ kind: 'build', taskId });
export const closeComposer = (): void => set(undefined);

export const useComposer = (): DialogRequest | undefined =>
  useSyncExternalStore(
    (notify) => {
      watchers.add(notify);
      return () => watchers.delete(notify);
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

export function announceCard(cardId: string): void {
  for (const notify of madeListeners) notify(cardId);
}
