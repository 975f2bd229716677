import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { numbersFrom } from '../numbers.js';
import { readMemory } from '../processes.js';
import { makeWorld } from '../world.js';
import { call } from './callers.js';
import { follow } from './follower.js';
import { compare, emptyLedger, type Kept } from './ledger.js';
import { type Nodes, startNodes } from './nodes.js';

export interface SoakOptions {
  seconds: number;
  callers: number;
  /** Seconds between two failures. */
  every: number;
  seed?: number;
  say: (line: string) => void;
}

export interface SoakReport {
  seed: number;
  acknowledged: number;
  interrupted: number;
  disasters: Record<string, number>;
  /** The errors found; empty if the promise is kept. */
  wrong: string[];
  /** Memory in MiB of the node that is never killed, at the middle of the second and of the last quarter. */
  memory: { early: number; late: number };
}

const FIRST_NODE = 0;
const OTHER_NODES = [1, 2];
/** How long the service may take after the last failure to finish all requested work. */
const PATIENCE_SECONDS = 120;

/** Kills nodes and the database at random under mixed load, and checks that all acknowledged writes exist. */
export async function soak(folder: string, options: SoakOptions): Promise<SoakReport> {
  const { seconds, callers, every, say, seed = randomInt(2 ** 31) } = options;
  const random = numbersFrom(seed);
  const nodes = await startNodes(folder, 1 + OTHER_NODES.length);
  try {
    const world = await makeWorld(nodes.urls()[0]!, nodes.adminKey);
    const board = await world.call('POST', '/api/v1/board/boards', { name: 'Soak' });
    const boardId = String(board['board_id']);
    const ledger = emptyLedger();
    const feed = reader(nodes, world.bearer, boardId);
    const since = await feed.newestCursor();

    const ended = new AbortController();
    const seen: string[] = [];
    const { bearer } = world;
    const following = follow({ urls: nodes.urls, bearer, boardId, since, ended: ended.signal }, seen);
    const until = Date.now() + seconds * 1000;
    const isOver = () => Date.now() >= until;
    const memories: number[] = [];
    const disasters: Record<string, number> = {};
    const working = Array.from({ length: callers }, (_, number) =>
      call({ urls: nodes.urls, bearer, boardId, agentId: `soak-${number}`, ledger, random, isOver }),
    );
    const watching = sample(() => readMemory(nodes.pidOf(FIRST_NODE)!), memories, isOver);
    await wreak({ nodes, random, every, isOver, say, disasters });
    await Promise.all([...working, watching]);
    say(`${ledger.acknowledged} writes were acknowledged; looking for each of them`);

    const written = await feed.entriesSince(since);
    await waitUntil(() => seen.length >= written.length);
    ended.abort();
    await following;

    const kept = await readAll(nodes, bearer, boardId, callers);
    return {
      seed,
      acknowledged: ledger.acknowledged,
      interrupted: ledger.interrupted,
      disasters,
      wrong: [
        ...ledger.faults,
        ...compare(ledger, kept),
        ...compareStreams(written, seen),
        ...(await findStuckJobs(nodes)),
      ],
      memory: { early: middle(quarter(memories, 1)), late: middle(quarter(memories, 3)) },
    };
  } finally {
    await nodes.stop();
  }
}

interface Wreaking {
  nodes: Nodes;
  random: () => number;
  every: number;
  isOver: () => boolean;
  say: (line: string) => void;
  disasters: Record<string, number>;
}

/**
 * Causes one failure after another. The first node is spared, so that its memory can be measured throughout.
 */
async function wreak({ nodes, random, every, isOver, say, disasters }: Wreaking): Promise<void> {
  const other = () => OTHER_NODES[Math.floor(random() * OTHER_NODES.length)]!;
  const kinds: Record<string, () => Promise<void> | void> = {
    'a node killed': () => nodes.restart(other(), 'SIGKILL'),
    'a node asked to stop': () => nodes.restart(other(), 'SIGTERM'),
    'the database killed': () => nodes.killDatabase(),
  };
  for (let turn = 0; !isOver(); turn++) {
    await wait(every * 1000 * (0.5 + random()));
    if (isOver()) return;
    // Kinds rotate, so that a short run includes all of them.
    const [kind, happens] = Object.entries(kinds)[turn % Object.keys(kinds).length]!;
    say(kind);
    disasters[kind] = (disasters[kind] ?? 0) + 1;
    await happens();
  }
}

