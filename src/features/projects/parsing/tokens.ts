import { createHash } from 'node:crypto';

const tokenPattern = /[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*|\d[\w.]*|\S/g;

/** A file's tokens without comments and blanks, so that the body of any span can be hashed. */
export class TokenIndex {
  readonly #starts: number[] = [];
  readonly #tokens: string[] = [];

  constructor(source: string, comments: readonly { start: number; end: number }[]) {
    let from = 0;
    for (const comment of comments) {
      if (comment.start < from) continue;
      this.#collect(source, from, comment.start);
      from = comment.end;
    }
    this.#collect(source, from, source.length);
  }

  #collect(source: string, from: number, to: number): void {
    if (to <= from) return;
    for (const match of source.slice(from, to).matchAll(tokenPattern)) {
      this.#starts.push(from + match.index);
      this.#tokens.push(match[0]);
    }
  }

  /** Hashes of the spans together: as written, and with every token that equals `name` masked. */
  hash(spans: readonly (readonly [start: number, end: number])[], name: string) {
    const body = createHash('sha1');
    const masked = createHash('sha1');
    let size = 0;
    for (const [start, end] of spans) {
      const tokens = this.#tokens.slice(this.#lowerBound(start), this.#lowerBound(end));
      const text = ` ${tokens.join(' ')} `;
      size += tokens.length;
      body.update(text);
      masked.update(text.replaceAll(` ${name} `, ' \u0001 '));
    }
    return { body: shorten(body.digest()), masked: shorten(masked.digest()), size };
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

function shorten(digest: Buffer): string {
  return digest.subarray(0, 15).toString('base64url');
}

const plainName = /^[\p{ID_Start}$_][\p{ID_Continue}$]*[?!=]?$/u;

/** Names that could not stand in an anchor (`path#Class.method`) make no symbol. */
export function isPlainName(name: string): boolean {
  return name.length <= 200 && plainName.test(name);
}
