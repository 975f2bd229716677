import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { MANIFEST, type Manifest, type Member, parseManifest, SEAL } from './manifest.js';
import { describeFault, Refusal } from './refusal.js';
import { paddingAfter, readTarHeader, TAR_END, type TarEntry, tarHeader } from './tar.js';

const CHUNK = 256 * 1024;
const LARGEST_MANIFEST = 512 * 1024 * 1024;

/** An archive of which every byte is as it was written. */
export interface VerifiedArchive {
  path: string;
  manifest: Manifest;
  /** The digest of the whole: two archives with the same one are the same. */
  digest: string;
  /** Its entries in their order, and where their content begins. */
  entries: { entry: TarEntry; offset: number }[];
}

/** Reads all of it and compares every digest. What is cut or altered anywhere is refused; `onRead` hears how far it is. */
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

/** Everything from the seal on follows from what is before it, to the last byte. */
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

/** The content of single entries, compared with the manifest once more as it is read: the file may have changed since. */
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
