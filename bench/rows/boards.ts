import { type BoardsWorld, boardsWorld } from '../boards-world.js';
import type { BenchRow, BenchWorld, FloorStatement } from '../row.js';
import { checkToken } from './identity.js';

type Made = BoardsWorld & Record<string, unknown>;

const setup = async (world: BenchWorld) => (await boardsWorld(world)) as Made;

interface Row {
  name: string;
  path: (made: Made) => string;
  paths?: (made: Made) => string[];
  method?: string;
  body?: unknown;
  floor: (made: Made) => FloorStatement[];
}

const boardRow = ({ name, path, paths, method, body, floor }: Row): BenchRow => ({
  name,
  kind: method === undefined ? 'read' : 'write',
  setup,
  request: (world, made) => ({
    method,
    path: path(made as Made),
    paths: paths?.(made as Made),
    headers: world.bearer,
    body,
  }),
  floor: (world, made) => ({ statements: [checkToken(world), ...floor(made as Made)] }),
});

/** The queries of a hand-written server: whether the board is ours, its number of cards, and the page. */
const listFloor = (boardId: string): FloorStatement[] => [
  { text: 'select board_id, brand_id, name, key from boards where board_id = $1', values: [boardId] },
  { text: 'select sum(cards) as total from card_tallies where board_id = $1', values: [boardId] },
  {
    text: `
      select k.card_id, b.key || '-' || k.number as ref, k.title, k.status, k.column_id, c.name as column_name, k.assignee_user_id,
        u.full_name, k.branch, k.pr_number, k.pr_url, k.pr_state, k.checks_state
      from (select column_id, name from board_columns where board_id = $1 order by position limit 1) c
      cross join lateral (
        select * from cards where column_id = c.column_id order by position, card_id limit 100
      ) k
      join boards b on b.board_id = k.board_id left join users u on u.user_id = k.assignee_user_id
      order by k.position, k.card_id`,
    values: [boardId],
  },
];

const readCard = (cardId: string): FloorStatement => ({
  text: `
    select k.*, b.key || '-' || k.number as ref, b.name as board, c.name as column_name, u.full_name as assignee_name,
      r.full_name as reporter_name, x.instructions, x.result
    from cards k join boards b using (board_id) join board_columns c using (column_id) left join card_bodies x using (card_id)
    left join users u on u.user_id = k.assignee_user_id left join users r on r.user_id = k.reporter_user_id
    where k.card_id = $1`,
  values: [cardId],
});

const feedFloor = (boardId: string, from: number): FloorStatement[] => [
  { text: 'select board_id, brand_id, last_sequence from boards where board_id = $1', values: [boardId] },
  {
    text: `
      select e.id, e.action, e.created_at, e.task_id, e.ref, e.actor_user_id, u.full_name, e.changes
      from board_activity e left join users u on u.user_id = e.actor_user_id
      where e.board_id = $1 and e.sequence <= $2 order by e.sequence desc limit 50`,
    values: [boardId, from],
  },
];

const summary = (boardId: string) => `/api/v1/board/boards/${boardId}/tasks?detail=summary&per_page=100`;
const feed = (boardId: string, since: string) =>
  `/api/v1/board/activity/boards/${boardId}?limit=50&since=${since}`;

const patchPath = (cardId: string) => `/api/v1/board/tasks/${cardId}?return=receipt`;

export const rows: BenchRow[] = [
  boardRow({
    name: 'boards-list-summary',
    path: ({ large }) => summary(large),
    floor: ({ large }) => listFloor(large),
  }),
  boardRow({
    name: 'boards-list-summary-tenth',
    path: ({ small }) => summary(small),
    floor: ({ small }) => listFloor(small),
  }),
  boardRow({
    name: 'boards-card',
    path: ({ cardId }) => `/api/v1/board/tasks/${cardId}`,
    floor: ({ cardId }) => [readCard(cardId)],
  }),
  boardRow({
    name: 'boards-master-20',
    path: () => '/api/v1/board/master/tasks?column_names=review,blocked&has_pr=true&limit=50',
    floor: () => [
      {
        text: `
          select k.card_id, b.key || '-' || k.number as ref, k.title, b.name as board, k.column_id, c.name, k.status, k.pr_number, k.branch,
            k.updated_at
          from cards k join boards b using (board_id) join board_columns c using (column_id)
          where k.brand_id = b.brand_id and c.name_key = any($1) and k.pr_number is not null
          order by k.updated_at desc, k.card_id limit 50`,
        values: [['review', 'blocked']],
      },
    ],
  }),
  boardRow({
    name: 'boards-feed',
    path: ({ large, firstCursor }) => feed(large, firstCursor),
    floor: ({ large }) => feedFloor(large, 99_800),
  }),
  boardRow({
    name: 'boards-feed-deep',
    path: ({ large, deepCursor }) => feed(large, deepCursor),
    floor: ({ large }) => feedFloor(large, 50_000),
  }),
  boardRow({
    name: 'boards-patch-receipt',
    method: 'PATCH',
    path: ({ cardId }) => patchPath(cardId),
    paths: ({ cardIds }) => cardIds.map(patchPath),
    body: { branch: '{{vary}}' },
    floor: ({ cardId }) => [
      readCard(cardId),
      {
        text: `
          with board as (
            update boards set last_sequence = last_sequence + 1, last_activity_at = now()
            where board_id = (select board_id from cards where card_id = $1) returning board_id, last_sequence, key
          ), card as (
            update cards set branch = gen_random_uuid()::text, version = version + 1, updated_at = now() where card_id = $1
            returning number, version
          )
          insert into board_activity (board_id, sequence, id, action, created_at, task_id, ref, card_version, changes)
          select board_id, last_sequence, gen_random_uuid(), 'task.updated', now(), $1, key || '-' || number, version,
            '{"branch": {"from": "a", "to": "b"}}' from board, card`,
        values: [cardId],
      },
      { text: "select pg_notify('guildhall_bench', $1)", values: [cardId] },
    ],
  }),
];
