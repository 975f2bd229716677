import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Invocation {
  folder: string;
  env: Record<string, string>;
}

/**
 * Runs the script named in each line and writes its exit status. Removes its folder when the test process is
 * gone.
 */
const STARTER = `
exec <"$1/asked" >"$1/answered"
while read -r script; do
  (. "$script") </dev/null >"$1/stdout" 2>"$1/stderr"
  echo "$?"
done
rm -rf "$1"
`;

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A shell that starts programs for this process. Forking copies page tables, which takes long in a process
 * that has loaded the service and many tests.
 */
class ProgramStarter {
  readonly #folder = mkdtempSync(join(tmpdir(), 'guildhall-starter-'));
  readonly #asked: number;
  readonly #answered: number;

  constructor() {
    execFileSync('mkfifo', [join(this.#folder, 'asked'), join(this.#folder, 'answered')]);
    const shell = spawn('/bin/sh', ['-c', STARTER, 'starter', this.#folder], {
      env: {},
      stdio: 'ignore',
      detached: true,
    });
    shell.unref();
    // Each open waits until the shell has opened the other end.
    this.#asked = openSync(join(this.#folder, 'asked'), 'w');
    this.#answered = openSync(join(this.#folder, 'answered'), 'r');
  }

  run(program: string, args: readonly string[], { folder, env }: Invocation): string {
    const script = join(this.#folder, 'script');
    const variables = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`);
    const lines = [
      `cd ${quote(folder)} || exit 127`,
      `export ${variables.join(' ')}`,
      `exec ${[program, ...args].map(quote).join(' ')}`,
    ];
    writeFileSync(script, `${lines.join('\n')}\n`);
    writeSync(this.#asked, `${script}\n`);
    const status = this.#hear();
    const stdout = readFileSync(join(this.#folder, 'stdout'), 'utf8');
    if (status === 0) return stdout;
    const stderr = readFileSync(join(this.#folder, 'stderr'), 'utf8');
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

let starter: ProgramStarter | undefined;

/** Runs a program and returns its output. Throws like `execFileSync`. */
export function runProgram(program: string, args: readonly string[], invocation: Invocation): string {
  starter ??= new ProgramStarter();
  return starter.run(program, args, invocation);
}
