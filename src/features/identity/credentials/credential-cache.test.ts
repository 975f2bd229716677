import { describe, expect, it } from 'vitest';
import { startTestApp } from '../../../../tests/support/app.js';
import { createTestDatabase } from '../../../../tests/support/database.js';
import { muteLine } from '../../../../tests/support/mute-line.js';
import { createCredentialCache } from './credential-cache.js';

const caller = { name: 'Ada' };

describe('Credential cache', () => {
  it('does not keep a value that was read before a revocation', async () => {
    const cache = createCredentialCache<typeof caller>(() => true);
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

  it('is neither used nor filled while changes of other nodes cannot be received', async () => {
    let hears = true;
    const cache = createCredentialCache<typeof caller>(() => hears);
    await cache.find('before', async () => caller);
    hears = false;
    expect(await cache.find('before', async () => undefined)).toBeUndefined();
    await cache.find('meanwhile', async () => caller);
    hears = true;
    expect(await cache.find('meanwhile', async () => undefined)).toBeUndefined();
  });
});

/**
 * Starts two nodes, a controllable connection for change notifications, and a token that the far node has
 * cached.
 */
async function startTwoNodes() {
  const database = await createTestDatabase();
  const line = await muteLine(database.connection);
  const far = await startTestApp({ database, listener: line.connection });
  const near = await startTestApp({ database });
  const { bearer, cookie } = await far.workspace();
  const statusOf = async (headers: Record<string, string>) =>
    (await far.inject({ url: '/api/v1/me/token', headers })).statusCode;
  expect([await statusOf(bearer), await statusOf({ cookie })]).toEqual([200, 200]);
  const [token] = await database.db.selectFrom('tokens').select('token_id').execute();
  return {
    database,
    line,
    cookie,
    near,
    revoke: () => near.operator('DELETE', `/tokens/${token!.token_id}`),
    statusOfToken: () => statusOf(bearer),
    statusOfSession: () => statusOf({ cookie }),
    countNodes: async () => (await database.db.selectFrom('listening_nodes').selectAll().execute()).length,
    async stop() {
      await Promise.all([far.stop(), near.stop()]);
      await line.close();
      await database.drop();
    },
  };
}

describe('Token revoked by one node', () => {
  it('is rejected by another node once the revocation was answered, even with a delayed notification', async () => {
    const nodes = await startTwoNodes();
    nodes.line.holdBack();
    const begun = performance.now();
    const isInTime = () => performance.now() - begun < 1500;
    let isAnswered = false;
    const revoked = nodes.revoke().then(() => {
      isAnswered = true;
    });
    const isCommitted = async () =>
      (await nodes.database.db.selectFrom('tokens').select('revoked_at').executeTakeFirst())?.revoked_at;
    await expect.poll(isCommitted).toBeTruthy();
    expect(isAnswered && isInTime()).toBe(false);
    nodes.line.letGo();
    await revoked;
    expect(await nodes.statusOfToken()).toBe(401);
    // The far node has confirmed the change instead of being removed after a timeout.
    if (isInTime()) expect(await nodes.countNodes()).toBe(2);
    await nodes.stop();
  });

  it('is rejected by another node once the revocation was answered, even without a notification', async () => {
    const nodes = await startTwoNodes();
    nodes.line.fallSilent();
    await nodes.revoke();
    expect(await nodes.statusOfToken()).toBe(401);
    await nodes.near.inject({
      method: 'POST',
      url: '/api/v1/auth/logout',
      headers: { cookie: nodes.cookie },
    });
    expect(await nodes.statusOfSession()).toBe(401);
    await nodes.stop();
  });

  it('waits once for a dead node and not for a stopped one', async () => {
    const nodes = await startTwoNodes();
    const third = await startTestApp({ database: nodes.database });
    await third.stop();
    expect(await nodes.countNodes()).toBe(2);
    const dead = { node_id: '00000000-0000-7000-8000-000000000000', beat: 7 };
    await nodes.database.db.insertInto('listening_nodes').values(dead).execute();
    await nodes.revoke();
    // The other node confirms first; the silent one is removed after that.
    await expect.poll(nodes.countNodes).toBe(2);
    await nodes.stop();
  });
});
