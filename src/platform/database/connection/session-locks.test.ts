import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.js';
import { silentLog } from '../../../kernel/log.js';
import { createSessionLocks, type SessionLocks } from './session-locks.js';

let database: TestDatabase;
const opened: SessionLocks[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const locks of opened.splice(0)) await locks.close();
});
afterAll(() => database.drop());

function newNode(): SessionLocks {
  const locks = createSessionLocks({ connection: database.connection, log: silentLog });
  opened.push(locks);
  return locks;
}

function latch() {
  let open = () => {};
  const opens = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opens };
}

const sessions = async () =>
  (
    await sql<{ pid: number }>`
      select pid from pg_stat_activity where application_name = 'guildhall-locks' and datname = current_database()`.execute(
      database.db,
    )
  ).rows.map(({ pid }) => pid);

describe('Session lock', () => {
  it('has one holder at a time, across nodes', async () => {
    const [one, other] = [newNode(), newNode()];
    let inside = 0;
    let most = 0;
    const enter = async () => {
      most = Math.max(most, ++inside);
      await sql`select 1`.execute(database.db);
      inside--;
    };
    await Promise.all([one, other, one, other, one].map((node) => node.hold('a', undefined, enter)));
    expect(most).toBe(1);
  });

  it('does not block other names, and all locks share one connection', async () => {
    const node = newNode();
    const both = latch();
    let inside = 0;
    const meet = async () => {
      if (++inside === 2) both.open();
      await both.opens;
    };
    await Promise.all([node.hold('a', undefined, meet), node.hold('b', undefined, meet)]);
    expect(await sessions()).toHaveLength(1);
  });

  it('can be aborted while waiting', async () => {
    const [one, other] = [newNode(), newNode()];
    const [held, done] = [latch(), latch()];
    const holding = one.hold('a', undefined, async () => {
      held.open();
      await done.opens;
    });
    await held.opens;
    const impatient = new AbortController();
    const waiting = expect(other.hold('a', impatient.signal, async () => 'never')).rejects.toThrow();
    impatient.abort();
    await waiting;
    done.open();
    await holding;
  });

  it('aborts the work when its connection is lost, and can then be taken again', async () => {
    const node = newNode();
    const held = latch();
    const ended = node.hold('a', undefined, async (signal) => {
      held.open();
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const told = expect(ended).rejects.toThrow('The connection that held the locks was lost');
    await held.opens;
    const [pid] = await sessions();
    await sql`select pg_terminate_backend(${pid})`.execute(database.db);
    await told;
    expect(await node.hold('a', undefined, async () => 'again')).toBe('again');
  });
});
