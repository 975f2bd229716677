import { sql } from 'kysely';
import type { GuestLevel } from '../../../kernel/access.js';
import type { ActorIds, ActorNames } from '../../../kernel/actors.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { actorNames, mayHaveWords } from '../../../platform/database/schema/sql-fragments.js';
import type { BoardGuest, BoardType } from '../boards.schemas.js';
import { type Column, nameKey } from './columns.js';

export interface BoardRow {
  board_id: string;
  name: string;
  key: string;
  board_type: BoardType;
  columns: Column[];
  created_at: Date;
}

export interface FoundBoard extends BoardRow {
  guest_level: GuestLevel | null;
}

export type BoardName = Pick<BoardRow, 'board_id' | 'name' | 'key' | 'board_type'>;

export interface OpenedBoard {
  /** False for a board of another workspace. */
  own: boolean;
  board_id: string;
  name: string;
  key: string;
  guest_level: GuestLevel | null;
  last_sequence: number;
}

export interface LockedBoard {
  board_id: string;
  name: string;
  key: string;
  board_type: BoardType;
  last_number: number;
  last_sequence: number;
  last_activity_at: Date;
  guest_level: GuestLevel | null;
}

/** Null for boards deleted before deletions were recorded. */
export interface Deletion {
  id: string | null;
  at: Date | null;
  actor: ActorNames | null;
}

export interface DeletedCard {
  card_id: string;
  number: number;
  title: string;
  status: string;
  column_name: string;
  entry_id: string;
}

export interface BoardCounts {
  card_count: number;
  open_count: number;
  last_activity_at: string;
}

export interface RestatedColumn {
  columnId: string;
  from: string;
  to: string;
}

const columnsOfBoard = sql<Column[]>`(
  select coalesce(json_agg(json_build_object('id', c.column_id, 'name', c.name, 'status', c.status) order by c.position), '[]')
  from board_columns c where c.board_id = b.board_id
)`;

export type BoardStore = ReturnType<typeof boardStore>;

/** All boards, or only the boards that a guest was invited to. */
export const boardsVisibleTo = (brandId: number, guestId: number | null) =>
  guestId === null
    ? sql`
  select b.board_id, b.name, b.key, b.plain_name, b.board_type, b.created_at, null::text as guest_level
  from boards b where b.brand_id = ${brandId}`
    : sql`
  select b.board_id, b.name, b.key, b.plain_name, b.board_type, b.created_at, g.role as guest_level
  from boards b join guest_access g
    on g.kind = 'board' and g.resource_id = b.board_id and g.user_id = ${guestId} and g.brand_id = ${brandId}
  where b.brand_id = ${brandId}`;

