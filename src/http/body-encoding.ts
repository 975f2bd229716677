import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ApiError, badRequest, tooLarge } from '../kernel/errors.js';

const DECODERS: Record<string, () => NodeJS.ReadWriteStream & AsyncIterable<Buffer>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** The server checks what came in against Content-Length, which counts the encoded bytes. */
export type BodyStream = Readable & { receivedEncodedLength?: number };

const MEBIBYTE = 1024 * 1024;

export const sizeInWords = (bytes: number): string =>
  bytes < MEBIBYTE ? `${Math.floor(bytes / 1024)} KiB` : `${Math.floor(bytes / MEBIBYTE)} MiB`;

export const bodyTooLarge = (limit: number) => tooLarge(`The body is larger than ${sizeInWords(limit)}`);

/** The body as it was before its Content-Encoding. A few bytes can stand for gigabytes, so inflating ends at `limit`. */
export function decodeBody(payload: Readable, contentEncoding: string, limit: number): BodyStream {
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return payload;
  const makeDecoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (!makeDecoder) throw new ApiError(415, 'Content-Encoding must be gzip, deflate or br');

  // Nothing is taken from the request before somebody reads: what flows earlier would be lost.
  const decoded: BodyStream = Readable.from(
    inflate(payload, makeDecoder(), encoding, limit, (length) => {
      decoded.receivedEncodedLength = length;
    }),
    { objectMode: false },
  );
  return decoded;
}

async function* inflate(
  payload: Readable,
  decoder: ReturnType<(typeof DECODERS)[string]>,
  encoding: string,
  limit: number,
  noteReceived: (length: number) => void,
): AsyncGenerator<Buffer> {
  let received = 0;
  let size = 0;
  payload.on('data', (chunk: Buffer) => {
    received += chunk.length;
    noteReceived(received);
  });
  payload.once('close', () => decoder.end()).pipe(decoder);
  try {
    for await (const chunk of decoder) {
      size += chunk.length;
      if (size > limit) throw bodyTooLarge(limit);
      yield chunk;
    }
  } catch (fault) {
    throw fault instanceof ApiError ? fault : badRequest(`The body does not decode as ${encoding}`);
  }
}
