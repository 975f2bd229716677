import { unprocessable } from '../../../kernel/errors.js';

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
 * Counts the values of a JSON text and how deep they lie while its bytes come in: two megabytes can hold a million values,
 * each of which costs many times its bytes once it is parsed. Whether it is JSON at all is for the parser to say.
 */
export class JsonShape {
  values = 0;
  deepest = 0;
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** A list or an object has begun, or the whole: whatever stands next but its end is a value of it. */
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
