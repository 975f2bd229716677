import type { BuildLogChunk } from '../../api/builds.js';
import { type Look, PLAIN, readAnsi } from './ansi.js';

export interface LogLine {
  raw: string;
  /** Arrival time of its first characters. */
  at: string;
  /** The terminal style at the start of the line. */
  start: Look;
}

/** The service inserts this line where it dropped old chunks. */
const GAP = /^\[\d+ bytes of the log are left out here\]$/;
export const isGap = ({ raw }: LogLine): boolean => GAP.test(raw);

/** Assembles lines from log chunks that can end anywhere; repeated chunks are ignored. */
export class LogBook {
  readonly lines: LogLine[] = [];
  last = 0;
  finished = false;
  #open: LogLine | undefined;
  #look: Look = PLAIN;

  add({ seq, at, text }: BuildLogChunk): void {
    if (seq <= this.last) return;
    this.last = seq;
    const parts = text.split('\n');
    parts.forEach((part, index) => {
      this.#write(part, at);
      if (index < parts.length - 1) this.#endLine(at);
    });
  }

  #write(text: string, at: string): void {
    if (text === '') return;
    if (this.#open) this.#open.raw += text;
    else {
      this.#open = { raw: text, at, start: this.#look };
      this.lines.push(this.#open);
    }
  }

  #endLine(at: string): void {
    if (!this.#open) this.lines.push({ raw: '', at, start: this.#look });
    else if (this.#open.raw.includes('\u001b')) this.#look = readAnsi(this.#open.raw, this.#open.start).next;
    this.#open = undefined;
  }

  get text(): string {
    const text = this.lines.map(({ raw }) => raw).join('\n');
    return this.#open || this.lines.length === 0 ? text : `${text}\n`;
  }

  find(words: string): number[] {
    const wanted = words.toLowerCase();
    if (!wanted) return [];
    return this.lines.flatMap((line, number) =>
      plainOf(line).toLowerCase().includes(wanted) ? [number] : [],
    );
  }
}

export const plainOf = ({ raw, start }: LogLine): string =>
  readAnsi(raw, start)
    .pieces.map(({ text }) => text)
    .join('');
