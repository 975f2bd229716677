import type { MemberCaller } from '../../../kernel/access.js';
import { CursorCodec } from '../../../kernel/cursor.js';
import { isUuid } from '../../../kernel/ids.js';
import { timePages } from '../../../kernel/time-pages.js';
import type { Db } from '../../../platform/database/database.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import { boardNotFound, boardNotOpenToGuest, boardOfAnotherBrand, notACursor } from '../boards.errors.js';
import type { FieldName } from '../cards/card-fields.js';
import { readChosen } from '../cards/chosen-fields.js';
import { chosenFieldStore } from '../cards/chosen-fields.store.js';
import type { Ref } from '../names/names.store.js';
import { nameStore } from '../names/names.store.js';
import { looksAtCards, readFilters, readRefs, type Search } from './filters.js';
import type { MasterList, MasterQuery } from './master.schemas.js';
import {
  type MasterPage,
  type MasterRow,
  masterStore,
  type RareWords,
  type Scope,
  type SoughtPage,
  type ValueCount,
} from './master.store.js';
import { type Counted, readSort, type Sort } from './sorting.js';

export function createMasterService({ db, cursorSecret }: BoardServiceOptions) {
  return {
    async listMasterTasks(caller: MemberCaller, query: MasterQuery): Promise<MasterList> {
      const asked = readFilters(caller, query);
      const refs = readRefs(query.refs);
      const more = readChosen(query.with, SHOWN);
      const sort = readSort(query.sort);
      const lister = sort ? sortedLister(caller, query, sort) : newestLister(caller, query);
      const store = masterStore(db, caller.brandId);
      const findCards = async (wanted: Ref[]) =>
        (await nameStore(db, caller.brandId).find(wanted, [])).map(({ id }) => id);
      if (asked.boardIds) await requireBoards(db, caller, asked.boardIds);
      const [scope, cardIds, rareWords] = await Promise.all([
        store.findScope(asked),
        refs ? findCards(refs) : null,
        asked.search && store.findRareWords(asked.search.indexed),
      ]);
      const search = asked.search && rareWords && readyForIndex(asked.search, rareWords, scope);
      const filters = { ...asked, search, cardIds };
      const by = query.count_by;
      if (scope.matching === 0) return { items: [], total: 0, next_cursor: null, ...(by && { counts: [] }) };
      const ref = filters.search?.ref;
      const found = (ref && (await findCards([ref]))[0]) ?? null;
      // One more than was asked for tells whether anything follows.
      const listing = lister({ scope, filters, limit: query.limit + 1, found });
      const [{ page, next_cursor }, total, counts] = await Promise.all([
        listing,
        countCards(),
        by && countValues(by),
      ]);
      const items = await showItems(caller, page, more);
      return { items, total, next_cursor, ...(counts && { counts }) };

      async function countCards(): Promise<number> {
        if (!looksAtCards(filters)) return filters.since ? store.countSince(scope, filters) : scope.matching;
        // What is found by reading cards is not read twice where one page holds all of it.
        const { page, next_cursor } = await listing;
        const isAll = query.cursor === undefined && next_cursor === null;
        return isAll ? page.length : store.countMatching(scope, filters, found);
      }

      function countValues(by: Counted): Promise<ValueCount[]> {
        const isTallied = (by === 'status' || by === 'board') && !looksAtCards(filters) && !filters.since;
        return isTallied ? store.countByTally(by, filters) : store.countBy(scope, filters, found, by);
      }
    },
  };

  function newestLister({ brandId }: MemberCaller, { cursor, limit }: MasterQuery) {
    const pages = timePages(cursorSecret, `master:${brandId}`, () => notACursor('cursor'));
    const after = pages.read(cursor);
    const store = masterStore(db, brandId);

    /** A card that the whole search names comes first, and is not listed again at its place. */
    async function listRows(page: MasterPage): Promise<MasterRow[]> {
      const { found, filters } = page;
      if (found === null || filters.search?.besideRef.length !== 0) return store.listCards(page);
      const first = after ? [] : await store.listCards({ ...page, limit: 1, apart: { only: found } });
      const rest = page.limit - first.length;
      return [...first, ...(await store.listCards({ ...page, limit: rest, apart: { except: found } }))];
    }

    return async (page: SoughtPage) =>
      pages.cut(await listRows({ ...page, after }), limit, ({ id, updated_at: at }) =>
        id === page.found ? BEFORE_ALL : { at, id },
      );
  }

  function sortedLister({ brandId }: MemberCaller, query: MasterQuery, sort: Sort) {
    const cursors = new CursorCodec(cursorSecret, `master:${brandId}:sorted:${query.sort}`);
    const place = query.cursor === undefined ? undefined : cursors.decode(query.cursor);
    if (query.cursor !== undefined && !Array.isArray(place)) throw notACursor('cursor');
    const [key, id] = (place ?? []) as [(string | null)?, string?];
    const after = key !== undefined && id !== undefined ? { key, id } : undefined;

    return async (page: SoughtPage) => {
      const rows = await masterStore(db, brandId).listSorted(page, sort, after);
      const last = rows.length > query.limit ? rows[query.limit - 1] : undefined;
      return {
        page: rows.slice(0, query.limit),
        next_cursor: last ? cursors.encode([last.sort_key, last.id]) : null,
      };
    };
  }

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

/**
 * What stands in most titles is not looked up beside rare words: the index would go through all of those. To tell whose a card is it goes
 * through all of a workspace; where that has most of all cards, others' are read along instead, of which there are no more than of its own.
 */
function readyForIndex(search: Search, { rare, cards }: RareWords, { all }: Scope): Search {
  return rare === null ? search : { ...search, indexed: rare, amongAll: all > cards / 2 };
}

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
