import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestApp, type World } from '../support/app.js';
import { runHere } from './run-here.js';

export const PROGRAM = fileURLToPath(new URL('../../cli/dist/guildhall.cjs', import.meta.url));

/** Builds the program as it is released, if it is missing or older than its sources. */
export async function buildProgram(): Promise<void> {
  const builder = '../../cli/build.mjs';
  const { buildCli, isCliStale } = (await import(builder)) as {
    buildCli(): Promise<void>;
    isCliStale(program: string): boolean;
  };
  if (!existsSync(PROGRAM) || isCliStale(PROGRAM)) await buildCli();
}

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string | Buffer;
}

const isProgramItself = ([first]: string[]) => first === 'hook' || first === 'mcp';

/** Runs a command, in this process unless it needs its own. */
export async function runCommand(args: string[], options: RunOptions): Promise<Ran> {
  if (isProgramItself(args)) return runProgram(args, options);
  const { cwd = tmpdir(), env = {}, stdin = '' } = options;
  return runHere(args, { cwd, env: { PATH: process.env['PATH'] ?? '', ...env }, stdin });
}

/** Runs the program as a child process with only the given environment variables. */
export function runProgram(
  args: string[],
  { cwd = tmpdir(), env = {}, stdin = '' }: RunOptions,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    // A program that exits without reading its stdin is not an error.
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
  });
}

/** The parts of a test world that the command line needs. */
type Base = Pick<World, 'workspace' | 'server' | 'inject' | 'stop'>;

/** Starts the service over HTTP with a workspace, and an empty home folder for the user. */
export async function startCliWorld(given?: Base) {
  await buildProgram();
  const world: Base = given ?? (await startTestApp());
  const workspace = await world.workspace({ name: 'Acme Robotics', plan: 'business' });
  const url = world.server.server.listening
    ? `http://127.0.0.1:${(world.server.server.address() as { port: number }).port}`
    : await world.server.listen({ host: '127.0.0.1', port: 0 });
  const home = await mkdtemp(join(tmpdir(), 'guildhall-cli-'));
  const nobody = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
  const somebody = { ...nobody, GUILDHALL_URL: url, GUILDHALL_TOKEN: workspace.token };

  /** Runs a command signed in through environment variables. */
  const guildhall = (args: string[], options: RunOptions = {}) =>
    runCommand(args, { ...options, env: { ...somebody, ...options.env } });

  return {
    world,
    workspace,
    url,
    home,
    nobody,
    somebody,
    guildhall,

    /** Runs a command that must succeed and print JSON. */
    async json<T = Record<string, never>>(args: string[], options: RunOptions = {}): Promise<T> {
      const ran = await guildhall([...args, '--json'], options);
      if (ran.code !== 0) throw new Error(`guildhall ${args.join(' ')}: ${ran.code}\n${ran.stderr}`);
      return JSON.parse(ran.stdout) as T;
    },

    async call<T>(method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, payload?: object): Promise<T> {
      const response = await world.inject({ method, url: path, payload, headers: workspace.bearer });
      if (response.statusCode >= 300)
        throw new Error(`${method} ${path}: ${response.statusCode} ${response.body}`);
      return response.json() as T;
    },

    async stop(): Promise<void> {
      await world.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

export type CliWorld = Awaited<ReturnType<typeof startCliWorld>>;
