import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/kernel/log.js';
import { connectDatabase } from '../../src/platform/database/connection/connection.js';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded.js';
import { migrate } from '../../src/platform/database/schema/migrate.js';
import type { TestDatabase } from './database.js';

/** A database server for one test, which can be frozen, stopped and restarted. */
export async function startOwnPostgres({ durable = false } = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-own-'));
  await chmod(dataDir, 0o711);
  const start = () => startEmbeddedPostgres({ dataDir, log: silentLog, durable });
  let server = await start();
  const { connection } = server;
  await migrate({ connection, log: silentLog });
  const database = connectDatabase({ connection, poolSize: 10, applicationName: 'own', log: silentLog });
  let frozen: number[] = [];
  const thaw = () => {
    for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
  };

  return {
    database: { ...database, connection, drop: database.close } satisfies TestDatabase,
    /** Stops all server processes: connections stay open, and nothing answers. */
    freeze() {
      const postmaster = server.findProcessId()!;
      frozen = [postmaster, ...childrenOf(postmaster)];
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    },
    thaw,
    goAway: () => server.stop(),
    /** Simulates the loss of the machine: all processes die at once, and unsaved data is lost. */
    async kill() {
      const postmaster = server.findProcessId()!;
      const everybody = [postmaster, ...childrenOf(postmaster)];
      for (const pid of everybody) process.kill(pid, 'SIGKILL');
      while (everybody.some(isAlive)) await new Promise((resolve) => setImmediate(resolve));
      await server.stop();
    },
    async comeBack() {
      server = await start();
    },
    async end() {
      thaw();
      await database.close();
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const childrenOf = (parent: number): number[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent)
    .map(([pid]) => pid!);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
