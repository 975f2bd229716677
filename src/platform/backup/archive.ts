import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '../../kernel/ids.js';
import type { DumpedSequence } from '../database/dump/dump.js';
import type { DumpedTable } from '../database/dump/load.js';
import type { AppliedMigration } from '../database/schema/migrate.js';
import { syncFolder } from '../files/atomic-file.js';
import { describeFault, Refusal } from './operator-output.js';
import { paddingAfter, readTarHeader, TAR_END, type TarEntry, tarHeader } from './tar.js';

export const FORMAT = 1;

export const MANIFEST = 'manifest.json';
/** The last entry, which holds the digest of every byte before it. */
const SEAL = 'archive.sha256';
export const FILES = 'files/';

export interface Member {
  name: string;
  size: number;
  sha256: string;
}

export interface KeptTable extends DumpedTable {
  parts: number;
}

export interface Manifest {
  format: number;
  guildhall: string;
  made_at: string;
  database: {
    server: string;
    migrations: AppliedMigration[];
    tables: KeptTable[];
    sequences: DumpedSequence[];
  };
  /** Parts of the installation that are not in the archive. */
  left_out: string[];
  members: Member[];
}

export const partName = ({ table }: { table: [string, string] }, part: number): string =>
  `database/${table.join('.')}/${String(part).padStart(6, '0')}.gz`;

function parseManifest(text: string): Manifest {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new Refusal('This is no backup of Guildhall: its manifest cannot be read.');
  }
  if (!Number.isInteger(manifest?.format))
    throw new Refusal('This is no backup of Guildhall: its manifest has no format.');
  if (manifest.format > FORMAT)
    throw new Refusal(
      `This backup was made by a newer Guildhall (${manifest.guildhall}): restore it with that version or a later one.`,
    );
  return manifest;
}

