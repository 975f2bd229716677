import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const LEFT_BEHIND_MS = 60 * 60_000;

/** A folder for one bundle on its way. What a process that died left behind goes with the next one. */
export async function makeRoom(home: string): Promise<string> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const own = await mkdtemp(join(home, 'bundle-'));
  const { mtimeMs: now } = await stat(own);
  for (const name of await readdir(home)) {
    const found = await stat(join(home, name)).catch(() => undefined);
    if (found && now - found.mtimeMs > LEFT_BEHIND_MS)
      await rm(join(home, name), { recursive: true, force: true });
  }
  return own;
}
