import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

/** PostgreSQL as installed on the system. Unlike the embedded one, it includes everything for replication. */

const SYSTEM = '/usr/lib/postgresql';

/** The programs folder of the newest version, or undefined if none is installed. */
export function findPostgres(): string | undefined {
  if (!existsSync(SYSTEM)) return undefined;
  return readdirSync(SYSTEM)
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(SYSTEM, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'pg_basebackup')) && existsSync(join(folder, 'postgres')));
}

/** PostgreSQL refuses to run as root. */
export const serverAccount = (): { uid: number; gid: number } | undefined =>
  process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;

export async function makeServerFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-cluster-'));
  const account = serverAccount();
  if (account) chownSync(folder, account.uid, account.gid);
  await chmod(folder, 0o755);
  return folder;
}

export const freePorts = (count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, freePort));

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

/** Runs a program of the server under its account, with only PATH from this environment. */
export const runAsServer = (file: string, args: string[]) =>
  promisify(execFile)(file, args, { ...serverAccount(), cwd: '/', env: { PATH: process.env['PATH'] } });

export const spawnAsServer = (file: string, args: string[], env: Record<string, string> = {}): ChildProcess =>
  spawn(file, args, {
    ...serverAccount(),
    cwd: '/',
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  wal_level: 'replica',
  hot_standby: 'on',
  max_connections: '120',
  shared_buffers: '32MB',
  // Cancels a read that conflicts with replication at once.
  max_standby_streaming_delay: '0',
};

export type RealServer = ReturnType<typeof realServer>;

function realServer(bin: string, folder: string, name: string, port: number) {
  const data = join(folder, name);
  const connection = { host: '127.0.0.1', port, user: 'guildhall', database: 'guildhall' };
  let child: ChildProcess | undefined;

  async function query<T extends pg.QueryResultRow>(text: string, database = 'guildhall'): Promise<T[]> {
    const client = new pg.Client({ ...connection, database });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<T>(text)).rows;
    } finally {
      await client.end();
    }
  }

  return {
    data,
    connection,
    url: `postgres://guildhall@127.0.0.1:${port}/guildhall`,
    query,
    async start(): Promise<void> {
      const settings = Object.entries({ ...SETTINGS, port, unix_socket_directories: folder });
      child = spawnAsServer(join(bin, 'postgres'), [
        '-D',
        data,
        ...settings.flatMap(([key, value]) => ['-c', `${key}=${value}`]),
      ]);
      for (;;) {
        if (child.exitCode !== null) throw new Error(`${name} did not start`);
        if (await query('select 1', 'postgres').catch(() => undefined)) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async stop(): Promise<void> {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child!.once('exit', resolve));
      child.kill('SIGINT');
      await ended;
    },
    /** Stops the server and all its children: connections stay open, and nothing answers. */
    freeze: () => signalAll(child!.pid!, 'SIGSTOP'),
    thaw: () => signalAll(child!.pid!, 'SIGCONT'),
  };
}

function signalAll(parent: number, signal: NodeJS.Signals): void {
  for (const pid of [parent, ...childrenOf(parent)]) process.kill(pid, signal);
}

export const childrenOf = (parent: number): number[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent)
    .map(([pid]) => pid!);

/** Starts a primary and a replica that follows it. */
export async function startPrimaryAndReplica(bin: string) {
  const folder = await makeServerFolder();
  const [one, two] = await freePorts(2);
  const primary = realServer(bin, folder, 'primary', one!);
  const replica = realServer(bin, folder, 'replica', two!);
  await runAsServer(join(bin, 'initdb'), [
    ...['-D', primary.data, '-U', 'guildhall', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
  ]);
  await primary.start();
  await primary.query('create database guildhall', 'postgres');
  mkdirSync(replica.data, { mode: 0o700 });
  const account = serverAccount();
  if (account) chownSync(replica.data, account.uid, account.gid);
  await runAsServer(join(bin, 'pg_basebackup'), [
    ...['-D', replica.data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
    ...['-d', `host=127.0.0.1 port=${one} user=guildhall`],
  ]);
  await replica.start();
  return {
    primary,
    replica,
    async end(): Promise<void> {
      await replica.stop();
      await primary.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
