import type pg from 'pg';
import type { BenchWorld } from '../row.js';

/** A separate workspace for one run of one write. */
export interface Ground {
  world: BenchWorld;
  client: pg.Client;
  repositories: string;
}

export interface BulkWrite {
  name: string;
  /** The number of rows in the smaller run. */
  rows: number;
  /** Inserts what the write needs, and returns the write. */
  prepare(ground: Ground, rows: number): Promise<() => Promise<unknown>>;
}

export async function makePerson({ world }: Ground): Promise<number> {
  const { user_id } = await world.operator('POST', '/users', {
    email: `bulk-${crypto.randomUUID()}@example.com`,
    password: 'bulk password',
    full_name: 'Ada',
  });
  await world.operator('PUT', `/brands/${world.brandId}/members/${user_id}`, { role: 'member' });
  return Number(user_id);
}

export async function makeBoard({ world }: Ground): Promise<string> {
  const board = await world.call('POST', '/api/v1/board/boards', { name: 'Bulk board' });
  return String(board['board_id']);
}

/** Creates a board with the given number of cards, each with instructions, search words and a feed entry. */
export async function makeFullBoard(ground: Ground, cards: number): Promise<string> {
  const { client, world } = ground;
  const boardId = await makeBoard(ground);
  await world.call('POST', `/api/v1/board/boards/${boardId}/tasks`, {
    title: 'The first of many',
    instructions: 'Do what the title says.',
    labels: ['bulk', 'first'],
  });
  await client.query(COPY_CARDS, [boardId, cards, world.userId]);
  await client.query(ADD_BODIES, [boardId]);
  await client.query(ADD_ENTRIES, [boardId]);
  await client.query('update boards set last_number = $2, last_sequence = $2 + 2 where board_id = $1', [
    boardId,
    cards,
  ]);
  return boardId;
}

export async function listCards({ client }: Ground, boardId: string): Promise<string[]> {
  const { rows } = await client.query('select card_id from cards where board_id = $1 order by number', [
    boardId,
  ]);
  return rows.map(({ card_id }) => String(card_id));
}

export const runJob = ({ world }: Ground, name: string) => world.operator('POST', `/jobs/${name}/run`, {});

/** Adds an inbox item of the given age for each card of the board. */
export const addInbox = ({ client, world }: Ground, boardId: string, userId: number, age: string) =>
  client.query(
    `insert into inbox_items (item_id, brand_id, user_id, kind, board_id, task_id, created_at)
     select gen_random_uuid(), $1, $2, 'assigned', board_id, card_id, now() - $4::interval from cards where board_id = $3`,
    [world.brandId, userId, boardId, age],
  );

const COPY_CARDS = `
  insert into cards
  select copy.* from cards first
  cross join generate_series(2, $2::int) n
  cross join lateral jsonb_populate_record(first, jsonb_build_object(
    'card_id', gen_random_uuid(), 'number', n, 'position', n, 'title', 'Card number ' || n, 'branch', 'feat/' || n,
    'labels', to_jsonb(array['bulk', 'label-' || n % 20]), 'assignee_user_id', $3::int,
    'priority', (array['low', 'normal', 'high', 'urgent'])[1 + n % 4], 'created_at', first.created_at - make_interval(days => n % 400)
  )) copy
  where first.board_id = $1`;

const ADD_BODIES = `
  insert into card_bodies (card_id, instructions, export_bytes)
  select card_id, 'Look at number ' || number || ' and say what stands there.', 100 from cards where board_id = $1
  on conflict (card_id) do nothing`;

const ADD_ENTRIES = `
  insert into board_activity (board_id, sequence, id, action, created_at, task_id, ref, card_version, actor_user_id, changes)
  select k.board_id, k.number + 2, gen_random_uuid(), 'task.updated', b.created_at, k.card_id, b.key || '-' || k.number, 2, b.created_by,
    jsonb_build_object('assignee', jsonb_build_object('from', null, 'to', jsonb_build_object('user_id', b.created_by, 'name', 'Ada')))
  from cards k join boards b using (board_id) where k.board_id = $1`;
