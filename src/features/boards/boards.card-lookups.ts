import type { Db, Tx } from '../../database/database.js';
import type { MemberCaller } from '../../kernel/access.js';
import { type CardPatch, listReferences } from './boards.card-changes.js';
import { cardStore } from './boards.card-store.js';
import { cardNotFound, fieldRefused } from './boards.errors.js';
import { boardStore, type LockedBoard } from './boards.store.js';

/** The board of a card of the caller's workspace, held against other writers. */
export async function lockBoardOfCard(tx: Tx, caller: MemberCaller, cardId: string): Promise<LockedBoard> {
  const board = await boardStore(tx, caller.brandId).lockBoardOfCard(cardId, caller.userId);
  if (!board) throw cardNotFound();
  return board;
}

export async function readCard(db: Db | Tx, caller: MemberCaller, cardId: string) {
  const found = await cardStore(db, caller.brandId).findCardOnBoard(cardId);
  if (!found) throw cardNotFound();
  return found;
}

/** The names of the people a body refers to; cards it refers to are checked on the way. */
export async function resolveReferences(
  tx: Tx,
  caller: MemberCaller,
  boardId: string,
  input: CardPatch,
  cardId?: string,
): Promise<Map<number, string>> {
  const { userIds, cardIds } = listReferences(input);
  const store = cardStore(tx, caller.brandId);
  const boards = await store.findBoardsOfCards(cardIds);
  const parentId = input.parent_id?.toLowerCase();
  if (parentId !== undefined) {
    if (boards.get(parentId) !== boardId) throw fieldRefused('parent_id', 'must be a card of the same board');
    if (cardId && (await store.descendsFrom(parentId, cardId))) {
      throw fieldRefused('parent_id', 'must not be the card itself or one below it');
    }
  }
  for (const blocker of input.blocked_by ?? []) {
    const place = boards.get(blocker.toLowerCase());
    // A guest learns nothing about boards beyond the ones they were invited to.
    if (place === undefined || (caller.role === 'guest' && place !== boardId)) {
      throw fieldRefused('blocked_by', 'must name cards of this workspace');
    }
    if (blocker.toLowerCase() === cardId) throw fieldRefused('blocked_by', 'must not name the card itself');
  }
  return store.findPeople(userIds, boardId);
}
