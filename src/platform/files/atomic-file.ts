import { chmod, copyFile, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '../../kernel/ids.js';

interface FileReplacement {
  mode: number;
  /** Called right before the replacement. Returning false keeps the old file. */
  stillWanted?: () => Promise<boolean>;
}

/** Replaces a file atomically and durably. Returns whether the new file is in place. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode, stillWanted }: FileReplacement,
): Promise<boolean> {
  const temporary = `${path}.${newId()}.tmp`;
  try {
    await writeDurably(temporary, content, mode);
    if (stillWanted && !(await stillWanted())) {
      await rm(temporary, { force: true });
      return false;
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
  return true;
}

/** Moves a file atomically, also between disks. */
export async function moveFile(from: string, to: string, { mode }: { mode: number }): Promise<void> {
  const temporary = `${to}.${newId()}.tmp`;
  try {
    await rename(from, temporary).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EXDEV') throw error;
      await copyFile(from, temporary);
      await rm(from, { force: true });
    });
    await chmod(temporary, mode);
    await syncFile(temporary);
    await rename(temporary, to);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(to));
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeDurably(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A rename is durable only after its folder is synced. Some systems cannot open folders. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}
