import type { TestProject } from 'vitest/node';
import type { EmbeddedConnection } from '../../src/database/embedded.js';
import { startScratchPostgres } from '../../src/database/embedded-scratch.js';
import { silentLog } from '../../src/kernel/log.js';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: EmbeddedConnection;
  }
}

/** One database server for the whole run; every test file makes databases of its own in it. */
export default async function startServer(project: TestProject) {
  const server = await startScratchPostgres(silentLog);
  project.provide('postgres', server.connection);
  return () => server.stop();
}
