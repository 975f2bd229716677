import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions, LightMyRequestResponse as Response } from 'fastify';
import { type App, createApp } from '../../src/app.js';
import { readConfig } from '../../src/config.js';
import type { DatabaseAddress } from '../../src/database/connection.js';
import { SCOPES, type Scope } from '../../src/kernel/access.js';
import { MovableClock, systemClock } from '../../src/kernel/clock.js';
import { createLogger } from '../../src/logger.js';
import { createTestDatabase, type TestDatabase } from './database.js';

export const ADMIN_KEY = 'test-admin-key';
export const PASSWORD = 'correct horse battery';

export interface TestBrand {
  brand_id: number;
  name: string;
}

export interface TestPerson {
  user_id: number;
  email: string;
  full_name: string;
}

interface WorldOptions {
  /** Environment variables of the server under test. */
  env?: Record<string, string>;
  /** Run the background work too; without it passes run only when a test asks for them. */
  workers?: boolean;
  /** How the e-mail addresses of people begin; their own where worlds share what counts by address. */
  people?: string;
  /** A database to share with another world: two nodes. */
  database?: TestDatabase;
  /** How the node hears of other nodes' changes, when it is another way than to its database. */
  listener?: DatabaseAddress['connection'];
}

export type World = Awaited<ReturnType<typeof startTestApp>>;

/** The whole service on a database of its own, with a clock that stands under the test's hand. */
export async function startTestApp(options: WorldOptions = {}) {
  const database = options.database ?? (await createTestDatabase());
  const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-test-'));
  const config = readConfig({
    DATA_DIR: dataDir,
    BASE_URL: 'http://guildhall.test',
    GUILDHALL_TEST_CLOCK: '1',
    LOG_LEVEL: 'silent',
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
  });
  const server = await app.start({ workers: options.workers ?? false });
  let people = 0;

  const inject = (request: InjectOptions): Promise<Response> => server.inject(request);

  async function operator<T = Record<string, unknown>>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    payload?: object,
  ): Promise<T> {
    const response = await inject({
      method,
      url: `/api/v1/admin${path}`,
      headers: { 'x-admin-key': ADMIN_KEY },
      payload,
    });
    if (response.statusCode >= 300)
      throw new Error(`${method} ${path}: ${response.statusCode} ${response.body}`);
    return (response.body ? response.json() : undefined) as T;
  }

  const world = {
    app,
    config,
    clock,
    db: database.db,
    database,
    server,
    inject,
    operator,
    /** What the server logged, one JSON line each. */
    logLines: lines,

    brand: (fields: Record<string, unknown> = {}) =>
      operator<TestBrand>('POST', '/brands', {
        name: `Brand ${++people}`,
        scope_ceiling: [...SCOPES],
        ...fields,
      }),

    person: (fields: Record<string, unknown> = {}) => {
      people += 1;
      return operator<TestPerson>('POST', '/users', {
        email: `${options.people ?? 'person'}${people}@example.test`,
        full_name: `Person ${people}`,
        password: PASSWORD,
        ...fields,
      });
    },

    /** A person who belongs to the workspace. */
    async member(
      brand: TestBrand,
      fields: { role?: 'admin' | 'member'; position?: string | null; person?: TestPerson } = {},
    ): Promise<TestPerson> {
      const { person = await world.person(), ...membership } = fields;
      await operator('PUT', `/brands/${brand.brand_id}/members/${person.user_id}`, {
        role: 'member',
        ...membership,
      });
      return person;
    },

    async token(
      brand: TestBrand,
      person: TestPerson,
      scopes: Scope[] = [...SCOPES],
      fields: Record<string, unknown> = {},
    ): Promise<string> {
      const { token } = await operator<{ token: string }>('POST', `/brands/${brand.brand_id}/tokens`, {
        user_id: person.user_id,
        scopes,
        name: 'test',
        ...fields,
      });
      return token;
    },

    /** The Cookie header of a fresh session. */
    async signIn(person: TestPerson, brand?: TestBrand, password = PASSWORD): Promise<string> {
      const response = await inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        payload: { email: person.email, password, ...(brand && { brand_id: brand.brand_id }) },
      });
      if (response.statusCode !== 200) throw new Error(`sign-in: ${response.statusCode} ${response.body}`);
      return String(response.headers['set-cookie']).split(';')[0]!;
    },

    /** A workspace with an admin, their token with every scope, and their session. */
    async workspace(fields: Record<string, unknown> = {}) {
      const brand = await world.brand(fields);
      const admin = await world.member(brand, { role: 'admin' });
      const token = await world.token(brand, admin, (await scopesOf(brand)) ?? [...SCOPES]);
      return {
        brand,
        admin,
        token,
        bearer: { authorization: `Bearer ${token}` },
        cookie: await world.signIn(admin, brand),
      };
    },

    advance: (seconds: number) => operator('POST', '/clock', { advance_seconds: seconds }),
    freeze: (freeze = true) => operator('POST', '/clock', { freeze }),
    runJob: (name: string) => operator<{ processed: number; failed: number }>('POST', `/jobs/${name}/run`),

    async stop(): Promise<void> {
      await app.stop();
      if (!options.database) await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };

  async function scopesOf(brand: TestBrand): Promise<Scope[]> {
    return (await operator<{ scope_ceiling: Scope[] }>('GET', `/brands/${brand.brand_id}`)).scope_ceiling;
  }

  return world;
}
