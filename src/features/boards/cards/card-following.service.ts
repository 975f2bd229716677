import type { MemberCaller } from '../../../kernel/access.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { entryTime, recordHappening, type Writer, writerOf } from '../activity/happenings.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import { boardStore } from '../board/boards.store.js';
import { placeCard, type Status } from '../board/columns.js';
import type { Changes } from '../boards.schemas.js';
import { planChange } from './card-changes.js';
import type { ChangeableName, FieldName } from './card-fields.js';
import { type CardValues, keptAs } from './card-values.js';
import { placeOf, writeCards } from './card-writing.js';
import type { FullCard } from './cards.schemas.js';
import { cardStore } from './cards.store.js';
import { type CardName, referenceStore } from './references.store.js';

/** What the service itself writes on a card, on behalf of work that is done for it. */
export interface FollowedChange {
  values: Partial<Pick<FullCard, FieldName>>;
  /** Left out, the card stays where it is. */
  status?: Status;
  /** Words that come of a guest's: nobody learns from them. */
  byGuest?: boolean;
  /** What the entry tells beside changes of fields; it is written even when no field changes. */
  told?: Changes;
}

/** For features that work on a card: it follows what happens to the work, in the transaction that says so. */
export function createFollowingService(options: BoardServiceOptions) {
  const { clock } = options;

  return {
    /**
     * Writes what `decide` says of the card as it is now, in one entry; false when there is no such card any more. The entry
     * is the service's own unless it carries out what somebody decided.
     */
    async followCard(
      tx: Tx,
      brandId: number,
      cardId: string,
      decide: (card: FullCard, statusOfBuild: string | null) => FollowedChange,
      { build, actor = null }: { build?: string; actor?: Writer['actor'] } = {},
    ): Promise<boolean> {
      const board = await boardStore(tx, brandId).lockBoardOfCard(cardId, NOBODY);
      const found = board && (await cardStore(tx, brandId).findCardOnBoard(cardId));
      if (!found) return false;
      const { card, columns, guestWritten, statusOfBuild } = found;
      const { values, status, told, byGuest = false } = decide(card, statusOfBuild);
      const at = entryTime(board, clock);
      const from = placeOf(found);
      const to = placeCard(columns, from, { status });
      const plan = planChange(card, from, to, values as CardValues, { byGuest, guestWritten, build, at });
      if (!plan && !told) return true;
      const row = {
        // What the work says of itself counts before what would follow from a change of status.
        ...rowOfValues(values),
        // Also where the card had the status already: from now on it has it of the build.
        ...(status && build !== undefined && { status_of_build: build }),
      };
      await writeCards(options, tx, { brandId, actor }, [{ board, card, at, plan, row, told }]);
      return true;
    },

    /**
     * An entry of what somebody said of the work for a card; as with a comment, the card itself stays as it is. Answers the
     * board, undefined when there is no such card any more.
     */
    async tellOnCard(
      tx: Tx,
      caller: MemberCaller,
      cardId: string,
      changes: Changes,
      action: 'task.commented' | 'task.updated' = 'task.commented',
    ): Promise<{ boardId: string } | undefined> {
      const board = await boardStore(tx, caller.brandId).lockBoardOfCard(cardId, NOBODY);
      const found = board && (await cardStore(tx, caller.brandId).findCardOnBoard(cardId));
      if (!found) return undefined;
      const { ref, version } = found.card;
      await recordHappening(options, tx, writerOf(caller), board, entryTime(board, clock), {
        action,
        changes,
        task: { id: cardId, ref, version },
      });
      return { boardId: board.board_id };
    },

    /** Whether a guest's words stand on the card, in its texts or in a comment. */
    holdsGuestWords: (db: Db | Tx, brandId: number, cardId: string): Promise<boolean> =>
      cardStore(db, brandId).holdsGuestWords(cardId),

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
