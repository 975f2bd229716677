import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import {
  type CallFact,
  emptyFacts,
  type FileFacts,
  type NamedCallForm,
  type SymbolFact,
  type SymbolKind,
  type TypeFact,
} from './facts.js';

/** Byte classes. Bytes beyond ASCII belong to words. */
const [BLANK, SIGN, DIGIT, LETTER] = [0, 1, 2, 3];
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (byte > 0x7f) return LETTER;
  if (/\s/.test(character)) return BLANK;
  if (/\d/.test(character)) return DIGIT;
  return /[\w$]/.test(character) ? LETTER : SIGN;
});
const [BLANK_BETWEEN, DOLLAR, DOT] = [32, 36, 46];
const MASK = Uint8Array.of(1);
const NO_TOKENS = Uint8Array.of(BLANK_BETWEEN, BLANK_BETWEEN);

type Span = readonly [start: number, end: number];

/** Shared by all files of a thread, because allocating the buffers takes as long as filling them. */
let buffers = makeBuffers(64 * 1024);

function makeBuffers(bytes: number) {
  return {
    bytes,
    text: new Uint8Array(1 + bytes * 2),
    starts: new Int32Array(bytes),
    places: new Int32Array(bytes + 1),
  };
}

/**
 * Indexes the tokens of a file for hashing spans. Instances share buffers, so finish with one before creating
 * the next.
 */
export class TokenIndex {
  /** All tokens, separated by blanks. */
  readonly #text: Uint8Array;
  /** Offsets of each token in the source and in `#text`. */
  readonly #starts: Int32Array;
  readonly #places: Int32Array;
  #count = 0;
  readonly #byteOf: (position: number) => number;

  constructor(source: SourceText, comments: readonly { start: number; end: number }[]) {
    const { bytes } = source;
    this.#byteOf = source.isAscii ? (position) => position : bytePositions(source.text);
    if (buffers.bytes < bytes.length) buffers = makeBuffers(bytes.length);
    this.#text = buffers.text;
    this.#starts = buffers.starts;
    this.#places = buffers.places;
    this.#text[0] = BLANK_BETWEEN;
    this.#places[0] = 1;
    let from = 0;
    for (const comment of comments) {
      const start = this.#byteOf(comment.start);
      if (start < from) continue;
      this.#collect(bytes, from, start);
      from = this.#byteOf(comment.end);
    }
    this.#collect(bytes, from, bytes.length);
  }

  #collect(bytes: Uint8Array, from: number, to: number): void {
    const [text, starts, places] = [this.#text, this.#starts, this.#places];
    let count = this.#count;
    let place = places[count]!;
    for (let at = from; at < to; ) {
      const kind = kinds[bytes[at]!]!;
      if (kind === BLANK) {
        at++;
        continue;
      }
      starts[count] = at;
      text[place++] = bytes[at++]!;
      if (kind === LETTER) while (at < to && kinds[bytes[at]!]! >= DIGIT) text[place++] = bytes[at++]!;
      else if (kind === DIGIT) while (at < to && isOfNumber(bytes[at]!)) text[place++] = bytes[at++]!;
      text[place++] = BLANK_BETWEEN;
      places[++count] = place;
    }
    this.#count = count;
  }

