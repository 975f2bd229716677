import type { MemberCaller } from '../../../kernel/access.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { entryTime, recordActivity, type Writer, writerOf } from '../activity/activity.js';
import type { BoardServiceOptions } from '../board/board-access.js';
import { boardStore } from '../board/boards.store.js';
import { placeCard, type Status } from '../board/columns.js';
import type { Changes } from '../boards.schemas.js';
import { planChange } from './card-changes.js';
import type { ChangeableName, FieldName } from './card-fields.js';
import { type CardValues, keptAs } from './card-input.js';
import { placeOf, writeCards } from './card-writing.js';
import type { FullCard } from './cards.schemas.js';
import { type CardName, type CardProgress, cardStore, referenceStore } from './cards.store.js';

/** A change that the service makes on behalf of a build or pull request. */
export interface FollowedChange {
  values: Partial<Pick<FullCard, FieldName>>;
  /** Unchanged by default. */
  status?: Status;
  /** A guest wrote the texts, so agents do not learn from them. */
  byGuest?: boolean;
  /** More changes for the activity entry, which is then written even if no field changes. */
  told?: Changes;
}

export function createFollowingService(options: BoardServiceOptions) {
  const { clock } = options;

  return {
    /** Applies what `decide` returns for the current card, in one entry. False when the card is gone. */
    async followCard(
      tx: Tx,
      brandId: number,
      cardId: string,
      decide: (card: FullCard, statusOfBuild: string | null) => FollowedChange,
      { build, actor = null }: { build?: string; actor?: Writer['actor'] } = {},
    ): Promise<boolean> {
      const board = await boardStore(tx, brandId).lockBoardOfCard(cardId, NOBODY);
      const found = board && (await cardStore(tx, brandId).findCard(cardId));
      if (!found) return false;
      const { card, guestWritten, statusOfBuild } = found;
      const columns = await boardStore(tx, brandId).listColumns(board.board_id);
      const { values, status, told, byGuest = false } = decide(card, statusOfBuild);
      const at = entryTime(board, clock);
      const from = placeOf({ card, columns });
      const to = placeCard(columns, from, { status });
      const plan = planChange(card, from, to, values as CardValues, { byGuest, guestWritten, build, at });
      if (!plan && !told) return true;
      const row = {
        // Explicit values take precedence over values that follow from the status.
        ...rowOfValues(values),
        // Also set when the card already had the status.
        ...(status && build !== undefined && { status_of_build: build }),
      };
      await writeCards(options, tx, { brandId, actor }, [{ board, card, at, plan, row, told }]);
      return true;
    },

    /** Writes an entry without changing the card. Undefined when the card is gone. */
    async recordOnCard(
      tx: Tx,
      caller: MemberCaller,
      cardId: string,
      changes: Changes,
      action: 'task.commented' | 'task.updated' = 'task.commented',
    ): Promise<{ boardId: string } | undefined> {
      const board = await boardStore(tx, caller.brandId).lockBoardOfCard(cardId, NOBODY);
      const found = board && (await cardStore(tx, caller.brandId).findCard(cardId));
      if (!found) return undefined;
      const { ref, version } = found.card;
      await recordActivity(options, tx, writerOf(caller), board, entryTime(board, clock), {
        action,
        changes,
        task: { id: cardId, ref, version },
      });
      return { boardId: board.board_id };
    },

    holdsGuestWords: (db: Db | Tx, brandId: number, cardId: string): Promise<boolean> =>
      cardStore(db, brandId).holdsGuestWords(cardId),

    /** Leaves out deleted cards. */
    listCardNames: (brandId: number, cardIds: string[]): Promise<CardName[]> =>
      referenceStore(options.db, brandId).findCardNames(cardIds),

    /** Writes no entry and keeps the version. */
    noteSignsOfLife: (db: Db | Tx, brandId: number, cardIds: string[], at: Date): Promise<void> =>
      cardStore(db, brandId).noteSignsOfLife(cardIds, at),

    noteProgress: (
      db: Db | Tx,
      brandId: number,
      progress: readonly CardProgress[],
      at: Date,
    ): Promise<void> => cardStore(db, brandId).noteProgress(progress, at),
  };
}

/** Used for callers without a level on the board. No user has this id. */
const NOBODY = 0;

const rowOfValues = (values: FollowedChange['values']): Record<string, unknown> =>
  Object.assign({}, ...Object.entries(values).map(([name, value]) => keptAs(name as ChangeableName, value)));
