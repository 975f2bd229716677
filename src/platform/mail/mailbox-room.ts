import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, MINUTE } from '../../kernel/clock.js';
import { rememberRecent } from '../../kernel/recent.js';

const REMEMBERED_MAILBOXES = 1000;

/** How much mail lies in each mailbox. A folder is counted once a minute, because its owner takes mail out of it unseen. */
export function createMailboxRoom(largestMailbox: number, clock: Clock) {
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
    /** Takes the room, unless there is not enough; two at once cannot take the same. */
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
    // A message whose name does not tell its size came from elsewhere, or may be gone by now.
    bytes += told
      ? Number(told)
      : await stat(path.join(folder, name)).then(
          ({ size }) => size,
          () => 0,
        );
  }
  return bytes;
}
