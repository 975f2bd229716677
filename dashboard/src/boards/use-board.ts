import { useCallback, useEffect, useRef } from 'react';
import {
  type Board,
  type CardPatch,
  type Column,
  changeCard,
  listCards,
  type Receipt,
  readBoard,
  readCard,
  type SummaryCard,
} from '../api/boards.js';
import { GuildhallError } from '../api/client.js';
import { putResource, refresh, useResource } from '../api/resource.js';
import { useToast } from '../ui/toast.js';
import { cardsKey, moveTo, putCard, undoOf } from './card-state.js';

/** A board, its cards, and the ways to change them. Every write names the version it was decided on. */
export function useBoard(boardId: string) {
  const board = useResource<Board>(`board:${boardId}`, (signal) => readBoard(boardId, signal));
  const key = cardsKey(boardId);
  const cards = useResource<SummaryCard[]>(key, (signal) => listCards(boardId, signal));
  const versions = useRef(new Map<string, number>());
  const toast = useToast();

  useEffect(() => () => versions.current.clear(), []);

  const change = useCallback(
    (edit: (cards: SummaryCard[]) => SummaryCard[]) =>
      putResource<SummaryCard[]>(key, (known) => (known ? edit(known) : known)),
    [key],
  );

  /** Called ahead of a drop, so that the move itself is one request. */
  const learnVersion = useCallback(async (card: SummaryCard): Promise<number> => {
    const known = versions.current.get(card.id);
    if (known !== undefined) return known;
    const fresh = await readCard(card.id);
    if (fresh.column.id !== card.column.id) {
      throw new GuildhallError({
        status: 412,
        detail: `Somebody moved ${card.ref} to ${fresh.column.name} meanwhile`,
      });
    }
    versions.current.set(card.id, fresh.version);
    return fresh.version;
  }, []);

  const forgetVersion = useCallback((cardId: string) => void versions.current.delete(cardId), []);

  const undo = useCallback(
    async (ref: string, receipt: Receipt, version: number) => {
      try {
        await changeCard(receipt.task_id, undoOf(receipt), version);
        const fresh = await readCard(receipt.task_id);
        versions.current.set(fresh.id, fresh.version);
        change((all) => putCard(all, fresh));
        refresh(`card:${fresh.id}`);
        toast({ text: `${ref} is as it was` });
      } catch (error) {
        toast({ text: `Not undone: ${describe(error)}`, tone: 'error' });
      }
    },
    [change, toast],
  );

  /** Offers the way back, as the receipt describes it. */
  const offerUndo = useCallback(
    (text: string, ref: string, receipt: Receipt, version: number) =>
      toast({ text, action: { label: 'Undo', perform: () => void undo(ref, receipt, version) } }),
    [toast, undo],
  );

  const patch = useCallback(
    async (card: Pick<SummaryCard, 'id' | 'ref'>, body: CardPatch, version: number) => {
      const changed = await changeCard(card.id, body, version);
      versions.current.set(card.id, changed.version);
      if (Object.keys(changed.receipt.changed).length > 0) {
        offerUndo(`${card.ref} saved`, card.ref, changed.receipt, changed.version);
      }
      return changed;
    },
    [offerUndo],
  );

  const move = useCallback(
    async (card: SummaryCard, column: Column) => {
      if (card.column.id === column.id) return;
      change((all) => moveTo(all, card.id, column));
      try {
        const version = await learnVersion(card);
        const changed = await changeCard(card.id, { column_id: column.id }, version);
        versions.current.set(card.id, changed.version);
        offerUndo(`${card.ref} moved to ${column.name}`, card.ref, changed.receipt, changed.version);
      } catch (error) {
        versions.current.delete(card.id);
        toast({ text: `${card.ref} stays where it was: ${describe(error)}`, tone: 'error' });
        refresh(key);
      }
    },
    [change, key, learnVersion, offerUndo, toast],
  );

  return { board, cards, change, move, patch, learnVersion, forgetVersion };
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export type BoardHandle = ReturnType<typeof useBoard>;
