import { isUtf8 } from 'node:buffer';
import { sha256Hex } from '../../../kernel/secrets.js';
import {
  findEvent,
  findHeader,
  type HookHeaders,
  type HookNews,
  type HookReader,
} from '../adapter/hook-readers.js';

/** What takes longer to parse would keep everybody else waiting; most deliveries have a tenth of it. */
export const LARGEST_PARSED = 256 * 1024;
const LONGEST_ID = 200;

export interface ReadDelivery {
  id: string;
  about: HookNews | null;
  /** It is too long to be read: whatever it names, all of the project is asked about. */
  asksAll: boolean;
}

export function readDelivery(reader: HookReader, headers: HookHeaders, body: Buffer): ReadDelivery {
  const id = nameDelivery(findHeader(headers, reader.idHeaders), body);
  const readEvent = findEvent(reader, findHeader(headers, reader.eventHeaders) ?? '');
  if (!readEvent) return { id, about: null, asksAll: false };
  if (body.length > LARGEST_PARSED) {
    const isOfIssues = readEvent(undefined)?.issues === true;
    return { id, about: { pulls: [], shas: [], issues: isOfIssues }, asksAll: true };
  }
  const value = parse(headers('content-type'), body);
  return { id, about: value === undefined ? null : readEvent(value), asksAll: false };
}

const nameDelivery = (given: string | undefined, body: Buffer): string => {
  if (given === undefined || given === '') return `sha256:${sha256Hex(body)}`;
  return given.length > LONGEST_ID ? `sha256:${sha256Hex(given)}` : given;
};

/** As JSON, or as the one field of a form; undefined for what is neither. */
function parse(contentType: string | undefined, body: Buffer): unknown {
  if (!isUtf8(body)) return undefined;
  const text = body.toString();
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType ?? '');
  try {
    return JSON.parse(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text);
  } catch {
    return undefined;
  }
}
