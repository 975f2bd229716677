import type { MemberCaller } from '../../../kernel/access.js';
import { CursorCodec, timePages } from '../../../kernel/cursor.js';
import { isUuid } from '../../../kernel/ids.js';
import type { Db } from '../../../platform/database/database.js';
import type { BoardServiceOptions } from '../board/board-access.js';
import { nameStore, type Ref } from '../board/boards.store.js';
import { boardNotFound, boardNotOpenToGuest, boardOfAnotherBrand, notACursor } from '../boards.errors.js';
import type { FieldName } from '../cards/card-fields.js';
import { readChosen } from '../cards/cards.schemas.js';
import { chosenFieldStore } from '../cards/chosen-fields.store.js';
import { readFilters, readRefs, readsCards, type Search } from './filters.js';
import { type Counted, type FindTasksQuery, type FoundTasks, readSort, type Sort } from './master.schemas.js';
import {
  type FoundTask,
  findTasksStore,
  type NewestPage,
  type PageRequest,
  type Scope,
  type SelectiveWords,
  type ValueCount,
} from './master.store.js';

export function createFindTasksService({ db, cursorSecret }: BoardServiceOptions) {
  return {
    async findTasks(caller: MemberCaller, query: FindTasksQuery): Promise<FoundTasks> {
      const asked = readFilters(caller, query);
      const refs = readRefs(query.refs);
      const more = readChosen(query.with, SHOWN);
      const sort = readSort(query.sort);
      const lister = sort ? sortedLister(caller, query, sort) : newestLister(caller, query);
      const store = findTasksStore(db, caller.brandId);
      const findCards = async (wanted: Ref[]) =>
        (await nameStore(db, caller.brandId).find(wanted, [])).map(({ id }) => id);
      if (asked.boardIds) await requireBoards(db, caller, asked.boardIds);
      const [scope, cardIds, selectiveWords] = await Promise.all([
        store.findScope(asked),
        refs ? findCards(refs) : null,
        asked.search && store.findSelectiveWords(asked.search.indexed),
      ]);
      const search =
        asked.search && selectiveWords && chooseIndexedWords(asked.search, selectiveWords, scope);
      const filters = { ...asked, search, cardIds };
      const by = query.count_by;
      if (scope.matching === 0) return { items: [], total: 0, next_cursor: null, ...(by && { counts: [] }) };
      const ref = filters.search?.ref;
      const found = (ref && (await findCards([ref]))[0]) ?? null;
      // One card more than requested shows whether another page follows.
      const listing = lister({ scope, filters, limit: query.limit + 1, found });
      const [{ page, next_cursor }, total, counts] = await Promise.all([
        listing,
        countCards(),
        by && countValues(by),
      ]);
      const items = await showItems(caller, page, more);
      return { items, total, next_cursor, ...(counts && { counts }) };

      async function countCards(): Promise<number> {
        if (!readsCards(filters)) return filters.since ? store.countSince(scope, filters) : scope.matching;
        // A single page already has all matches.
        const { page, next_cursor } = await listing;
        const isAll = query.cursor === undefined && next_cursor === null;
        return isAll ? page.length : store.countMatching(scope, filters, found);
      }

      function countValues(by: Counted): Promise<ValueCount[]> {
        const isTallied = (by === 'status' || by === 'board') && !readsCards(filters) && !filters.since;
        return isTallied ? store.countByTally(by, filters) : store.countBy(scope, filters, found, by);
      }
    },
  };

  function newestLister({ brandId }: MemberCaller, { cursor, limit }: FindTasksQuery) {
    const pages = timePages(cursorSecret, `master:${brandId}`, () => notACursor('cursor'));
    const after = pages.read(cursor);
    const store = findTasksStore(db, brandId);

    /** The card named by its ref comes first and is not listed again. */
    async function listRows(page: NewestPage): Promise<FoundTask[]> {
      const { found, filters } = page;
      if (found === null || filters.search?.otherWords.length !== 0) return store.listCards(page);
      const first = after ? [] : await store.listCards({ ...page, limit: 1, apart: { only: found } });
      const rest = page.limit - first.length;
      return [...first, ...(await store.listCards({ ...page, limit: rest, apart: { except: found } }))];
    }

    return async (page: PageRequest) =>
      pages.cut(await listRows({ ...page, after }), limit, ({ id, updated_at: at }) =>
        id === page.found ? BEFORE_ALL : { at, id },
      );
  }

  function sortedLister({ brandId }: MemberCaller, query: FindTasksQuery, sort: Sort) {
    const cursors = new CursorCodec(cursorSecret, `master:${brandId}:sorted:${query.sort}`);
    const place = query.cursor === undefined ? undefined : cursors.decode(query.cursor);
    if (query.cursor !== undefined && !Array.isArray(place)) throw notACursor('cursor');
    const [key, id] = (place ?? []) as [(string | null)?, string?];
    const after = key !== undefined && id !== undefined ? { key, id } : undefined;

    return async (page: PageRequest) => {
      const rows = await findTasksStore(db, brandId).listSorted(page, sort, after);
      const last = rows.length > query.limit ? rows[query.limit - 1] : undefined;
      return {
        page: rows.slice(0, query.limit),
        next_cursor: last ? cursors.encode([last.sort_key, last.id]) : null,
      };
    };
  }

  async function showItems(
    caller: MemberCaller,
    rows: FoundTask[],
    more: readonly FieldName[],
  ): Promise<FoundTasks['items']> {
    if (more.length === 0) return rows.map(toItem);
    const ids = rows.map(({ id }) => id);
    const items = await chosenFieldStore(db, caller.brandId).listChosen(ids, [...SHOWN, ...more]);
    return items as FoundTasks['items'];
  }
}

/** The first card by ref is out of order, so its cursor starts before all others. */
const BEFORE_ALL = { at: new Date(Date.UTC(9999, 0)), id: '00000000-0000-0000-0000-000000000000' };

/**
 * Common words are left out of the index lookup. A workspace with most of all cards is searched across workspaces,
 * because reading foreign matches is cheaper than intersecting with all of its own cards.
 */
function chooseIndexedWords(search: Search, { rare, cards }: SelectiveWords, { all }: Scope): Search {
  return rare === null ? search : { ...search, indexed: rare, amongAll: all > cards / 2 };
}

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

/** A board of another workspace is refused before a missing one is reported. */
async function requireBoards(db: Db, caller: MemberCaller, boardIds: string[]): Promise<void> {
  const boards = await findTasksStore(db, caller.brandId).findBoards(boardIds.filter(isUuid), caller.userId);
  if (boards.some(({ own }) => !own)) throw boardOfAnotherBrand();
  if (caller.role === 'guest' && boards.some(({ invited }) => !invited)) throw boardNotOpenToGuest();
  if (boards.length < boardIds.length) throw boardNotFound();
}

const toItem = (row: FoundTask) => ({
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
