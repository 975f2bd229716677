import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import { webhookCaller } from '../../../../tests/support/webhooks.js';
import { silentLog } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import { createSecretBox } from '../../../platform/secrets/secret-box.js';
import { createDispatcher } from './dispatcher.js';

let world: World;
beforeAll(async () => {
  world = await startTestApp({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } });
});
afterAll(() => world.stop());

/** Wraps the database so that releasing claims is slow and `done` is called afterwards. */
function slowToGiveBack(db: Db, done: () => void): Db {
  const bound = <T extends object>(target: T, own: Partial<T>): T =>
    new Proxy(target, {
      get(_, key) {
        const value = Reflect.get(own, key) ?? Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const executor = db.getExecutor();
  const slow = bound(executor, {
    executeQuery: (async (query: Parameters<typeof executor.executeQuery>[0]) => {
      const isGivingBack = query.sql.includes('set due_at = d.next_attempt_at');
      if (isGivingBack) await pause(50);
      const result = await executor.executeQuery(query);
      if (isGivingBack) done();
      return result;
    }) as typeof executor.executeQuery,
  });
  return bound(db, { getExecutor: () => slow });
}

it('deliverDue releases unsent deliveries before it resolves, so that the pool can be closed afterwards', async () => {
  const hooks = webhookCaller(world, await world.workspace());
  const { webhook_id } = await hooks.create('http://127.0.0.1:9/');
  await hooks.test(webhook_id);
  let givenBack = false;
  const over = new AbortController();
  const dispatcher = createDispatcher({
    db: slowToGiveBack(world.db, () => {
      givenBack = true;
    }),
    clock: world.clock,
    log: silentLog,
    secrets: createSecretBox(['test-secrets-key-of-thirty-two-characters']),
    // Simulates a shutdown before the answer arrives.
    sender: {
      post: async () => {
        over.abort();
        return undefined;
      },
      close: () => {},
    },
    userAgent: 'test',
  });
  await dispatcher.deliverDue(over.signal);
  expect(givenBack).toBe(true);
});
