import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CodeWorld } from '../../../tests/support/code-world.js';
import { ScratchRepository } from '../../../tests/support/scratch-repository.js';
import { SshHost } from '../../../tests/support/ssh-host.js';
import { Tarpit } from '../../../tests/support/tarpit.js';
import { createMirror } from './git/mirror.js';
import { fingerprintOf, layOutSsh, makeSshKey } from './git/ssh.js';
import { createRepositoryAccess } from './repository/repository-access.js';

const UNREACHABLE = 'The repository is not reachable';
const UNREACHABLE_BY_SSH =
  'The repository is not reachable, or its host does not know the deploy key of this workspace';

interface Shown {
  project_id: string;
  repository: { url: string; host_key: string | null };
}

interface DeployKey {
  public_key: string;
  fingerprint: string;
  created_at: string;
}

const keyOf = async (code: CodeWorld) =>
  (await code.call<DeployKey>('GET', `/api/v1/brands/${code.workspace.brand.brand_id}/deploy-key`)).body;

async function attach(code: CodeWorld, url: string): Promise<string> {
  const { status, body } = await code.call<Shown>('POST', '/api/v1/projects', {
    name: 'Remote',
    repository: { url },
  });
  expect(status).toBe(201);
  return body.project_id;
}

async function index(code: CodeWorld, id: string) {
  await code.call('POST', `/api/v1/projects/${id}/index`);
  await code.world.runJob('project-index-wanted');
  return (
    await code.call<{ status: string; error: string | null; files: number }>(
      'GET',
      `/api/v1/projects/${id}/index`,
    )
  ).body;
}

const hostKeyOf = async (code: CodeWorld, id: string) =>
  (await code.call<Shown>('GET', `/api/v1/projects/${id}`)).body.repository.host_key;

describe('GET /api/v1/brands/{brand_id}/deploy-key', () => {
  let code: CodeWorld;
  beforeAll(async () => {
    code = await CodeWorld.start();
  });
  afterAll(() => code.stop());

  const path = () => `/api/v1/brands/${code.workspace.brand.brand_id}/deploy-key`;

  it('creates the key on first use and then keeps it', async () => {
    const first = await Promise.all([keyOf(code), keyOf(code), keyOf(code)]);
    expect(first[0]).toEqual({
      public_key: expect.stringMatching(/^ssh-ed25519 \S+ \S+$/),
      fingerprint: expect.stringMatching(/^SHA256:[\w+/]{43}$/),
      created_at: expect.any(String),
    });
    for (const key of [...first, await keyOf(code)]) expect(key).toEqual(first[0]);
    const other = await code.another();
    expect((await keyOf(other)).public_key).not.toBe(first[0]!.public_key);
  });

  it('requires an admin of this workspace with brand:admin', async () => {
    const { brand, admin, cookie } = code.workspace;
    const member = await code.world.member(brand);
    const asked = async (headers: Record<string, string>) =>
      (await code.call<{ detail: string }>('GET', path(), undefined, headers)).body.detail;
    const bearer = async (...token: Parameters<typeof code.world.token>) => ({
      authorization: `Bearer ${await code.world.token(...token)}`,
    });
    expect(await asked(await bearer(brand, member))).toBe('Brand admin access required');
    expect(await asked(await bearer(brand, admin, ['brand:read']))).toMatch(/^Token lacks scope brand:admin/);
    expect((await code.call('GET', path(), undefined, { cookie })).status).toBe(200);
    const other = await code.another();
    expect((await other.call('GET', path())).status).toBe(404);
    const hostKeys = path().replace('deploy-key', 'host-keys');
    for (const [method, url] of [
      ['GET', hostKeys],
      ['DELETE', `${hostKeys}/git.example`],
    ] as const) {
      expect((await code.call(method, url, undefined, await bearer(brand, member))).status).toBe(403);
      expect((await other.call(method, url)).status).toBe(404);
    }
    expect((await code.call('GET', path(), undefined, {})).status).toBe(401);
  });

  it('stores the private key encrypted and records its creation in the audit', async () => {
    await keyOf(code);
    const { rows } = await sql<{ private_key: string }>`select private_key from code_deploy_keys`.execute(
      code.world.db,
    );
    for (const { private_key } of rows) expect(private_key).toMatch(/^v1\.[0-9a-f]{12}\.[\w-]+$/);
    const { rows: made } = await sql`select from audit_log where action = 'deploy_key.created'`.execute(
      code.world.db,
    );
    expect(made.length).toBe(rows.length);
  });
});

