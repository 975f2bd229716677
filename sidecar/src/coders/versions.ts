import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';

const LIMIT_MS = 20_000;
const LONGEST_OUTPUT = 4_096;
const NOBODY = 65_534;
const VERSION = /\d+\.\d+[\w.+-]{0,40}/;

/** Determines program versions in the background, and again when a program's file changes. */
export function createVersions(path: string, limitMs = LIMIT_MS) {
  const known = new Map<string, { stamp: number; version: string | null }>();

  async function ask(key: string, command: string[]): Promise<void> {
    const output = await runAsNobody([...command, '--version'], path, limitMs);
    const entry = known.get(key);
    if (entry) entry.version = VERSION.exec(output)?.[0] ?? null;
  }

  return {
    /** Null until the version is known. */
    of(command: readonly string[]): string | null {
      // `--version` replaces the options: `node agent.js --acp` becomes `node agent.js --version`.
      const options = command.findIndex((word) => word.startsWith('-'));
      const words = options < 0 ? [...command] : command.slice(0, options);
      const stamp = statSync(words[0] ?? '', { throwIfNoEntry: false })?.mtimeMs ?? 0;
      const key = JSON.stringify(words);
      const entry = known.get(key);
      if (entry?.stamp === stamp) return entry.version;
      known.set(key, { stamp, version: entry?.version ?? null });
      void ask(key, words);
      return entry?.version ?? null;
    },
  };
}

export type Versions = ReturnType<typeof createVersions>;

/** Runs as an unprivileged user, because the program is not trusted with the sidecar's permissions. */
function runAsNobody(command: string[], path: string, limitMs: number): Promise<string> {
  const own = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--no-new-privs', '--'];
  const [file, ...args] = [...(process.getuid?.() === 0 ? own : []), ...command] as [string, ...string[]];
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: '/',
      env: { PATH: path, HOME: '/nonexistent' },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    let output = '';
    const end = () => {
      clearTimeout(limit);
      try {
        if (child.pid) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The process has already exited.
      }
      resolve(output);
    };
    const limit = setTimeout(end, limitMs);
    child.stdout?.on('data', (chunk) => {
      output = (output + chunk).slice(0, LONGEST_OUTPUT);
    });
    child.once('error', end);
    child.once('close', end);
  });
}
