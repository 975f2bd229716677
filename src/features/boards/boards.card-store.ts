import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';
import type { Bodies } from './boards.card-changes.js';
import type { DetailLevel } from './boards.card-fields.js';
import { type CardRow, type SummaryRow, toStandardCard, toSummaryCard } from './boards.card-rows.js';
import type { Column } from './boards.columns.js';
import { bodiesBytes } from './boards.export-markdown.js';
import type { FullCard, GuestLevel, StandardCard } from './boards.schemas.js';

export interface CardDraft {
  card: StandardCard;
  columns: Column[];
  layout: number;
  last_activity_at: Date;
  guest_level: GuestLevel | null;
}

export interface CardPageRows {
  items: object[];
  total: number;
}

/** Everything a card at `standard` shows beyond its own row. */
const standardColumns = sql`
  k.*, b.key || '-' || k.number as ref, b.name as board, c.name as column_name,
  assignee.full_name as assignee_name, reporter.full_name as reporter_name,
  case when k.watcher_user_ids = '{}' then '[]' else coalesce((
    select json_agg(json_build_object('user_id', u.user_id, 'name', u.full_name) order by w.place)
    from unnest(k.watcher_user_ids) with ordinality as w (user_id, place) join users u using (user_id)
  ), '[]') end as watchers,
  array(select child.card_id from cards child where child.parent_id = k.card_id order by child.number) as child_ids,
  array(select l.blocker_id from card_blockers l where l.card_id = k.card_id order by l.blocker_id) as blocked_by,
  array(select l.card_id from card_blockers l where l.blocker_id = k.card_id order by l.card_id) as blocks
`;
const standardJoins = sql`
  join boards b on b.board_id = k.board_id
  join board_columns c on c.column_id = k.column_id
  left join users assignee on assignee.user_id = k.assignee_user_id
  left join users reporter on reporter.user_id = k.reporter_user_id
`;

const columnsOfCard = sql<Column[]>`(
  select json_agg(json_build_object('id', each.column_id, 'name', each.name, 'status', each.status) order by each.position)
  from board_columns each where each.board_id = k.board_id
)`;

/**
 * The cards of a page. The tallies say how many cards lie before each column, so that only the columns which the page
 * touches are read, and the total needs no counting. Within a column the beginning is found by the index alone.
 */
const pageOf = (boardId: string, limit: number, offset: number, columns: RawBuilder<unknown>) => sql`
  spans as materialized (
    select c.column_id, c.name, c.position, coalesce(t.cards, 0) as cards,
      sum(coalesce(t.cards, 0)) over (order by c.position) - coalesce(t.cards, 0) as before
    from board_columns c
    left join (select column_id, sum(cards) as cards from card_tallies where board_id = ${boardId} group by 1) t
      using (column_id)
    where c.board_id = ${boardId}
  ), counted as (select coalesce(sum(cards), 0) as total from spans),
  page as (
    select s.position as column_position, on_page.*
    from spans s
    cross join lateral (
      select k.position, k.card_id from cards k where k.column_id = s.column_id
      order by k.position, k.card_id offset greatest(${offset}::bigint - s.before, 0) limit 1
    ) start
    cross join lateral (
      select ${columns} from cards k
      where k.column_id = s.column_id and (k.position, k.card_id) >= (start.position, start.card_id)
      order by k.position, k.card_id limit least(${offset}::bigint + ${limit}::bigint - s.before, ${limit}::bigint)
    ) on_page
    where s.before < ${offset}::bigint + ${limit}::bigint and s.before + s.cards > ${offset}::bigint
  )
`;

const summaryColumns = sql`
  k.card_id, k.board_id, k.number, k.position, k.title, k.status, k.column_id, k.assignee_user_id, k.branch, k.pr_number,
  k.pr_url, k.pr_state, k.checks_state
`;