/** Writes an archive under a temporary name, so that a file with the final name is always complete. */
export interface ArchiveWriter {
  readonly size: number;
  /** Temporary path while writing. */
  readonly unfinished: string;
  add(entry: Omit<TarEntry, 'size'>, content: Buffer): Promise<void>;
  /** Streams content that does not fit into memory. Its length must match the entry. */
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

const CHUNK = 256 * 1024;
const LARGEST_MANIFEST = 512 * 1024 * 1024;

export interface VerifiedArchive {
  path: string;
  manifest: Manifest;
  digest: string;
  /** Entries in order, with the offset of their content. */
  entries: { entry: TarEntry; offset: number }[];
}

/** Reads the whole archive and compares every digest. Rejects truncated or altered archives. */
export async function verifyArchive(
  path: string,
  onRead: (bytes: number, total: number) => void = () => {},
): Promise<VerifiedArchive> {
  return withFile(path, async (file) => {
    const { size } = await file.stat();
    const whole = createHash('sha256');
    const seen = new Map<string, Member>();
    const entries: VerifiedArchive['entries'] = [];
    let manifest: Manifest | undefined;
    const source = byteSource(file, whole);
    for (;;) {
      const before = whole.copy().digest('hex');
      const begin = source.position();
      const entry = await readTarHeader(source.take);
      if (!entry) throw new Error('it ends too early');
      if (entry.name === SEAL) {
        await compareEnd(byteSource(file, undefined, begin), entry, before);
        break;
      }
      if (manifest || seen.has(entry.name)) throw new Error('its order is wrong');
      const offset = source.position();
      const isManifest = entry.name === MANIFEST;
      if (isManifest && entry.size > LARGEST_MANIFEST) throw new Error('its manifest is too long');
      const { member, kept } = await digestContent(source, entry, isManifest);
      if (isManifest) manifest = parseManifest(kept.toString());
      else entries.push({ entry, offset });
      if (!isManifest && entry.kind === 'file') seen.set(member.name, member);
      onRead(source.position(), size);
    }
    if (!manifest) throw new Error('it has no manifest');
    compareMembers(manifest, seen);
    return { path, manifest, digest: whole.digest('hex'), entries };
  });
}

/** The seal and everything after it can be computed from the bytes before it. */
async function compareEnd(source: ByteSource, seal: TarEntry, digest: string): Promise<void> {
  const content = Buffer.from(`${digest}\n`);
  const header = tarHeader({ ...seal, size: content.length });
  const expected = Buffer.concat([header, content, paddingAfter(content.length), TAR_END]);
  const found = await source.take(expected.length + 1);
  if (found.length < expected.length) throw new Error('it ends too early');
  if (found.length > expected.length) throw new Error('something follows its end');
  if (!found.equals(expected)) throw new Error('its digest does not fit its content');
}

function compareMembers({ members }: Manifest, seen: Map<string, Member>): void {
  for (const { name, size, sha256 } of members) {
    const found = seen.get(name);
    if (found?.sha256 !== sha256 || found.size !== size) throw new Error(`${name} does not fit its digest`);
  }
  if (members.length !== seen.size) throw new Error('it holds what its manifest does not name');
}

/** Streams single entries and verifies them again, because the file may have changed since. */
export async function openMembers({ path, manifest, entries }: VerifiedArchive) {
  const file = await open(path, 'r');
  const digests = new Map(manifest.members.map(({ name, sha256 }) => [name, sha256]));
  const places = new Map(entries.map((place) => [place.entry.name, place]));
  return {
    async *read(name: string): AsyncGenerator<Buffer> {
      const place = places.get(name);
      if (!place) throw new Refusal(`${path} is no whole backup of Guildhall: ${name} is missing.`);
      const digest = createHash('sha256');
      yield* contentOf(byteSource(file, undefined, place.offset), place.entry, digest);
      if (digest.digest('hex') !== digests.get(name))
        throw new Refusal(`${path} changed while it was restored: nothing was touched.`);
    },
    close: () => file.close(),
  };
}

export type Members = Awaited<ReturnType<typeof openMembers>>;

async function withFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r').catch((error) => {
    const reason = error.code === 'ENOENT' ? 'there is no such file' : describeFault(error);
    throw new Refusal(`The backup ${path} cannot be read: ${reason}.`);
  });
  try {
    return await work(file);
  } catch (error) {
    if (error instanceof Refusal || (error as NodeJS.ErrnoException).code !== undefined) throw error;
    throw new Refusal(
      `${path} is no whole backup of Guildhall: ${(error as Error).message}. Nothing was touched.`,
    );
  } finally {
    await file.close();
  }
}

type ByteSource = ReturnType<typeof byteSource>;

function byteSource(file: FileHandle, whole?: Hash, begin = 0) {
  let position = begin;
  return {
    position: () => position,
    async take(size: number): Promise<Buffer> {
      const bytes = Buffer.allocUnsafe(size);
      let filled = 0;
      while (filled < size) {
        const { bytesRead } = await file.read(bytes, filled, size - filled, position);
        if (bytesRead === 0) break;
        filled += bytesRead;
        position += bytesRead;
      }
      const read = bytes.subarray(0, filled);
      whole?.update(read);
      return read;
    },
  };
}

async function* contentOf(source: ByteSource, entry: TarEntry, digest: Hash): AsyncGenerator<Buffer> {
  for (let left = entry.size; left > 0; ) {
    const chunk = await source.take(Math.min(left, CHUNK));
    if (chunk.length === 0) throw new Error('it ends too early');
    digest.update(chunk);
    left -= chunk.length;
    yield chunk;
  }
  const padding = paddingAfter(entry.size).length;
  if ((await source.take(padding)).length < padding) throw new Error('it ends too early');
}

async function digestContent(source: ByteSource, entry: TarEntry, keeps: boolean) {
  const digest = createHash('sha256');
  const chunks: Buffer[] = [];
  for await (const chunk of contentOf(source, entry, digest)) if (keeps) chunks.push(chunk);
  const member = { name: entry.name, size: entry.size, sha256: digest.digest('hex') };
  return { member, kept: Buffer.concat(chunks) };
}