function reader(nodes: Nodes, bearer: Record<string, string>, boardId: string) {
  const page = (since?: string) =>
    get<{ items: { id: string }[]; next_cursor: string }>(
      nodes,
      `/api/v1/board/activity/boards/${boardId}?limit=200${since ? `&since=${encodeURIComponent(since)}` : ''}`,
      bearer,
    );
  return {
    newestCursor: async () => (await page()).next_cursor,
    async entriesSince(since: string): Promise<string[]> {
      const entries: string[] = [];
      for (let cursor = since; ; ) {
        const { items, next_cursor } = await page(cursor);
        if (items.length === 0) return entries;
        entries.push(...items.map(({ id }) => id));
        cursor = next_cursor;
      }
    },
  };
}

async function readAll(
  nodes: Nodes,
  bearer: Record<string, string>,
  boardId: string,
  callers: number,
): Promise<Kept> {
  const kept: Kept = { cards: new Map(), memories: [] };
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: {
      items: { id: string; title: string; comment_count: number }[];
      next_cursor?: string | null;
    } = await get(
      nodes,
      `/api/v1/board/boards/${boardId}/tasks?detail=standard&per_page=500&cursor=${encodeURIComponent(cursor)}`,
      bearer,
    );
    for (const { id, title, comment_count } of page.items)
      kept.cards.set(id, { title, comments: comment_count });
    cursor = page.next_cursor ?? null;
  }
  for (let number = 0; number < callers; number++) {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { memories: { title: string }[]; next_cursor: string | null } = await get(
        nodes,
        `/api/v1/memory/memories?agent_id=soak-${number}&limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
        bearer,
      );
      kept.memories.push(...page.memories.map(({ title }) => title));
      cursor = page.next_cursor;
    }
  }
  return kept;
}

function compareStreams(written: string[], seen: string[]): string[] {
  const known = new Set(seen);
  const missed = written.filter((id) => !known.has(id)).length;
  const twice = seen.length - known.size;
  return [
    ...(missed > 0 ? [`The stream left out ${missed} of ${written.length} entries`] : []),
    ...(twice > 0 ? [`The stream sent ${twice} entries twice`] : []),
  ];
}

/** Finds jobs that are due for longer than a run takes, which means that the queue is stuck. */
async function findStuckJobs(nodes: Nodes): Promise<string[]> {
  const key = { 'x-admin-key': nodes.adminKey };
  const oldest = async () =>
    (await get<{ queue: { oldest_seconds: number } }>(nodes, '/api/v1/admin/overview', key)).queue
      .oldest_seconds;
  const recovered = await waitUntil(async () => (await oldest()) < 10);
  return recovered ? [] : [`A job is due for ${await oldest()} s and nobody takes it`];
}

/** Asks the nodes until one answers. */
async function get<T>(nodes: Nodes, path: string, headers: Record<string, string>): Promise<T> {
  let last: unknown;
  for (const began = Date.now(); Date.now() - began < PATIENCE_SECONDS * 1000; ) {
    try {
      const response = await fetch(nodes.urls()[0] + path, { headers });
      if (response.ok) return (await response.json()) as T;
      last = `${response.status} ${await response.text()}`;
    } catch (error) {
      last = error;
    }
    await wait(200);
  }
  throw new Error(`No answer from ${path}: ${last}`);
}

async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const began = Date.now(); Date.now() - began < PATIENCE_SECONDS * 1000; ) {
    if (await holds()) return true;
    await wait(200);
  }
  return false;
}

async function sample(read: () => number, into: number[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    into.push(read());
    await wait(1000);
  }
}

const quarter = (numbers: number[], index: number): number[] =>
  numbers.slice(Math.floor((numbers.length * index) / 4), Math.floor((numbers.length * (index + 1)) / 4));

const middle = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
