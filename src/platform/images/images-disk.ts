import { mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { moveFile, replaceFile } from '../files/atomic-file.js';
import { IMAGE_CONTENT_TYPES, sniffImage } from './image-format.js';
import { assertImageKey, type ImageStore, ImageStoreUnreachable } from './images.js';

/** One file per key. The content type is not stored: the bytes of an image say it themselves. */
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
