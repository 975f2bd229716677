import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface RunFolder {
  path: string;
  close(): Promise<void>;
}

const LEFT_BEHIND_MS = 60 * 60_000;

/** A folder for what one run keeps for itself, secrets too: nobody else can enter it, and `close` removes it. */
export async function openRunFolder(home: string): Promise<RunFolder> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const path = await mkdtemp(join(home, 'run-'));
  await sweep(home, path);
  return { path, close: () => rm(path, { recursive: true, force: true }) };
}

/** A process that died left its own behind; by the clock of the file system, which alone knows how old they are. */
async function sweep(home: string, own: string): Promise<void> {
  const { mtimeMs: now } = await stat(own);
  for (const name of await readdir(home)) {
    const found = await stat(join(home, name)).catch(() => undefined);
    if (found && now - found.mtimeMs > LEFT_BEHIND_MS)
      await rm(join(home, name), { recursive: true, force: true });
  }
}
