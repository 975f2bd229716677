import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { addDesks } from '../desk-end-to-end/desk-world.js';
import { furnish } from './build-world.js';
import { startOwnPostgres } from './own-postgres.js';
import { makeDataDir, Program } from './program.js';
import { ADMIN_KEY, type PlainAnswer, worldCalls } from './world-calls.js';

/** The real program and its own database server. Each can be killed, and both keep their data on disk. */
export async function startProgramWorld() {
  const data = await makeDataDir();
  const repositoriesDir = join(data.path, 'repositories');
  await mkdir(repositoriesDir);
  // Uses durable writes, because a killed server loses what it may write later.
  const postgres = await startOwnPostgres({ durable: true });
  const { host, port, user, database } = postgres.database.connection;
  let program: Program;
  let address = '';
  let passed = 0;

  async function start(): Promise<void> {
    program = new Program({
      DATA_DIR: data.path,
      DATABASE_URL: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
      ADMIN_API_KEY: ADMIN_KEY,
      WEBHOOK_NETWORKS: '127.0.0.0/8',
      GUILDHALL_TEST_CLOCK: '1',
      GUILDHALL_DEMO: '0',
      EMBEDDER: 'none',
      LOG_LEVEL: 'warn',
    });
    address = await program.ready();
    // Restores the test clock, which a restart resets.
    if (passed > 0) await calls.advance(passed);
  }

  async function inject({ method = 'GET', url, headers, payload }: InjectOptions): Promise<PlainAnswer> {
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

  async function stop(): Promise<void> {
    await program.end();
    await postgres.end();
    await data.remove();
  }

  const calls = worldCalls(inject);
  const advance = (seconds: number) => {
    passed += seconds;
    return calls.advance(seconds);
  };
  await start();
  const world = addDesks({ ...calls, advance, inject, stop, config: { repositoriesDir } });
  return {
    ...world,
    connection: postgres.database.connection,
    address: () => address,
    furnish: (fields: Record<string, unknown> = {}) => furnish(world, fields),
    async restartNode(): Promise<void> {
      await program.end('SIGKILL');
      await start();
    },
    async restartDatabase(): Promise<void> {
      await postgres.kill();
      await postgres.comeBack();
    },
  };
}

export type ProgramWorld = Awaited<ReturnType<typeof startProgramWorld>>;
