import type { Db } from '../../../database/database.js';
import type { MemberCaller } from '../../../kernel/access.js';
import { isUuid } from '../../../kernel/ids.js';
import { timePages } from '../../../kernel/time-pages.js';
import { boardNotFound, boardNotOpenToGuest, boardOfAnotherBrand, notACursor } from '../boards.errors.js';
import type { BoardServiceOptions } from '../boards.options.js';
import type { FieldName } from '../cards/card-fields.js';
import { readChosen } from '../cards/chosen-fields.js';
import { chosenFieldStore } from '../cards/chosen-fields.store.js';
import { looksAtCards, readFilters } from './filters.js';
import type { MasterList, MasterQuery } from './master.schemas.js';
import { type MasterPage, type MasterRow, masterStore } from './master.store.js';

export function createMasterService({ db, cursorSecret }: BoardServiceOptions) {
  return {
    async listMasterTasks(caller: MemberCaller, query: MasterQuery): Promise<MasterList> {
      const filters = readFilters(caller, query);
      const more = readChosen(query.with, SHOWN);
      const pages = timePages(cursorSecret, `master:${caller.brandId}`, () => notACursor('cursor'));
      const after = pages.read(query.cursor);
      const store = masterStore(db, caller.brandId);
      if (filters.boardIds) await requireBoards(db, caller, filters.boardIds);
      const scope = await store.findScope(filters);
      if (scope.matching === 0) return { items: [], total: 0, next_cursor: null };
      const ref = filters.search?.ref;
      const found = (ref && (await store.findByRef(ref.key, ref.number))) ?? null;
      // One more than was asked for tells whether anything follows.
      const [rows, total] = await Promise.all([
        listRows({ scope, filters, limit: query.limit + 1, after, found }),
        countCards(),
      ]);
      const { page, next_cursor } = pages.cut(rows, query.limit, ({ id, updated_at: at }) =>
        id === found ? BEFORE_ALL : { at, id },
      );
      return { items: await showItems(caller, page, more), total, next_cursor };

      function countCards(): number | Promise<number> {
        if (looksAtCards(filters)) return store.countMatching(scope, filters, found);
        return filters.since ? store.countSince(scope, filters) : scope.matching;
      }

      /** A card that the whole search names comes first, and is not listed again at its place. */
      async function listRows(page: MasterPage): Promise<MasterRow[]> {
        if (found === null || filters.search?.besideRef.length !== 0) return store.listCards(page);
        const first = after ? [] : await store.listCards({ ...page, limit: 1, apart: { only: found } });
        const limit = page.limit - first.length;
        return [...first, ...(await store.listCards({ ...page, limit, apart: { except: found } }))];
      }
    },
  };

  /** As they are, or read once more with what was asked for beside it. */
  async function showItems(
    caller: MemberCaller,
    rows: MasterRow[],
    more: readonly FieldName[],
  ): Promise<MasterList['items']> {
    if (more.length === 0) return rows.map(toItem);
    const ids = rows.map(({ id }) => id);
    const items = await chosenFieldStore(db, caller.brandId).listChosen(ids, [...SHOWN, ...more]);
    return items as MasterList['items'];
  }
}

/** A card that came first out of its turn says nothing about where the others go on. */
const BEFORE_ALL = { at: new Date(Date.UTC(9999, 0)), id: '00000000-0000-0000-0000-000000000000' };

/** What every item shows, in its order. */
const SHOWN = [
  'id',
  'ref',
  'title',
  'board',
  'column',
  'status',
  'pr_number',
  'branch',
  'updated_at',
] as const satisfies FieldName[];

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