describe.skipIf(!SshHost.isAvailable)('Repository over ssh (needs sshd)', () => {
  let code: CodeWorld;
  let host: SshHost;
  let repository: ScratchRepository;
  let url: string;

  beforeAll(async () => {
    code = await CodeWorld.start({ GIT_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'warn' });
    repository = new ScratchRepository();
    repository.save({ 'a.ts': 'export function f() {}' });
  });
  beforeEach(async () => {
    host = await SshHost.start();
    url = host.urlOf(repository.folder);
  });
  afterEach(() => host.stop());
  afterAll(async () => {
    repository.dispose();
    await code.stop();
  });

  it('is read with the deploy key of the workspace once its host accepts the key', async () => {
    const id = await attach(code, url);
    expect(await index(code, id)).toMatchObject({ status: 'failed', error: UNREACHABLE_BY_SSH });
    host.authorize((await keyOf(code)).public_key);
    expect(await index(code, id)).toMatchObject({ status: 'ready', files: 1 });
    repository.save({ 'b.ts': '' });
    expect(await index(code, id)).toMatchObject({ status: 'ready', files: 2 });
    expect(readdirSync(join(code.world.config.dataDir, 'mirrors/ssh'))).toEqual([]);
  });

  it("is not read with the key of another workspace or of the service's ssh-agent", async () => {
    const other = await code.another();
    const agent = await startAgent();
    try {
      host.authorize((await keyOf(other)).public_key);
      host.authorize(agent.publicKey);
      process.env['SSH_AUTH_SOCK'] = agent.socket;
      expect(await index(other, await attach(other, url))).toMatchObject({ status: 'ready' });
      expect(await index(code, await attach(code, url))).toMatchObject({ status: 'failed', files: 0 });
    } finally {
      delete process.env['SSH_AUTH_SOCK'];
      agent.stop();
    }
  });

  it('pins and shows the host key on the first connection, even if the host rejects us', async () => {
    const id = await attach(code, url);
    expect(await hostKeyOf(code, id)).toBeNull();
    await index(code, id);
    const shown = `${host.hostKey} ${fingerprintOf(host.hostKey)}`;
    expect(await hostKeyOf(code, id)).toBe(shown);
    const { body } = await code.call<{ projects: Shown[] }>('GET', '/api/v1/projects');
    expect(body.projects.find(({ project_id }) => project_id === id)?.repository.host_key).toBe(shown);
    const other = await code.another();
    expect(await hostKeyOf(other, await attach(other, url))).toBeNull();
  });

  it('rejects a changed host key and keeps the pinned one until an admin removes it', async () => {
    host.authorize((await keyOf(code)).public_key);
    const id = await attach(code, url);
    expect(await index(code, id)).toMatchObject({ status: 'ready' });
    const pinned = await hostKeyOf(code, id);
    await host.restartWithAnotherKey();
    expect(await index(code, id)).toMatchObject({
      status: 'failed',
      error: 'The host of the repository shows another key than the one that was pinned',
    });
    expect(await hostKeyOf(code, id)).toBe(pinned);

    const hostKeys = `/api/v1/brands/${code.workspace.brand.brand_id}/host-keys`;
    const { body } = await code.call<{ host_keys: { host: string; host_key: string }[] }>('GET', hostKeys);
    const known = body.host_keys.find(({ host_key }) => host_key === pinned);
    expect(known?.host).toBe(`[127.0.0.1]:${host.port}`);
    const forget = () => code.call('DELETE', `${hostKeys}/${encodeURIComponent(known!.host)}`);
    expect([(await forget()).status, (await forget()).status]).toEqual([204, 404]);
    expect(await index(code, id)).toMatchObject({ status: 'ready' });
    expect(await hostKeyOf(code, id)).toContain(host.hostKey);
    const other = await code.another();
    host.authorize((await keyOf(other)).public_key);
    expect(await index(other, await attach(other, url))).toMatchObject({ status: 'ready' });
  });

  it('uses the host key that another run pinned meanwhile', async () => {
    const { publicKey, privateKey } = makeSshKey('first');
    host.authorize(publicKey);
    const access = createRepositoryAccess({
      repositoriesDir: code.world.config.repositoriesDir,
      mirrorsDir: code.world.config.dataDir,
      resolveHost: async () => ['127.0.0.1'],
      credentials: {
        open: async () => undefined,
        noteWorked: async () => {},
        openDeployKey: async () => privateKey,
        findHostKeys: async () => new Map(),
        pinHostKey: async () => false,
      },
    });
    const project = { brand_id: 1, project_id: 'race', repository_url: url };
    const reading = access.reach(project, (remote) =>
      createMirror(code.world.config.dataDir, 'race').fetch(remote, null),
    );
    await expect(reading).rejects.toThrow('shows another key than the one that was pinned');
  });

  it('puts the output of git and ssh into the log, not into the response', async () => {
    const id = await attach(code, url);
    expect(await index(code, id)).toMatchObject({ error: UNREACHABLE_BY_SSH });
    const told = code.world.logLines.filter((line) => line.includes(id));
    expect(told.join()).toContain('Permission denied');
  });
});