  /** Hashes the spans as written, and again with every token equal to `name` masked. */
  hash(spans: readonly Span[], name: string) {
    const sought = Buffer.from(`${name} `);
    const body: Uint8Array[] = [];
    const masked: Uint8Array[] = [];
    let size = 0;
    for (const [start, end] of spans) {
      const [first, next] = [this.#tokenAt(start), this.#tokenAt(end)];
      if (next > first) {
        size += next - first;
        body.push(this.#text.subarray(this.#places[first]! - 1, this.#places[next]));
        this.#mask(first, next, sought, masked);
      } else {
        body.push(NO_TOKENS);
        masked.push(NO_TOKENS);
      }
    }
    return { body: shortHash(body), masked: shortHash(masked), size };
  }

  #mask(first: number, next: number, sought: Uint8Array, masked: Uint8Array[]): void {
    const [text, places] = [this.#text, this.#places];
    let from = places[first]! - 1;
    for (let token = first; token < next; token++) {
      const place = places[token]!;
      if (places[token + 1]! - place !== sought.length || !isAt(text, place, sought)) continue;
      masked.push(text.subarray(from, place), MASK);
      from = places[token + 1]! - 1;
      // Of two equal tokens in a row only the first is masked, to match stored hashes.
      token++;
    }
    masked.push(text.subarray(from, places[next]));
  }

  /** Returns the first token at or after the position. */
  #tokenAt(position: number): number {
    const byte = this.#byteOf(position);
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! < byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isAt(text: Uint8Array, from: number, sought: Uint8Array): boolean {
  for (let at = 0; at < sought.length; at++) if (text[from + at] !== sought[at]) return false;
  return true;
}

/** Returns the byte offset of a character, for text with characters beyond ASCII. */
function bytePositions(source: string): (position: number) => number {
  const positions = new Int32Array(source.length + 1);
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    // Each half of a surrogate pair counts as half of its four bytes.
    const isHalf = (code & 0xf800) === 0xd800;
    positions[at + 1] = positions[at]! + (code < 0x80 ? 1 : code < 0x800 || isHalf ? 2 : 3);
  }
  return (position) => positions[position]!;
}

/** `1.5e3` and `0xff` are one number. A byte beyond ASCII ends a number. */
const isOfNumber = (byte: number): boolean =>
  byte < 128 && byte !== DOLLAR && (byte === DOT || kinds[byte]! >= DIGIT);

/** Returns 15 bytes of the hash as base64url. */
const shortHash = (parts: readonly Uint8Array[]): string =>
  hash('sha1', parts.length === 1 ? parts[0]! : Buffer.concat(parts), 'base64url').slice(0, 20);

const MAX_NAME = 400;
const MAX_PART = 200;
const plainPart = /^[\p{ID_Start}$_][\p{ID_Continue}$]*[?!=]?$/u;
/** A cheap test that matches most names. */
const plainAscii = /^[a-z$_][\w$]*(\.[a-z$_][\w$]*)?$/i;

/** Other names cannot be used in an anchor (`path#Class.method`). */
export function isPlainName(name: string): boolean {
  if (name.length <= MAX_PART && plainAscii.test(name)) return true;
  const isPlain = (part: string) => part.length <= MAX_PART && plainPart.test(part);
  return name.length <= MAX_NAME && name.split('.').every(isPlain);
}

export interface SourceText {
  text: string;
  bytes: Uint8Array;
  /** All characters are one byte, so string and byte offsets are the same. */
  isAscii: boolean;
}

const decoder = new TextDecoder();
const MARK = [0xef, 0xbb, 0xbf] as const;

/** Removes the byte order mark and replaces invalid UTF-8. */
export function readSource(bytes: Uint8Array): SourceText {
  const text = decoder.decode(bytes);
  const isMarked = MARK.every((byte, index) => bytes[index] === byte);
  const same = isUtf8(bytes) ? bytes.subarray(isMarked ? MARK.length : 0) : Buffer.from(text);
  return { text, bytes: same, isAscii: same.length === text.length };
}

const MAX_SYMBOLS = 5000;
const MAX_CALLS = 20_000;

interface Declared {
  kind: SymbolKind;
  bases: string[];
  spans: [number, number][];
}

/**
 * Merges repeated findings: overloads and reopened classes become one symbol, and equal calls become one
 * call.
 */
export class SymbolCollector {
  readonly facts: FileFacts = emptyFacts();
  readonly #order = new Map<string, number>();
  readonly #declared: Declared[] = [];
  readonly #calls = new Set<string>();

  declare(name: string, kind: SymbolKind, start: number, end: number, bases: string[] = []): number {
    if (!isPlainName(name)) return -1;
    const known = this.#order.get(name);
    if (known !== undefined) {
      const declared = this.#declared[known]!;
      declared.spans.push([start, end]);
      declared.bases.push(...bases);
      if (kind === 'class') declared.kind = kind;
      return known;
    }
    if (this.#declared.length >= MAX_SYMBOLS) return -1;
    this.#order.set(name, this.#declared.length);
    this.#declared.push({ kind, bases: [...bases], spans: [[start, end]] });
    return this.#declared.length - 1;
  }

  has(name: string): boolean {
    return this.#order.has(name);
  }

  call(from: number, form: NamedCallForm, name: string, owner = ''): void {
    if (name) this.#note(`${from} ${form} ${name} ${owner}`, [from, form, name, owner]);
  }

  callOn(from: number, name: string, type: TypeFact): void {
    const key = `${from} on ${name} ${JSON.stringify(type)}`;
    this.#note(key, name === '' ? [from, 'value', '', type] : [from, 'on', name, type]);
  }

  #note(key: string, call: CallFact): void {
    if (this.#calls.has(key) || this.#calls.size >= MAX_CALLS) return;
    this.#calls.add(key);
    this.facts.calls.push(call);
  }

  finish(tokens: TokenIndex): FileFacts {
    this.facts.symbols = [...this.#order].map(([name, number]): SymbolFact => {
      const { kind, bases, spans } = this.#declared[number]!;
      const fact: SymbolFact = { name, kind, ...tokens.hash(spans, name.slice(name.lastIndexOf('.') + 1)) };
      return bases.length > 0 ? { ...fact, bases: [...new Set(bases)] } : fact;
    });
    return this.facts;
  }
}
