import { sql } from 'kysely';
import type { Db } from '../../database/database.js';
import type { MemberCaller } from '../../kernel/access.js';
import { isUuid } from '../../kernel/ids.js';
import type { Status } from './boards.card-fields.js';
import { nameKey } from './boards.columns.js';
import type { BoardServiceOptions } from './boards.context.js';
import { boardNotFound, boardNotOpenToGuest, boardOfAnotherBrand, notAnInstant } from './boards.errors.js';
import { parseInstant, splitList } from './boards.name-list.js';
import type { MasterQuery } from './boards.schemas.js';

interface Filters {
  boardIds: string[] | null;
  boardTypes: string[] | null;
  columnKeys: string[] | null;
  statuses: string[] | null;
  hasPr: boolean | null;
  since: Date | null;
  /** A guest sees the boards they were invited to; null: everything. */
  guestId: number | null;
}

/** Columns that can hold a match, how many cards match there, and how many the workspace has at all. */
interface Scope {
  columnIds: string[];
  matching: number;
  all: number;
}

interface MasterRow {
  id: string;
  ref: string;
  title: string;
  board: string;
  column_id: string;
  column_name: string;
  status: Status;
  pr_number: number | null;
  branch: string | null;
  updated_at: Date;
}

export function createMasterService({ db }: BoardServiceOptions) {
  return {
    async listMasterTasks(caller: MemberCaller, query: MasterQuery) {
      const filters = readFilters(caller, query);
      const store = masterStore(db, caller.brandId);
      if (filters.boardIds) await requireBoards(db, caller, filters.boardIds);
      const scope = await store.findScope(filters);
      if (scope.matching === 0) return { items: [], total: 0 };
      const [rows, total] = await Promise.all([
        store.listCards(scope, filters, query.limit),
        filters.since ? store.countSince(scope, filters) : scope.matching,
      ]);
      return { items: rows.map(toItem), total };
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
  const { rows } = await sql<{ board_id: string; own: boolean; invited: boolean }>`
    select b.board_id, b.brand_id = ${caller.brandId} as own, exists (
      select from guest_access g where g.kind = 'board' and g.resource_id = b.board_id and g.user_id = ${caller.userId}
    ) as invited
    from boards b where b.board_id = any(${boardIds.filter(isUuid)}::uuid[])
  `.execute(db);
  if (rows.some(({ own }) => !own)) throw boardOfAnotherBrand();
  if (caller.role === 'guest' && rows.some(({ invited }) => !invited)) throw boardNotOpenToGuest();
  if (rows.length < boardIds.length) throw boardNotFound();
}

const masterStore = (db: Db, brandId: number) => ({
  /** Decided on the tallies alone: a few rows a board, however many cards there are. */
  async findScope(filters: Filters): Promise<Scope> {
    const { boardIds, boardTypes, columnKeys, statuses, hasPr, guestId } = filters;
    const { rows } = await sql<{ column_id: string; matching: number; cards: number }>`
      select t.column_id, sum(t.cards) as cards, coalesce(sum(t.cards) filter (where
          (${boardIds}::uuid[] is null or b.board_id = any(${boardIds}::uuid[]))
          and (${boardTypes}::text[] is null or b.board_type = any(${boardTypes}::text[]))
          and (${columnKeys}::text[] is null or c.name_key = any(${columnKeys}::text[]))
          and (${statuses}::text[] is null or t.status = any(${statuses}::text[]))
          and (${hasPr}::boolean is null or t.has_pr = ${hasPr}::boolean)
          and (${guestId}::int is null or exists (
            select from guest_access g where g.kind = 'board' and g.resource_id = b.board_id and g.user_id = ${guestId}::int
          ))
        ), 0) as matching
      from boards b join card_tallies t using (board_id) join board_columns c using (column_id)
      where b.brand_id = ${brandId}
      group by t.column_id
    `.execute(db);
    return {
      columnIds: rows.filter(({ matching }) => matching > 0).map(({ column_id }) => column_id),
      matching: rows.reduce((sum, { matching }) => sum + matching, 0),
      all: rows.reduce((sum, { cards }) => sum + cards, 0),
    };
  },

  async listCards(scope: Scope, filters: Filters, limit: number): Promise<MasterRow[]> {
    // With many matches the newest of them are soon met among the workspace's newest; with few, their columns are read.
    const walkingNewest = scope.matching ** 2 > limit * scope.all;
    const { rows } = await sql<MasterRow>`
      select k.card_id as id, b.key || '-' || k.number as ref, k.title, b.name as board, k.column_id, c.name as column_name,
        k.status, k.pr_number, k.branch, k.updated_at
      from ${walkingNewest ? newestOf(brandId, scope, filters, limit) : ofColumns(scope, filters, limit)} k
      join boards b on b.board_id = k.board_id join board_columns c on c.column_id = k.column_id
      order by k.updated_at desc, k.card_id
    `.execute(db);
    return rows;
  },

  async countSince(scope: Scope, filters: Filters): Promise<number> {
    const { rows } = await sql<{ total: number }>`
      select count(*) as total from unnest(${scope.columnIds}::uuid[]) as wanted (column_id)
      join cards k on k.column_id = wanted.column_id and k.updated_at >= ${filters.since}
      where ${matchesCard(filters)}
    `.execute(db);
    return rows[0]!.total;
  },
});

const matchesCard = ({ statuses, hasPr }: Filters) => sql`
  (${statuses}::text[] is null or k.status = any(${statuses}::text[]))
  and (${hasPr}::boolean is null or (k.pr_number is not null) = ${hasPr}::boolean)
`;

const pageColumns = sql`k.card_id, k.board_id, k.column_id, k.number, k.title, k.status, k.pr_number, k.branch, k.updated_at`;
const ALWAYS = new Date(0);

const newestOf = (brandId: number, scope: Scope, filters: Filters, limit: number) => sql`(
  select ${pageColumns} from cards k
  where k.brand_id = ${brandId} and k.updated_at >= ${filters.since ?? ALWAYS}
    and k.column_id = any(${scope.columnIds}::uuid[]) and ${matchesCard(filters)}
  order by k.updated_at desc, k.card_id limit ${limit}
)`;

const ofColumns = (scope: Scope, filters: Filters, limit: number) => sql`(
  select newest.* from unnest(${scope.columnIds}::uuid[]) as wanted (column_id) cross join lateral (
    select ${pageColumns} from cards k
    where k.column_id = wanted.column_id and k.updated_at >= ${filters.since ?? ALWAYS} and ${matchesCard(filters)}
    order by k.updated_at desc, k.card_id limit ${limit}
  ) newest
  order by newest.updated_at desc, newest.card_id limit ${limit}
)`;

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
