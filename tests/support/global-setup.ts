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

/** The database server and the coders of builds run under accounts of their own: root's own folder would keep them out. */
const openToAll = (folder: string) => canEnter(folder, chooseServerUser(folder));

/**
 * One database server for the whole run; every test file makes databases of its own in it. And one place for all that is
 * meant to go away, so that it does, whatever was killed before it could clean up.
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

/** Whoever runs the tests many times in a row (`npm run mutate`) starts one server for all of them. */
function borrowServer(): ScratchPostgres | undefined {
  const given = process.env['TEST_POSTGRES'];
  return given ? { connection: JSON.parse(given) as EmbeddedConnection, stop: async () => {} } : undefined;
}