export function boardStore(db: Db | Tx, brandId: number) {
  const guestLevel = (userId: number) => sql<GuestLevel | null>`(
    select g.role from guest_access g
    where g.kind = 'board' and g.resource_id = b.board_id and g.user_id = ${userId} and g.brand_id = ${brandId}
  )`;

  return {
    /** Also finds boards of other workspaces, which are refused with 403 instead of 404. */
    async findOpened(boardId: string, userId: number): Promise<OpenedBoard | undefined> {
      const { rows } = await sql<OpenedBoard>`
        select b.board_id, b.brand_id = ${brandId} as own, b.name, b.key, b.last_sequence, ${guestLevel(userId)} as guest_level
        from boards b where b.board_id = ${boardId}
      `.execute(db);
      return rows[0];
    },

    async findBoard(boardId: string, userId: number): Promise<FoundBoard | undefined> {
      const { rows } = await sql<FoundBoard>`
        select b.board_id, b.name, b.key, b.board_type, ${columnsOfBoard} as columns, b.created_at,
          ${guestLevel(userId)} as guest_level
        from boards b where b.board_id = ${boardId} and b.brand_id = ${brandId}
      `.execute(db);
      return rows[0];
    },

    /** Boards that the caller can open and whose name may contain the words, oldest first. */
    async listNames(guestId: number | null, words: readonly string[] = []): Promise<BoardName[]> {
      const { rows } = await sql<BoardName>`
        select board_id, name, key, board_type from (${boardsVisibleTo(brandId, guestId)}) visible
        where ${mayHaveWords(sql`visible`, words)}
        order by created_at, board_id
      `.execute(db);
      return rows;
    },

    /** Oldest first. */
    async listBoards(
      guestId: number | null,
      limit: number,
      offset: number,
    ): Promise<{ boards: FoundBoard[]; total: number }> {
      const { rows } = await sql<Omit<FoundBoard, 'board_id'> & { board_id: string | null; total: number }>`
        with visible as not materialized (${boardsVisibleTo(brandId, guestId)}), place as materialized (
          select board_id, guest_level from visible order by created_at, board_id limit ${limit} offset ${offset}
        ), page as (
          select b.board_id, b.name, b.key, b.board_type, ${columnsOfBoard} as columns, b.created_at, place.guest_level
          from place join boards b using (board_id)
        )
        select counted.total, page.* from (select count(*) as total from visible) counted
        left join page on true order by page.created_at, page.board_id
      `.execute(db);
      const boards = rows.filter((row): row is FoundBoard & { total: number } => row.board_id !== null);
      return { boards: boards.map(({ total: _, ...board }) => board), total: rows[0]?.total ?? 0 };
    },

    async countCards(boardIds: string[]): Promise<Map<string, BoardCounts>> {
      const { rows } = await sql<{ board_id: string; all: number; open: number; last: Date }>`
        select b.board_id, kept."all", kept."open", b.last_activity_at as last
        from boards b cross join lateral (
          select coalesce(sum(cards), 0) as "all",
            coalesce(sum(cards) filter (where status not in ('done', 'canceled')), 0) as "open"
          from card_tallies t where t.board_id = b.board_id and not t.archived
        ) kept
        where b.board_id = any(${boardIds}::uuid[]) and b.brand_id = ${brandId}
      `.execute(db);
      return new Map(
        rows.map(({ board_id, all, open, last }) => [
          board_id,
          { card_count: all, open_count: open, last_activity_at: last.toISOString() },
        ]),
      );
    },

    /** Writers lock the board before they read the clock, so that entries stay in order. */
    async lockBoard(boardId: string, userId: number): Promise<LockedBoard | undefined> {
      const { rows } = await sql<LockedBoard>`
        select b.board_id, b.name, b.key, b.board_type, b.last_number, b.last_sequence, b.last_activity_at,
          ${guestLevel(userId)} as guest_level
        from boards b where b.board_id = ${boardId} and b.brand_id = ${brandId}
        for no key update of b
      `.execute(db);
      return rows[0];
    },

    async lockBoardOfCard(cardId: string, userId: number): Promise<LockedBoard | undefined> {
      const { rows } = await sql<LockedBoard>`
        select b.board_id, b.name, b.key, b.board_type, b.last_number, b.last_sequence, b.last_activity_at,
          ${guestLevel(userId)} as guest_level
        from boards b
        where b.board_id = (select k.board_id from cards k where k.card_id = ${cardId} and k.brand_id = ${brandId})
        for no key update of b
      `.execute(db);
      return rows[0];
    },

    /** Locks the boards in a fixed order, so that two writers cannot deadlock. */
    async lockBoardsOfCards(cardIds: string[], userId: number): Promise<LockedBoard[]> {
      const { rows } = await sql<LockedBoard>`
        select b.board_id, b.name, b.key, b.board_type, b.last_number, b.last_sequence, b.last_activity_at,
          ${guestLevel(userId)} as guest_level
        from boards b
        where b.brand_id = ${brandId} and b.board_id in (
          select k.board_id from cards k where k.card_id = any(${cardIds}::uuid[]) and k.brand_id = ${brandId}
        )
        order by b.board_id
        for no key update of b
      `.execute(db);
      return rows;
    },

    async listColumns(boardId: string): Promise<(Column & { cards: number })[]> {
      const { rows } = await sql<Column & { cards: number }>`
        select c.column_id as id, c.name, c.status,
          (select coalesce(sum(t.cards), 0) from card_tallies t where t.board_id = c.board_id and t.column_id = c.column_id) as cards
        from board_columns c where c.board_id = ${boardId} order by c.position
      `.execute(db);
      return rows;
    },

    /** Keys in use or retired. The lock makes concurrent creations choose different keys. */
    async listTakenKeys(base: string): Promise<Set<string>> {
      await sql`select pg_advisory_xact_lock(40, ${brandId})`.execute(db);
      const { rows } = await sql<{ key: string }>`
        select key from boards where brand_id = ${brandId} and starts_with(key, ${base})
        union all
        select key from board_retired_keys where brand_id = ${brandId} and starts_with(key, ${base})
      `.execute(db);
      return new Set(rows.map(({ key }) => key));
    },

    async insertBoard(board: BoardRow, createdBy: number | null): Promise<void> {
      await sql`
        insert into boards (board_id, brand_id, name, key, board_type, last_activity_at, created_by, created_at)
        values (${board.board_id}, ${brandId}, ${board.name}, ${board.key}, ${board.board_type}, ${board.created_at},
          ${createdBy}, ${board.created_at})
      `.execute(db);
      await this.saveColumns(board.board_id, board.columns);
    },

    async renameBoard(boardId: string, name: string): Promise<void> {
      await sql`update boards set name = ${name} where board_id = ${boardId} and brand_id = ${brandId}`.execute(
        db,
      );
    },

    /** Retires the key and keeps the data of the final entry. */
    async deleteBoard(
      boardId: string,
      { id, at, by }: { id: string; at: Date; by: ActorIds },
    ): Promise<void> {
      await sql`
        with gone as (
          delete from boards where board_id = ${boardId} and brand_id = ${brandId} returning brand_id, key
        )
        insert into board_retired_keys (brand_id, key, board_id, entry_id, deleted_at, deleted_by, deleted_by_agent)
        select brand_id, key, ${boardId}, ${id}, ${at}, ${by.userId}::int, ${by.agentId}::text from gone
      `.execute(db);
    },

    async findDeletion(boardId: string): Promise<Deletion | undefined> {
      const { rows } = await sql<Deletion>`
        select r.entry_id as id, r.deleted_at as at,
          ${actorNames(sql`r.deleted_by`, sql`r.deleted_by_agent`)} as actor
        from board_retired_keys r
        where r.board_id = ${boardId} and r.brand_id = ${brandId}
      `.execute(db);
      return rows[0];
    },

    /** Cards of a board that is about to be deleted, by number, each with the id of its final entry. */
    async listCardsToDelete(
      boardId: string,
      afterNumber: number,
      limit: number,
      at: Date,
    ): Promise<DeletedCard[]> {
      const { rows } = await sql<DeletedCard>`
        select k.card_id, k.number, k.title, k.status, c.name as column_name,
          activity_id(${at}::timestamptz, b.last_sequence + k.number) as entry_id
        from cards k join boards b using (board_id) join board_columns c using (column_id)
        where k.board_id = ${boardId} and k.brand_id = ${brandId} and k.number > ${afterNumber}
        order by k.number limit ${limit}
      `.execute(db);
      return rows;
    },

    async saveColumns(boardId: string, columns: Column[]): Promise<void> {
      const rows = columns.map((column, position) => ({
        ...column,
        position,
        name_key: nameKey(column.name),
      }));
      await sql`
        insert into board_columns (column_id, board_id, position, name, name_key, status)
        select id, ${boardId}, position, name, name_key, status
        from json_to_recordset(${JSON.stringify(rows)})
          as given (id uuid, position int, name text, name_key text, status text)
        on conflict (column_id) do update
          set position = excluded.position, name = excluded.name, name_key = excluded.name_key, status = excluded.status
      `.execute(db);
      await sql`update boards set layout = layout + 1 where board_id = ${boardId} and brand_id = ${brandId}`.execute(
        db,
      );
    },

    async removeColumns(boardId: string, columnIds: string[]): Promise<void> {
      await sql`delete from board_columns where board_id = ${boardId} and column_id = any(${columnIds}::uuid[])`.execute(
        db,
      );
    },

    /** Cards that had the column's old status get its new one. */
    async restateCards(boardId: string, columns: RestatedColumn[], at: Date): Promise<void> {
      await sql`
        update cards k set status = c."to", updated_at = ${at}, version = k.version + 1,
          started_at = case when c."to" = 'in_progress' then coalesce(k.started_at, ${at}) else k.started_at end,
          completed_at = case when c."to" = 'done' then ${at}::timestamptz end
        from json_to_recordset(${JSON.stringify(columns)}) as c ("columnId" uuid, "from" text, "to" text)
        where k.board_id = ${boardId} and k.brand_id = ${brandId} and k.column_id = c."columnId" and k.status = c."from"
      `.execute(db);
    },
  };
}

