import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../../kernel/log.js';
import { describeMigrations, migrate } from '../schema/migrate.js';
import { layOpen } from './cluster.js';
import { startEmbeddedPostgres } from './embedded.js';
import { readBinariesVersion } from './postmaster.js';

/** In the folder where the program was built. */
const SHELF = fileURLToPath(new URL('../../../../ready-cluster', import.meta.url));

/**
 * An empty migrated database from build time, because copying it takes a tenth of the time of creating one.
 * Its name is a fingerprint of its inputs, so a database of another version is never used.
 */
export async function findReadyCluster(): Promise<string | undefined> {
  const folder = join(SHELF, await fingerprint());
  return (await lstat(folder).catch(() => undefined)) ? folder : undefined;
}

/** Creates the ready database if needed and removes ready databases of other versions. */
export async function makeReadyCluster(log: Log): Promise<void> {
  const name = await fingerprint();
  await mkdir(SHELF, { recursive: true });
  const present = await readdir(SHELF);
  if (!present.includes(name)) await makeAs(name, log);
  const others = present.filter((other) => other !== name);
  for (const other of others) await rm(join(SHELF, other), { recursive: true, force: true });
}

async function makeAs(name: string, log: Log): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-ready-'));
  await chmod(dataDir, 0o711);
  const unfinished = join(SHELF, `${name}.${process.pid}`);
  const toRemove = [unfinished, dataDir];
  try {
    const server = await startEmbeddedPostgres({ dataDir, log, durable: false });
    toRemove.push(server.folder);
    try {
      await migrate({ connection: server.connection, log });
    } finally {
      await server.stop();
    }
    await layOpen(join(server.folder, 'data'), unfinished);
    // Another process may have created it in the meantime.
    await rename(unfinished, join(SHELF, name)).catch(() => {});
  } finally {
    for (const folder of toRemove) await rm(folder, { recursive: true, force: true });
  }
}

async function fingerprint(): Promise<string> {
  const madeFrom = [process.platform, process.arch, await readBinariesVersion(), await describeMigrations()];
  return createHash('sha256').update(JSON.stringify(madeFrom)).digest('hex').slice(0, 24);
}
