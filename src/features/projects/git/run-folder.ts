import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface RunFolder {
  path: string;
  close(): Promise<void>;
}

const LEFT_BEHIND_MS = 60 * 60_000;

export async function openRunFolder(home: string): Promise<RunFolder> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const path = await mkdtemp(join(home, 'run-'));
  await sweep(home, path);
  return { path, close: () => rm(path, { recursive: true, force: true }) };
}

/** Removes folders of processes that died. Compares with the file system's own clock. */
async function sweep(home: string, own: string): Promise<void> {
  const { mtimeMs: now } = await stat(own);
  for (const name of await readdir(home)) {
    const found = await stat(join(home, name)).catch(() => undefined);
    if (found && now - found.mtimeMs > LEFT_BEHIND_MS)
      await rm(join(home, name), { recursive: true, force: true });
  }
}

export interface TokenFile {
  /** Names the file, so that the token appears in no argument or environment variable. */
  setting: string;
  /** Hosts may repeat what they were sent, so the token is removed from their messages. */
  mask(text: string): string;
  close(): Promise<void>;
}

/** Git sends the token only to addresses that start with `origin`, even after a redirect. */
export async function writeTokenFile(options: {
  folder: string;
  origin: string;
  username: string;
  token: string;
}): Promise<TokenFile> {
  const { folder, origin, username, token } = options;
  const own = await openRunFolder(folder);
  const file = join(own.path, 'config');
  const basic = Buffer.from(`${username}:${token}`).toString('base64');
  await writeFile(file, `[http "${origin}"]\n\textraHeader = Authorization: Basic ${basic}\n`, {
    mode: 0o600,
  });
  return {
    setting: `include.path=${file}`,
    mask: (text) => text.replaceAll(token, '…').replaceAll(basic, '…'),
    close: own.close,
  };
}
