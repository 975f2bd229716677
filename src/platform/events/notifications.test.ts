import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.js';
import { muteLine } from '../../../tests/support/mute-line.js';
import { silentLog } from '../../kernel/log.js';
import { inTransaction } from '../database/connection/transaction.js';
import { Notifications } from './notifications.js';

let test: TestDatabase;
let near: Notifications;
let far: Notifications;

beforeAll(async () => {
  test = await createTestDatabase();
  near = new Notifications({ connection: test.connection, log: silentLog });
  far = new Notifications({ connection: test.connection, log: silentLog });
  await Promise.all([near.start(), far.start()]);
});

afterAll(async () => {
  await Promise.all([near.stop(), far.stop()]);
  await test.drop();
});

function collect(node: Notifications, channel: string): unknown[] {
  const received: unknown[] = [];
  node.subscribe(channel, (payload) => {
    received.push(payload);
  });
  return received;
}

const endListeners = () =>
  test.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'guildhall-listener' and datname = current_database()",
  );

describe('Notifications', () => {
  it('reach every node, as text or as objects', async () => {
    const [here, there] = [collect(near, 'both'), collect(far, 'both')];
    await near.publish(test.db, 'both', 'text');
    await near.publish(test.db, 'both', { id: 7 });
    expect(await Promise.all([near.flush(), far.flush()])).toEqual([true, true]);
    expect(here).toEqual(['text', { id: 7 }]);
    expect(there).toEqual(['text', { id: 7 }]);
  });

  it('are sent with the commit and dropped on rollback', async () => {
    const received = collect(near, 'commit');
    await inTransaction(test.db, async (tx) => {
      await near.publish(tx, 'commit', 'kept');
      await near.flush();
      expect(received).toEqual([]);
    });
    await inTransaction(test.db, async (tx) => {
      await near.publish(tx, 'commit', 'dropped');
      throw new Error('undo');
    }).catch(() => {});
    await near.flush();
    expect(received).toEqual(['kept']);
  });

  it('that are announced are sent once after the commit and dropped on rollback', async () => {
    const [here, there] = [collect(near, 'announced'), collect(far, 'announced')];
    await inTransaction(test.db, async (tx) => {
      near.announce(tx, 'announced', 'kept');
      await near.flush();
      expect(here).toEqual([]);
      await inTransaction(tx, async (inner) => near.announce(inner, 'announced', 'kept'));
    });
    await inTransaction(test.db, async (tx) => {
      near.announce(tx, 'announced', 'dropped');
      throw new Error('undo');
    }).catch(() => {});
    await expect.poll(() => [here, there]).toEqual([['kept'], ['kept']]);
    near.announce(test.db, 'announced', 'at once');
    await near.flush();
    expect(here).toEqual(['kept', 'at once']);
  });

  it('that are announced are sent when the transaction of the whole request commits', async () => {
    const received = collect(near, 'whole');
    await test.atomically(async () => {
      await inTransaction(test.db, async (tx) => near.announce(tx, 'whole', 'part'));
      near.announce(test.db, 'whole', 'beside');
      await near.flush();
      expect(received).toEqual([]);
    });
    await near.flush();
    expect(received).toEqual(['part', 'beside']);
    const undone = test.atomically(async () => {
      await inTransaction(test.db, async (tx) => near.announce(tx, 'whole', 'dropped'));
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    await near.flush();
    expect(received).toEqual(['part', 'beside']);
  });

  it('that are announced without a connection are sent after connecting', async () => {
    const received = collect(near, 'kept for later');
    const late = new Notifications({ connection: test.connection, log: silentLog });
    late.announce(test.db, 'kept for later', 'x');
    expect(await near.flush()).toBe(true);
    expect(received).toEqual([]);
    await late.start();
    await expect.poll(() => received).toEqual(['x']);
    await late.stop();
  });

  it('reach the other subscribers when one fails', async () => {
    near.subscribe('faulty', () => {
      throw new Error('at once');
    });
    near.subscribe('faulty', async () => {
      throw new Error('later');
    });
    const received = collect(near, 'faulty');
    await near.publish(test.db, 'faulty', 'x');
    await near.flush();
    expect(received).toEqual(['x']);
  });

  it('are rejected when they are too long for the server', async () => {
    await expect(near.publish(test.db, 'long', 'ä'.repeat(4000))).rejects.toThrow(
      'A notification on long is too long',
    );
    await expect(near.publish(test.db, 'long', 'x'.repeat(7900))).resolves.toBeUndefined();
  });

  it('report a gap after a lost connection and then resume', async () => {
    let gaps = 0;
    near.onGap(() => {
      gaps += 1;
    });
    const received = collect(near, 'after');
    await endListeners();
    await expect.poll(() => gaps).toBe(1);
    expect(near.healthy).toBe(true);
    await near.publish(test.db, 'after', 'x');
    expect(await near.flush()).toBe(true);
    expect(received).toEqual(['x']);
  });

  it('are not trusted while the open connection is silent, and are trusted again on a new one', async () => {
    const line = await muteLine(test.connection);
    const node = new Notifications({ connection: line.connection, log: silentLog });
    await node.start();
    let gaps = 0;
    node.onGap(() => {
      gaps += 1;
    });
    const received = collect(node, 'silence');
    expect(node.healthy).toBe(true);
    line.fallSilent();
    await expect.poll(() => node.healthy, { timeout: 120_000 }).toBe(false);
    expect(gaps).toBe(0);
    expect(await node.flush()).toBe(false);
    line.mend();
    await expect.poll(() => node.healthy, { timeout: 120_000 }).toBe(true);
    expect(gaps).toBe(1);
    await near.publish(test.db, 'silence', 'heard');
    expect(await node.flush()).toBe(true);
    expect(received).toEqual(['heard']);
    await node.stop();
    await line.close();
  });

  it('stay trusted when there are no messages', async () => {
    const node = new Notifications({ connection: test.connection, log: silentLog });
    await node.start();
    const begun = performance.now();
    await expect
      .poll(() => performance.now() - begun > 3500 || !node.healthy, { timeout: 120_000 })
      .toBe(true);
    expect(node.healthy).toBe(true);
    await node.stop();
  });
});
