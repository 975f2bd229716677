import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import { webhookCaller } from '../../../../tests/support/webhooks.js';
import { createFailingCheck } from '../webhooks.service.js';

const MINUTE = 60;
const signal = new AbortController().signal;
let world: World;
let brandId: number;

beforeAll(async () => {
  world = await startTestApp({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } });
  await world.freeze();
});
afterAll(() => world.stop());

beforeEach(async () => {
  await world.db.deleteFrom('webhooks').execute();
  const home = await world.workspace({ plan: 'enterprise' });
  brandId = home.brand.brand_id;
  await webhookCaller(world, home).create('http://127.0.0.1:9/');
  const notice_due_at = world.clock.now();
  await world.db.updateTable('webhooks').set({ enabled: false, notice_due_at }).execute();
});

/** A simulated node with its own mail function, which can be slow. */
function node(mail: () => Promise<boolean> = async () => true) {
  const told: number[] = [];
  const check = createFailingCheck({
    db: world.db,
    clock: world.clock,
    notifyAdmins: (brand) => {
      told.push(brand);
      return mail();
    },
  });
  return { told, check: () => check(signal) };
}

describe('Notice that a webhook was disabled', () => {
  it('is mailed by one node while the others leave it alone', async () => {
    let begun = () => {};
    const writing = new Promise<void>((resolve) => {
      begun = resolve;
    });
    let finish = (_: boolean) => {};
    const first = node(() => {
      begun();
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    const second = node();
    const run = first.check();
    await writing;
    expect(await second.check()).toEqual({ processed: 0, failed: 0 });
    finish(true);
    expect(await run).toEqual({ processed: 1, failed: 0 });
    await world.advance(10 * MINUTE);
    await second.check();
    expect([first.told, second.told]).toEqual([[brandId], []]);
  });

  it('is sent by another node only after the lease of the failed node has expired', async () => {
    const failing = node(async () => false);
    expect(await failing.check()).toEqual({ processed: 0, failed: 1 });
    const next = node();
    await world.advance(5 * MINUTE - 1);
    await next.check();
    expect(next.told).toEqual([]);
    await world.advance(1);
    await next.check();
    expect(next.told).toEqual([brandId]);
  });
});