export function cardStore(db: Db | Tx, brandId: number) {
  async function listSummary(boardId: string, limit: number, offset: number): Promise<CardPageRows> {
    const { rows } = await sql<SummaryRow & { total: number }>`
      with ${pageOf(boardId, limit, offset, summaryColumns)}
      select counted.total, k.card_id, b.key || '-' || k.number as ref, k.title, k.status, k.column_id, spans.name as column_name,
        k.assignee_user_id, u.full_name as assignee_name, k.branch, k.pr_number, k.pr_url, k.pr_state, k.checks_state
      from counted
      left join (page k join spans using (column_id) join boards b using (board_id)) on true
      left join users u on u.user_id = k.assignee_user_id
      order by k.column_position, k.position, k.card_id
    `.execute(db);
    return {
      items: rows.filter((row) => row.card_id !== null).map(toSummaryCard),
      total: rows[0]?.total ?? 0,
    };
  }

  async function listStandard(boardId: string, limit: number, offset: number): Promise<CardPageRows> {
    const { rows } = await sql<CardRow & { total: number }>`
      with ${pageOf(boardId, limit, offset, sql`k.*`)}
      select counted.total, card.* from counted
      left join (
        select ${standardColumns} from page k ${standardJoins}
      ) card on true
      order by card.column_position, card.position, card.card_id
    `.execute(db);
    return {
      items: rows.filter((row) => row.card_id !== null).map(toStandardCard),
      total: rows[0]?.total ?? 0,
    };
  }

  async function findBodies(cardIds: string[]): Promise<Map<string, Bodies>> {
    const { rows } = await sql<Bodies & { card_id: string }>`
      select card_id, instructions, result from card_bodies where card_id = any(${cardIds}::uuid[])
    `.execute(db);
    return new Map(rows.map(({ card_id, ...bodies }) => [card_id, bodies]));
  }

  async function addBodies<T extends object>(cards: T[]): Promise<(T & Bodies)[]> {
    const bodies = await findBodies(cards.map((card) => (card as T & { id: string }).id));
    return cards.map((card) => {
      const { instructions = null, result = null } = bodies.get((card as T & { id: string }).id) ?? {};
      return { ...card, instructions, result };
    });
  }

  return {
    findBodies,

    async listCards(
      boardId: string,
      detail: DetailLevel,
      limit: number,
      offset: number,
    ): Promise<CardPageRows> {
      if (detail === 'summary') return listSummary(boardId, limit, offset);
      const page = await listStandard(boardId, limit, offset);
      return detail === 'full' ? { ...page, items: await addBodies(page.items) } : page;
    },

    async findCard(cardId: string): Promise<FullCard | undefined> {
      const found = await this.findCardOnBoard(cardId);
      return found?.card;
    },

    /** The card together with the columns it can stand in: one question for a writer. */
    async findCardOnBoard(cardId: string): Promise<{ card: FullCard; columns: Column[] } | undefined> {
      const { rows } = await sql<CardRow & Bodies & { columns: Column[] }>`
        select ${standardColumns}, bodies.instructions, bodies.result, ${columnsOfCard} as columns
        from cards k ${standardJoins} left join card_bodies bodies on bodies.card_id = k.card_id
        where k.card_id = ${cardId} and k.brand_id = ${brandId}
      `.execute(db);
      const row = rows[0];
      if (!row) return undefined;
      return {
        card: { ...toStandardCard(row), instructions: row.instructions, result: row.result },
        columns: row.columns,
      };
    },

    /** What a change is prepared from without holding the board. The long texts stay where they are. */
    async findDraft(cardId: string, userId: number): Promise<CardDraft | undefined> {
      const { rows } = await sql<CardRow & Omit<CardDraft, 'card'>>`
        select ${standardColumns}, ${columnsOfCard} as columns, b.layout, b.last_activity_at, (
          select g.role from guest_access g
          where g.kind = 'board' and g.resource_id = b.board_id and g.user_id = ${userId} and g.brand_id = ${brandId}
        ) as guest_level
        from cards k ${standardJoins}
        where k.card_id = ${cardId} and k.brand_id = ${brandId}
      `.execute(db);
      const row = rows[0];
      if (!row) return undefined;
      const { columns, layout, last_activity_at, guest_level } = row;
      return { card: toStandardCard(row), columns, layout, last_activity_at, guest_level };
    },

    async findBoardOfCard(cardId: string): Promise<string | undefined> {
      const { rows } = await sql<{ board_id: string }>`
        select board_id from cards where card_id = ${cardId} and brand_id = ${brandId}
      `.execute(db);
      return rows[0]?.board_id;
    },

    /** Whole rows, so that defaults are decided in one place. */
    async insertCards(rows: Record<string, unknown>[]): Promise<void> {
      await sql`
        insert into cards select * from jsonb_populate_recordset(null::cards, ${JSON.stringify(rows)}::jsonb)
      `.execute(db);
    },

    async saveBodies(cardId: string, { instructions, result }: Bodies): Promise<void> {
      await sql`
        insert into card_bodies (card_id, instructions, result, export_bytes)
        values (${cardId}, ${instructions}, ${result}, ${bodiesBytes(instructions, result)})
        on conflict (card_id) do update set
          instructions = excluded.instructions, result = excluded.result, export_bytes = excluded.export_bytes
      `.execute(db);
    },

    async saveBlockers(cardId: string, blockerIds: string[]): Promise<void> {
      await sql`
        with kept as (
          insert into card_blockers (card_id, blocker_id) select ${cardId}, unnest(${blockerIds}::uuid[])
          on conflict do nothing
        )
        delete from card_blockers where card_id = ${cardId} and blocker_id <> all(${blockerIds}::uuid[])
      `.execute(db);
    },

    async deleteCard(cardId: string): Promise<void> {
      await sql`delete from cards where card_id = ${cardId} and brand_id = ${brandId}`.execute(db);
    },

    /** Names of those among the people who can open the board. */
    async findPeople(userIds: number[], boardId: string): Promise<Map<number, string>> {
      if (userIds.length === 0) return new Map();
      const { rows } = await sql<{ user_id: number; full_name: string }>`
        select u.user_id, u.full_name from users u where u.user_id = any(${userIds}::int[]) and (
          exists (select from memberships m where m.user_id = u.user_id and m.brand_id = ${brandId} and m.active)
          or exists (select from guest_access g where g.kind = 'board' and g.resource_id = ${boardId} and g.user_id = u.user_id)
        )
      `.execute(db);
      return new Map(rows.map(({ user_id, full_name }) => [user_id, full_name]));
    },

    async findBoardsOfCards(cardIds: string[]): Promise<Map<string, string>> {
      if (cardIds.length === 0) return new Map();
      const { rows } = await sql<{ card_id: string; board_id: string }>`
        select card_id, board_id from cards where brand_id = ${brandId} and card_id = any(${cardIds}::uuid[])
      `.execute(db);
      return new Map(rows.map(({ card_id, board_id }) => [card_id, board_id]));
    },

    /** Whether `cardId` is `ancestorId` or stands below it. */
    async descendsFrom(cardId: string, ancestorId: string): Promise<boolean> {
      const { rows } = await sql<{ found: boolean }>`
        with recursive line as (
          select card_id, parent_id from cards where card_id = ${cardId} and brand_id = ${brandId}
          union
          select up.card_id, up.parent_id from cards up join line on up.card_id = line.parent_id
        )
        select exists (select from line where card_id = ${ancestorId}) as found
      `.execute(db);
      return rows[0]!.found;
    },

    /** Finished cards of an agent, in the order in which they last changed. */
    async listFinished(agentId: string, after: { updatedAt: Date; id: string } | undefined, limit: number) {
      const { rows } = await sql<FinishedRow>`
        select k.card_id as id, b.key || '-' || k.number as ref, b.name as board, k.title, k.task_type,
          bodies.instructions, bodies.result, k.completed_at, k.updated_at
        from cards k join boards b using (board_id) left join card_bodies bodies using (card_id)
        where k.brand_id = ${brandId} and k.assignee_agent_id = ${agentId} and k.status = 'done'
          and (k.updated_at, k.card_id) > (${after?.updatedAt ?? '-infinity'}::timestamptz, ${after?.id ?? NIL}::uuid)
        order by k.updated_at, k.card_id limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}

const NIL = '00000000-0000-0000-0000-000000000000';

interface FinishedRow {
  id: string;
  ref: string;
  board: string;
  title: string;
  task_type: string;
  instructions: string | null;
  result: string | null;
  completed_at: Date | null;
  updated_at: Date;
}
