import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { root } from '../build-state.mjs';

/**
 * Runs the built image with production restrictions: not as root, writing only to /data and /tmp, without
 * capabilities. Throws at the first violation.
 */
export async function tryImage(archive, version) {
  const { DATABASE_URL, REDIS_URL } = process.env;
  if (!DATABASE_URL || !REDIS_URL)
    throw new Error(
      'Trying the image needs a DATABASE_URL on whose server a database may be made, and a REDIS_URL.',
    );
  const scratch = mkdtempSync(join(tmpdir(), 'guildhall-try-'));
  const engine = chooseEngine(scratch);
  const database = await makeDatabase(DATABASE_URL);
  const container = `guildhall-try-${randomBytes(4).toString('hex')}`;
  try {
    engine.run(['load', '--quiet', '--input', archive]);
    const image = `guildhall:${version}`;
    const [{ Config, Size, Healthcheck = Config.Healthcheck }] = JSON.parse(
      engine.run(['image', 'inspect', image]),
    );
    console.log(`The image, ${Math.round(Size / 1e6)} MB unpacked,`);
    findNothingOfThisMachine(engine, image);
    const settings = { DATABASE_URL: database.address, REDIS_URL };
    const place = { data: join(scratch, 'data'), port: await findPort() };
    const service = start(engine, container, image, { ...settings, ...place });
    await becomeHealthy(engine, container, Healthcheck.Test);
    await workWith(service);
    lookInside(engine, container, version);
    stop(engine, container);
  } catch (error) {
    engine.tries(['logs', container], 'inherit');
    throw error;
  } finally {
    engine.clean(container);
    await database.drop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

const seconds = (begin) => ((performance.now() - begin) / 1000).toFixed(1);

function promise(words, kept) {
  if (!kept) throw new Error(`Not kept: ${words}`);
  console.log(`  ${words}`);
}

/** Chooses podman with a temporary store, or docker's daemon. */
function chooseEngine(scratch) {
  const has = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
  const program = ['podman', 'docker'].find(has);
  if (!program) throw new Error('Trying the image needs podman or docker.');
  const own = ['--root', join(scratch, 'storage'), '--runroot', join(scratch, 'run')];
  const command = program === 'podman' ? [program, ...own] : [program];
  const options = command.slice(1);
  const run = (args, more) =>
    execFileSync(program, [...options, ...args], { encoding: 'utf8', ...more }).trim();
  const tries = (args, stdio = 'ignore') => spawnSync(program, [...options, ...args], { stdio }).status === 0;
  const clean = (container) => {
    tries(['rm', '--force', '--volumes', container]);
    if (program === 'podman') tries(['rmi', '--all', '--force']);
  };
  return { command, run, tries, clean };
}

async function makeDatabase(address) {
  const name = `guildhall_image_${randomBytes(4).toString('hex')}`;
  const ask = async (statement) => {
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await ask(`create database ${name}`);
  const own = new URL(address);
  own.pathname = `/${name}`;
  return { address: own.href, drop: () => ask(`drop database ${name} with (force)`) };
}

function findPort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Checks that neither layers nor metadata contain the build folder or the machine's settings. */
function findNothingOfThisMachine(engine, tag) {
  const proxies = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].map((name) => process.env[name]);
  const words = [root, 'guildhall-image-', ...proxies.filter(Boolean)];
  // Layers are saved uncompressed, so that grep can search them; grep exits with 1 if it finds nothing.
  const { status, stdout } = spawnSync(
    'bash',
    [
      '-c',
      'set -o pipefail; "$@" | { grep -aoF "$WORDS"; [ $? -eq 1 ]; }',
      'bash',
      ...engine.command,
      'save',
      tag,
    ],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, WORDS: words.join('\n') },
    },
  );
  if (stdout) console.error(stdout);
  promise('names nothing of the machine that built it', status === 0);
}

/** Starts a container as docs/install.md describes, on the host's network, where the database is. */
function start(engine, container, image, { data, port, ...settings }) {
  mkdirSync(data);
  chownSync(data, 1000, 1000);
  const address = `http://127.0.0.1:${port}`;
  const key = randomBytes(24).toString('hex');
  const environment = { ...settings, PORT: String(port), BASE_URL: address, ADMIN_API_KEY: key };
  engine.run([
    ...['run', '--detach', '--name', container, '--network', 'host', '--volume', `${data}:/data`],
    // Otherwise podman would make more folders than /tmp writable.
    ...(engine.command[0] === 'podman' ? ['--read-only-tmpfs=false'] : []),
    ...['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ...Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    image,
  ]);
  return { address, key };
}

async function becomeHealthy(engine, container, [, ...check]) {
  for (let seconds = 0; seconds < 120; seconds += 1) {
    if (engine.tries(['exec', container, ...check])) return promise('is healthy, by its own check', true);
    const running = engine.run(['inspect', '--format', '{{.State.Running}}', container]);
    if (running !== 'true') break;
    await wait(1000);
  }
  return promise('is healthy, by its own check', false);
}

function lookInside(engine, container, version) {
  const inside = (...command) => engine.tries(['exec', container, ...command]);
  promise('is user 1000', engine.run(['exec', container, 'id', '-u']) === '1000');
  promise('may write to /data and /tmp', inside('touch', '/data/try', '/tmp/try'));
  promise(
    'has nothing else to write to',
    inside('grep', '-q', '^[^ ]* / [^ ]* ro,', '/proc/mounts') && !inside('touch', '/var/tmp/try'),
  );
  promise('has git and ssh', inside('git', '--version') && inside('ssh', '-V'));
  promise('has the command line', engine.run(['exec', container, 'guildhall', '--version']) === version);
  promise('can be backed up', inside('guildhall', 'backup', '/data/try.tar'));
}

async function workWith({ address, key }) {
  let cookie = '';
  const call = async (method, path, body, headers = { cookie }) => {
    const response = await fetch(address + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const make = async (...request) => (await call(...request)).json();
  const operator = { 'x-admin-key': key };

  const { status } = await make('GET', '/api/v1/system/health');
  promise('says so of itself', status === 'healthy');
  const page = await (await call('GET', '/')).text();
  await call('GET', /src="(\/[^"]+\.js)"/.exec(page)[1]);
  promise('serves its page, and the script of it', true);

  const person = {
    email: 'first@example.test',
    full_name: 'First',
    password: randomBytes(12).toString('hex'),
  };
  const { brand_id } = await make('POST', '/api/v1/admin/brands', { name: 'Try' }, operator);
  const { user_id } = await make('POST', '/api/v1/admin/users', person, operator);
  await call('PUT', `/api/v1/admin/brands/${brand_id}/members/${user_id}`, { role: 'admin' }, operator);
  const { email, password } = person;
  const signedIn = await call('POST', '/api/v1/auth/login', { email, password });
  cookie = signedIn.headers.get('set-cookie').split(';')[0];
  promise('lets a person in', true);
  const { board_id } = await make('POST', '/api/v1/board/boards', { name: 'Work' });
  await call('POST', `/api/v1/board/boards/${board_id}/tasks`, { title: 'A card' });
  const { items } = await make('GET', '/api/v1/board/master/tasks');
  promise('keeps a board and a card', items.length === 1 && items[0].title === 'A card');
}

function stop(engine, container) {
  const begin = performance.now();
  engine.run(['kill', '--signal', 'TERM', container]);
  const status = engine.run(['wait', container], { timeout: 60_000 });
  promise(`ends when told, with ${status}, after ${seconds(begin)} s`, status === '0');
}
