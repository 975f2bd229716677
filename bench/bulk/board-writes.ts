import { type BulkWrite, type Ground, listCards, makeBoard, makeFullBoard, makePerson } from './ground.js';
import { importCards } from './import-write.js';

const AT_ONCE = 500;

/** Applies one change to many cards in batches, as the pages do. */
async function changeCards({ world }: Ground, ids: string[], set: object): Promise<void> {
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const tasks = ids.slice(at, at + AT_ONCE).map((task_id) => ({ task_id, set }));
    const { results } = await world.call('POST', '/api/v1/board/tasks:batch', { tasks });
    const refused = (results as { refused: string | null }[]).find((each) => each.refused !== null);
    if (refused) throw new Error(refused.refused!);
  }
}

const changing =
  (set: object): BulkWrite['prepare'] =>
  async (ground, rows) => {
    const ids = await listCards(ground, await makeFullBoard(ground, rows));
    return () => changeCards(ground, ids, set);
  };

/** Deletes a card that many other cards refer to. */
const deletingCard =
  (refer: string): BulkWrite['prepare'] =>
  async (ground, rows) => {
    const boardId = await makeFullBoard(ground, rows);
    const [cardId] = await listCards(ground, boardId);
    await ground.client.query(refer, [cardId, boardId, rows]);
    return () => ground.world.call('DELETE', `/api/v1/board/tasks/${cardId}`);
  };

const columnsOf = async ({ world }: Ground, boardId: string) => {
  const board = await world.call('GET', `/api/v1/board/boards/${boardId}`);
  return board['columns'] as { id: string; name: string; status: string }[];
};

export const boardWrites: BulkWrite[] = [
  { name: 'cards moved', rows: 1000, prepare: changing({ status: 'in_review' }) },
  { name: 'cards edited', rows: 1000, prepare: changing({ priority: 'urgent', assignee: null }) },
  { name: 'a label taken off cards', rows: 1000, prepare: changing({ labels: ['bulk'] }) },
  { name: 'cards archived', rows: 1000, prepare: changing({ archived: true }) },
  {
    name: 'cards given to somebody',
    rows: 1000,
    async prepare(ground, rows) {
      const assignee = await makePerson(ground);
      const ids = await listCards(ground, await makeFullBoard(ground, rows));
      return () => changeCards(ground, ids, { assignee });
    },
  },
  {
    name: 'a column restated',
    rows: 2500,
    async prepare(ground, rows) {
      const boardId = await makeFullBoard(ground, rows);
      const columns = await columnsOf(ground, boardId);
      const restated = columns.map((column, at) =>
        at === 0 ? { ...column, status: 'in_progress' } : column,
      );
      return () => ground.world.call('PATCH', `/api/v1/board/boards/${boardId}`, { columns: restated });
    },
  },
  {
    name: 'an empty column deleted beside cards',
    rows: 2500,
    async prepare(ground, rows) {
      const boardId = await makeFullBoard(ground, rows);
      const columns = (await columnsOf(ground, boardId)).slice(0, -1);
      return () => ground.world.call('PATCH', `/api/v1/board/boards/${boardId}`, { columns });
    },
  },
  {
    name: 'a card with children deleted',
    rows: 2500,
    prepare: deletingCard(
      'update cards set parent_id = $1 where board_id = $2 and card_id <> $1 and number <= $3',
    ),
  },
  {
    name: 'a card that blocks others deleted',
    rows: 2500,
    prepare: deletingCard(`
      insert into card_blockers (card_id, blocker_id)
      select card_id, $1 from cards where board_id = $2 and card_id <> $1 and number <= $3`),
  },
  {
    name: 'a card with comments deleted',
    rows: 2500,
    prepare: deletingCard(`
      insert into card_comments (comment_id, card_id, body, created_at)
      select gen_random_uuid(), $1, 'Said as number ' || n, b.created_at from generate_series(1, $3::int) n, boards b
      where b.board_id = $2`),
  },
  {
    name: 'a board deleted',
    rows: 2500,
    async prepare(ground, rows) {
      const boardId = await makeFullBoard(ground, rows);
      return () => ground.world.call('DELETE', `/api/v1/board/boards/${boardId}`);
    },
  },
  {
    name: 'cards imported',
    rows: 2500,
    async prepare(ground, rows) {
      return importCards(ground, await makeBoard(ground), rows);
    },
  },
];
