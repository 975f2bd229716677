import { mkdir } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { InjectOptions } from 'fastify';
import { addDesks } from '../desk-end-to-end/desk-world.js';
import { furnish } from '../support/build-world.js';
import { startOwnPostgres } from '../support/own-postgres.js';
import { makeDataDir, Program } from '../support/program.js';
import { ADMIN_KEY, type PlainAnswer, worldCalls } from '../support/world-calls.js';

const PATIENCE_MS = 120_000;
const RETRY_MS = 100;

/** Starts two nodes on one database behind one address. Each can be killed and restarted. */
export async function startTwoNodes() {
  const data = await makeDataDir();
  const repositoriesDir = join(data.path, 'repositories');
  await mkdir(repositoriesDir);
  const postgres = await startOwnPostgres();
  const { connection } = postgres.database;
  const nodes: { program: Program; url: string | undefined }[] = [];

  let turn = 0;
  /** Distributes requests over the running nodes, round-robin. A node may die without an answer. */
  const proxy = createServer((asked, answer) => {
    const urls = nodes.flatMap(({ url }) => url ?? []);
    const url = urls[turn++ % urls.length];
    if (url === undefined) {
      answer.writeHead(502).end();
      return;
    }
    const { method, headers } = asked;
    const passed = httpRequest(url + asked.url, { method, headers, agent: false }, (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
      response.on('error', () => answer.destroy());
    });
    passed.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;

  async function startNode(at: number): Promise<void> {
    // The proxy's port is in use only on 127.0.0.1, so each node listens on its own loopback address.
    const host = `127.0.0.${at + 2}`;
    const program = new Program({
      HOST: host,
      PORT: String(port),
      // Links must use the proxy's address.
      BASE_URL: address,
      DATA_DIR: join(data.path, `node-${at}`),
      REPOSITORIES_DIR: repositoriesDir,
      SECRETS_KEY: 'a-key-that-both-of-the-nodes-share',
      DATABASE_URL: `postgres://${connection.user}@localhost:${connection.port}/${connection.database}?host=${encodeURIComponent(connection.host)}`,
      ADMIN_API_KEY: ADMIN_KEY,
      FORGE_NETWORKS: '127.0.0.0/8',
      GUILDHALL_DEMO: '0',
      EMBEDDER: 'none',
      LOG_LEVEL: 'error',
      RATE_LIMIT_PER_MINUTE: '0',
    });
    nodes[at] = { program, url: undefined };
    await program.ready();
    nodes[at] = { program, url: `http://${host}:${port}` };
  }

  async function ask({ method = 'GET', url, headers, payload }: InjectOptions): Promise<PlainAnswer> {
    const isJson = typeof payload === 'object' && !Buffer.isBuffer(payload);
    const response = await fetch(address + url, {
      method,
      headers: {
        ...(isJson && { 'content-type': 'application/json' }),
        ...(headers as Record<string, string>),
      },
      body: (isJson ? JSON.stringify(payload) : payload) as RequestInit['body'],
    });
    const rawPayload = Buffer.from(await response.arrayBuffer());
    const body = rawPayload.toString();
    return {
      statusCode: response.status,
      headers: { ...Object.fromEntries(response.headers), 'set-cookie': response.headers.getSetCookie() },
      body,
      rawPayload,
      json: () => JSON.parse(body),
    };
  }

  /** Repeats a request without an answer, as people and desks do. */
  async function inject(request: InjectOptions): Promise<PlainAnswer> {
    for (const began = Date.now(); ; await pause(RETRY_MS)) {
      const answer = await ask(request).catch(() => undefined);
      if (answer && answer.statusCode !== 502 && answer.statusCode !== 503) return answer;
      if (Date.now() - began > PATIENCE_MS) throw new Error(`No answer to ${request.method} ${request.url}`);
    }
  }

  async function stop(): Promise<void> {
    await Promise.all(nodes.map(({ program }) => program.end()));
    proxy.closeAllConnections();
    await new Promise<void>((resolve) => proxy.close(() => resolve()));
    await postgres.end();
    await data.remove();
  }

  await startNode(0);
  await startNode(1);
  const world = addDesks({ ...worldCalls(inject), inject, stop, config: { repositoriesDir } });
  return {
    ...world,
    address,
    db: postgres.database.db,
    furnish: (fields: Record<string, unknown> = {}) => furnish(world, fields),
    /** Kills a node with SIGKILL and starts it again. */
    async killNode(at: number): Promise<void> {
      const { program } = nodes[at]!;
      nodes[at] = { program, url: undefined };
      await program.end('SIGKILL');
      await startNode(at);
    },
    /** The output of all nodes. */
    complaints: () => nodes.map(({ program }) => program.output).join('\n'),
  };
}

export type TwoNodes = Awaited<ReturnType<typeof startTwoNodes>>;
