import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { silentLog } from '../../src/kernel/log.js';
import { canEnter, chooseServerUser } from '../../src/platform/database/embedded/cluster.js';
import type { EmbeddedConnection } from '../../src/platform/database/embedded/embedded.js';
import {
  findQuickFolder,
  type ScratchPostgres,
  startScratchPostgres,
} from '../../src/platform/database/embedded/embedded-scratch.js';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: EmbeddedConnection;
  }
}

/** The database server and coders run under their own accounts, which cannot enter root's private folder. */
const openToAll = (folder: string) => canEnter(folder, chooseServerUser(folder));

/**
 * Starts one database server for the whole run, in which every test file creates its own databases. Puts all
 * temporary files into one folder, which is removed even if a test was killed before it could clean up.
 */
export default async function prepare(project: TestProject) {
  const usual = process.env['TMPDIR'];
  const scratch = mkdtempSync(join(openToAll(tmpdir()) ? tmpdir() : '/tmp', 'guildhall-tests-'));
  chmodSync(scratch, 0o1777);
  process.env['TMPDIR'] = scratch;
  const server = borrowServer() ?? (await startScratchPostgres(silentLog, await findQuickFolder()));
  project.provide('postgres', server.connection);
  return async () => {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
  };
}

/** Uses the server of `TEST_POSTGRES`, which `npm run mutate` sets to share one server between many runs. */
function borrowServer(): ScratchPostgres | undefined {
  const given = process.env['TEST_POSTGRES'];
  return given ? { connection: JSON.parse(given) as EmbeddedConnection, stop: async () => {} } : undefined;
}
