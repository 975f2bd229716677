import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ApiError, badRequest, tooLarge } from '../../../kernel/errors.js';
import { FairQueue } from '../../../kernel/fair-queue.js';

const DECODERS: Record<string, () => NodeJS.ReadWriteStream & AsyncIterable<Buffer>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const MEBIBYTE = 1024 * 1024;

/** Any ratio is allowed up to this size. Beyond it, the limit is what gzip can produce. */
const UNJUDGED_BYTES = 64 * 1024;
const MOST_TIMES = 1_100;

export const sizeInWords = (bytes: number): string =>
  bytes < MEBIBYTE ? `${Math.floor(bytes / 1024)} KiB` : `${Math.floor(bytes / MEBIBYTE)} MiB`;

export const bodyTooLarge = (limit: number) => tooLarge(`The body is larger than ${sizeInWords(limit)}`);

/** Closes the connection, because the rest of the body may still arrive. */
export const bodyTooLate = (milliseconds: number) =>
  new ApiError(408, `The body did not arrive within ${milliseconds / 1000} seconds`, { connection: 'close' });

const unpacksToTooMuch = () => tooLarge('The body unpacks to more than 1,100 times what was sent');

export function readEncoding(contentEncoding: string | undefined): string | undefined {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  if (encoding === 'identity' || encoding === '') return undefined;
  if (!Object.hasOwn(DECODERS, encoding))
    throw new ApiError(415, 'Content-Encoding must be gzip, deflate or br');
  return encoding;
}

/** Slow senders hold a place until the body is complete, so each workspace gets only some of the places. */
const streams = new FairQueue({ places: 64, mostPerKey: 8 });

/** Returns the decoded body as a stream that reads nothing in advance. */
export const decodeBody = (payload: Readable, encoding: string, limit: number, key: string): Readable =>
  Readable.from(inflateInTurn(payload, encoding, limit, key), { objectMode: false });

async function* inflateInTurn(
  payload: Readable,
  encoding: string,
  limit: number,
  key: string,
): AsyncGenerator<Buffer> {
  const place = await streams.enter(key);
  try {
    yield* inflate(payload, encoding, limit);
  } finally {
    place.leave();
  }
}

/** A few bytes can expand to gigabytes, so decoding stops at `limit`. */
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
