import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, MINUTE } from '../../kernel/clock.js';
import { rememberRecent } from '../cache/cache.js';
import { syncFolder } from '../files/atomic-file.js';

/** A message being delivered to a Maildir. It is invisible before `commit`, also after a crash. */
export interface MaildirDelivery {
  readonly maildir: string;
  size(): number;
  write(chunk: Uint8Array): Promise<void>;
  commit(): Promise<void>;
  discard(): Promise<void>;
}

export async function openMaildirDelivery(maildir: string, at: Date): Promise<MaildirDelivery> {
  const folder = (name: string) => path.join(maildir, name);
  for (const name of ['tmp', 'new', 'cur']) await mkdir(folder(name), { recursive: true, mode: 0o700 });
  // Starts with the time, so that mail programs sort by arrival. The rest is unique across nodes.
  const name = `${Math.floor(at.getTime() / 1000)}.${randomUUID()}.guildhall`;
  const unfinished = path.join(folder('tmp'), name);
  const file: FileHandle = await open(unfinished, 'wx', 0o600);
  let bytes = 0;
  return {
    maildir,
    size: () => bytes,
    async write(chunk) {
      await file.writeFile(chunk);
      bytes += chunk.byteLength;
    },
    async commit() {
      await file.sync();
      await file.close();
      // Maildir++: the name contains the size, so that a mailbox can be measured without opening files.
      await rename(unfinished, path.join(folder('new'), `${name},S=${bytes}`));
      await syncFolder(folder('new'));
    },
    async discard() {
      await file.close().catch(() => {});
      await unlink(unfinished).catch(() => {});
    },
  };
}

const REMEMBERED_MAILBOXES = 1000;

/**
 * Tracks the size of mailboxes. Folders are measured once a minute, because their owners remove mail
 * directly.
 */
export function createMailboxQuota(largestMailbox: number, clock: Clock) {
  const counted = rememberRecent<{ bytes: number; at: number }>(REMEMBERED_MAILBOXES);

  async function count(maildir: string) {
    const now = clock.now().getTime();
    const known = counted.get(maildir);
    if (known && now - known.at < MINUTE * 1000) return known;
    const fresh = { bytes: await sizeOfMaildir(maildir), at: now };
    counted.set(maildir, fresh);
    return fresh;
  }

  return {
    hasAny: async (maildir: string): Promise<boolean> => (await count(maildir)).bytes < largestMailbox,
    /** Reserves space. Returns false when there is not enough. */
    async take(maildir: string, bytes: number): Promise<boolean> {
      const mailbox = await count(maildir);
      if (mailbox.bytes + bytes > largestMailbox) return false;
      mailbox.bytes += bytes;
      return true;
    },
  };
}

async function sizeOfMaildir(maildir: string): Promise<number> {
  const sizes = await Promise.all(['new', 'cur'].map((name) => sizeOfFolder(path.join(maildir, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function sizeOfFolder(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const told = /,S=(\d+)/.exec(name)?.[1];
    // A message without a size in its name came from another program.
    bytes += told
      ? Number(told)
      : await stat(path.join(folder, name)).then(
          ({ size }) => size,
          () => 0,
        );
  }
  return bytes;
}
