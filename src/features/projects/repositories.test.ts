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

  it('is made on first use and stays the same', async () => {
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

  it('is for admins with brand:admin of this workspace', async () => {
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

  it('its private half is in the database sealed only, and making it is in the audit', async () => {
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

describe.skipIf(!SshHost.isAvailable)('a repository behind ssh (needs sshd)', () => {
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

  it('is read with the deploy key of the workspace, once its host knows it', async () => {
    const id = await attach(code, url);
    expect(await index(code, id)).toMatchObject({ status: 'failed', error: UNREACHABLE_BY_SSH });
    host.authorize((await keyOf(code)).public_key);
    expect(await index(code, id)).toMatchObject({ status: 'ready', files: 1 });
    repository.save({ 'b.ts': '' });
    expect(await index(code, id)).toMatchObject({ status: 'ready', files: 2 });
    expect(readdirSync(join(code.world.config.dataDir, 'mirrors/ssh'))).toEqual([]);
  });

  it('is not read with the key of another workspace, nor with one from the agent of the service', async () => {
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

  it('the key of its host is pinned at the first meeting and shown, also when the host refused us', async () => {
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

  it('a changed host key is refused, and the pinned one stays until an admin forgets it', async () => {
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

  it('a key that another run pinned meanwhile is the one that counts', async () => {
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

  it('what git or ssh said is in the log and not in the answer', async () => {
    const id = await attach(code, url);
    expect(await index(code, id)).toMatchObject({ error: UNREACHABLE_BY_SSH });
    const told = code.world.logLines.filter((line) => line.includes(id));
    expect(told.join()).toContain('Permission denied');
  });
});

/** An agent that holds a key of its own, as the account of a service may have one. */
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

describe('git over https or ssh to loopback, private, link-local and metadata addresses', () => {
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
  ])('%s is refused, and nobody is called', async (host) => {
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
  ])('%s is refused at once', async (url) => {
    expect(await index(code, await attach(code, url))).toMatchObject({ status: 'failed' });
  });
});

describe('a key on disk', () => {
  it('that a process left behind when it died is removed by a later one', async () => {
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

describe('hosts that accept and never answer', () => {
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

  it('of one workspace keep a quarter of the passes busy, and another workspace is indexed meanwhile', async () => {
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

  it('hold no connection of the pool while they are waited for', async () => {
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

  it('are asked by at most four runs of one workspace at a time', async () => {
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
