import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../files/atomic-file.js';

/** One message on its way into a Maildir: nobody sees it before `commit`, and a crash leaves nothing half-read. */
export interface MaildirDelivery {
  readonly maildir: string;
  /** What was written up to now, in bytes. */
  size(): number;
  write(chunk: Uint8Array): Promise<void>;
  commit(): Promise<void>;
  discard(): Promise<void>;
}

export async function openMaildirDelivery(maildir: string, at: Date): Promise<MaildirDelivery> {
  const folder = (name: string) => path.join(maildir, name);
  for (const name of ['tmp', 'new', 'cur']) await mkdir(folder(name), { recursive: true, mode: 0o700 });
  // Time first, so that mail programs sort by arrival; the rest makes it unique across nodes.
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
      // Maildir++: the name tells the size, so that a mailbox can be counted without opening it.
      await rename(unfinished, path.join(folder('new'), `${name},S=${bytes}`));
      await syncFolder(folder('new'));
    },
    async discard() {
      await file.close().catch(() => {});
      await unlink(unfinished).catch(() => {});
    },
  };
}
