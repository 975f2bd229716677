import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions, LightMyRequestResponse as Response } from 'fastify';
import { type App, createApp } from '../../src/app.js';
import { readConfig } from '../../src/config/config.js';
import type { OpenForge } from '../../src/features/forges/adapter/forge.js';
import { hashCheaplyInTests } from '../../src/features/identity/people/password-hash.js';
import { MovableClock, systemClock } from '../../src/kernel/clock.js';
import type { DatabaseAddress } from '../../src/platform/database/connection/connection.js';
import { createLogger } from '../../src/platform/logging/logger.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { ADMIN_KEY, worldCalls } from './world-calls.js';

export { ADMIN_KEY, PASSWORD, type TestBrand, type TestPerson } from './world-calls.js';

interface WorldOptions {
  env?: Record<string, string>;
  /** Also runs background work. Otherwise jobs run only when a test triggers them. */
  workers?: boolean;
  /** Prefix of people's email addresses. Worlds that share rate limits by address each need their own. */
  people?: string;
  /** Replaces connections to real repository hosts. */
  openForge?: OpenForge;
  /** How long a request may wait in the queue. The default is enough for any burst on a busy machine. */
  longestWaitMs?: number;
  /** A database shared with another world, which makes two nodes. */
  database?: TestDatabase;
  /** The connection for other nodes' notifications, if not the database's own. */
  listener?: DatabaseAddress['connection'];
}

export type World = Awaited<ReturnType<typeof startTestApp>>;

/** Starts the whole service on its own database, with a clock that the test controls. */
export async function startTestApp(options: WorldOptions = {}) {
  hashCheaplyInTests();
  const database = options.database ?? (await createTestDatabase());
  const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-test-'));
  const config = readConfig({
    DATA_DIR: dataDir,
    BASE_URL: 'http://guildhall.test',
    GUILDHALL_TEST_CLOCK: '1',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_MINUTE: '0',
    // Loading the model takes longer than most tests, so tests of semantic search turn it on themselves.
    EMBEDDER: 'none',
    ...options.env,
  });
  const lines: string[] = [];
  const logger = createLogger(
    { level: config.logLevel, format: 'json' },
    { write: (line: string) => void lines.push(line) },
  );
  const clock = new MovableClock();
  const app: App = createApp({
    config,
    database,
    address: { connection: options.listener ?? database.connection },
    logger,
    clock: config.testClock ? clock : systemClock,
    adminKeys: config.adminApiKeys.length > 0 ? config.adminApiKeys : [ADMIN_KEY],
    cursorSecret: 'test-cursor-secret',
    secretsKeys: ['test-secrets-key-of-thirty-two-characters'],
    checkResponses: true,
    longestWaitMs: options.longestWaitMs ?? 60_000,
    ...(options.openForge && { openForge: options.openForge }),
  });
  const server = await app.start({ workers: options.workers ?? false });
  const inject = (request: InjectOptions): Promise<Response> => server.inject(request);

  return {
    app,
    config,
    clock,
    db: database.db,
    database,
    server,
    inject,
    ...worldCalls(inject, options.people),
    logLines: lines,

    async stop(): Promise<void> {
      await app.stop();
      if (!options.database) await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
