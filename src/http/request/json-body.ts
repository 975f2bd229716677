import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { badRequest, unprocessable } from '../../kernel/errors.js';
import { Gate } from '../../kernel/gate.js';
import { bodyTooLarge, inflate } from './body-encoding.js';
import { JsonShape } from './json-shape.js';

export interface JsonBodyRule {
  /** In bytes, as it comes and as it is without its encoding. */
  limit: number;
  encoding: string | undefined;
  /** What Content-Length says. */
  length?: number;
}

/** Smaller ones cost less than waiting for them to take turns. */
const LARGE = 64 * 1024;

/** Each holds a window of up to 16 MiB, and what it unpacks, until it is parsed. */
const unpacking = new Gate(4);
const parsing = new Gate(1);

export interface JsonBody {
  /** Without its encoding. */
  bytes: Buffer;
  value: unknown;
}

/**
 * Reads the JSON of a request, and refuses what could not be stored or would hold up everybody else: what it holds is
 * counted as it comes in, packed bodies are unpacked when they are whole, and large ones are parsed on a turn of their own.
 */
export async function readJsonBody(payload: Readable, rule: JsonBodyRule): Promise<JsonBody> {
  const { encoding, limit, length = 0 } = rule;
  if (length > limit) throw bodyTooLarge(limit);
  const shape = new JsonShape();
  if (encoding === undefined) return parseInTurn(await receive(payload, limit, shape));
  const packed = await receive(payload, limit);
  return unpacking.pass(async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of inflate(Readable.from([packed]), encoding, limit)) {
      shape.look(chunk);
      chunks.push(chunk);
    }
    return parseInTurn(Buffer.concat(chunks));
  });
}

/** The bytes of a body that nobody asks to be understood. */
export function receiveBody(payload: Readable, { limit, length = 0 }: JsonBodyRule): Promise<Buffer> {
  if (length > limit) throw bodyTooLarge(limit);
  return receive(payload, limit);
}

function receive(payload: Readable, limit: number, shape?: JsonShape): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (settle: () => void) => {
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

async function parseInTurn(bytes: Buffer): Promise<JsonBody> {
  if (bytes.length < LARGE) return { bytes, value: parse(bytes) };
  return parsing.pass(async () => {
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
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      if (key === '__proto__') throw unprocessable('__proto__ is not a known field');
      refuseUnsuitable(key, field || 'A key');
      refuseUnsuitable(item, field ? `${field}.${key}` : key);
    }
  }
}