/** Starts an ssh-agent with its own key, as the account of a service may have one. */
async function startAgent() {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-agent-'));
  const socket = join(folder, 'socket');
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve) => agent.stdout.once('data', resolve));
  const key = join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  execFileSync('ssh-add', ['-q', key], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
  const publicKey = execFileSync('ssh-keygen', ['-y', '-f', key], { encoding: 'utf8' }).trim();
  return {
    socket,
    publicKey,
    stop() {
      agent.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe('Git over https or ssh to loopback, private, link-local and metadata addresses', () => {
  let code: CodeWorld;
  let tarpit: Tarpit;
  beforeAll(async () => {
    code = await CodeWorld.start();
    tarpit = await Tarpit.start();
  });
  afterAll(async () => {
    await tarpit.stop();
    await code.stop();
  });

  it.each([
    '127.0.0.1',
    'localhost',
    'localhost.',
    'LocalHost',
    '2130706433',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
  ])('%s is rejected without a connection', async (host) => {
    const [web, shell] = [
      await attach(code, `https://${host}:${tarpit.port}/a.git`),
      await attach(code, `ssh://git@${host}:${tarpit.port}/a.git`),
    ];
    expect(await index(code, web)).toMatchObject({ status: 'failed', error: UNREACHABLE });
    expect(await index(code, shell)).toMatchObject({ status: 'failed', error: UNREACHABLE_BY_SSH });
    expect(tarpit.calls).toBe(0);
  });

  it.each([
    'https://10.0.0.1/a.git',
    'https://169.254.169.254/latest',
    'git@192.168.0.1:a.git',
    'git@[fe80::1]:a',
  ])('%s fails the index run', async (url) => {
    expect(await index(code, await attach(code, url))).toMatchObject({ status: 'failed' });
  });
});

describe('Key file on disk', () => {
  it('is removed by a later run when its process died', async () => {
    const code = await CodeWorld.start();
    const folder = join(code.world.config.dataDir, 'mirrors/ssh');
    for (const name of ['run-old', 'run-new']) mkdirSync(join(folder, name), { recursive: true });
    const longAgo = statSync(join(folder, 'run-old')).mtimeMs / 1000 - 2 * 3600;
    utimesSync(join(folder, 'run-old'), longAgo, longAgo);
    const line = await layOutSsh({ folder, privateKey: 'key\n', pinned: undefined, address: '127.0.0.1' });
    const [own, ...others] = readdirSync(folder).filter((name) => name !== 'run-new');
    expect([own, others]).toEqual([expect.stringMatching(/^run-/), []]);
    expect(statSync(join(folder, own!)).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, own!, 'key')).mode & 0o777).toBe(0o600);
    await line.close();
    expect(readdirSync(folder)).toEqual(['run-new']);
    await code.stop();
  });
});

describe('Hosts that accept connections and never respond', () => {
  let code: CodeWorld;
  let tarpit: Tarpit;
  beforeEach(async () => {
    code = await CodeWorld.start({ GIT_NETWORKS: '127.0.0.1' });
    tarpit = await Tarpit.start();
  });
  afterEach(async () => {
    await tarpit.stop();
    await code.stop();
  });

  const slowUrl = () => `https://127.0.0.1:${tarpit.port}/a.git`;

  it('occupy a quarter of the index runs for one workspace while another workspace is indexed', async () => {
    const slow = await code.another();
    for (let n = 0; n < 5; n++) await attach(slow, slowUrl());
    const waiting = code.world.runJob('project-index-wanted');
    await tarpit.called(2);

    const repository = code.repository();
    repository.save({ 'a.ts': '' });
    const project = await code.attach(repository);
    const { body } = await code.call<string>('GET', `/api/v1/projects/${project.id}/index/events`);
    expect(body).toMatch(/"status":"ready"/);
    expect(tarpit.held).toBe(2);

    await tarpit.stop();
    expect(await waiting).toEqual({ job: 'project-index-wanted', processed: 1, failed: 5 });
    tarpit = await Tarpit.start();
  });

  it('hold no connection of the database pool during the wait', async () => {
    await attach(code, slowUrl());
    const waiting = code.world.runJob('project-index-wanted');
    await tarpit.called(1);
    const { pool } = code.world.database;
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
    expect(tarpit.held).toBe(1);
    await tarpit.stop();
    await waiting;
    tarpit = await Tarpit.start();
  });

  it('are called by at most four git runs of one workspace at a time', async () => {
    const compare = (asking: CodeWorld, id: string, count: number) =>
      Array.from({ length: count }, () =>
        asking.call('POST', `/api/v1/projects/${id}/lessons:impact`, { base: 'main', head: 'other' }),
      );
    const [other, theirTarpit] = [await code.another(), await Tarpit.start()];
    const asked = compare(code, await attach(code, slowUrl()), 6);
    await tarpit.called(4);
    const theirUrl = `https://127.0.0.1:${theirTarpit.port}/a.git`;
    asked.push(...compare(other, await attach(other, theirUrl), 4));
    await theirTarpit.called(4);
    expect([tarpit.held, tarpit.calls]).toEqual([4, 4]);
    await Promise.all([tarpit.stop(), theirTarpit.stop()]);
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(10).fill(502));
    tarpit = await Tarpit.start();
  });
});
