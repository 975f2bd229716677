import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openRunFolder } from './run-folder.js';

export interface TokenFile {
  /** A setting that names the file; neither arguments nor environment of any process hold what is in it. */
  setting: string;
  /** Whatever was said of the token, without it: a host may repeat what it was sent. */
  mask(text: string): string;
  close(): Promise<void>;
}

/**
 * Lays out a token for one run. Git sends it to addresses that begin with `origin` and to no other, wherever a host sends it.
 */
export async function writeTokenFile(options: {
  folder: string;
  /** `https://git.example:8443/` */
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
