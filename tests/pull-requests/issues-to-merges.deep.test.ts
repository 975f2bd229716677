import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BuildView } from '../../src/features/builds/builds.schemas.js';
import { checkouts } from '../support/build-checkouts.js';
import type { FakeDesk, Furnished } from '../support/build-world.js';
import { type RemoteForge, startForgeProcess } from '../support/simulated-forge-process.js';
import { startTwoNodes, type TwoNodes } from './two-nodes.js';

/**
 * Takes issues all the way to merged pull requests, with a repository host in another process and two nodes,
 * while webhooks are lost, duplicated, reordered and forged, the host rate-limits and fails, and nodes are
 * killed.
 */

/** Kept small because every deep run repeats this test. Set `PULL_REQUEST_ISSUES=20` for the full size. */
const ISSUES = Number(process.env['PULL_REQUEST_ISSUES'] ?? 8);
const TOKEN = 'a-token-of-the-host';
const REPOSITORY = 'acme/app';
const LONG = 1_200_000;

/** The expected outcome of an issue, by its index. */
type Fate = 'merged' | 'red' | 'reviewed' | 'closed' | 'exhausted';
const fateOf = (nth: number): Fate =>
  nth === ISSUES - 2
    ? 'closed'
    : nth === ISSUES - 1
      ? 'exhausted'
      : (['merged', 'red', 'reviewed'] as const)[nth % 3]!;

/** Final statuses of builds without a result. */
const FRUITLESS = new Set(['failed', 'timed_out', 'canceled', 'lost']);

interface Card {
  id: string;
  ref: string;
  title: string;
  status: string;
  error_code: string | null;
  pr_number: number | null;
  pr_state: string | null;
  merged_at: string | null;
  external_url: string | null;
}

let world: TwoNodes;
let room: Furnished;
let desk: FakeDesk;
let host: RemoteForge;
let git: ReturnType<typeof checkouts>;
let over = false;
const loops: Promise<void>[] = [];

beforeAll(async () => {
  world = await startTwoNodes();
  room = await world.furnish();
  desk = await room.readyDesk();
  git = checkouts(room as never);
  host = await startForgeProcess({
    repositories: [{ name: REPOSITORY, path: join(room.repository.folder, '.git'), defaultBranch: 'main' }],
    token: TOKEN,
  });
  const connected = await room.call('PUT', forgePath(), {
    kind: 'github',
    api_url: host.apiUrl,
    repository: REPOSITORY,
    token: TOKEN,
    issues: { label: 'guildhall', board_id: room.boardId },
  });
  if (connected.status !== 200) throw new Error(JSON.stringify(connected.body));
  const { body } = await room.call<{ secret: string }>('POST', `${forgePath()}/hook-secret`);
  await host.setHook({ url: `${world.address}/api/v1/hooks/${room.projectId}`, secret: body.secret });
  await room.call('PUT', '/api/v1/factory/builds/policy', {
    rework: { on_checks: true, on_changes_requested: true, on_conflict: true },
  });
}, LONG);

afterAll(async () => {
  over = true;
  await Promise.allSettled(loops);
  await host?.close();
  await world?.stop();
}, LONG);

const forgePath = () => `/api/v1/projects/${room.projectId}/forge`;
const nthOf = (title: string): number => Number(/number (\d+)/.exec(title)![1]);

const listCards = async (): Promise<Card[]> =>
  (await room.call<{ items: Card[] }>('GET', `/api/v1/board/boards/${room.boardId}/tasks?limit=200`)).body
    .items;

/** Repeats the work until the test ends. A failure is recorded and the work tried again. */
function keepDoing(work: () => Promise<void>, everyMs: number): void {
  const loop = async () => {
    while (!over) {
      await work().catch((error: unknown) => troubles.push(error));
      await pause(everyMs);
    }
  };
  loops.push(loop());
}
const troubles: unknown[] = [];

/** Runs the orders of the desk, one after another. */
async function workAtDesk(): Promise<void> {
  for (const order of await room.work(desk, { slots: 4 })) {
    if (order.kind !== 'start') continue;
    const taken = { buildId: order.build_id, claim: order.claim };
    if ((await room.start(desk, taken.buildId, taken.claim)).status !== 200) continue;
    const build = await room.get(taken.buildId);
    const checkout = await git.checkOut(desk, taken);
    checkout.save({ [`work/${build.ref}.md`]: `Attempt ${build.attempt}\n` });
    const bundle = git.bundle(checkout, `${build.base_sha}..${build.branch}`);
    checkout.dispose();
    await git.handIn(desk, taken, bundle);
    await room.finish(desk, taken.buildId, taken.claim, { outcome: 'succeeded', result: 'Did it' });
  }
}

/**
 * Acts as a person who starts builds and accepts their results. The list may be outdated and an answer may be
 * lost, so the idempotency key counts the attempts, and a card is not built twice.
 */
async function workAtBoard(): Promise<void> {
  const earlier = (await room.call<{ builds: BuildView[] }>('GET', '/api/v1/factory/builds?limit=200')).body
    .builds;
  for (const card of await listCards()) {
    if (card.status !== 'pending') continue;
    const attempts = earlier.filter(({ task_id }) => task_id === card.id);
    if (attempts.some(({ status }) => !FRUITLESS.has(status))) continue;
    if (fateOf(nthOf(card.title)) === 'exhausted')
      await room.call('PATCH', `/api/v1/board/tasks/${card.id}`, { max_attempts: 1 });
    await room.post(card.id, {}, { 'idempotency-key': `${card.id}-after-${attempts.length}` });
  }
  const waiting = await room.call<{ builds: BuildView[] }>(
    'GET',
    '/api/v1/factory/builds?review=to_review&limit=200',
  );
  for (const { build_id } of waiting.body.builds)
    await room.call('POST', `/api/v1/factory/builds/${build_id}/review`, { decision: 'accept' });
}

