import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deeply, itDeeply, usually } from './support/deep.js';
import { startOwnPostgres } from './support/own-postgres.js';
import { makeDataDir, Program } from './support/program.js';

/** Runs the program as people start it. All tests share one data folder, in order. */

const execute = promisify(execFile);
let data: Awaited<ReturnType<typeof makeDataDir>>;
let adminKey: string;
const running: Program[] = [];

beforeAll(async () => {
  data = await makeDataDir();
});

afterAll(async () => {
  await data.remove();
});

afterEach(async () => {
  for (const program of running.splice(0)) await program.end();
});

function start(env: Record<string, string> = {}, args: string[] = []): Program {
  const program = new Program({ DATA_DIR: data.path, ...env }, args);
  running.push(program);
  return program;
}

const operator = (address: string, path: string, payload?: object) =>
  fetch(`${address}/api/v1/admin${path}`, {
    method: payload ? 'POST' : 'GET',
    headers: { 'x-admin-key': adminKey, ...(payload && { 'content-type': 'application/json' }) },
    body: payload && JSON.stringify(payload),
  });

/** Creates workspaces until the server stops answering, and returns the names that it acknowledged. */
async function writeUntilItFails(address: string, prefix: string, enough: () => void): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let n = 0; n < 5_000; n++) {
    const name = `${prefix} ${n}`;
    const answer = await operator(address, '/brands', { name }).catch(() => undefined);
    if (answer?.status !== 201) break;
    acknowledged.push(name);
    if (n === 20) enough();
  }
  return acknowledged;
}

async function brandNames(address: string): Promise<string[]> {
  const { brands } = (await (await operator(address, '/brands')).json()) as { brands: { name: string }[] };
  return brands.map(({ name }) => name);
}

usually(describe)('First start', () => {
  it('starts the embedded services, prints the address, the operator key and a demo workspace, and its curl commands work as pasted', async () => {
    const program = start();
    const address = await program.ready();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    await program.says(/curl /);
    adminKey = /shown this once\): (\S+)/.exec(program.output)![1]!;
    expect((await readFile(join(data.path, 'admin-api-key'), 'utf8')).trim()).toBe(adminKey);
    for (const file of ['admin-api-key', 'secrets-key'])
      expect((await stat(join(data.path, file))).mode & 0o777).toBe(0o600);
    expect((await operator(address, '/brands')).status).toBe(200);

    await writeFile(join(data.path, '.curlrc'), 'fail-with-body\nsilent\nshow-error\nmax-time = 240\n');
    const commands = program.output.replaceAll('\\\n', ' ').match(/^\s*curl .+$/gm) ?? [];
    expect(commands.length).toBeGreaterThan(1);
    for (const command of commands) {
      const { stdout } = await execute('bash', ['-c', command.trim()], {
        env: { PATH: process.env['PATH'], CURL_HOME: data.path },
      }).catch((fault) => {
        throw new Error(`${command}\n${fault.stdout}${fault.stderr}`);
      });
      expect(stdout.length, command).toBeGreaterThan(0);
    }

    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
    const [, handed] = /^Hand (\S+) to the desk/m.exec(program.output)!;
    expect([...new Set(readme.match(/\bPB-\d+\b/g))], 'the card that the README builds').toEqual([handed]);

    const second = start();
    expect(await second.exited).toBe(1);
    expect(second.output).toMatch(/already running/);
    expect(second.output).not.toMatch(/\n\s+at /);
    expect((await fetch(`${address}/api/v1/system/health`)).status).toBe(200);
  });
});

