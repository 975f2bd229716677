import { mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { moveFile, replaceFile } from '../files/atomic-file.js';
import { IMAGE_CONTENT_TYPES, sniffImage } from './image-format.js';

export interface StoredImage {
  bytes: Buffer;
  contentType: string;
}

export interface LocalFile {
  path: string;
  bytes: number;
  sha256: string;
}

export interface ImageStore {
  /** False when no storage is configured. Do not call `put` and `get` then. */
  configured: boolean;
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  get(key: string): Promise<StoredImage | undefined>;
  /** Stores a local file without loading it into memory. The file may be moved. */
  putFile(key: string, file: LocalFile, contentType: string): Promise<void>;
  open(key: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  delete(key: string): Promise<void>;
}

/** The reason is for the log only. */
export class ImageStoreUnreachable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`The image storage is not reachable: ${reason}`, options);
    this.name = 'ImageStoreUnreachable';
  }
}

const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}){0,7}$/;

/** No segment can start with a dot or needs escaping, so no key leads out of its folder. */
export function assertImageKey(key: string): void {
  if (!KEY.test(key)) throw new TypeError('Image key has characters or segments that are not allowed');
}

/** Stores one file per key. The content type is not stored, because it can be detected from the bytes. */
export function diskImages(folder: string): ImageStore {
  const fileOf = (key: string) => {
    assertImageKey(key);
    return path.join(folder, ...key.split('/'));
  };
  return {
    configured: true,
    async put(key, bytes) {
      const file = fileOf(key);
      await reachable(() => writeWhole(file, bytes));
    },
    async get(key) {
      const file = fileOf(key);
      const bytes = await reachable(() => readFile(file).catch(undefinedWhenMissing));
      if (bytes === undefined) return undefined;
      const format = sniffImage(bytes);
      return { bytes, contentType: format ? IMAGE_CONTENT_TYPES[format] : 'application/octet-stream' };
    },
    async putFile(key, { path: from }) {
      const file = fileOf(key);
      await reachable(async () => {
        await mkdir(path.dirname(file), { recursive: true });
        await moveFile(from, file, { mode: 0o640 });
      });
    },
    async open(key) {
      const file = fileOf(key);
      return reachable(async () => {
        const handle = await open(file).catch(undefinedWhenMissing);
        if (!handle || (await handle.stat()).isFile()) return handle?.createReadStream();
        await handle.close();
        return undefined;
      });
    },
    async delete(key) {
      const file = fileOf(key);
      await reachable(() => rm(file, { force: true }));
    },
  };
}

async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(file, bytes, { mode: 0o640 });
}

function undefinedWhenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EISDIR') return undefined;
  throw error;
}

async function reachable<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw new ImageStoreUnreachable((error as NodeJS.ErrnoException).code ?? 'disk error', { cause: error });
  }
}
