import { hash } from 'node:crypto';

/** What stands for how a character of ASCII may go on; whatever lies beyond is part of a word. */
const [BLANK, SIGN, DIGIT, LETTER] = [0, 1, 2, 3];
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\s/.test(character)) return BLANK;
  if (/\d/.test(character)) return DIGIT;
  return /[\w$]/.test(character) ? LETTER : SIGN;
});
const kindOf = (code: number): number => (code < 128 ? kinds[code]! : LETTER);
const [DOT, DOLLAR] = [46, 36];

/** A file's tokens without comments and blanks, so that the body of any span can be hashed. */
export class TokenIndex {
  readonly #starts: number[] = [];
  /** Where each token stands in the text of all of them. */
  readonly #places: number[] = [];
  #nextPlace = 0;
  readonly #text: string;

  constructor(source: string, comments: readonly { start: number; end: number }[]) {
    const tokens: string[] = [];
    let from = 0;
    for (const comment of comments) {
      if (comment.start < from) continue;
      this.#collect(source, from, comment.start, tokens);
      from = comment.end;
    }
    this.#collect(source, from, source.length, tokens);
    this.#places.push(this.#nextPlace);
    this.#text = tokens.join(' ');
  }

  #collect(source: string, from: number, to: number, tokens: string[]): void {
    for (let at = from; at < to; ) {
      const kind = kindOf(source.charCodeAt(at));
      const start = at++;
      if (kind === BLANK) continue;
      if (kind === LETTER) while (at < to && kindOf(source.charCodeAt(at)) >= DIGIT) at++;
      else if (kind === DIGIT) while (at < to && isOfNumber(source.charCodeAt(at))) at++;
      this.#starts.push(start);
      this.#places.push(this.#nextPlace);
      this.#nextPlace += at - start + 1;
      tokens.push(source.slice(start, at));
    }
  }

  /** Hashes of the spans together: as written, and with every token that equals `name` masked. */
  hash(spans: readonly (readonly [start: number, end: number])[], name: string) {
    let [body, masked, size] = ['', '', 0];
    for (const [start, end] of spans) {
      const [first, next] = [this.#lowerBound(start), this.#lowerBound(end)];
      const tokens = next > first ? this.#text.slice(this.#places[first], this.#places[next]! - 1) : '';
      const text = ` ${tokens} `;
      size += Math.max(0, next - first);
      body += text;
      masked += text.replaceAll(` ${name} `, ' \u0001 ');
    }
    return { body: shortHash(body), masked: shortHash(masked), size };
  }

  #lowerBound(position: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** `1.5e3` and `0xff` are numbers; what lies beyond ASCII ends one. */
const isOfNumber = (code: number): boolean =>
  code < 128 && code !== DOLLAR && (code === DOT || kinds[code]! >= DIGIT);

/** The first fifteen bytes. */
const shortHash = (text: string): string => hash('sha1', text, 'base64url').slice(0, 20);

const plainName = /^[\p{ID_Start}$_][\p{ID_Continue}$]*[?!=]?$/u;

/** Names that could not stand in an anchor (`path#Class.method`) make no symbol. */
export function isPlainName(name: string): boolean {
  return name.length <= 200 && plainName.test(name);
}
