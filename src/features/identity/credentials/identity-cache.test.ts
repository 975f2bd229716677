import { describe, expect, it } from 'vitest';
import { startTestApp } from '../../../../tests/support/app.js';
import { createTestDatabase } from '../../../../tests/support/database.js';
import { muteLine } from '../../../../tests/support/mute-line.js';
import { createIdentityCache } from './identity-cache.js';

const caller = { name: 'Ada' };

describe('what is remembered about a credential', () => {
  it('is read once', async () => {
    const cache = createIdentityCache<typeof caller>(() => true);
    expect(await cache.find('hash', async () => caller)).toBe(caller);
    expect(await cache.find('hash', () => expect.fail('asked again'))).toBe(caller);
  });

  it('is never what was read before a revocation, however late the answer comes', async () => {
    const cache = createIdentityCache<typeof caller>(() => true);
    let resolve: (read: typeof caller) => void = () => {};
    const olderRead = new Promise<typeof caller>((answer) => {
      resolve = answer;
    });
    const first = cache.find('hash', () => olderRead);
    cache.clear();
    resolve(caller);
    expect(await first).toBe(caller);
    expect(await cache.find('hash', async () => undefined)).toBeUndefined();
  });

  it('is neither used nor added to while the news cannot be heard', async () => {
    let hears = true;
    const cache = createIdentityCache<typeof caller>(() => hears);
    await cache.find('before', async () => caller);
    hears = false;
    expect(await cache.find('before', async () => undefined)).toBeUndefined();
    await cache.find('meanwhile', async () => caller);
    hears = true;
    expect(await cache.find('meanwhile', async () => undefined)).toBeUndefined();
  });

  it('does not hold a credential that is unknown', async () => {
    const cache = createIdentityCache<typeof caller>(() => true);
    expect(await cache.find('hash', async () => undefined)).toBeUndefined();
    expect(await cache.find('hash', async () => caller)).toBe(caller);
  });
});

describe('a node whose connection for news is silent without being closed', () => {
  it('refuses a token that another node revoked', async () => {
    const database = await createTestDatabase();
    const line = await muteLine(database.connection);
    const [deaf, other] = [
      await startTestApp({ database, listener: line.connection }),
      await startTestApp({ database }),
    ];
    const { bearer, cookie } = await deaf.workspace();
    const states = () =>
      Promise.all(
        [bearer, { cookie }].map(
          async (headers) => (await deaf.inject({ url: '/api/v1/me/token', headers })).statusCode,
        ),
      );
    expect(await states()).toEqual([200, 200]);
    line.fallSilent();
    const [token] = await database.db.selectFrom('tokens').select('token_id').execute();
    await other.operator('DELETE', `/tokens/${token!.token_id}`);
    await other.inject({ method: 'POST', url: '/api/v1/auth/logout', headers: { cookie } });
    await expect.poll(states, { timeout: 120_000 }).toEqual([401, 401]);
    await Promise.all([deaf.stop(), other.stop()]);
    await line.close();
    await database.drop();
  });
});
