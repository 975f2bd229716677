import type { Db, Tx } from '../../../database/database.js';
import type { BoardServiceOptions } from '../boards.options.js';
import { boardStore } from '../boards.store.js';
import { type Place, placeCard, type Status } from '../columns.js';
import { announce, entryTime, nextEntry, tellOutside } from '../feed/happenings.js';
import { planChange, shortenChanges } from './card-changes.js';
import type { ChangeableName, FieldName } from './card-fields.js';
import { type CardValues, keptAs } from './card-values.js';
import type { FullCard } from './cards.schemas.js';
import { cardStore } from './cards.store.js';
import { type CardName, referenceStore } from './references.store.js';

/** What the service itself writes on a card, on behalf of work that is done for it. */
export interface FollowedChange {
  values: Partial<Pick<FullCard, FieldName>>;
  /** Left out, the card stays where it is. */
  status?: Status;
}

/** For features that work on a card: it follows what happens to the work, in the transaction that says so. */
export function createFollowingService(options: BoardServiceOptions) {
  const { clock } = options;

  return {
    /** Writes what `decide` says of the card as it is now, in one entry; false when there is no such card any more. */
    async followCard(
      tx: Tx,
      brandId: number,
      cardId: string,
      decide: (card: FullCard) => FollowedChange,
    ): Promise<boolean> {
      const board = await boardStore(tx, brandId).lockBoardOfCard(cardId, NOBODY);
      const store = cardStore(tx, brandId);
      const found = board && (await store.findCardOnBoard(cardId));
      if (!found) return false;
      const { card, columns, guestWritten } = found;
      const { values, status } = decide(card);
      const at = entryTime(board, clock);
      const from: Place = { column: columns.find(({ id }) => id === card.column.id)!, status: card.status };
      const to = placeCard(columns, from, { status });
      const plan = planChange(card, from, to, values as CardValues, { byGuest: false, guestWritten, at });
      if (!plan) return true;
      if (plan.bodies) await store.saveBodies(cardId, plan.bodies);
      const entry = nextEntry({ userId: null }, board, at, {
        action: plan.action,
        changes: shortenChanges(plan.changed),
        task: { id: cardId, ref: card.ref, version: card.version + 1 },
      });
      // What the work says of itself counts before what would follow from a change of status.
      const recorded = await store.changeCard(entry, { ...plan.row, ...rowOfValues(values) });
      await tellOutside(options, tx, { brandId, actor: null }, entry, recorded);
      await announce(options, tx, board.board_id);
      return true;
    },

    /** What the cards are called; one that is gone is left out. */
    listCardNames: (brandId: number, cardIds: string[]): Promise<CardName[]> =>
      referenceStore(options.db, brandId).findCardNames(cardIds),

    /** Signs of life, without an entry and without a new version: nobody changed the card. */
    noteSignsOfLife: (db: Db | Tx, brandId: number, cardIds: string[], at: Date): Promise<void> =>
      cardStore(db, brandId).noteSignsOfLife(cardIds, at),

    noteProgress: (db: Db | Tx, brandId: number, cardId: string, percent: number, at: Date): Promise<void> =>
      cardStore(db, brandId).noteProgress(cardId, percent, at),
  };
}

/** No person has this id. */
const NOBODY = 0;

const rowOfValues = (values: FollowedChange['values']): Record<string, unknown> =>
  Object.assign({}, ...Object.entries(values).map(([name, value]) => keptAs(name as ChangeableName, value)));
