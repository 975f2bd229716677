import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { findDatabaseUrl } from '../database.js';
import { startService } from '../processes.js';
import { makeWorld } from '../world.js';
import type { Action } from './habits.js';

/** Milliseconds of processor time per action, and bytes per row with its indexes. */
export interface Costs {
  actions: Record<Action, { node: number; database: number }>;
  bytes: Record<'card' | 'entry' | 'comment' | 'memory', number>;
}

const TIMES = 600;
const AT_ONCE = 4;

/** Measures processor time rather than elapsed time, so that a busy machine gives the same result. */
export async function measureCosts(dataDir: string): Promise<Costs> {
  const service = await startService(dataDir, { RATE_LIMIT_PER_MINUTE: '0', EMBEDDER: 'none' });
  const url = await findDatabaseUrl(dataDir);
  if (!url) throw new Error('The database of the service was not found');
  const database = new pg.Client({ connectionString: url });
  // If the service stops early, its failure is reported elsewhere.
  database.on('error', () => {});
  await database.connect();
  const { call } = await makeWorld(service.url, service.adminKey, url);
  const board = await call('POST', '/api/v1/board/boards', { name: 'Company' });
  const boardId = String(board['board_id']);
  const cards: string[] = [];
  const some = () => cards[Math.floor(Math.random() * cards.length)]!;
  const agent_id = 'company-agent';

  const actions: Record<Action, (number: number) => Promise<unknown>> = {
    'make a card': async (number) => {
      const card = await call('POST', `/api/v1/board/boards/${boardId}/tasks`, {
        title: `Card ${number}`,
        instructions: `${'What is to be done, in a few sentences. '.repeat(12)}${number}`,
      });
      cards.push(String(card['id']));
    },
    'change a card': (number) =>
      call('PATCH', `/api/v1/board/tasks/${some()}`, { progress_percent: number % 100 }),
    comment: (number) =>
      call('POST', `/api/v1/board/tasks/${some()}/comments`, { body: `A remark of some words, ${number}` }),
    learn: (number) =>
      call('POST', '/api/v1/memory/memories', {
        agent_id,
        kind: 'fact',
        title: `What was learned about place ${number}`,
        body: `${'A sentence that an agent would keep. '.repeat(6)}${number}`,
      }),
    'list cards': () => call('GET', `/api/v1/board/boards/${boardId}/tasks?detail=summary&per_page=50`),
    'read a card': () => call('GET', `/api/v1/board/tasks/${some()}`),
    'read the feed': () => call('GET', `/api/v1/board/activity/boards/${boardId}`),
    'search memory': (number) =>
      call('POST', `/api/v1/memory/agents/${agent_id}/context?format=json`, {
        query: `place ${number} sentence`,
      }),
  };

  const server = await postmasterOf(database);
  const costs = {} as Costs['actions'];
  for (const [action, act] of Object.entries(actions) as [Action, (number: number) => Promise<unknown>][]) {
    // A warm-up, because the first calls also initialize caches.
    await repeat(50, act);
    const before = cpuOf(service.pid, server);
    await repeat(TIMES, act);
    const after = cpuOf(service.pid, server);
    costs[action] = {
      node: (after.node - before.node) / TIMES,
      database: (after.database - before.database) / TIMES,
    };
  }
  const bytes = {
    card: await bytesOf(database, ['cards', 'card_bodies'], 'cards'),
    entry: await bytesOf(database, ['board_activity'], 'board_activity'),
    comment: await bytesOf(database, ['card_comments'], 'card_comments'),
    memory: await bytesOf(database, ['memories'], 'memories'),
  };
  await database.end();
  return { actions: costs, bytes };
}

async function repeat(times: number, act: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < times) await act(next++);
    }),
  );
}

async function bytesOf(database: pg.Client, tables: string[], counted: string): Promise<number> {
  const { rows } = await database.query(
    `select sum(pg_total_relation_size(name::regclass))::float8 as size, (select count(*) from ${counted})::float8 as count
     from unnest($1::text[]) name`,
    [tables],
  );
  return rows[0].size / rows[0].count;
}

/** The process that started all of the server's other processes. */
async function postmasterOf(database: pg.Client): Promise<number> {
  const { rows } = await database.query('select pg_backend_pid() as pid');
  return statOf(rows[0].pid)!.parent;
}

/** The processor time in milliseconds of the service, and of the database server with all connections. */
function cpuOf(service: number, server: number): { node: number; database: number } {
  const servers = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? [])
    .filter(({ pid, parent }) => pid === server || parent === server);
  return {
    node: statOf(service)?.ms ?? 0,
    database: servers.reduce((sum, { ms }) => sum + ms, 0),
  };
}

function statOf(pid: number): { pid: number; parent: number; ms: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    // In hundredths of a second: its own time and that of its exited children.
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
    return { pid, parent: Number(fields[1]), ms: ticks * 10 };
  } catch {
    // The process has exited.
    return undefined;
  }
}
