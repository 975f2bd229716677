import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const running = new Set<ChildProcess>();

function track(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** A TypeScript program of this folder as its own process, spoken to by messages. */
export function forkProgram(name: string, env: Record<string, string> = {}): ChildProcess {
  const child = fork(new URL(name, import.meta.url), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, ...env },
  });
  return track(child);
}

/** The next message of a child; a child that dies instead is an error, not a wait without end. */
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

/** Starts the service as a user would and waits for the line that says where it listens. */
export async function startService(env: Record<string, string>): Promise<{ pid: number; url: string }> {
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
      resolve({ pid: child.pid ?? 0, url });
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

/** Asks every process to stop and kills the one that takes longer than ten seconds. */
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
