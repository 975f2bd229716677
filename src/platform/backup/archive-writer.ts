import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '../../kernel/ids.js';
import { syncFolder } from '../files/atomic-file.js';
import { MANIFEST, type Manifest, type Member, SEAL } from './manifest.js';
import { describeFault, Refusal } from './refusal.js';
import { paddingAfter, TAR_END, type TarEntry, tarHeader } from './tar.js';

/** Writes an archive under another name first: under its own it is whole, or not there. */
export interface ArchiveWriter {
  /** Bytes so far. */
  readonly size: number;
  /** Where it grows until it is whole. */
  readonly unfinished: string;
  add(entry: Omit<TarEntry, 'size'>, content: Buffer): Promise<void>;
  /** For what is too large for the memory; the content has to be as long as was said. */
  addLarge(entry: TarEntry, content: AsyncIterable<Buffer>): Promise<void>;
  finish(manifest: Omit<Manifest, 'members'>): Promise<void>;
  abandon(): Promise<void>;
}

export const plainFile = (name: string, modified: number) =>
  ({ name, kind: 'file', mode: 0o600, modified, target: '' }) as const;

export async function createArchive(path: string, modified: number): Promise<ArchiveWriter> {
  if (await lstat(path).catch(() => undefined))
    throw new Refusal(`${path} exists already: give the backup another name, or move the old one away.`);
  const unfinished = `${path}.${newId()}.unfinished`;
  const file = await open(unfinished, 'wx', 0o600).catch((error) => {
    throw cannotWrite(path, error);
  });
  const removeUnfinished = () => rmSync(unfinished, { force: true });
  process.once('exit', removeUnfinished);
  const everything = createHash('sha256');
  const members: Member[] = [];
  let size = 0;

  const write = async (bytes: Buffer): Promise<void> => {
    await writeWhole(file, bytes).catch((error) => {
      throw cannotWrite(path, error);
    });
    everything.update(bytes);
    size += bytes.length;
  };

  const addLarge = async (entry: TarEntry, content: AsyncIterable<Buffer> | Buffer[]): Promise<void> => {
    const digest = createHash('sha256');
    let written = 0;
    await write(tarHeader(entry));
    for await (const chunk of content) {
      await write(chunk);
      digest.update(chunk);
      written += chunk.length;
    }
    if (written !== entry.size) throw new Refusal(`${entry.name} changed while it was read: try again.`);
    await write(paddingAfter(written));
    if (entry.kind === 'file')
      members.push({ name: entry.name, size: written, sha256: digest.digest('hex') });
  };
  const add = (entry: Omit<TarEntry, 'size'>, content: Buffer) =>
    addLarge({ ...entry, size: content.length }, [content]);

  const abandon = async () => {
    process.off('exit', removeUnfinished);
    await file.close().catch(() => {});
    await rm(unfinished, { force: true });
  };

  return {
    get size() {
      return size;
    },
    unfinished,
    add,
    addLarge,
    async finish(manifest) {
      const text = JSON.stringify({ ...manifest, members: [...members] }, null, 1);
      await add(plainFile(MANIFEST, modified), Buffer.from(`${text}\n`));
      await add(plainFile(SEAL, modified), Buffer.from(`${everything.copy().digest('hex')}\n`));
      await write(TAR_END);
      try {
        await file.sync();
        await file.close();
        await rename(unfinished, path);
        process.off('exit', removeUnfinished);
        await syncFolder(dirname(path));
      } catch (error) {
        throw cannotWrite(path, error);
      }
    },
    abandon,
  };
}

async function writeWhole(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}

const cannotWrite = (path: string, error: unknown) =>
  new Refusal(`The backup cannot be written to ${path}: ${describeFault(error)}. Nothing was left behind.`);
