export interface StoredImage {
  bytes: Buffer;
  contentType: string;
}

export interface LocalFile {
  path: string;
  bytes: number;
  sha256: string;
}

/** Keeps pictures, and other files that belong to things in the database. */
export interface ImageStore {
  /** false when the installation keeps no images; `put` and `get` are not to be called then. */
  configured: boolean;
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  get(key: string): Promise<StoredImage | undefined>;
  /** A file of the local disk, which may be gone from its place afterwards. It is never in memory as a whole. */
  putFile(key: string, file: LocalFile, contentType: string): Promise<void>;
  /** What lies under the key, as it is read. */
  open(key: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  delete(key: string): Promise<void>;
}

/** The storage did not do what was asked; what it said is for the log only. */
export class ImageStoreUnreachable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`The image storage is not reachable: ${reason}`, options);
    this.name = 'ImageStoreUnreachable';
  }
}

const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}){0,7}$/;

/** Segments of plain letters that cannot begin with a dot: no key leads out of its folder or needs escaping. */
export function assertImageKey(key: string): void {
  if (!KEY.test(key)) throw new TypeError('Image key has characters or segments that are not allowed');
}
