import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CodeWorld } from '../../../tests/support/code-world.js';
import { HttpsHost } from '../../../tests/support/https-host.js';
import { ScratchRepository } from '../../../tests/support/scratch-repository.js';
import { SshHost } from '../../../tests/support/ssh-host.js';
import { pushBranch } from './commits/branch-push.js';
import { createMirror, type Mirror, type OpenRemote } from './git/mirror.js';
import { fingerprintOf } from './git/ssh.js';
import type { CredentialView } from './projects.schemas.js';
import { createRepositoryAccess } from './repository/repository-access.js';

const TOKEN = 'ghp_a-secret/that:nobody+sees';

let code: CodeWorld;
beforeAll(async () => {
  code = await CodeWorld.start({ GIT_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'warn' });
});
afterAll(() => code.stop());

type Told = CredentialView & { detail: string };

const attach = async (url: string | null = 'https://git.example/a.git', world = code): Promise<string> =>
  (
    await world.call<{ project_id: string }>('POST', '/api/v1/projects', {
      name: 'Remote',
      repository: url === null ? null : { url },
    })
  ).body.project_id;

const pathOf = (id: string) => `/api/v1/projects/${id}/credentials`;
const get = async (id: string) => (await code.call<Told>('GET', pathOf(id))).body;
const put = (id: string, body: object) => code.call<Told>('PUT', pathOf(id), body);
const rotate = (id: string) => code.call<Told>('POST', `${pathOf(id)}/rotate`);

const index = async (id: string) => {
  await code.call('POST', `/api/v1/projects/${id}/index`);
  await code.world.runJob('project-index-wanted');
  return (await code.call<{ status: string; error: string | null }>('GET', `/api/v1/projects/${id}/index`))
    .body;
};

const audited = async (id: string) => {
  const { rows } = await sql<{ action: string; details: unknown }>`
    select action, details from audit_log where subject = ${`project:${id}`} order by audit_id`.execute(
    code.world.db,
  );
  return rows.filter(({ action }) => action.startsWith('project_credentials.'));
};

