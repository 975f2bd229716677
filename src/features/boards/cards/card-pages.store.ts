import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Bodies, DetailLevel } from './card-fields.js';
import { STANDARD_COLUMNS, SUMMARY_COLUMNS, toStandardCard, toSummaryCard } from './card-rows.js';
import type { CardRow } from './field-kinds.js';

export interface CardPage {
  items: { id: string }[];
  total: number;
}

/** Cards in the order of their numbers, and these. */
interface NumberedCards extends CardPage {
  numbers: number[];
}

interface PageOfBoard {
  brandId: number;
  boardId: string;
  limit: number;
  /** How many cards of the board's order come before it, or the number after which it begins. */
  from: { offset: number } | { number: number };
}

const listed = (names: readonly string[]) => sql.raw(names.map((name) => `k.${name}`).join(', '));

export const watchers = sql`
  case when k.watcher_user_ids = '{}' then '[]' else coalesce((
    select json_agg(json_build_object('user_id', u.user_id, 'name', u.full_name) order by w.place)
    from unnest(k.watcher_user_ids) with ordinality as w (user_id, place) join users u using (user_id)
  ), '[]') end as watchers`;
export const childIds = sql`
  array(select child.card_id from cards child where child.parent_id = k.card_id order by child.number) as child_ids`;
export const blockedBy = sql`
  array(select l.blocker_id from card_blockers l where l.card_id = k.card_id order by l.blocker_id) as blocked_by`;
export const blocks = sql`
  array(select l.card_id from card_blockers l where l.blocker_id = k.card_id order by l.card_id) as blocks`;

/** Everything a card at `standard` shows beyond its own row. */
export const standardColumns = sql`
  ${listed(STANDARD_COLUMNS)}, b.key || '-' || k.number as ref, b.name as board, c.name as column_name,
  assignee.full_name as assignee_name, reporter.full_name as reporter_name,
  ${watchers}, ${childIds}, ${blockedBy}, ${blocks}
`;
export const standardJoins = sql`
  join boards b on b.board_id = k.board_id
  join board_columns c on c.column_id = k.column_id
  left join users assignee on assignee.user_id = k.assignee_user_id
  left join users reporter on reporter.user_id = k.reporter_user_id
`;

/**
 * The cards of a page. The tallies say how many cards lie before each column, so that only the columns which the page
 * touches are read, and the total needs no counting. Within a column the beginning is found by the index alone.
 */
const pageOf = ({ brandId, boardId, limit, from }: PageOfBoard, columns: RawBuilder<unknown>) => sql`
  spans as materialized (
    select c.column_id, c.name, c.position, b.key, coalesce(t.cards, 0) as cards,
      sum(coalesce(t.cards, 0)) over (order by c.position) - coalesce(t.cards, 0) as before
    from board_columns c join boards b on b.board_id = c.board_id and b.brand_id = ${brandId}
    left join (select column_id, sum(cards) as cards from card_tallies where board_id = ${boardId} group by 1) t
      using (column_id)
    where c.board_id = ${boardId}
  ), counted as (select coalesce(sum(cards), 0) as total from spans),
  page as (${
    'offset' in from
      ? ofBoardOrder(limit, from.offset, columns)
      : sql`
        select null::int as column_position, s.name as column_name, s.key, on_page.* from (
          select ${columns} from cards k
          where k.board_id = ${boardId} and k.brand_id = ${brandId} and k.number > ${from.number}::bigint
          order by k.number limit ${limit}
        ) on_page join spans s using (column_id)`
  })
`;

const ofBoardOrder = (limit: number, offset: number, columns: RawBuilder<unknown>) => sql`
    select s.position as column_position, s.name as column_name, s.key, on_page.*
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
`;

const orderOf = ({ from }: PageOfBoard) =>
  'offset' in from ? sql`k.column_position, k.position, k.card_id` : sql`k.number`;

const summaryPageColumns = listed(['number', 'position', ...SUMMARY_COLUMNS]);

/** A row of a page: as much of a card as its level reads; an empty page is one row, of the total alone. */
type PageRow = Partial<CardRow> & { total: number; column_position?: number };

