import { type RawBuilder, sql } from 'kysely';
import type { Db, Tables, Tx } from '../../../platform/database/database.js';
import {
  type Bodies,
  columnOf,
  type DetailLevel,
  FIELD_NAMES,
  type FieldName,
  fieldOf,
  isChangeable,
  namesAt,
} from './card-fields.js';
import type { StandardCard, SummaryCard } from './cards.schemas.js';
import type { CardRow } from './field-kinds.js';

const columnsOf = (names: readonly FieldName[]): string[] => names.flatMap((name) => columnOf(name) ?? []);

export const SUMMARY_COLUMNS = columnsOf(namesAt('summary'));
export const STANDARD_COLUMNS = columnsOf(namesAt('standard'));

const SET_BY_EVERY_WRITE = ['updated_at', 'version'];

export const HIDDEN_COLUMNS = [
  'guest_written',
  'status_of_build',
] as const satisfies (keyof Tables['cards'])[];

export const WRITABLE_COLUMNS = [
  ...columnsOf(
    FIELD_NAMES.filter((name) => isChangeable(name) || fieldOf(name).changedBy === 'service'),
  ).filter((column) => !SET_BY_EVERY_WRITE.includes(column)),
  ...HIDDEN_COLUMNS,
];

/** Copying an object that has all keys is faster than adding them one by one. */
function cardMaker<T>(level: DetailLevel): (row: CardRow) => T {
  const fields = namesAt(level)
    .filter((name) => fieldOf(name).kept !== 'body')
    .map((name) => ({ name, column: (columnOf(name) ?? name) as keyof CardRow, show: fieldOf(name).show }));
  const unfilled = Object.fromEntries(fields.map(({ name }) => [name, null]));
  return (row) => {
    const card: Record<string, unknown> = { ...unfilled };
    for (const { name, column, show } of fields)
      card[name] = show ? show(row[column] as never, row) : row[column];
    return card as T;
  };
}

export const toSummaryCard = cardMaker<SummaryCard>('summary');
export const toStandardCard = cardMaker<StandardCard>('standard');

export interface CardPage {
  items: { id: string }[];
  total: number;
}

interface NumberedCards extends CardPage {
  numbers: number[];
}

interface PageOfBoard {
  brandId: number;
  boardId: string;
  limit: number;
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
 * Tallies give the number of cards per column, so the query reads only the columns of the page and needs no
 * count for the total.
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

/** An empty page is one row with only the total. */
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

    /** In board order, without long texts. */
    listCards: (boardId: string, detail: DetailLevel, limit: number, offset: number): Promise<CardPage> =>
      list(detail, { brandId, boardId, limit, from: { offset } }),

    /** In the order of their numbers. */
    listCardsAfter: (
      boardId: string,
      detail: DetailLevel,
      limit: number,
      number: number,
    ): Promise<NumberedCards> => list(detail, { brandId, boardId, limit, from: { number } }),

    /** Approximate sizes of long texts, for cards that have any. */
    async findBodySizes(cardIds: string[]): Promise<Map<string, number>> {
      const { rows } = await sql<{ card_id: string; export_bytes: number }>`
        select bodies.card_id, bodies.export_bytes from card_bodies bodies join cards k using (card_id)
        where bodies.card_id = any(${cardIds}::uuid[]) and k.brand_id = ${brandId}
      `.execute(db);
      return new Map(rows.map(({ card_id, export_bytes }) => [card_id, export_bytes]));
    },

    /** Size of the long texts of a column in an export. */
    async sumBodyBytes(columnId: string, emptyBytes: number): Promise<number> {
      const { rows } = await sql<{ bytes: number }>`
        select coalesce(sum(coalesce(bodies.export_bytes, ${emptyBytes}::int)), 0) as bytes
        from cards k left join card_bodies bodies using (card_id) where k.column_id = ${columnId} and k.brand_id = ${brandId}
      `.execute(db);
      return rows[0]!.bytes;
    },
  };
}