export interface GuestBoard {
  user_id: number;
  resource_id: string;
  name: string;
  role: GuestLevel;
}

export type GuestRow = Omit<BoardGuest, 'created_at'> & { created_at: Date };

export const guestStore = (db: Db | Tx, brandId: number) => ({
  async listGuestsOf(boardId: string): Promise<GuestRow[]> {
    const { rows } = await sql<GuestRow>`
      select g.resource_id as board_id, u.user_id, u.email, u.full_name, g.role, g.created_at
      from guest_access g join users u using (user_id)
      where g.kind = 'board' and g.resource_id = ${boardId} and g.brand_id = ${brandId}
      order by g.created_at, u.user_id
    `.execute(db);
    return rows;
  },

  async listGuestBoards(userIds: number[] | null): Promise<GuestBoard[]> {
    const { rows } = await sql<GuestBoard>`
      select g.user_id, b.board_id as resource_id, b.name, g.role
      from guest_access g join boards b on b.board_id = g.resource_id and b.brand_id = g.brand_id
      where g.brand_id = ${brandId} and g.kind = 'board'
        and (${userIds}::int[] is null or g.user_id = any(${userIds}::int[]))
      order by g.user_id, b.created_at, b.board_id
    `.execute(db);
    return rows;
  },
});

export interface Ref {
  key: string;
  number: number;
}

interface FoundName {
  key: string;
  number: number | null;
  id: string;
}

export const nameStore = (db: Db, brandId: number) => ({
  async find(refs: readonly Ref[], keys: readonly string[]): Promise<FoundName[]> {
    const { rows } = await sql<FoundName>`
      select b.key, k.number, k.card_id as id from json_to_recordset(${JSON.stringify(refs)}) as wanted (key text, number int)
      join boards b on b.brand_id = ${brandId} and b.key = wanted.key
      join cards k on k.board_id = b.board_id and k.number = wanted.number
      union all
      select b.key, null, b.board_id from boards b where b.brand_id = ${brandId} and b.key = any(${keys}::text[])
    `.execute(db);
    return rows;
  },
});
