import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';

/** How a byte may go on; whatever lies beyond ASCII is part of a word. */
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

/** Of a thread, for one file after the other: to make it anew for each takes as long as to fill it. */
let room = makeRoom(64 * 1024);

function makeRoom(bytes: number) {
  return {
    bytes,
    text: new Uint8Array(1 + bytes * 2),
    starts: new Int32Array(bytes),
    places: new Int32Array(bytes + 1),
  };
}

/**
 * A file's tokens without comments and blanks, so that the body of any span can be hashed; to be asked before that of the next
 * file is made.
 */
export class TokenIndex {
  /** One after the other, each between blanks. */
  readonly #text: Uint8Array;
  /** Where each begins in the source, in bytes, and where in the text of all of them. */
  readonly #starts: Int32Array;
  readonly #places: Int32Array;
  #count = 0;
  readonly #byteOf: (position: number) => number;

  constructor(source: SourceText, comments: readonly { start: number; end: number }[]) {
    const { bytes } = source;
    this.#byteOf = source.isAscii ? (position) => position : bytePositions(source.text);
    if (room.bytes < bytes.length) room = makeRoom(bytes.length);
    this.#text = room.text;
    this.#starts = room.starts;
    this.#places = room.places;
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

  /** Hashes of the spans together: as written, and with every token that equals `name` masked. */
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
      // Of two in a row the first is masked: what is stored of code was hashed that way.
      token++;
    }
    masked.push(text.subarray(from, places[next]));
  }

  /** The first that begins there or later. */
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

/** Where the characters of a source that is not all ASCII begin as bytes. */
function bytePositions(source: string): (position: number) => number {
  const positions = new Int32Array(source.length + 1);
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    // Each half of a pair counts for half of its four bytes.
    const isHalf = (code & 0xf800) === 0xd800;
    positions[at + 1] = positions[at]! + (code < 0x80 ? 1 : code < 0x800 || isHalf ? 2 : 3);
  }
  return (position) => positions[position]!;
}

/** `1.5e3` and `0xff` are numbers; what lies beyond ASCII ends one. */
const isOfNumber = (byte: number): boolean =>
  byte < 128 && byte !== DOLLAR && (byte === DOT || kinds[byte]! >= DIGIT);

/** The first fifteen bytes. */
const shortHash = (parts: readonly Uint8Array[]): string =>
  hash('sha1', parts.length === 1 ? parts[0]! : Buffer.concat(parts), 'base64url').slice(0, 20);

const MAX_NAME = 400;
const MAX_PART = 200;
const plainPart = /^[\p{ID_Start}$_][\p{ID_Continue}$]*[?!=]?$/u;
/** Of most names this tells it, and sooner. */
const plainAscii = /^[a-z$_][\w$]*(\.[a-z$_][\w$]*)?$/i;

/** Names that could not stand in an anchor (`path#Class.method`) make no symbol. */
export function isPlainName(name: string): boolean {
  if (name.length <= MAX_PART && plainAscii.test(name)) return true;
  const isPlain = (part: string) => part.length <= MAX_PART && plainPart.test(part);
  return name.length <= MAX_NAME && name.split('.').every(isPlain);
}

/** A source as text and as the bytes of that text. */
export interface SourceText {
  text: string;
  bytes: Uint8Array;
  /** Each character is one byte: what lies somewhere in the text lies there in the bytes. */
  isAscii: boolean;
}

const decoder = new TextDecoder();
const MARK = [0xef, 0xbb, 0xbf] as const;

/** Leaves out the mark of the byte order, and replaces what is no UTF-8. */
export function readSource(bytes: Uint8Array): SourceText {
  const text = decoder.decode(bytes);
  const isMarked = MARK.every((byte, index) => bytes[index] === byte);
  const same = isUtf8(bytes) ? bytes.subarray(isMarked ? MARK.length : 0) : Buffer.from(text);
  return { text, bytes: same, isAscii: same.length === text.length };
}
