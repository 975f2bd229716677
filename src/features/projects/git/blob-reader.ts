import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { GitError, safeArguments, safeEnvironment } from './git-program.js';
import type { Mirror } from './mirror.js';

interface Waiting {
  resolve(bytes: Buffer | undefined): void;
  reject(error: Error): void;
}

const ANSWER_TIMEOUT_MS = 60_000;

/** One long-lived `git cat-file --batch`: a process per blob costs more than the reading. */
export class BlobReader {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: Waiting[] = [];
  #asked = '';
  #chunks: Buffer[] = [];
  #buffered = 0;
  #needed = 1;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    mirror: Mirror,
    readonly answers: 'contents' | 'sizes' = 'contents',
  ) {
    const mode = answers === 'sizes' ? '--batch-check' : '--batch';
    this.#child = spawn('git', safeArguments(mirror.folder, ['cat-file', mode]), {
      env: safeEnvironment(''),
    });
    this.#child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#child.stderr.resume();
    this.#child.stdin.on('error', () => {});
    this.#child.on('error', () => this.#fail('The git program does not start'));
    this.#child.on('close', () => this.#fail('git ended while it was read from'));
  }

  /** `object` is a blob id or `<commit>:<path>`; undefined if there is no such object. */
  read(object: string): Promise<Buffer | undefined> {
    if (object.includes('\n')) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#ask(object);
      this.#timer ??= setTimeout(() => this.#child.kill('SIGKILL'), ANSWER_TIMEOUT_MS);
    });
  }

  /** Sends requests of the same turn of the event loop in one write. */
  #ask(object: string): void {
    this.#asked += `${object}\n`;
    if (this.#asked.length > object.length + 1) return;
    setImmediate(() => {
      this.#child.stdin.write(this.#asked);
      this.#asked = '';
    });
  }

  async size(object: string): Promise<number | undefined> {
    const answer = await this.read(object);
    return answer === undefined ? undefined : Number(answer.toString('latin1'));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#child.stdin.end();
    this.#child.kill();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    if (this.#buffered < this.#needed) return;
    let data: Buffer = Buffer.concat(this.#chunks);
    for (let rest = this.#take(data); rest; rest = this.#take(data)) data = rest;
    this.#chunks = [data];
    this.#buffered = data.length;
    clearTimeout(this.#timer);
    this.#timer =
      this.#waiting.length > 0 ? setTimeout(() => this.#child.kill('SIGKILL'), ANSWER_TIMEOUT_MS) : undefined;
  }

  #take(data: Buffer): Buffer | undefined {
    this.#needed = data.length + 1;
    const end = data.indexOf(10);
    if (end < 0) return undefined;
    const header = data.subarray(0, end).toString('utf8');
    const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(header)?.[1];
    if (size === undefined) {
      this.#waiting.shift()?.resolve(undefined);
      return data.subarray(end + 1);
    }
    if (this.answers === 'sizes') {
      this.#waiting.shift()?.resolve(Buffer.from(size));
      return data.subarray(end + 1);
    }
    const stop = end + 1 + Number(size);
    if (data.length < stop + 1) {
      this.#needed = stop + 1;
      return undefined;
    }
    this.#waiting.shift()?.resolve(Buffer.from(data.subarray(end + 1, stop)));
    return data.subarray(stop + 1);
  }

  #fail(reason: string): void {
    clearTimeout(this.#timer);
    for (const { reject } of this.#waiting.splice(0)) reject(new GitError(reason, null));
  }
}
