import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLog } from '../../src/kernel/log.js';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded.js';
import { type Service, startService, stopProcesses } from '../processes.js';

/** Starts a database server and several nodes that can each be killed. */
export async function startNodes(folder: string, count: number) {
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: silentLog });
  const { host, port, user, database } = postgres.connection;
  const shared = {
    ADMIN_API_KEY: randomBytes(24).toString('hex'),
    SECRETS_KEY: randomBytes(24).toString('hex'),
    DATABASE_URL: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    RATE_LIMIT_PER_MINUTE: '0',
    EMBEDDER: 'none',
    LOG_LEVEL: 'error',
  };
  const start = async (number: number): Promise<Service> => {
    const dataDir = join(folder, `node-${number}`);
    await mkdir(dataDir, { recursive: true });
    return startService(dataDir, shared);
  };
  const nodes: (Service | undefined)[] = [];
  for (let number = 0; number < count; number++) nodes.push(await start(number));

  return {
    adminKey: shared.ADMIN_API_KEY,
    pidOf: (number: number) => nodes[number]?.pid,
    urls: () => nodes.flatMap((node) => (node ? [node.url] : [])),
    async restart(number: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
      const { child } = nodes[number]!;
      nodes[number] = undefined;
      const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill(signal);
      await exited;
      nodes[number] = await start(number);
    },
    /** Kills the database server, which the embedded server's supervisor restarts. */
    killDatabase(): void {
      const postmaster = postgres.findProcessId();
      if (postmaster !== undefined) process.kill(postmaster, 'SIGKILL');
    },
    async stop(): Promise<void> {
      await stopProcesses();
      await postgres.stop();
    },
  };
}

export type Nodes = Awaited<ReturnType<typeof startNodes>>;
