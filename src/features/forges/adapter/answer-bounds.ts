/** Far more than a hundred pull requests contain, and few enough to parse in a moment. */
const MOST_MARKS = 100_000;
const DEEPEST = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Counts the commas and brackets of JSON while it arrives: a few megabytes of tiny values would block the process for
 * seconds while they are parsed.
 */
export class JsonBounds {
  #inText = false;
  #escaped = false;
  #depth = 0;
  #marks = 0;

  /** False once there are too many. */
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

/** How much of a log's end is kept, however long its lines are. */
const KEPT_BYTES = 256 * 1024;

// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds the colors of a terminal
const COLORS = /\u001b\[[0-9;?]{0,30}[A-Za-z]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL rejects the first, and readers want none of them
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** Keeps the end of a text while it arrives. */
export class LogTail {
  #kept: Buffer[] = [];
  #size = 0;
  #total = 0;

  constructor(readonly most: number) {}

  /** False once it is longer than allowed. */
  add(chunk: Buffer): boolean {
    this.#total += chunk.length;
    this.#kept.push(chunk);
    this.#size += chunk.length;
    while (this.#size - this.#kept[0]!.length >= KEPT_BYTES) this.#size -= this.#kept.shift()!.length;
    return this.#total <= this.most;
  }

  read(lines: number): string {
    const text = Buffer.concat(this.#kept).subarray(-KEPT_BYTES).toString('utf8');
    const plain = text.replaceAll('\r\n', '\n').replace(COLORS, '').replace(CONTROLS, '');
    const all = plain.replace(/\n$/, '').split('\n');
    return all.slice(-lines).join('\n');
  }
}
