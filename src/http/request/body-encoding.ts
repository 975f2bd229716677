import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ApiError, badRequest, tooLarge } from '../../kernel/errors.js';
import { Gate } from '../../kernel/gate.js';

const DECODERS: Record<string, () => NodeJS.ReadWriteStream & AsyncIterable<Buffer>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const MEBIBYTE = 1024 * 1024;

/** As many bytes as these may come out whatever went in; beyond, no more than gzip could ever make of what was sent. */
const UNJUDGED_BYTES = 64 * 1024;
const MOST_TIMES = 1_100;

export const sizeInWords = (bytes: number): string =>
  bytes < MEBIBYTE ? `${Math.floor(bytes / 1024)} KiB` : `${Math.floor(bytes / MEBIBYTE)} MiB`;

export const bodyTooLarge = (limit: number) => tooLarge(`The body is larger than ${sizeInWords(limit)}`);

const unpacksToTooMuch = () => tooLarge('The body unpacks to more than 1,100 times what was sent');

/** What a body has to be decoded from; undefined when it comes as it is. */
export function readEncoding(contentEncoding: string | undefined): string | undefined {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  if (encoding === 'identity' || encoding === '') return undefined;
  if (!Object.hasOwn(DECODERS, encoding))
    throw new ApiError(415, 'Content-Encoding must be gzip, deflate or br');
  return encoding;
}

/** Somebody slow keeps a place until everything has come; those who wait for one have shown a credential. */
const streams = new Gate(16);

/** The body as it was before its Content-Encoding, as it comes in. Nothing is taken from the request before somebody reads. */
export const decodeBody = (payload: Readable, encoding: string, limit: number): Readable =>
  Readable.from(inflateAtTheGate(payload, encoding, limit), { objectMode: false });

async function* inflateAtTheGate(payload: Readable, encoding: string, limit: number): AsyncGenerator<Buffer> {
  await streams.enter();
  try {
    yield* inflate(payload, encoding, limit);
  } finally {
    streams.leave();
  }
}

/** A few bytes can stand for gigabytes, so inflating ends at `limit`. */
export async function* inflate(payload: Readable, encoding: string, limit: number): AsyncGenerator<Buffer> {
  const decoder = DECODERS[encoding]!();
  let received = 0;
  let size = 0;
  payload.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  payload.once('close', () => decoder.end()).pipe(decoder);
  try {
    for await (const chunk of decoder) {
      size += chunk.length;
      if (size > limit) throw bodyTooLarge(limit);
      if (size > UNJUDGED_BYTES && size > received * MOST_TIMES) throw unpacksToTooMuch();
      yield chunk;
    }
  } catch (fault) {
    throw fault instanceof ApiError ? fault : badRequest(`The body does not decode as ${encoding}`);
  }
}
