import { newId } from '../../../kernel/ids.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { entryTime, recordHappening } from '../activity/happenings.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import { boardStore } from '../board/boards.store.js';
import { placeCard } from '../board/columns.js';
import type { Changes } from '../boards.schemas.js';
import { newBoardRow } from './board-records.service.js';
import { shortenChanges } from './card-changes.js';
import { readValues } from './card-values.js';
import type { CardInput } from './cards.schemas.js';
import { cardStore } from './cards.store.js';
import { describeCreation, filledCardRow } from './new-card.js';
import { referenceStore } from './references.store.js';

/** A card for something outside, as whoever wrote it there has it. */
export interface Arrival {
  boardId: string;
  /** Whom the card names as its reporter, if they are still here. */
  reporterId: number | null;
  input: Pick<CardInput, 'title' | 'instructions' | 'labels' | 'project_id' | 'source' | 'external_url'>;
}

/** For features that bring cards from elsewhere: the service itself makes them, in the transaction of who asks. */
export function createArrivalService(options: BoardServiceOptions) {
  const { db, clock } = options;

  return {
    isOwnBoard: async (brandId: number, boardId: string, within: Db | Tx = db): Promise<boolean> =>
      (await boardStore(within, brandId).findOpened(boardId, NOBODY))?.own === true,

    /** The oldest board of this name, which is made where there is none. */
    async findOrMakeBoard(tx: Tx, brandId: number, name: string): Promise<string> {
      const store = boardStore(tx, brandId);
      const board = await newBoardRow(store, { name: name.slice(0, LONGEST_NAME).trim() }, clock.now());
      // Whoever asked for the key is alone with the boards of the workspace until the transaction ends.
      const present = (await store.listNames(null)).find((each) => each.name === board.name);
      if (present) return present.board_id;
      await store.insertBoard(board, null);
      const { created_at: at, columns } = board;
      const locked = { ...board, last_number: 0, last_sequence: 0, last_activity_at: at, guest_level: null };
      await recordHappening(options, tx, { brandId, actor: null }, locked, at, {
        action: 'board.created',
        changes: {
          name: { from: null, to: board.name },
          columns: { from: null, to: columns.map(({ name, status }) => ({ name, status })) },
        },
      });
      return board.board_id;
    },

    /** What a stranger wrote is a guest's words: nobody learns from it. Undefined when there is no such board any more. */
    async addArrival(
      tx: Tx,
      brandId: number,
      { boardId, reporterId, input }: Arrival,
    ): Promise<{ id: string; ref: string } | undefined> {
      const board = await boardStore(tx, brandId).lockBoard(boardId, NOBODY);
      if (!board) return undefined;
      const columns = await boardStore(tx, brandId).listColumns(boardId);
      const first = columns[0]!;
      const place = placeCard(
        columns,
        { column: first, status: first.status },
        {
          column: columns.find(({ status }) => status === 'pending'),
        },
      );
      const reporters = await referenceStore(tx, brandId).findPeople(
        reporterId === null ? [] : [reporterId],
        boardId,
      );
      const [reporter = null] = reporters.keys();
      const id = newId();
      const number = board.last_number + 1;
      const at = entryTime(board, clock);
      const values = readValues(input, reporters, { number });
      const said: Changes = shortenChanges(describeCreation(values, place));
      await cardStore(tx, brandId).insertCard(
        filledCardRow(
          { cardId: id, boardId, brandId, number, reporterId: reporter, place, at, byGuest: true },
          values,
        ),
      );
      if (typeof input.instructions === 'string')
        await cardStore(tx, brandId).saveBodies(id, { instructions: input.instructions, result: null });
      const ref = `${board.key}-${number}`;
      await recordHappening(options, tx, { brandId, actor: null }, board, at, {
        action: 'task.created',
        changes: said,
        task: { id, ref, version: 1 },
        lastNumber: number,
      });
      return { id, ref };
    },
  };
}

const LONGEST_NAME = 200;
/** No person has this id. */
const NOBODY = 0;
