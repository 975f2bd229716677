import pg from 'pg';
import { silentLog } from '../src/kernel/log.js';
import { findQuickFolder, startScratchPostgres } from '../src/platform/database/embedded/embedded-scratch.js';
import { migrate } from '../src/platform/database/schema/migrate.js';

export async function withMigratedDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const server = await startScratchPostgres(silentLog, await findQuickFolder());
  try {
    await migrate({ connection: server.connection, log: silentLog });
    const client = new pg.Client(server.connection);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  } finally {
    await server.stop();
  }
}