usually(describe)('Later start', () => {
  it('reuses the data and the key, prints neither key nor demo again, and on SIGTERM finishes the running request and exits with 0', async () => {
    const program = start();
    const address = await program.ready();
    expect(await brandNames(address)).toContain('Acme Robotics');
    const { port } = new URL(address);
    const body = JSON.stringify({ name: 'Drained' });
    const answer = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(
        `POST /api/v1/admin/brands HTTP/1.1\r\nHost: x\r\nX-Admin-Key: ${adminKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
      );
      socket.on('data', (chunk) => {
        if (received === '' && String(chunk).includes('100 Continue')) {
          program.signal('SIGTERM');
          // Sends the rest once the server refuses new connections, so the shutdown has started.
          void refusesNewcomers(Number(port)).then(() => socket.write(body));
        }
        received += chunk;
      });
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });
    expect(answer).toContain('HTTP/1.1 201 Created');
    expect(await program.exited).toBe(0);
    expect(program.output).not.toContain(adminKey);
    expect(program.output).not.toMatch(/curl |demo world/i);
  });

  it('recover after kill -9 with every acknowledged write', async () => {
    const program = start();
    const address = await program.ready();
    expect(await brandNames(address), 'what was answered on the way out').toContain('Drained');
    const written = await writeUntilItFails(address, 'Killed', () => program.signal('SIGKILL'));
    await program.exited;
    expect(written.length).toBeGreaterThan(20);
    const next = start();
    expect(await brandNames(await next.ready())).toEqual(expect.arrayContaining(written));
  });
});

const refusesNewcomers = async (port: number): Promise<void> => {
  for (;;) {
    const refused = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(false));
      socket.once('error', () => resolve(true));
      socket.once('connect', () => socket.destroy());
    });
    if (refused) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

describe('Startup settings', () => {
  itDeeply('exits with 0 on SIGINT too', async () => {
    const program = start({ GUILDHALL_DEMO: '0' });
    await program.ready();
    expect(await program.end('SIGINT')).toBe(0);
  });

  itDeeply(
    'creates no demo data with GUILDHALL_DEMO=0, and does not print a configured admin key',
    async () => {
      const empty = await makeDataDir();
      const program = start({ DATA_DIR: empty.path, GUILDHALL_DEMO: '0', ADMIN_API_KEY: 'configured-key' });
      const address = await program.ready();
      const answer = await fetch(`${address}/api/v1/admin/brands`, {
        headers: { 'x-admin-key': 'configured-key' },
      });
      expect(await answer.json()).toEqual({ brands: [], total: 0, next_cursor: null });
      await program.end();
      expect(program.output).not.toMatch(/configured-key|curl /);
      await empty.remove();
    },
  );

  usually(it)('stops with one message that names every fault in the configuration', async () => {
    const program = start({ PORT: 'x', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://root:hunter2@db' });
    expect(await program.exited).toBe(1);
    expect(program.output.trim().split('\n')).toEqual([
      'Guildhall cannot start, the configuration has 3 faults:',
      expect.stringContaining('PORT'),
      expect.stringContaining('DATABASE_URL'),
      expect.stringContaining('LOG_LEVEL'),
    ]);
    expect(program.output).not.toContain('hunter2');
  });

  itDeeply('stops with a message when the port is in use', async () => {
    const blocker = createServer();
    const port = await new Promise<number>((resolve) =>
      blocker.listen(0, '127.0.0.1', () => resolve((blocker.address() as { port: number }).port)),
    );
    const program = start({ PORT: String(port), GUILDHALL_DEMO: '0' });
    expect(await program.exited).toBe(1);
    expect(program.output).toMatch(/address already in use/);
    expect(program.output).not.toMatch(/\n\s+at /);
    blocker.close();
  });

  usually(it)('prints only the table of settings with --help', async () => {
    const program = start({ PORT: 'faulty' }, ['--help']);
    expect(await program.exited).toBe(0);
    expect(program.output).toMatch(/DATABASE_URL\s+\(embedded PostgreSQL\)/);
  });
});

itDeeply(
  'returns 503 while the database is unavailable, does not crash, and loses no acknowledged write',
  async () => {
    adminKey ||= 'a-key-that-was-configured';
    const postgres = await startOwnPostgres();
    const { host, user, database } = postgres.database.connection;
    try {
      const program = start({
        DATABASE_URL: `postgres://${user}@${encodeURIComponent(host)}/${database}`,
        ADMIN_API_KEY: adminKey,
        DATA_DIR: join(data.path, 'elsewhere'),
      });
      const address = await program.ready();
      let gone: Promise<void> | undefined;
      const written = await writeUntilItFails(address, 'Away', () => {
        gone = postgres.goAway();
      });
      await gone;
      expect((await operator(address, '/brands')).status).toBe(503);
      expect((await fetch(`${address}/api/v1/system/health`)).status).toBe(503);
      await postgres.comeBack();
      await expect
        .poll(async () => (await fetch(`${address}/api/v1/system/health`)).status, {
          timeout: 120_000,
          interval: 200,
        })
        .toBe(200);
      expect(await brandNames(address)).toEqual(expect.arrayContaining(written));
      expect(await program.end()).toBe(0);
    } finally {
      await postgres.end();
    }
  },
);

deeply(describe)('npm start', () => {
  it('stops together with npm', async () => {
    const program = new Program({ DATA_DIR: data.path, GUILDHALL_DEMO: '0' }, [], ['npm', 'start']);
    running.push(program);
    const address = await program.ready();
    program.signal('SIGTERM');
    // Both processes share the output, which closes after both have exited.
    await program.exited;
    await expect(fetch(`${address}/health`)).rejects.toThrow();
  });
});
