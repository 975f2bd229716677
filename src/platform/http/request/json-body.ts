import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { badRequest, unprocessable } from '../../../kernel/errors.js';
import { FairQueue } from '../../../kernel/fair-queue.js';
import { isObject } from '../../../kernel/is-object.js';
import { bodyTooLarge, bodyTooLate, inflate } from './body-encoding.js';

const MOST_VALUES = 100_000;
const MOST_DEPTH = 64;

const tooManyValues = () => unprocessable('The body must not have more than 100,000 values');
const tooDeep = () => unprocessable(`The body must not be nested deeper than ${MOST_DEPTH}`);

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const isOpening = (byte: number) => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number) => byte === 0x7d || byte === 0x5d;
const isBlank = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Counts the values and the depth of a JSON text while it arrives, because 2 MB can contain a million values,
 * which cost many times their bytes once parsed. The parser checks validity.
 */
export class JsonShape {
  values = 0;
  deepest = 0;
  #depth = 0;
  #inText = false;
  #escaped = false;
  /**
   * Set at the start of an array, object or document, where any token except a closing bracket is a value.
   */
  #begun = true;

  look(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else if (!isBlank(byte)) this.#step(byte);
    }
  }

  #step(byte: number): void {
    if (byte === COMMA || (this.#begun && !isClosing(byte))) {
      this.values += 1;
      if (this.values > MOST_VALUES) throw tooManyValues();
    }
    this.#begun = isOpening(byte);
    if (byte === QUOTE) this.#inText = true;
    else if (this.#begun) this.#deepen();
    else if (isClosing(byte)) this.#depth -= 1;
  }

  #deepen(): void {
    this.#depth += 1;
    if (this.#depth > MOST_DEPTH) throw tooDeep();
    this.deepest = Math.max(this.deepest, this.#depth);
  }
}

interface JsonBodyRule {
  limit: number;
  encoding: string | undefined;
  length?: number;
  /** Time limit for receiving the body. */
  longestMs?: number | undefined;
}

/** Smaller bodies cost less than queueing. */
const LARGE = 64 * 1024;

/** Each decoder holds a window of up to 16 MiB. */
const unpacking = new FairQueue({ places: 4, mostPerKey: 2 });
const parsing = new FairQueue({ places: 1 });

interface JsonBody {
  bytes: Buffer;
  value: unknown;
}

/** Receives a body and counts its values on the way if it is not encoded. */
export function receiveJson(payload: Readable, rule: JsonBodyRule): Promise<Buffer> {
  return receiveBody(payload, rule, rule.encoding === undefined ? new JsonShape() : undefined);
}

/**
 * Decodes and parses a received body. A large body waits only for other large bodies of the same workspace.
 */
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
  // Escapes can spell these characters, also in keys.
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
