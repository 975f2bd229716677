import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtProgram, ensureBuilt, root } from './build.js';

const READY = /^Guildhall is ready at (\S+)$/m;
const PATIENCE_MS = 240_000;

await ensureBuilt('server', 'sidecar');

/** Runs the real program in a separate process. */
export class Program {
  readonly exited: Promise<number | null>;
  output = '';
  #child: ChildProcess;
  #noticed = () => {};

  constructor(
    env: Record<string, string>,
    args: string[] = [],
    [file, ...before]: [string, ...string[]] = [process.execPath, builtProgram],
  ) {
    const { PATH = '', HOME = '' } = process.env;
    this.#child = spawn(file, [...before, ...args], {
      cwd: root,
      env: { PATH, HOME, PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk) => {
        this.output += chunk;
        this.#noticed();
      });
    }
    this.exited = new Promise((resolve) => {
      this.#child.once('close', (code) => {
        this.#noticed();
        resolve(code);
      });
    });
  }

  /** Resolves to the address when the program prints that it is ready. */
  async ready(): Promise<string> {
    await this.says(READY);
    return READY.exec(this.output)![1]!;
  }

  async says(text: RegExp): Promise<void> {
    const deadline = setTimeout(() => this.#noticed(), PATIENCE_MS);
    const began = Date.now();
    while (!text.test(this.output)) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`The program ended before it said ${text}:\n${this.output}`);
      if (Date.now() - began > PATIENCE_MS) throw new Error(`It never said ${text}:\n${this.output}`);
      await new Promise<void>((resolve) => {
        this.#noticed = resolve;
      });
    }
    clearTimeout(deadline);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
    return this.exited;
  }
}

/** A data folder, removed at the end after stopping what a killed program left running in it. */
export async function makeDataDir(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'guildhall-start-'));
  await chmod(path, 0o711);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
