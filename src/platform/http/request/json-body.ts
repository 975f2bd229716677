import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { badRequest, unprocessable } from '../../../kernel/errors.js';
import { FairQueue } from '../../../kernel/fair-queue.js';
import { isObject } from '../../../kernel/is-object.js';
import { bodyTooLarge, bodyTooLate, inflate } from './body-encoding.js';
import { JsonShape } from './json-shape.js';

export interface JsonBodyRule {
  /** In bytes, as it comes and as it is without its encoding. */
  limit: number;
  encoding: string | undefined;
  /** What Content-Length says. */
  length?: number;
  /** A body that takes longer to come in is refused. */
  longestMs?: number | undefined;
}

/** Smaller ones cost less than waiting for them to take turns. */
const LARGE = 64 * 1024;

/** Each holds a window of up to 16 MiB, and what it unpacks, until it is parsed. */
const unpacking = new FairQueue({ places: 4, mostPerKey: 2 });
const parsing = new FairQueue({ places: 1 });

export interface JsonBody {
  /** Without its encoding. */
  bytes: Buffer;
  value: unknown;
}

/** The bytes of a body as they came in. The values of plain JSON are counted meanwhile, so that no parser meets too many. */
export function receiveJson(payload: Readable, rule: JsonBodyRule): Promise<Buffer> {
  return receiveBody(payload, rule, rule.encoding === undefined ? new JsonShape() : undefined);
}

/** Unpacks and parses what was received. Large bodies of one workspace wait for each other, not for those of others. */
export async function parseJson(
  received: Buffer,
  { encoding, limit }: JsonBodyRule,
  key: string,
): Promise<JsonBody> {
  if (encoding === undefined) return parseInTurn(received, key);
  return unpacking.run(key, async () => {
    const shape = new JsonShape();
    const chunks: Buffer[] = [];
    for await (const chunk of inflate(Readable.from([received]), encoding, limit)) {
      shape.look(chunk);
      chunks.push(chunk);
    }
    return parseInTurn(Buffer.concat(chunks), key);
  });
}

export function receiveBody(
  payload: Readable,
  { limit, length = 0, longestMs }: JsonBodyRule,
  shape?: JsonShape,
): Promise<Buffer> {
  if (length > limit) throw bodyTooLarge(limit);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer =
      longestMs === undefined ? undefined : setTimeout(() => refuse(bodyTooLate(longestMs)), longestMs);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      payload.off('data', take).off('end', finish).off('error', breakOff);
      settle();
    };
    const refuse = (fault: unknown) => end(() => reject(fault));
    const breakOff = () => refuse(badRequest('The body broke off'));
    const finish = () => end(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    const take = (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > limit) throw bodyTooLarge(limit);
        shape?.look(chunk);
        chunks.push(chunk);
      } catch (fault) {
        refuse(fault);
      }
    };
    payload.on('data', take).on('end', finish).on('error', breakOff);
  });
}

async function parseInTurn(bytes: Buffer, key: string): Promise<JsonBody> {
  if (bytes.length < LARGE) return { bytes, value: parse(bytes) };
  return parsing.run(key, async () => {
    await nextTurn();
    return { bytes, value: parse(bytes) };
  });
}

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw unprocessable('The body is not valid UTF-8');
  const text = bytes.toString();
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unprocessable('The body is not valid JSON');
  }
  // An escape can spell any of these characters, also in the name of a key.
  if (/\\u(?:00[0-7]|d[89a-f])|__proto__/i.test(text)) refuseUnsuitable(value, '');
  return value;
}

function refuseUnsuitable(value: unknown, field: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      throw unprocessable(`${field || 'The body'} must not contain characters that are no text`);
    }
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      refuseUnsuitable(item, `${field}[${index}]`);
    });
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (key === '__proto__') throw unprocessable('__proto__ is not a known field');
      refuseUnsuitable(key, field || 'A key');
      refuseUnsuitable(item, field ? `${field}.${key}` : key);
    }
  }
}
