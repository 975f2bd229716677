import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSidecarRelease } from '../../src/features/workstations/installer/installer.js';
import { isRoot, until } from '../desk-end-to-end/real-desk.js';
import type { FakeService } from './fake-service.js';

let program: Promise<string> | undefined;

/** Builds the sidecar as desks run it, once. */
function buildProgram(): Promise<string> {
  program ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildhall-sidecar-'));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'sidecar.mjs'), (await loadSidecarRelease()).bundle);
    return join(folder, 'sidecar.mjs');
  })();
  return program;
}

/** True if this machine can isolate builds as a real desk does. */
export const canIsolate =
  isRoot &&
  spawnSync('unshare', [
    '--mount',
    '--pid',
    '--fork',
    '--mount-proc',
    'setpriv',
    '--reuid=60578',
    '--clear-groups',
    'true',
  ]).status === 0;

export interface DeskOptions {
  runtime?: string;
  slots?: number;
  isolation?: 'none';
  /** The desk's identity, if the service checks it. */
  identity?: { env_id: string; installation_id: string };
  /** Programs that take precedence over the machine's own. */
  stubs?: Record<string, string>;
}

/** Creates a desk with its own file tree, on which the real sidecar runs. */
export async function createBuildDesk(service: Pick<FakeService, 'pat' | 'url'>, options: DeskOptions = {}) {
  const root = mkdtempSync(join(tmpdir(), 'guildhall-desk-'));
  chmodSync(root, 0o711);
  const path = (name: string) => join(root, name);
  const settings = path('etc/guildhall');
  mkdirSync(settings, { recursive: true });
  mkdirSync(path('home'), { recursive: true });
  mkdirSync(path('stubs'));
  chmodSync(settings, 0o700);
  for (const [name, script] of Object.entries(options.stubs ?? {})) {
    writeFileSync(path(`stubs/${name}`), script);
    chmodSync(path(`stubs/${name}`), 0o755);
  }
  const config = {
    env_id: 'e',
    pat: service.pat,
    url: service.url,
    runtime: options.runtime ?? 'custom',
    installation_id: 'i',
    listen_host: '127.0.0.1',
    listen_port: 0,
    workspace_path: '/srv/guildhall/x',
    home: path('home'),
    // Keeps the sidecar from using coders that are installed on this machine.
    ...(options.runtime === undefined && { wrapper_only: true }),
    ...options.identity,
    ...(options.isolation && { isolation: options.isolation }),
  };
  writeFileSync(join(settings, 'desk.json'), JSON.stringify(config), { mode: 0o600 });
  writeFileSync(join(settings, 'slots'), String(options.slots ?? 1));
  const file = await buildProgram();
  let sidecar: ChildProcess | undefined;
  let output = '';

  const desk = {
    root,
    path,
    program: file,
    output: () => output,
    setCoder(script: string): void {
      writeFileSync(join(settings, 'coder'), `#!/bin/bash\n${script}\n`);
      chmodSync(join(settings, 'coder'), 0o755);
    },
    start(environment: Record<string, string> = {}): void {
      sidecar = spawn(process.execPath, [file, 'serve'], {
        env: {
          PATH: `${path('stubs')}:${process.env['PATH']}`,
          GUILDHALL_ROOT: root,
          SECRET_OF_THE_SIDECAR: 'x',
          ...environment,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [sidecar.stdout, sidecar.stderr])
        stream?.on('data', (chunk) => {
          output += chunk;
        });
    },
    async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
      const child = sidecar;
      sidecar = undefined;
      if (!child || child.exitCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      await gone;
    },
    spool: (buildId: string, name = '') => path(join('var/lib/guildhall-sidecar/work', buildId, name)),
    area: (buildId: string, name = '') => path(join('var/lib/guildhall-sidecar/checkouts', buildId, name)),
    runnerPid(buildId: string): number | undefined {
      try {
        return JSON.parse(readFileSync(desk.spool(buildId, 'runner.json'), 'utf8')).pid as number;
      } catch {
        return undefined;
      }
    },
    has: (name: string) => existsSync(path(name)),
    read: (name: string) => readFileSync(path(name), 'utf8'),
    isDone: (buildId: string) => existsSync(desk.spool(buildId, 'done.json')),
    /** Runs a command of the sidecar and returns its exit code. */
    async command(...args: string[]): Promise<number | null> {
      const child = spawn(process.execPath, [file, ...args], {
        env: { PATH: process.env['PATH'], GUILDHALL_ROOT: root },
        stdio: 'ignore',
      });
      const [code] = await once(child, 'exit');
      return code as number | null;
    },
    async health(): Promise<Record<string, unknown>> {
      const url = await until(() => {
        const at = path('opt/guildhall/sidecar/url');
        return existsSync(at) && readFileSync(at, 'utf8');
      });
      const response = await fetch(`${url}/health`, { headers: { 'x-guildhall-nonce': 'ab'.repeat(16) } });
      return (await response.json()) as Record<string, unknown>;
    },
    /** Sends a valid update order and returns the status of the answer. */
    async orderUpdate(): Promise<number> {
      const body = JSON.stringify({
        version: '9.9.9',
        url: service.url,
        code_digest: 'a'.repeat(64),
        sequence: 1,
      });
      const key = createHash('sha256').update(service.pat).digest('hex');
      const url = readFileSync(path('opt/guildhall/sidecar/url'), 'utf8');
      const headers = { 'x-guildhall-proof': createHmac('sha256', key).update(body).digest('hex') };
      return (await fetch(`${url}/update`, { method: 'POST', headers, body })).status;
    },
    async remove(): Promise<void> {
      await desk.kill();
      const work = path('var/lib/guildhall-sidecar/work');
      const open = (existsSync(work) ? readdirSync(work) : []).filter((id) => !desk.isDone(id));
      for (const id of open) {
        const pid = desk.runnerPid(id);
        if (pid) spawnSync('kill', ['-KILL', String(pid)]);
      }
      if (open.length > 0) await desk.command('stop-builds');
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return desk;
}

export type BuildDesk = Awaited<ReturnType<typeof createBuildDesk>>;

/** Finds processes on this machine whose command line contains the text. */
export function findProcesses(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').join(' ').includes(text);
      } catch {
        return false;
      }
    });
}
