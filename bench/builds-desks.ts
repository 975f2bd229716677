import { createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { newToken, sha256Hex } from '../src/kernel/secrets.js';
import { DESK_TOKEN_PREFIX } from '../src/platform/http/request/authentication.js';
import { describeDesk, deskAddress, deskNumber } from './desks-names.js';
import type { BenchWorld } from './row.js';

interface Order {
  build_id: string;
  claim: string;
}

export interface BuildDesk {
  id: string;
  token: string;
  work(slots: number, waitSeconds: number): Promise<Order[]>;
  start(buildId: string, claim: string): Promise<void>;
  log(buildId: string, claim: string, seq: number, text: string): Promise<void>;
  finish(buildId: string, claim: string): Promise<void>;
}

const READY_WITHIN_MS = 90_000;

/** Answers health checks for all desks. Each desk has its own loopback address. */
function answerHealth(tokens: string[]): Promise<number> {
  const server = createServer((request, response) => {
    const n = deskNumber(request.socket.localAddress ?? '');
    const nonce = String(request.headers['x-guildhall-nonce']);
    const proof = createHmac('sha256', sha256Hex(tokens[n - 1] ?? '')).update(nonce);
    response.writeHead(200, { 'content-type': 'application/json', 'x-guildhall-proof': proof.digest('hex') });
    const { deskId } = describeDesk(n);
    response.end(
      JSON.stringify({
        env_id: deskId,
        installation_id: `machine-${deskId}`,
        version: '0.3.0',
        code_digest: 'a'.repeat(64),
        building: false,
        credentials: [],
        pending_sync_count: 0,
      }),
    );
  });
  server.unref();
  return new Promise((resolve) =>
    server.listen(0, '0.0.0.0', () => resolve((server.address() as AddressInfo).port)),
  );
}

function speakAs(world: BenchWorld, id: string, token: string): BuildDesk {
  const say = async (
    method: string,
    path: string,
    claim: string,
    body: string,
    type = 'application/json',
  ) => {
    const answer = await fetch(`${world.url}/api/v1/desk/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'x-guildhall-claim': claim, 'content-type': type },
      body,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as { orders: Order[] };
  };
  return {
    id,
    token,
    work: async (slots, wait_seconds) => {
      const nonce = randomBytes(16).toString('hex');
      return (await say('POST', 'work', '', JSON.stringify({ nonce, slots, wait_seconds }))).orders;
    },
    start: async (buildId, claim) => void (await say('POST', `builds/${buildId}/start`, claim, '{}')),
    log: async (buildId, claim, seq, text) =>
      void (await say('PUT', `builds/${buildId}/log?seq=${seq}`, claim, text, 'text/plain')),
    finish: async (buildId, claim) =>
      void (await say('POST', `builds/${buildId}/finish`, claim, '{"outcome":"succeeded"}')),
  };
}

/** Creates desks and waits until the service reports them as ready. */
export async function openDesks(database: pg.Client, world: BenchWorld, count: number): Promise<BuildDesk[]> {
  const tokens = Array.from({ length: count }, () => newToken(DESK_TOKEN_PREFIX));
  const port = await answerHealth(tokens);
  const ids = tokens.map((_, index) => describeDesk(index + 1).deskId);
  await database.query(
    `insert into desks (desk_id, brand_id, short_id, name, runtime, workspace_path, created_at, updated_at, token_hash, status,
                        hello_at, installation_id, mesh_registered_at, sidecar_url, poll_slot)
     select d.id, $1, left(d.hash, 8), 'Desk', 'custom', '/srv', now(), now(), d.hash, 'provisioned',
            now(), 'machine-' || d.id, now(), d.url, floor(random() * 10000)
     from unnest($2::uuid[], $3::text[], $4::text[]) as d (id, hash, url)`,
    [
      world.brandId,
      ids,
      tokens.map(sha256Hex),
      ids.map((_, index) => `http://${deskAddress(index + 1)}:${port}`),
    ],
  );
  for (const until = performance.now() + READY_WITHIN_MS; performance.now() < until; await wait(500)) {
    const { rows } = await database.query(
      'select count(*)::int as ready from desks where desk_id = any($1) and status = $2',
      [ids, 'active'],
    );
    if (rows[0].ready === count) return tokens.map((token, index) => speakAs(world, ids[index]!, token));
  }
  throw new Error('The desks did not become ready');
}