describe('/api/v1/projects/{project_id}/credentials', () => {
  it('shows the key of the workspace, if any, when the project has no credential of its own', async () => {
    const other = await code.another();
    const id = await attach(undefined, other);
    const ask = async () => (await other.call<Told>('GET', pathOf(id))).body;
    expect(await ask()).toMatchObject({ kind: 'workspace', public_key: null, created_at: null });
    const brand = other.workspace.brand.brand_id;
    const { body } = await other.call<{ public_key: string }>('GET', `/api/v1/brands/${brand}/deploy-key`);
    expect(await ask()).toMatchObject({
      kind: 'workspace',
      public_key: body.public_key,
      fingerprint: fingerprintOf(body.public_key),
    });
  });

  it('deploy_key: creates a separate key for the project once', async () => {
    const [one, two] = [await attach(), await attach(null)];
    const made = (await put(one, { kind: 'deploy_key' })).body;
    expect(made).toEqual({
      kind: 'deploy_key',
      public_key: expect.stringMatching(/^ssh-ed25519 \S+ guildhall-project-/),
      fingerprint: expect.stringMatching(/^SHA256:/),
      former_fingerprint: null,
      username: null,
      host: null,
      created_at: expect.any(String),
      used_at: null,
    });
    expect((await put(one, { kind: 'deploy_key' })).body).toEqual(made);
    expect(await get(one)).toEqual(made);
    expect((await put(two, { kind: 'deploy_key' })).body.public_key).not.toBe(made.public_key);
  });

  it('token: is encrypted, bound to the host of the address, and never shown again', async () => {
    const id = await attach('https://git.example:8443/a.git');
    const given = await put(id, { kind: 'token', token: TOKEN });
    expect(given.body).toMatchObject({
      kind: 'token',
      username: 'x-access-token',
      host: 'git.example:8443',
      public_key: null,
    });
    expect(JSON.stringify([given.body, await get(id), await audited(id)])).not.toContain(TOKEN);
    const { rows } = await sql`select * from code_project_credentials where project_id = ${id}`.execute(
      code.world.db,
    );
    expect(rows).toMatchObject([{ sealed_token: expect.stringMatching(/^v1\.[0-9a-f]{12}\./) }]);
    expect(JSON.stringify(rows)).not.toContain(TOKEN);
    expect(code.world.logLines.join()).not.toContain(TOKEN);
  });

  it("workspace, and DELETE: remove the project's own credential", async () => {
    const id = await attach();
    await put(id, { kind: 'token', token: TOKEN });
    expect((await put(id, { kind: 'workspace' })).body).toMatchObject({ kind: 'workspace', host: null });
    await put(id, { kind: 'deploy_key' });
    expect((await code.call('DELETE', pathOf(id))).status).toBe(204);
    expect(await get(id)).toMatchObject({ kind: 'workspace' });
    expect((await rotate(id)).body.detail).toBe('This project has no deploy key of its own');
    expect(await audited(id)).toEqual([
      { action: 'project_credentials.changed', details: { kind: 'token', host: 'git.example' } },
      { action: 'project_credentials.removed', details: { kind: 'workspace' } },
      { action: 'project_credentials.changed', details: { kind: 'deploy_key' } },
      { action: 'project_credentials.removed', details: { kind: 'workspace' } },
    ]);
  });

  it.each([
    [{ kind: 'token' }, 'token must be given with kind token'],
    [{ kind: 'deploy_key', token: 'x' }, 'token and username belong to kind token only'],
    [{ kind: 'workspace', username: 'x' }, 'token and username belong to kind token only'],
    [{ kind: 'token', token: 'a b' }, 'token must have 1 to 4096 visible ASCII characters'],
    [{ kind: 'token', token: 'a\nHost: b' }, 'token must have 1 to 4096 visible ASCII characters'],
    [{ kind: 'token', token: 'x', username: 'a:b' }, 'username must have 1 to 255 characters'],
    [{ kind: 'password' }, 'kind must be one of: workspace, deploy_key, token'],
  ])('%j is rejected: %s', async (body, words) => {
    const refused = await put(await attach(), body);
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain(words);
  });

  it('token: requires an https address', async () => {
    const refused = await put(await attach('git@git.example:a.git'), { kind: 'token', token: TOKEN });
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      'kind token needs a project whose repository has an https address',
    ]);
    const nowhere = await put(await attach(null), { kind: 'token', token: TOKEN });
    expect([nowhere.status, nowhere.body.detail]).toEqual([409, 'This project has no repository']);
  });

  it('can be read by members and changed by admins, and returns 404 to another workspace', async () => {
    const id = await attach();
    const { brand, admin } = code.workspace;
    const bearer = async (...token: Parameters<typeof code.world.token>) => ({
      authorization: `Bearer ${await code.world.token(...token)}`,
    });
    const member = await bearer(brand, await code.world.member(brand), ['code:read']);
    const changes = [
      ['PUT', pathOf(id), { kind: 'deploy_key' }],
      ['POST', `${pathOf(id)}/rotate`, undefined],
      ['DELETE', pathOf(id), undefined],
    ] as const;
    expect((await code.call('GET', pathOf(id), undefined, member)).status).toBe(200);
    const weak = await bearer(brand, admin, ['code:read', 'brand:read']);
    const other = await code.another();
    expect((await other.call('GET', pathOf(id))).status).toBe(404);
    for (const [method, url, body] of changes) {
      expect((await code.call(method, url, body, member)).status).toBe(403);
      expect((await code.call(method, url, body, weak)).status).toBe(403);
      expect((await other.call(method, url, body)).status).toBe(404);
    }
    expect(await get(id)).toMatchObject({ kind: 'workspace' });
  });

  it('only admins can change the address of a project that has a token', async () => {
    const id = await attach();
    const { brand } = code.workspace;
    const headers = {
      authorization: `Bearer ${await code.world.token(brand, await code.world.member(brand))}`,
    };
    const move = async (url: string | null, by?: Record<string, string>) =>
      (
        await code.call(
          'PATCH',
          `/api/v1/projects/${id}`,
          { repository: url === null ? null : { url, branch: 'main' } },
          by,
        )
      ).status;
    expect(await move('https://git.example/b.git', headers)).toBe(200);
    await put(id, { kind: 'token', token: TOKEN });
    expect(await move('https://git.example/private.git', headers)).toBe(403);
    expect(await move(null, headers)).toBe(403);
    expect(await move('https://git.example/b.git', headers), 'the same address').toBe(200);
    expect(await move('https://git.example/private.git')).toBe(200);
  });
});

describe.skipIf(!SshHost.isAvailable)('Deploy key of a project (needs sshd)', () => {
  let host: SshHost;
  let repository: ScratchRepository;
  let id: string;
  beforeEach(async () => {
    host = await SshHost.start();
    repository = new ScratchRepository();
    repository.save({ 'a.ts': '' });
    id = await attach(host.urlOf(repository.folder));
  });
  afterEach(async () => {
    repository.dispose();
    await host.stop();
  });

  const workspaceKey = async () =>
    (
      await code.call<{ public_key: string }>(
        'GET',
        `/api/v1/brands/${code.workspace.brand.brand_id}/deploy-key`,
      )
    ).body.public_key;

  it('is used for the repository instead of the key of the workspace', async () => {
    host.authorize(await workspaceKey());
    const { public_key } = (await put(id, { kind: 'deploy_key' })).body;
    expect(await index(id)).toMatchObject({
      status: 'failed',
      error: 'The repository is not reachable, or its host does not know the deploy key of this project',
    });
    expect((await get(id)).used_at).toBeNull();
    host.authorize(public_key!);
    expect(await index(id)).toMatchObject({ status: 'ready' });
    expect((await get(id)).used_at).toEqual(expect.any(String));
    await put(id, { kind: 'workspace' });
    expect(await index(id)).toMatchObject({ status: 'ready' });
    expect(readdirSync(join(code.world.config.dataDir, 'mirrors/ssh'))).toEqual([]);
  });

  it('the old key is used after a rotation until the new one has worked once', async () => {
    const first = (await put(id, { kind: 'deploy_key' })).body;
    host.authorize(first.public_key!);
    await index(id);
    const second = (await rotate(id)).body;
    expect(second).toMatchObject({
      kind: 'deploy_key',
      former_fingerprint: first.fingerprint,
      used_at: null,
    });
    expect(second.public_key).not.toBe(first.public_key);
    expect(await index(id), 'the host knows the old one').toMatchObject({ status: 'ready' });
    expect(await get(id)).toEqual(second);

    const third = (await rotate(id)).body;
    expect(third.former_fingerprint, 'the last that worked, and not one that never did').toBe(
      first.fingerprint,
    );
    expect(await index(id)).toMatchObject({ status: 'ready' });
    host.authorize(third.public_key!);
    expect(await index(id)).toMatchObject({ status: 'ready' });
    expect(await get(id)).toMatchObject({ former_fingerprint: null, used_at: expect.any(String) });
    host.forget(third.public_key!);
    expect(await index(id), 'the old one is gone').toMatchObject({ status: 'failed' });
    expect(await audited(id)).toHaveLength(3);
  });
});

