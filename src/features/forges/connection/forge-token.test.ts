import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ForgeWorkspace,
  type ForgeWorld,
  startForgeWorld,
} from '../../../../tests/support/forge-world.js';
import { HttpsHost } from '../../../../tests/support/https-host.js';
import { ScratchRepository } from '../../../../tests/support/scratch-repository.js';
import { SshHost } from '../../../../tests/support/ssh-host.js';
import { pushBranch } from '../../projects/commits/branch-push.js';
import { createMirror, type OpenRemote } from '../../projects/git/mirror.js';
import { createRepositoryAccess } from '../../projects/repository/repository-access.js';

const TOKEN = 'ghp_of-the-forge';

let world: ForgeWorld;
let room: ForgeWorkspace;
beforeAll(async () => {
  world = await startForgeWorld({ GIT_NETWORKS: '127.0.0.0/8' });
});
afterAll(() => world.stop());

describe.skipIf(!HttpsHost.isAvailable)('Project without a key or token of its own (needs openssl)', () => {
  let host: HttpsHost;
  let repository: ScratchRepository;
  let id: string;

  beforeEach(async () => {
    room = await world.furnish();
    host = await HttpsHost.start();
    host.demand('x-access-token', TOKEN);
    repository = new ScratchRepository();
    repository.save({ 'a.ts': '' });
    id = await room.project(host.urlOf(repository.folder));
  });
  afterEach(() => {
    host.stop();
    repository.dispose();
  });

  // The scratch folder's path has the form of nested GitLab groups.
  const connect = async (more: object = {}) => {
    const { status, body } = await room.put({ kind: 'gitlab', token: TOKEN, ...more }, id);
    expect([status, body.detail]).toEqual([200, undefined]);
  };

  /** Uses the service's own access, but trusts the certificate of the test host. */
  const push = async (url = host.urlOf(repository.folder)) => {
    const mirrorsDir = join(world.config.dataDir, 'mirrors');
    const mirror = createMirror(mirrorsDir, id);
    const reach = <T>(work: (remote: OpenRemote) => Promise<T>) =>
      createRepositoryAccess({
        repositoriesDir: world.config.repositoriesDir,
        mirrorsDir,
        resolveHost: async () => ['127.0.0.1'],
        credentials: world.app.projects.credentials,
        findForgeToken: world.app.forges.access.findToken,
      }).reach({ brand_id: room.space.brand.brand_id, project_id: id, repository_url: url }, (remote) =>
        work(
          remote.settings
            ? { ...remote, settings: [...remote.settings, `http.sslCAInfo=${host.certificate}`] }
            : remote,
        ),
      );
    const commit = (await reach((remote) => mirror.fetch(remote, null)))!;
    const signal = AbortSignal.timeout(60_000);
    await reach((remote) => pushBranch(mirror, remote, { commit, branch: 'guildhall/a-1' }, signal));
    return repository.git('rev-parse', 'guildhall/a-1') === commit;
  };

  it('uses the token of its forge for fetch and push', async () => {
    await expect(push()).rejects.toThrow('The repository is not reachable');
    await connect();
    expect(await push()).toBe(true);
  });

  it('prefers its own token, and ignores a deploy key over https', async () => {
    await connect();
    const credentials = `/api/v1/projects/${id}/credentials`;
    await room.call('PUT', credentials, { kind: 'token', token: 'another' });
    await expect(push()).rejects.toThrow('not reachable');
    await room.call('PUT', credentials, { kind: 'deploy_key' });
    expect(await push()).toBe(true);
  });

  it('sends the token to no other repository, host or port, and not after disconnecting', async () => {
    await connect();
    const other = new ScratchRepository();
    other.save({ 'b.ts': '' });
    try {
      await expect(push(host.urlOf(other.folder))).rejects.toThrow('not reachable');
    } finally {
      other.dispose();
    }
    await connect({ api_url: 'https://elsewhere.example/api/v4' });
    await expect(push()).rejects.toThrow('not reachable');
    await connect();
    await room.remove(id);
    await expect(push()).rejects.toThrow('not reachable');
    const told = host.asked.filter(({ authorization }) => authorization !== undefined);
    expect(told).toEqual([]);
  });

  it.skipIf(!SshHost.isAvailable)('uses the workspace key instead over ssh', async () => {
    const ssh = await SshHost.start();
    try {
      const url = ssh.urlOf(repository.folder);
      const api_url = `https://${HttpsHost.hostName}:${host.port}/api/v4`;
      await connect({ api_url });
      // The ssh address belongs to another host than the connected one.
      await expect(push(url)).rejects.toThrow('does not know the deploy key of this workspace');
      expect(host.asked.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    } finally {
      await ssh.stop();
    }
  });
});

it('recognizes the ssh address of the connected repository', async () => {
  room = await world.furnish();
  const id = await room.project('git@github.com:acme/app.git');
  await room.put({ token: TOKEN }, id);
  const find = (repository_url: string) =>
    world.app.forges.access.findToken({
      brand_id: room.space.brand.brand_id,
      project_id: id,
      repository_url,
    });
  expect(await find('git@github.com:Acme/app.git')).toMatchObject({
    kind: 'token',
    token: TOKEN,
    host: 'github.com',
    url: 'https://github.com/acme/app.git',
  });
  for (const url of ['git@github.com:acme/other.git', 'git@gitlab.com:acme/app.git', '/srv/acme/app'])
    expect(await find(url)).toBeUndefined();
});
