import { steadily } from '../overload/probes.js';
import type { BenchWorld } from '../row.js';

const A_SECOND = 100;
const BOARDS = 11;
const CARDS = 55;

export type Neighbour = Awaited<ReturnType<typeof makeNeighbour>>;

/** Creates another workspace whose members read and write on several boards. */
export async function makeNeighbour(world: BenchWorld) {
  const boards: string[] = [];
  const cards: string[] = [];
  for (let n = 0; n < BOARDS; n += 1) {
    const board = await world.call('POST', '/api/v1/board/boards', { name: `Neighbours ${n}` });
    boards.push(`/api/v1/board/boards/${board['board_id']}/tasks`);
  }
  for (let n = 0; n < CARDS; n += 1) {
    const card = await world.call('POST', boards[n % BOARDS]!, { title: `Card ${n}` });
    cards.push(`/api/v1/board/tasks/${card['id']}`);
  }
  const headers = { ...world.bearer, 'content-type': 'application/json' };
  let asked = 0;
  const ask = (): Promise<Response> => {
    asked += 1;
    const card = `${world.url}${cards[asked % CARDS]}`;
    if (asked % 4 === 0) {
      const body = JSON.stringify({ progress_percent: asked % 100 });
      return fetch(card, { method: 'PATCH', headers, body });
    }
    const board = `${world.url}${boards[asked % BOARDS]}?detail=summary&per_page=50`;
    return fetch(asked % 4 === 1 ? board : card, { headers });
  };

  return {
    /** Sends requests at a steady rate while the work runs. */
    async during<T>(work: () => Promise<T>) {
      const ended = new AbortController();
      const probing = steadily(A_SECOND, ask, ended.signal);
      const began = performance.now();
      try {
        const result = await work();
        const ms = performance.now() - began;
        ended.abort();
        return { result, ms, probe: await probing };
      } finally {
        ended.abort();
      }
    },
  };
}
