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
    // A supervised process keeps the pipes open, so the end of the program is what counts.
    child.on('exit', (code) => resolve({ code, output }));
  });
}

/** A port nobody listens on at the moment. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** A machine with a file tree of its own, in which the real installer runs. */
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
    /** Through a pipe, as `curl ... | bash` does it. */
    install: (script: string, more: Record<string, string> = {}, options: SpawnOptions = {}) =>
      runProgram('bash', [], { env: { ...env, ...more }, input: script, ...options }),
    command: (...args: string[]) => runProgram('bash', [launcher, ...args], { env }),
    /** Puts a program of that name before the machine's own. */
    async stub(name: string, script: string) {
      const path = join(root, 'stubs', name);
      await writeFile(path, `#!/bin/sh\n${script}\n`);
      await chmod(path, 0o755);
    },
    /** For a machine that has nothing but what is linked: its `PATH` is the folder `stubs`. */
    async link(name: string) {
      const { output } = await runProgram('sh', ['-c', 'command -v "$0"', name]);
      await symlink(output.trim(), join(root, 'stubs', name));
    },
    async put(name: string, content: string) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), content);
    },
    /** As a desk of sidecar 0.3 was: its state in the service's folder, no list, and an uninstall that takes that folder. */
    async makeOld() {
      // What the sidecar puts right when it starts would make it a new desk again.
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
    /** Every file the installer left, without what the test itself put there. */
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

/** Waits for something that another process does; the deadline is only there to end a test that has failed. */
export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  // Against hanging alone: a busy machine may take its time.
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
