import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HttpsHost } from '../../../../tests/support/https-host.js';
import { ScratchRepository } from '../../../../tests/support/scratch-repository.js';
import { createMirror } from '../git/mirror.js';
import { createRepositoryAccess } from './repository-access.js';
import type { RepositoryCredentials } from './repository-credentials.service.js';

describe.skipIf(!HttpsHost.isAvailable)('Repository over https (needs openssl)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-mirrors-'));
  const repository = new ScratchRepository();
  let host: HttpsHost;
  let commit: string;

  beforeAll(async () => {
    commit = repository.save({ 'a.ts': '' });
    host = await HttpsHost.start();
  });
  beforeEach(() => {
    host.asked.length = 0;
    host.redirect = undefined;
  });
  afterAll(() => {
    host.stop();
    repository.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const fetch = (url: string, name: string) =>
    createRepositoryAccess({
      repositoriesDir: folder,
      mirrorsDir: folder,
      resolveHost: async () => ['127.0.0.1'],
      credentials: { open: async () => undefined } as unknown as RepositoryCredentials,
    }).reach({ brand_id: 1, project_id: name, repository_url: url }, (remote) =>
      createMirror(folder, name).fetch(
        { ...remote, settings: [...remote.settings!, `http.sslCAInfo=${host.certificate}`] },
        null,
      ),
    );

  const firstQuestion = () => `${repository.folder}/info/refs?service=git-upload-pack`;

  it('is read at the address that was checked, without a second name lookup', async () => {
    const url = host.urlOf(repository.folder).replace('git.example', 'GIT.example.');
    expect(await fetch(url, 'judged')).toBe(commit);
    expect(host.asked[0]).toEqual({ url: firstQuestion(), authorization: undefined });
  });

  it('does not follow a redirect', async () => {
    host.redirect = `https://git.example:${host.port}/moved`;
    await expect(fetch(host.urlOf(repository.folder), 'moved')).rejects.toThrow(
      'The repository is not reachable',
    );
    expect(host.asked.map(({ url }) => url)).toEqual([firstQuestion()]);
  });
});
