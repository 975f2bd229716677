import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { halfOpenLine } from '../support/half-open-line.js';
import { type Cluster, missingForCluster, startCluster } from '../support/patroni.js';
import { makeDataDir, Program } from '../support/program.js';
import { ADMIN_KEY } from '../support/world-calls.js';

/** A cluster of three members behind a proxy, with two Guildhall nodes, loses the machine of its primary. */

const missing = missingForCluster();
if (missing.length > 0) console.warn(`Skipped: no cluster without ${missing.join(', ')}.`);

const HIRES = 12;

describe.skipIf(missing.length > 0)('A PostgreSQL cluster (skipped without Patroni, etcd or HAProxy)', () => {
  let data: Awaited<ReturnType<typeof makeDataDir>>;
  let cluster: Cluster;
  let line: Awaited<ReturnType<typeof halfOpenLine>>;
  const programs: Program[] = [];
  /** The first node finds the primary by asking all members, the second through the proxy. */
  const nodes: string[] = [];
  let brandId: number;
  let userId: number;
  let bearer: Record<string, string>;
  let goingOn: { over: AbortController; done: Promise<void>[] } | undefined;

  async function startNode(env: Record<string, string>): Promise<string> {
    const program = new Program({
      DATA_DIR: join(data.path, String(programs.length)),
      ADMIN_API_KEY: ADMIN_KEY,
      SECRETS_KEY: 'a-key-that-the-nodes-of-the-cluster-share',
      AGENTS_DIR: join(data.path, 'agents'),
      GUILDHALL_DEMO: '0',
      EMBEDDER: 'none',
      LOG_LEVEL: 'error',
      RATE_LIMIT_PER_MINUTE: '0',
      ...env,
    });
    programs.push(program);
    return program.ready();
  }

  beforeAll(async () => {
    [data, cluster] = await Promise.all([makeDataDir(), startCluster(3)]);
    line = await halfOpenLine(cluster.primaryPort, 'guildhall-listener');
    const byName = { DATABASE_URL: cluster.membersUrl, DATABASE_READ_URL: cluster.everyMemberUrl };
    const byProxy = {
      DATABASE_URL: cluster.urlOf(`127.0.0.1:${line.port}`),
      DATABASE_READ_URL: cluster.replicasUrl,
    };
    for (const env of [byName, byProxy]) nodes.push(await startNode(env));

    brandId = (await operator<{ brand_id: number }>('POST', '/brands', { name: 'Cluster' })).brand_id;
    const person = { email: 'cluster@example.test', full_name: 'Cluster' };
    userId = (await operator<{ user_id: number }>('POST', '/users', person)).user_id;
    await operator('PUT', `/brands/${brandId}/members/${userId}`, { role: 'admin' });
    bearer = (await makeToken()).bearer;
  });

  afterAll(async () => {
    goingOn?.over.abort();
    await Promise.all(goingOn?.done ?? []);
    for (const program of programs) await program.end('SIGKILL');
    await line?.close();
    await cluster?.end();
    await data?.remove();
  });

  const call = (node: string, method: string, path: string, headers: Record<string, string>, body?: object) =>
    fetch(`${node}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });

  async function operator<T>(method: string, path: string, body: object): Promise<T> {
    const answer = await call(nodes[0]!, method, `/admin${path}`, { 'x-admin-key': ADMIN_KEY }, body);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }

  async function makeToken() {
    const { token, token_id } = await operator<{ token: string; token_id: string }>(
      'POST',
      `/brands/${brandId}/tokens`,
      { user_id: userId, name: 'cluster', scopes: ['brand:read', 'memory:read', 'memory:write'] },
    );
    return { token_id, bearer: { authorization: `Bearer ${token}` } };
  }

  async function query<T extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<T[]> {
    const { port } = (await cluster.findPrimary())!;
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'guildhall' });
    await client.connect();
    try {
      return (await client.query<T>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  interface Refusal {
    node: string;
    status: number;
    retryAfter: string | null;
  }

  /** Creates cards on one node, one after another. */
  function startWriter(node: string, board: string, over: AbortSignal) {
    const made: { id: string; at: number }[] = [];
    const refused: Refusal[] = [];
    const work = async () => {
      while (!over.aborted) {
        const title = `Card ${made.length}`;
        const answer = await call(node, 'POST', `/board/boards/${board}/tasks`, bearer, { title });
        if (answer.status === 201)
          made.push({ id: ((await answer.json()) as { id: string }).id, at: performance.now() });
        else {
          refused.push({ node, status: answer.status, retryAfter: answer.headers.get('retry-after') });
          await answer.arrayBuffer();
        }
      }
    };
    return { node, made, refused, done: work() };
  }

  /** Follows the board's stream on one node, and reconnects with the last event id. */
  function startFollower(node: string, board: string, over: AbortSignal) {
    const seen: string[] = [];
    let lines = 0;
    let hangUp = new AbortController();
    const follow = async () => {
      for (let lastId = ''; !over.aborted; ) {
        hangUp = new AbortController();
        const stream = await fetch(`${node}/api/v1/board/activity/boards/${board}/stream`, {
          headers: { ...bearer, ...(lastId && { 'last-event-id': lastId }) },
          signal: AbortSignal.any([over, hangUp.signal]),
        }).catch(() => undefined);
        if (!stream?.ok) continue;
        lines += 1;
        let rest = '';
        try {
          for await (const chunk of stream.body!) {
            const parts = (rest + Buffer.from(chunk as Uint8Array).toString()).split('\n\n');
            rest = parts.pop()!;
            for (const part of parts) {
              lastId = /^id: (.+)$/m.exec(part)?.[1] ?? lastId;
              const [, text] = /^data: (.+)$/m.exec(part) ?? [];
              const entry = text && (JSON.parse(text) as { action: string; task_id: string });
              if (entry && entry.action === 'task.created') seen.push(entry.task_id);
            }
          }
        } catch {
          // The loop reconnects.
        }
      }
    };
    return { seen, lines: () => lines, hangUp: () => hangUp.abort(), done: follow() };
  }

  it('recovers from the loss of its primary without losing an acknowledged write, an event or a job', async () => {
    const made = await call(nodes[0]!, 'POST', '/board/boards', bearer, { name: 'Board' });
    const board = ((await made.json()) as { board_id: string }).board_id;
    const profiles: string[] = [];
    for (let n = 0; n < HIRES; n++) {
      const employee = {
        name: `Employee ${n}`,
        template: { runtime: 'claude_code', instructions: 'Be of use.', packages: [] },
      };
      profiles.push((await operator<{ profile_id: string }>('POST', '/catalog', employee)).profile_id);
    }
    const over = new AbortController();
    const steady = nodes.map((node) => startFollower(node, board, over.signal));
    const cut = nodes.map((node) => startFollower(node, board, over.signal));
    const followers = [...steady, ...cut];
    goingOn = { over, done: followers.map(({ done }) => done.catch(() => {})) };
    // A stream sends only what is new since it was opened.
    for (const { lines } of followers) await expect.poll(() => lines()).toBe(1);
    const writers = nodes.map((node) => startWriter(node, board, over.signal));
    goingOn = { over, done: [...writers, ...followers].map(({ done }) => done.catch(() => {})) };
    const hire = async (profile: string, at: number) => {
      for (;;) {
        const answer = await call(
          nodes[at % 2]!,
          'POST',
          `/employees/${profile}/hire`,
          { 'x-admin-key': ADMIN_KEY },
          {
            brand_id: brandId,
          },
        );
        await answer.arrayBuffer();
        // A request that failed with 503 may have succeeded, so 409 counts as done.
        if (answer.ok || answer.status === 409) return;
        expect(answer.status).toBe(503);
      }
    };

    for (const { made } of writers) await expect.poll(() => made.length).toBeGreaterThan(10);
    for (const [at, profile] of profiles.slice(0, HIRES / 2).entries()) await hire(profile, at);

    const lost = await cluster.untilSafe();
    cluster.killMember(lost);
    for (const { hangUp } of cut) hangUp();
    const killedAt = performance.now();
    const hiring = Promise.all(profiles.slice(HIRES / 2).map(hire));
    await cluster.untilPrimary(lost);
    const promotedAt = performance.now();

    const backAt: number[] = [];
    for (const { made } of writers) {
      await expect.poll(() => made.some(({ at }) => at > promotedAt)).toBe(true);
      backAt.push(made.find(({ at }) => at > promotedAt)!.at);
      const before = made.length;
      await expect.poll(() => made.length).toBeGreaterThan(before + 10);
    }
    await hiring;
    const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(1)} s`;
    console.log(
      `A new primary after ${seconds(killedAt, promotedAt)}; writes again ${backAt
        .map(
          (at, n) =>
            `${seconds(promotedAt, at)} later ${n === 0 ? 'by the list of members' : 'by the proxy'}`,
        )
        .join(', ')}; ${writers.reduce((sum, { made }) => sum + made.length, 0)} writes acknowledged`,
    );

    // During the outage every refusal is a 503 with Retry-After.
    for (const { refused } of writers) {
      expect(refused.length).toBeGreaterThan(0);
      for (const refusal of refused)
        expect(refusal).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
    }

    const acknowledged = writers.flatMap(({ made }) => made.map(({ id }) => id));
    const kept = new Set(
      (await query<{ id: string }>('select card_id as id from cards where board_id = $1', [board])).map(
        ({ id }) => id,
      ),
    );
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);

    // Streams that stayed open and streams that reconnected skip and repeat nothing.
    for (const { seen } of followers) {
      const all = writers.flatMap(({ made }) => made.map(({ id }) => id));
      await expect.poll(() => all.filter((id) => !seen.includes(id))).toEqual([]);
      expect(seen.length).toBe(new Set(seen).size);
    }
    for (const { lines } of cut) expect(lines()).toBeGreaterThan(1);
    over.abort();
    await Promise.all(goingOn.done);

    // Jobs continue, and each hire is built exactly once.
    const hired = await query<{ subject: string }>(
      "select 'hire:' || hire_id as subject from hires where brand_id = $1 order by 1",
      [brandId],
    );
    expect(hired).toHaveLength(HIRES);
    const built = () =>
      query<{ subject: string }>(
        "select subject from audit_log where brand_id = $1 and action = 'hire.built' order by subject",
        [brandId],
      );
    await expect.poll(async () => (await built()).length).toBeGreaterThanOrEqual(HIRES);
    expect(await built()).toEqual(hired);
  });

  it('sends reads that may be stale to the replicas of the new primary', async () => {
    const reader = await operator<{ user_id: number }>('POST', '/users', {
      email: 'reader@example.test',
      full_name: 'Reader',
    });
    await operator('PUT', `/brands/${brandId}/members/${reader.user_id}`, { role: 'member' });
    const { token } = await operator<{ token: string }>('POST', `/brands/${brandId}/tokens`, {
      user_id: reader.user_id,
      name: 'reader',
      scopes: ['brand:read'],
    });
    for (const node of nodes) {
      await expect
        .poll(async () => {
          const headers = { authorization: `Bearer ${token}` };
          expect((await call(node, 'GET', '/board/boards', headers)).status).toBe(200);
          const figures = await fetch(`${node}/metrics`, { headers: { 'x-admin-key': ADMIN_KEY } });
          return Number(
            /guildhall_replica_reads_total\{outcome="replica"\} (\d+)/.exec(await figures.text())?.[1] ?? 0,
          );
        })
        .toBeGreaterThan(0);
    }
  });

  it('refuses a revoked token on a node whose listener connection has gone silent', async () => {
    const { bearer: doomed, token_id } = await makeToken();
    const [hears, deaf] = nodes as [string, string];
    const ask = async (node: string) => (await call(node, 'GET', '/me/token', doomed)).status;
    for (const node of nodes) expect(await ask(node)).toBe(200);
    line.fallSilent();
    await operator('DELETE', `/tokens/${token_id}`, {});
    const revokedAt = performance.now();
    await expect.poll(() => ask(hears), { interval: 20 }).toBe(401);
    // New listener connections stay silent too, so no notification can make the node refuse the token.
    await expect.poll(() => ask(deaf), { interval: 20 }).toBe(401);
    console.log(
      `Refused by the deaf node ${((performance.now() - revokedAt) / 1000).toFixed(1)} s after it was revoked`,
    );
  });
});
