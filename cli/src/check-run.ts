import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChecksDefinition } from '../../packages/protocol/checks-file.js';
import { git } from './git.js';

export interface CheckResult {
  name: string;
  status: 'passed' | 'failed' | 'timed_out' | 'skipped';
  exit_code: number | null;
  seconds: number | null;
}

interface Site {
  folder: string;
  env: Record<string, string>;
  say(text: string): void;
  signal: AbortSignal;
}

/** The environment variables that a desk also passes to checks. */
const PASSED_ON = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TZ',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
];
const GRACE_MS = 10_000;

/** Runs `work` in a clean checkout of HEAD in a temporary folder, which is removed afterwards. */
export async function inCleanCheckout<T>(
  root: string,
  { env, say, signal }: Omit<Site, 'folder' | 'env'> & { env: Record<string, string | undefined> },
  work: (site: Site) => Promise<T>,
): Promise<T> {
  const place = mkdtempSync(join(tmpdir(), 'guildhall-checks-'));
  const folder = join(place, 'checkout');
  try {
    const head = await git(root, ['rev-parse', '--verify', 'HEAD^{commit}'], signal);
    const quiet = ['-c', 'core.hooksPath=/dev/null', '-c', 'advice.detachedHead=false'];
    await git(root, [...quiet, 'clone', '--quiet', '--no-checkout', '--template=', root, folder], signal);
    await git(folder, [...quiet, 'checkout', '--quiet', '--detach', head], signal);
    for (const name of ['home', 'tmp']) mkdirSync(join(place, name));
    const passed = PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
    const own = { HOME: join(place, 'home'), TMPDIR: join(place, 'tmp'), SHELL: '/bin/sh', CI: 'true' };
    return await work({ folder, env: { ...Object.fromEntries(passed), ...own }, say, signal });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Runs setup and then each check with its own time limit, as a desk does. */
export async function runChecks(site: Site, { checks, setup }: ChecksDefinition) {
  const prepared = setup ? await runStep(site, 'setup', setup) : undefined;
  const results: CheckResult[] = [];
  for (const check of checks) {
    const skipped = prepared !== undefined && prepared.status !== 'passed';
    results.push(
      skipped
        ? { name: check.name, status: 'skipped', exit_code: null, seconds: null }
        : await runStep(site, check.name, check),
    );
  }
  return { setup: prepared, results };
}

async function runStep(
  site: Site,
  name: string,
  { command, minutes }: NonNullable<ChecksDefinition['setup']>,
): Promise<CheckResult> {
  const { folder, env, say, signal } = site;
  say(`== ${name}: ${command.trim().replace(/\s+/g, ' ').slice(0, 200)}\n`);
  const began = performance.now();
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => say(text));
  const end = (how: 'SIGTERM' | 'SIGKILL') => {
    try {
      if (child.pid) process.kill(-child.pid, how);
    } catch {
      // The process group has already exited.
    }
  };
  let late = false;
  const stop = () => {
    end('SIGTERM');
    timers.push(setTimeout(() => end('SIGKILL'), GRACE_MS));
  };
  const timers = [
    setTimeout(() => {
      late = true;
      stop();
    }, minutes * 60_000),
  ];
  signal.addEventListener('abort', stop, { once: true });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  // Background processes of the check would keep its output open and run alongside the next check.
  end('SIGKILL');
  for (const timer of timers) clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  const seconds = Math.round(performance.now() - began) / 1000;
  const status = late ? 'timed_out' : code === 0 ? 'passed' : 'failed';
  say(`== ${name}: ${status.replace('_', ' ')} after ${seconds} s\n`);
  return { name, status, exit_code: late ? null : (code ?? 128), seconds };
}
