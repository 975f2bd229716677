/** Far more than a hundred pull requests consist of, and few enough to be read in a moment. */
const MOST_MARKS = 100_000;
const DEEPEST = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Counts what JSON consists of while it comes, piece by piece: made of millions of small things, far fewer bytes than a host
 * may send hold whoever reads them for seconds.
 */
export class JsonBounds {
  #inText = false;
  #escaped = false;
  #depth = 0;
  #marks = 0;

  /** False once there is more than anybody reads. */
  add(chunk: Buffer): boolean {
    for (const byte of chunk) {
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else if (byte === QUOTE) this.#inText = true;
      else if (byte === COMMA) this.#marks += 1;
      else if (byte === 0x5b || byte === 0x7b) {
        this.#marks += 1;
        this.#depth += 1;
        if (this.#depth > DEEPEST) return false;
      } else if (byte === 0x5d || byte === 0x7d) this.#depth -= 1;
    }
    return this.#marks <= MOST_MARKS;
  }
}
