import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the floor finds the service's database: DATABASE_URL, else the embedded server of the data folder. */
export async function findDatabaseUrl(dataDir: string): Promise<string | undefined> {
  const given = process.env['DATABASE_URL'];
  if (given) return given;
  // A data folder that the server's account cannot enter holds a pointer to the one it uses instead.
  const pointer = await readFile(join(dataDir, 'postgres.location'), 'utf8').catch(() => undefined);
  const folder = pointer?.trim() || join(dataDir, 'postgres');
  const note = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => undefined);
  // PostgreSQL's own note about itself: the fourth line is the port, the fifth the folder of the socket.
  const [, , , port, socketFolder] = note?.split('\n') ?? [];
  if (!port || !socketFolder) return undefined;
  return `postgres://guildhall@localhost:${port}/guildhall?host=${encodeURIComponent(socketFolder)}`;
}
