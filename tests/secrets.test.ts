import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { beginWalk, FLOWS, type Walk } from './secrets/flows.js';
import { type Ledger, openLedger } from './secrets/ledger.js';
import { startTestApp, type World } from './support/app.js';
import { startTestProvider, type TestProvider } from './support/oidc.js';
import { makeDataDir, Program } from './support/program.js';

/**
 * Even at log level trace no secret appears in the log, in an unrelated answer, in the database or in a file.
 */

const worlds: World[] = [];
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(async () => {
  for (const world of worlds) await world.stop();
});

async function start(env: Record<string, string> = {}): Promise<World> {
  const world = await startTestApp({ env: { LOG_LEVEL: 'trace', ...env } });
  worlds.push(world);
  return world;
}

describe('At log level trace no secret is left by', () => {
  let ledger: Ledger;
  let walk: Walk;
  let provider: TestProvider;

  beforeAll(async () => {
    provider = await startTestProvider('http://guildhall.test/api/v1/auth/oidc/callback');
    const world = await start({ ...provider.env, OIDC_DOMAINS: 'listed.test' });
    ledger = openLedger(world);
    walk = await beginWalk(world, ledger, provider);
  });
  afterAll(() => provider.stop());

  it.each(Object.keys(FLOWS))('%s', async (name) => {
    const before = ledger.counts();
    await FLOWS[name]!(walk);
    const after = ledger.counts();
    expect(after.answers, 'nothing was asked').toBeGreaterThan(before.answers);
    expect(after.lines, 'nothing was logged').toBeGreaterThan(before.lines);
    expect(await ledger.search()).toEqual([]);
  });

  it('the search finds a secret that was left on purpose', async () => {
    for (const [place, leave] of Object.entries({
      log: async (text: string): Promise<void> => void walk.world.logLines.push(text),
      answer: async (text: string): Promise<void> =>
        void (await ledger.ask({
          method: 'POST',
          url: '/api/v1/board/boards',
          headers: walk.home.bearer,
          payload: { name: text },
        })),
    })) {
      const text = ledger.know(`left in the ${place}`, `a-secret-left-in-the-${place}`);
      await leave(text);
      expect((await ledger.search()).filter((found) => found.startsWith(`left in the ${place}`))).not.toEqual(
        [],
      );
    }
  });
});

describe('At log level trace no credential of an external service is revealed', () => {
  const SECRETS = {
    smtp: 'smtp-relay-password',
    s3: 's3-bucket-secret',
    model: 'model-endpoint-key',
    embedding: 'embedding-endpoint-key',
    redis: 'redis-server-password',
    database: 'database-password',
  };
  const expectNone = (text: string) =>
    expect(Object.values(SECRETS).filter((secret) => text.includes(secret))).toEqual([]);

  it('when all external services are unreachable', async () => {
    const world = await start({
      SMTP_URL: `smtp://mailer:${SECRETS.smtp}@127.0.0.1:1`,
      S3_URL: `http://key:${SECRETS.s3}@127.0.0.1:1/bucket`,
      IMAGES: 's3',
      MODEL_URL: 'http://127.0.0.1:1/v1',
      MODEL_API_KEY: SECRETS.model,
      EMBEDDING_URL: 'http://127.0.0.1:1/v1',
      EMBEDDING_API_KEY: SECRETS.embedding,
      REDIS_URL: `redis://:${SECRETS.redis}@127.0.0.1:1`,
    });
    const ledger = openLedger(world);
    for (const [name, secret] of Object.entries(SECRETS)) ledger.know(name, secret);
    const walk = await beginWalk(world, ledger);
    const { home, member } = walk;
    const brand = `/api/v1/brands/${home.brand.brand_id}`;
    await ledger.ask({
      method: 'POST',
      url: `${brand}/members/${member.user_id}/reset-password`,
      headers: home.bearer,
    });
    await FLOWS['pictures, whole and broken']!(walk);
    await FLOWS['sources and conversations']!(walk);
    await ledger.ask({
      method: 'POST',
      url: '/api/v1/memory/agents/walker/context/relevant?query=private',
      headers: home.bearer,
    });
    await ledger.ask({
      method: 'POST',
      url: '/api/v1/memory/entries:similar',
      headers: home.bearer,
      payload: { text: 'anything' },
    });
    await ledger.ask({ url: '/api/v1/system/health' });
    expect(await ledger.search()).toEqual([]);
  });

  it('when the database is unreachable', async () => {
    const data = await makeDataDir();
    cleanups.push(() => data.remove());
    const program = new Program({
      DATA_DIR: data.path,
      LOG_LEVEL: 'trace',
      DATABASE_URL: `postgres://guildhall:${SECRETS.database}@127.0.0.1:1/guildhall`,
    });
    cleanups.push(() => program.end('SIGKILL'));
    await program.says(/not reachable yet/);
    expectNone(program.output);
  });
});
