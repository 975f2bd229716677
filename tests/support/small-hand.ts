import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Errand {
  folder: string;
  env: Record<string, string>;
}

/**
 * Runs the script named in each line and writes its exit status. Removes its folder when the test process is
 * gone.
 */
const HAND = `
exec <"$1/asked" >"$1/answered"
while read -r errand; do
  (. "$errand") </dev/null >"$1/stdout" 2>"$1/stderr"
  echo "$?"
done
rm -rf "$1"
`;

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A shell that starts programs for this process. Forking copies page tables, which takes long in a process
 * that has loaded the service and many tests.
 */
class SmallHand {
  readonly #room = mkdtempSync(join(tmpdir(), 'guildhall-hand-'));
  readonly #asked: number;
  readonly #answered: number;

  constructor() {
    execFileSync('mkfifo', [join(this.#room, 'asked'), join(this.#room, 'answered')]);
    const shell = spawn('/bin/sh', ['-c', HAND, 'hand', this.#room], {
      env: {},
      stdio: 'ignore',
      detached: true,
    });
    shell.unref();
    // Each open waits until the shell has opened the other end.
    this.#asked = openSync(join(this.#room, 'asked'), 'w');
    this.#answered = openSync(join(this.#room, 'answered'), 'r');
  }

  run(program: string, args: readonly string[], { folder, env }: Errand): string {
    const errand = join(this.#room, 'errand');
    const variables = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`);
    const lines = [
      `cd ${quote(folder)} || exit 127`,
      `export ${variables.join(' ')}`,
      `exec ${[program, ...args].map(quote).join(' ')}`,
    ];
    writeFileSync(errand, `${lines.join('\n')}\n`);
    writeSync(this.#asked, `${errand}\n`);
    const status = this.#hear();
    const stdout = readFileSync(join(this.#room, 'stdout'), 'utf8');
    if (status === 0) return stdout;
    const stderr = readFileSync(join(this.#room, 'stderr'), 'utf8');
    throw Object.assign(new Error(`Command failed: ${program} ${args.join(' ')}\n${stderr}`), {
      status,
      stdout,
      stderr,
    });
  }

  #hear(): number {
    const piece = Buffer.alloc(16);
    let heard = '';
    while (!heard.endsWith('\n')) {
      const length = readSync(this.#answered, piece);
      if (length === 0) {
        closeSync(this.#asked);
        throw new Error('The shell that starts programs for the tests has ended');
      }
      heard += piece.toString('utf8', 0, length);
    }
    return Number(heard);
  }
}

let hand: SmallHand | undefined;

/** Runs a program and returns its output. Throws like `execFileSync`. */
export function runBySmallHand(program: string, args: readonly string[], errand: Errand): string {
  hand ??= new SmallHand();
  return hand.run(program, args, errand);
}