describe.skipIf(!HttpsHost.isAvailable)('Token of a project (needs openssl)', () => {
  let host: HttpsHost;
  let repository: ScratchRepository;
  let mirror: Mirror;
  let id: string;
  beforeEach(async () => {
    host = await HttpsHost.start();
    host.demand('ada', TOKEN);
    repository = new ScratchRepository();
    repository.save({ 'a.ts': '' });
    id = await attach(host.urlOf(repository.folder));
    mirror = createMirror(join(code.world.config.dataDir, 'mirrors'), id);
    await put(id, { kind: 'token', username: 'ada', token: TOKEN });
  });
  afterEach(() => {
    host.stop();
    repository.dispose();
  });

  /** Uses the service's own access, but trusts the certificate of the test host. */
  const reach = <T>(work: (remote: OpenRemote) => Promise<T>, url = host.urlOf(repository.folder)) =>
    createRepositoryAccess({
      repositoriesDir: code.world.config.repositoriesDir,
      mirrorsDir: join(code.world.config.dataDir, 'mirrors'),
      resolveHost: async () => ['127.0.0.1'],
      credentials: code.world.app.projects.credentials,
    }).reach({ brand_id: code.workspace.brand.brand_id, project_id: id, repository_url: url }, (remote) =>
      work({ ...remote, settings: [...remote.settings!, `http.sslCAInfo=${host.certificate}`] }),
    );

  const SECRETS = [TOKEN, Buffer.from(`ada:${TOKEN}`).toString('base64')];

  it('opens the repository for fetch and push and appears in no argument or environment', async () => {
    const seen: string[] = [];
    host.onRequest = () => seen.push(...readProcesses());
    const commit = await reach((remote) => mirror.fetch(remote, null));
    expect(commit).toBe(repository.git('rev-parse', 'HEAD'));
    const signal = AbortSignal.timeout(60_000);
    await reach((remote) => pushBranch(mirror, remote, { commit: commit!, branch: 'guildhall/a-1' }, signal));
    expect(repository.git('rev-parse', 'guildhall/a-1')).toBe(commit);
    expect(seen.some((text) => text.includes('remote-https'))).toBe(true);
    for (const secret of SECRETS) expect(seen.filter((text) => text.includes(secret))).toEqual([]);
    expect(readdirSync(join(code.world.config.dataDir, 'mirrors/https'))).toEqual([]);
    expect((await get(id)).used_at).toEqual(expect.any(String));
  });

  it('reports a token that the host rejects, without storing what the host repeats of it', async () => {
    host.demand('ada', 'another');
    host.refusal = ({ headers }) => `You said ${headers.authorization} and ${TOKEN}`;
    const failed = await reach((remote) => mirror.fetch(remote, null)).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      message: 'The repository is not reachable, or its host does not take the token of this project',
      complaint: expect.stringContaining('403'),
    });
    for (const secret of SECRETS) expect(JSON.stringify(failed)).not.toContain(secret);
    expect((await get(id)).used_at).toBeNull();
  });

  it('is never sent to another host, another port or a redirect target', async () => {
    const other = await HttpsHost.start();
    try {
      other.demand('ada', TOKEN);
      await expect(
        reach((remote) => mirror.fetch(remote, null), other.urlOf(repository.folder)),
      ).rejects.toThrow('The repository is not reachable; the token of this project is for another host');
      host.redirect = `https://git.example:${other.port}`;
      await expect(reach((remote) => mirror.fetch(remote, null))).rejects.toThrow('not reachable');
      expect(other.asked.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    } finally {
      other.stop();
    }
  });
});

/** Arguments and environments of all processes that this one can read. */
function readProcesses(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) =>
      ['cmdline', 'environ'].flatMap((file) => {
        try {
          return [readFileSync(`/proc/${pid}/${file}`, 'utf8')];
        } catch {
          return [];
        }
      }),
    );
}
