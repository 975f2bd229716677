/** Of a log's end no more is kept, however long its lines are. */
const KEPT_BYTES = 256 * 1024;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal are what it finds
const COLOURS = /\u001b\[[0-9;?]{0,30}[A-Za-z]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no database takes the first, no reader wants the others
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The end of a text that comes piece by piece. */
export class LogTail {
  #kept: Buffer[] = [];
  #size = 0;
  #total = 0;

  constructor(readonly most: number) {}

  /** False once there was more than anybody waits for. */
  add(chunk: Buffer): boolean {
    this.#total += chunk.length;
    this.#kept.push(chunk);
    this.#size += chunk.length;
    while (this.#size - this.#kept[0]!.length >= KEPT_BYTES) this.#size -= this.#kept.shift()!.length;
    return this.#total <= this.most;
  }

  read(lines: number): string {
    const text = Buffer.concat(this.#kept).subarray(-KEPT_BYTES).toString('utf8');
    const plain = text.replaceAll('\r\n', '\n').replace(COLOURS, '').replace(CONTROLS, '');
    const all = plain.replace(/\n$/, '').split('\n');
    return all.slice(-lines).join('\n');
  }
}
