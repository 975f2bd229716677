import pg from 'pg';
import type { BenchWorld } from './row.js';

/** Boards that are too large to create over HTTP, so their rows are inserted directly into the database. */
export interface BoardsWorld {
  /** 10,000 cards with 20 KB bodies and 100,000 feed entries. */
  large: string;
  /** A tenth of the cards, none with a body. */
  small: string;
  cardId: string;
  cardIds: string[];
  firstCursor: string;
  deepCursor: string;
}

const MANY_BOARDS = 20;
const CARDS_ON_EACH = 500;
const LARGE = { cards: 10_000, bodyCharacters: 20_000, entries: 100_000 };
const SMALL = { cards: 1_000, bodyCharacters: 0, entries: 1_000 };

const made = new WeakMap<BenchWorld, Promise<BoardsWorld>>();

export function boardsWorld(world: BenchWorld): Promise<BoardsWorld> {
  const known = made.get(world) ?? makeBoards(world);
  made.set(world, known);
  return known;
}

async function makeBoards(world: BenchWorld): Promise<BoardsWorld> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    const large = await makeBoard(world, client, LARGE);
    const small = await makeBoard(world, client, SMALL);
    for (let i = 2; i < MANY_BOARDS; i++) {
      await makeBoard(world, client, { cards: CARDS_ON_EACH, bodyCharacters: 0, entries: CARDS_ON_EACH });
    }
    await client.query('vacuum analyze');
    const { rows } = await client.query<{ card_id: string }>(
      'select card_id from cards where board_id = $1 and number between 5000 and 6999 order by number',
      [large],
    );
    const cardIds = rows.map((row) => row.card_id);
    return { large, small, cardId: cardIds[0]!, cardIds, ...(await readCursors(world, large)) };
  } finally {
    await client.end();
  }
}

interface Size {
  cards: number;
  bodyCharacters: number;
  entries: number;
}

export async function makeBoard(world: BenchWorld, client: pg.Client, size: Size): Promise<string> {
  const board = await world.call('POST', '/api/v1/board/boards', { name: 'Bench board' });
  const boardId = String(board['board_id']);
  await world.call('POST', `/api/v1/board/boards/${boardId}/tasks`, { title: 'The first of many' });
  await client.query(COPY_CARD, [boardId, size.cards]);
  if (size.bodyCharacters > 0) await client.query(ADD_BODIES, [boardId, size.bodyCharacters]);
  await client.query(ADD_ENTRIES, [boardId, size.entries]);
  await client.query('update boards set last_number = $2, last_sequence = $3 where board_id = $1', [
    boardId,
    size.cards,
    size.entries,
  ]);
  return boardId;
}

/** Copies the first card, spread over the columns and the preceding days. */
const COPY_CARD = `
  insert into cards
  select copy.* from cards first
  join board_columns c on c.board_id = first.board_id
  cross join generate_series(2, $2::int) n
  cross join lateral jsonb_populate_record(first, jsonb_build_object(
    'card_id', gen_random_uuid(), 'number', n, 'position', n, 'title', 'Card number ' || n, 'column_id', c.column_id, 'status', c.status,
    'branch', 'feat/' || n, 'pr_number', case when n % 3 = 0 then n end, 'pr_state', case when n % 3 = 0 then 'open' end,
    'assignee_user_id', case when n % 2 = 0 then first.reporter_user_id end, 'updated_at', first.created_at - make_interval(secs => n)
  )) copy
  where first.board_id = $1 and c.position = n % 5`;

const ADD_BODIES = `
  with texts as materialized (
    select i, left((select string_agg(md5(i || '-' || j), '') from generate_series(1, $2::int / 32 + 1) j), $2::int) as body
    from generate_series(0, 99) i
  )
  insert into card_bodies (card_id, instructions, result, export_bytes)
  select k.card_id, t.body, null, $2::int + 100 from cards k join texts t on t.i = k.number % 100 where k.board_id = $1`;

const ADD_ENTRIES = `
  insert into board_activity (board_id, sequence, id, action, created_at, task_id, ref, card_version, actor_user_id, changes)
  select $1, n, gen_random_uuid(), 'task.updated', b.created_at, k.card_id, b.key || '-' || k.number, 2, b.created_by,
    '{"branch": {"from": null, "to": "feat/x"}, "title": {"from": "Before", "to": "After"}}'
  from generate_series(3, $2::int) n
  join boards b on b.board_id = $1
  join cards k on k.board_id = $1 and k.number = n % b.last_number + 1`;

/** Returns the cursor of the newest page and a cursor halfway through the feed. */
async function readCursors(world: BenchWorld, boardId: string) {
  const read = async (since?: string) => {
    const page = await world.call(
      'GET',
      `/api/v1/board/activity/boards/${boardId}?limit=200${since ? `&since=${since}` : ''}`,
    );
    return String(page['next_cursor']);
  };
  const firstCursor = await read();
  let deepCursor = firstCursor;
  for (let page = 1; page < LARGE.entries / 200 / 2; page++) deepCursor = await read(deepCursor);
  return { firstCursor, deepCursor };
}
