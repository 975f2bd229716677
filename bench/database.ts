import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The URL of the service's database: DATABASE_URL, or the embedded server in the data folder. */
export async function findDatabaseUrl(dataDir: string): Promise<string | undefined> {
  const given = process.env['DATABASE_URL'];
  if (given) return given;
  // If the server's account cannot enter the data folder, it contains a pointer to the folder in use.
  const pointer = await readFile(join(dataDir, 'postgres.location'), 'utf8').catch(() => undefined);
  const folder = pointer?.trim() || join(dataDir, 'postgres');
  const note = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => undefined);
  // In postmaster.pid the fourth line is the port and the fifth is the folder of the socket.
  const [, , , port, socketFolder] = note?.split('\n') ?? [];
  if (!port || !socketFolder) return undefined;
  return `postgres://guildhall@localhost:${port}/guildhall?host=${encodeURIComponent(socketFolder)}`;
}
