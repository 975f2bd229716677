import { type SpawnOptions, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Outcome {
  code: number | null;
  output: string;
}

export function runProgram(
  program: string,
  args: string[],
  options: SpawnOptions & { input?: string } = {},
): Promise<Outcome> {
  const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // Waits for `exit` instead of `close`, because a supervised process keeps the pipes open.
    child.on('exit', (code) => resolve({ code, output }));
  });
}

export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Creates a machine with its own file tree, in which the real installer runs. */
export async function createMachine(environment: Record<string, string> = {}) {
  const root = await mkdtemp(join(tmpdir(), 'guildhall-machine-'));
  for (const folder of ['tmp', 'etc', 'stubs']) await mkdir(join(root, folder));
  const launcher = join(root, 'usr/local/bin/guildhall-sidecar');
  const env = {
    PATH: `${join(root, 'stubs')}:${process.env['PATH']}`,
    HOME: join(root, 'tmp'),
    TMPDIR: join(root, 'tmp'),
    GUILDHALL_ROOT: root,
    GUILDHALL_SIDECAR_PORT: String(await freePort()),
    ...environment,
  };
  return {
    root,
    launcher,
    path: (name: string) => join(root, name),
    /** Runs the script through a pipe, as `curl ... | bash` does. */
    install: (script: string, more: Record<string, string> = {}, options: SpawnOptions = {}) =>
      runProgram('bash', [], { env: { ...env, ...more }, input: script, ...options }),
    command: (...args: string[]) => runProgram('bash', [launcher, ...args], { env }),
    /** Adds a program that takes precedence over the machine's own. */
    async stub(name: string, script: string) {
      const path = join(root, 'stubs', name);
      await writeFile(path, `#!/bin/sh\n${script}\n`);
      await chmod(path, 0o755);
    },
    /** For a machine with only linked programs, whose `PATH` is the folder `stubs`. */
    async link(name: string) {
      const { output } = await runProgram('sh', ['-c', 'command -v "$0"', name]);
      await symlink(output.trim(), join(root, 'stubs', name));
    },
    async put(name: string, content: string) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), content);
    },
    /**
     * Recreates a desk of sidecar 0.3, which kept its state in the service's folder, and whose uninstall
     * deleted that folder.
     */
    async makeOld() {
      // Otherwise the sidecar's repair at startup would turn it into a current desk again.
      await until(() => !isRunning(`bash ${launcher} settle`));
      await mkdir(join(root, 'var/lib/guildhall'), { recursive: true });
      for (const name of ['builds', 'pending-sync'])
        await rename(join(root, 'var/lib/guildhall-sidecar', name), join(root, 'var/lib/guildhall', name));
      await rm(join(root, 'var/lib/guildhall-sidecar'), { recursive: true });
      await rm(join(root, 'etc/guildhall/installed'));
      const [before, after] = (await readFile(launcher, 'utf8')).split('\ncase "');
      const uninstall = 'uninstall() { rm -rf "$GUILDHALL_ROOT/var/lib/guildhall" "$settings"; }';
      await writeFile(launcher, `${before}\n${uninstall}\ncase "${after}`);
    },
    /** Lists all files that the installer left, without the test's own. */
    listFiles: () =>
      listFiles(root)
        .filter((path) => !path.startsWith('stubs/'))
        .sort(),
    async remove() {
      if (existsSync(launcher)) await runProgram('bash', [launcher, 'uninstall'], { env });
      await rm(root, { recursive: true, force: true });
    },
  };
}

export type Machine = Awaited<ReturnType<typeof createMachine>>;

function listFiles(folder: string, prefix = ''): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? listFiles(join(folder, entry.name), `${prefix}${entry.name}/`)
      : [`${prefix}${entry.name}`],
  );
}

const isRunning = (command: string): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `${command.replaceAll(' ', '\0')}\0`
      );
    } catch {
      return false;
    }
  });

/** Waits for a result of another process. The time limit only stops a test that has failed. */
export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  // Generous, because the machine may be busy.
  seconds = 500,
): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Waited ${seconds} s in vain`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export const isRoot = process.getuid?.() === 0;