function cardsOf<T extends { id: string }>(rows: PageRow[], toCard: (row: CardRow) => T): NumberedCards {
  const found = rows.filter((row): row is CardRow & { total: number } => row.card_id !== null);
  return {
    items: found.map((row) => toCard(row)),
    numbers: found.map(({ number }) => number),
    total: rows[0]?.total ?? 0,
  };
}

export type CardPageStore = ReturnType<typeof cardPageStore>;

/** Cards of one board, page by page. */
export function cardPageStore(db: Db | Tx, brandId: number) {
  async function listSummary(page: PageOfBoard) {
    const { rows } = await sql<PageRow>`
      with ${pageOf(page, summaryPageColumns)}
      select counted.total, ${listed(SUMMARY_COLUMNS)}, k.number, k.key || '-' || k.number as ref, k.column_name,
        u.full_name as assignee_name
      from counted
      left join page k on true
      left join users u on u.user_id = k.assignee_user_id
      order by ${orderOf(page)}
    `.execute(db);
    return cardsOf(rows, toSummaryCard);
  }

  async function listStandard(page: PageOfBoard) {
    const { rows } = await sql<PageRow>`
      with ${pageOf(page, listed(STANDARD_COLUMNS))}
      select counted.total, k.* from counted
      left join (
        select k.column_position, ${standardColumns} from page k ${standardJoins}
      ) k on true
      order by ${orderOf(page)}
    `.execute(db);
    return cardsOf(rows, toStandardCard);
  }

  const list = (detail: DetailLevel, page: PageOfBoard): Promise<NumberedCards> =>
    detail === 'summary' ? listSummary(page) : listStandard(page);

  async function findBodies(cardIds: string[]): Promise<Map<string, Bodies>> {
    const { rows } = await sql<Bodies & { card_id: string }>`
      select bodies.card_id, bodies.instructions, bodies.result from card_bodies bodies join cards k using (card_id)
      where bodies.card_id = any(${cardIds}::uuid[]) and k.brand_id = ${brandId}
    `.execute(db);
    return new Map(rows.map(({ card_id, ...bodies }) => [card_id, bodies]));
  }

  async function addBodies<T extends { id: string }>(cards: T[]): Promise<(T & Bodies)[]> {
    const bodies = await findBodies(cards.map(({ id }) => id));
    return cards.map((card) => {
      const { instructions = null, result = null } = bodies.get(card.id) ?? {};
      return { ...card, instructions, result };
    });
  }

  return {
    findBodies,
    addBodies,

    /** In the order of the board. Without the long texts, which are read apart. */
    listCards: (boardId: string, detail: DetailLevel, limit: number, offset: number): Promise<CardPage> =>
      list(detail, { brandId, boardId, limit, from: { offset } }),

    /** In the order of their numbers, from the one after a number on. */
    listCardsAfter: (
      boardId: string,
      detail: DetailLevel,
      limit: number,
      number: number,
    ): Promise<NumberedCards> => list(detail, { brandId, boardId, limit, from: { number } }),

    /** About how large the long texts of cards are; none for a card without any. */
    async findBodySizes(cardIds: string[]): Promise<Map<string, number>> {
      const { rows } = await sql<{ card_id: string; export_bytes: number }>`
        select bodies.card_id, bodies.export_bytes from card_bodies bodies join cards k using (card_id)
        where bodies.card_id = any(${cardIds}::uuid[]) and k.brand_id = ${brandId}
      `.execute(db);
      return new Map(rows.map(({ card_id, export_bytes }) => [card_id, export_bytes]));
    },

    /** What the long texts of a column's cards take up in an export, without reading them. */
    async sumBodyBytes(columnId: string, emptyBytes: number): Promise<number> {
      const { rows } = await sql<{ bytes: number }>`
        select coalesce(sum(coalesce(bodies.export_bytes, ${emptyBytes}::int)), 0) as bytes
        from cards k left join card_bodies bodies using (card_id) where k.column_id = ${columnId} and k.brand_id = ${brandId}
      `.execute(db);
      return rows[0]!.bytes;
    },
  };
}