const judged = new Set<string>();

/**
 * Acts as the people and CI of the host: judges each head of a known pull request once, and merges good ones.
 */
async function workAtHost(): Promise<void> {
  const known = new Set((await listCards()).map(({ pr_number }) => pr_number));
  for (const pull of await host.pullRequests()) {
    if (pull.state !== 'open' || !known.has(pull.number)) continue;
    const fate = fateOf(nthOf(pull.title));
    const isFirst = ![...judged].some(
      (key) => key.startsWith(`${pull.number} `) && key !== `${pull.number} ${pull.headSha}`,
    );
    const key = `${pull.number} ${pull.headSha}`;
    if (judged.has(key)) continue;
    const isRed = fate === 'exhausted' || (fate === 'red' && isFirst);
    await host.setCheck(pull.headSha, { name: 'lint', conclusion: 'success' });
    await host.setCheck(pull.headSha, {
      name: 'tests',
      conclusion: isRed ? 'failure' : 'success',
      summary: isRed ? 'One of them failed' : null,
      log: isRed ? 'expected 43\n' : '',
    });
    if (fate === 'reviewed')
      await host.review(pull.number, {
        author: 'rita',
        state: isFirst ? 'CHANGES_REQUESTED' : 'APPROVED',
        body: isFirst ? 'Not yet' : 'Good',
        ...(isFirst && { comments: [{ path: `work/x.md`, line: 1, body: 'Say more' }] }),
      });
    judged.add(key);
    if (fate === 'closed') await host.closePullRequest(pull.number);
    else if (!isRed && !(fate === 'reviewed' && isFirst)) await host.merge(pull.number);
  }
}

const isSettled = (card: Card): boolean => card.status === 'done' || card.error_code !== null;

it(
  'every card reaches its expected outcome, with one pull request per issue and one rework per head',
  async () => {
    await host.setFaults({
      status: 500,
      statusChance: 0.03,
      rateLimited: { retryAfter: 1, chance: 0.02 },
      loseAnswers: 0.03,
      dropHooks: 0.3,
      doubleHooks: 0.3,
      reorderHooks: 0.5,
      forgeHooks: 0.3,
    });
    keepDoing(workAtDesk, 100);
    keepDoing(workAtBoard, 300);
    keepDoing(workAtHost, 300);
    // Runs the full sync that finds what webhooks missed, because nodes die before their schedule runs it.
    keepDoing(async () => {
      await world.runJob('forge-pulls');
      await world.runJob('forge-pass');
    }, 2000);
    keepDoing(async () => {
      await pause(2000 + Math.random() * 13_000);
      if (!over) await world.killNode(Math.random() < 0.5 ? 0 : 1);
    }, 1000);
    for (let nth = 0; nth < ISSUES; nth += 1) {
      await host.openIssue({ title: `Do number ${nth}`, labels: ['guildhall'], body: 'Please' });
      await pause(50);
    }

    await expect
      .poll(async () => (await listCards()).filter(isSettled).length, {
        timeout: LONG - 60_000,
        interval: 1000,
      })
      .toBe(ISSUES);
    over = true;
    await Promise.allSettled(loops);
    await host.setFaults({});
    await world.runJob('forge-pass');

    const cards = await listCards();
    expect(cards).toHaveLength(ISSUES);
    for (const card of cards) {
      const fate = fateOf(nthOf(card.title));
      const expected = {
        closed: { status: 'blocked', error_code: 'pr_closed', pr_state: 'closed' },
        exhausted: { status: 'blocked', error_code: 'attempts_exhausted', pr_state: 'open' },
      }[fate as string] ?? {
        status: 'done',
        error_code: null,
        pr_state: 'merged',
        merged_at: expect.any(String),
      };
      expect({ ...card, fate }).toMatchObject(expected);
    }

    const pulls = await host.pullRequests();
    expect(pulls.map(({ title }) => nthOf(title)).sort((one, other) => one - other)).toEqual(
      Array.from({ length: ISSUES }, (_, nth) => nth),
    );

    const { builds } = (await room.call<{ builds: BuildView[] }>('GET', '/api/v1/factory/builds?limit=200'))
      .body;
    for (const card of cards) {
      const fate = fateOf(nthOf(card.title));
      const own = builds.filter(({ task_id }) => task_id === card.id).reverse();
      const told = JSON.stringify(
        own.map(({ status, reason, rework_of }) => ({ status, reason, rework_of })),
      );
      const second = { red: ['checks'], reviewed: ['changes_requested'] }[fate as string];
      // Ignores builds lost with a killed node: the simulated person starts another one.
      const brought = own.filter(({ status }) => status === 'succeeded').map(({ rework_of }) => rework_of);
      expect(brought, told).toEqual(second ? [undefined, second] : [undefined]);
    }

    const issues = await host.issues();
    for (const issue of issues) {
      const fate = fateOf(nthOf(issue.title));
      expect(issue).toMatchObject({ state: fate === 'closed' || fate === 'exhausted' ? 'open' : 'closed' });
      expect(issue.comments, issue.title).toHaveLength(1);
    }
    const { rows } = await sql<{ heads: number }>`select count(*)::int as heads from forge_reworks`.execute(
      world.db,
    );
    const reworked = Array.from({ length: ISSUES }, (_, nth) => fateOf(nth)).filter((fate) =>
      ['red', 'reviewed', 'exhausted'].includes(fate),
    );
    expect(rows[0]!.heads).toBe(reworked.length);
  },
  LONG,
);
