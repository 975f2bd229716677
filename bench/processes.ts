import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const running = new Set<ChildProcess>();

function track(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Runs a TypeScript program of this folder as a child process that is controlled by messages. */
export function forkProgram(name: string, env: Record<string, string> = {}): ChildProcess {
  const child = fork(new URL(name, import.meta.url), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, ...env },
  });
  return track(child);
}

/** Returns the next message of a child, and throws if the child exits first. */
export async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const ended = new AbortController();
  try {
    return await Promise.race([
      once(child, 'message', { signal: ended.signal }).then(([message]) => message as T),
      once(child, 'exit', { signal: ended.signal }).then(([code]) => {
        throw new Error(`A process of the bench ended with code ${code}`);
      }),
    ]);
  } finally {
    ended.abort();
  }
}

export async function ask<T>(child: ChildProcess, message: object): Promise<T> {
  const answer = nextMessage<T>(child);
  child.send(message);
  return answer;
}

export interface Service {
  child: ChildProcess;
  pid: number;
  url: string;
  adminKey: string;
}

/** Starts the service with an empty data folder, as a user would, and waits until it prints its address. */
export async function startService(dataDir: string, more: Record<string, string> = {}): Promise<Service> {
  const adminKey = randomBytes(24).toString('hex');
  const env = {
    DATA_DIR: dataDir,
    PORT: '0',
    HOST: '127.0.0.1',
    BASE_URL: '',
    GUILDHALL_DEMO: '0',
    ADMIN_API_KEY: adminKey,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_MINUTE: '0',
    ...more,
  };
  const child = track(
    spawn(process.execPath, ['scripts/start.mjs'], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const said: string[] = [];
  const listen = (stream: NodeJS.ReadableStream, found: (url: string) => void) =>
    createInterface({ input: stream }).on('line', (line) => {
      if (said.length < 40) said.push(line);
      const url = /Guildhall is ready at (https?:\/\/[^\s"]+)/.exec(line)?.[1];
      if (url) found(url);
    });
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`${reason}\n${said.join('\n')}`));
    const limit = setTimeout(() => fail('The service was not ready within 90 s'), 90_000);
    const found = (url: string) => {
      clearTimeout(limit);
      resolve({ child, pid: child.pid ?? 0, url, adminKey: env.ADMIN_API_KEY });
    };
    if (child.stdout) listen(child.stdout, found);
    if (child.stderr) listen(child.stderr, found);
    child.once('exit', (code) => {
      clearTimeout(limit);
      fail(`The service ended with code ${code}`);
    });
  });
}

/** Resident memory in MiB. */
export function readMemory(pid: number): number {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes) / 1024;
  } catch {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
  }
}

/** Stops all processes, and kills any that take longer than ten seconds. */
export async function stopProcesses(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const limit = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(limit);
    }),
  );
}

/** Runs a benchmark in its own data folder and cleans up afterwards, or prints `help` if it is given. */
export async function runBench(
  help: string | undefined,
  measure: (dataDir: string) => Promise<void>,
): Promise<void> {
  if (help !== undefined) return console.log(help);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stopProcesses().finally(() => process.exit(130)));
  const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-bench-'));
  // The embedded database may run as another user, who needs access to the folder.
  await chmod(dataDir, 0o755);
  try {
    await measure(dataDir);
  } finally {
    await stopProcesses();
    await rm(dataDir, { recursive: true, force: true });
  }
}
