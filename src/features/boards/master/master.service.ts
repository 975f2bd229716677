import type { Db } from '../../../database/database.js';
import type { MemberCaller } from '../../../kernel/access.js';
import { CursorCodec } from '../../../kernel/cursor.js';
import { isUuid } from '../../../kernel/ids.js';
import {
  boardNotFound,
  boardNotOpenToGuest,
  boardOfAnotherBrand,
  notACursor,
  notAnInstant,
} from '../boards.errors.js';
import type { BoardServiceOptions } from '../boards.options.js';
import { nameKey } from '../columns.js';
import { parseInstant, splitList } from '../query-values.js';
import type { MasterList, MasterQuery } from './master.schemas.js';
import { type CardPosition, type Filters, type MasterRow, masterStore } from './master.store.js';

export function createMasterService({ db, cursorSecret }: BoardServiceOptions) {
  return {
    async listMasterTasks(caller: MemberCaller, query: MasterQuery): Promise<MasterList> {
      const filters = readFilters(caller, query);
      const cursors = masterCursors(cursorSecret, caller.brandId);
      const after = query.cursor === undefined ? undefined : cursors.decode(query.cursor);
      const store = masterStore(db, caller.brandId);
      if (filters.boardIds) await requireBoards(db, caller, filters.boardIds);
      const scope = await store.findScope(filters);
      if (scope.matching === 0) return { items: [], total: 0, next_cursor: null };
      // One more than was asked for tells whether anything follows.
      const [rows, total] = await Promise.all([
        store.listCards({ scope, filters, limit: query.limit + 1, after }),
        filters.since ? store.countSince(scope, filters) : scope.matching,
      ]);
      const page = rows.slice(0, query.limit);
      const next_cursor = rows.length > page.length ? cursors.encode(page.at(-1)!) : null;
      return { items: page.map(toItem), total, next_cursor };
    },
  };
}

/** The card after which a page continues: its last change and its id, which is the order of the list. */
function masterCursors(secret: string, brandId: number) {
  const codec = new CursorCodec(secret, `master:${brandId}`);
  return {
    encode: ({ updated_at, id }: MasterRow): string => codec.encode([updated_at.toISOString(), id]),
    decode(cursor: string): CardPosition {
      const position = codec.decode(cursor);
      if (!Array.isArray(position)) throw notACursor('cursor');
      return { updatedAt: new Date(position[0]), id: String(position[1]) };
    },
  };
}

function readFilters(caller: MemberCaller, query: MasterQuery): Filters {
  const since = query.since === undefined ? null : parseInstant(query.since);
  if (since === undefined) throw notAnInstant();
  return {
    boardIds: splitList(query.board_ids?.toLowerCase()) ?? null,
    boardTypes: splitList(query.board_type) ?? null,
    columnKeys: splitList(query.column_names)?.map(nameKey) ?? null,
    statuses: splitList(query.status) ?? null,
    hasPr: query.has_pr ?? null,
    since,
    guestId: caller.role === 'guest' ? caller.userId : null,
  };
}

/** Another workspace's board is refused before a missing one is told. */
async function requireBoards(db: Db, caller: MemberCaller, boardIds: string[]): Promise<void> {
  const boards = await masterStore(db, caller.brandId).findBoards(boardIds.filter(isUuid), caller.userId);
  if (boards.some(({ own }) => !own)) throw boardOfAnotherBrand();
  if (caller.role === 'guest' && boards.some(({ invited }) => !invited)) throw boardNotOpenToGuest();
  if (boards.length < boardIds.length) throw boardNotFound();
}

const toItem = (row: MasterRow) => ({
  id: row.id,
  ref: row.ref,
  title: row.title,
  board: row.board,
  column: { id: row.column_id, name: row.column_name },
  status: row.status,
  pr_number: row.pr_number,
  branch: row.branch,
  updated_at: row.updated_at.toISOString(),
});
