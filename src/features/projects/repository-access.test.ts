import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ScratchRepository } from '../../../tests/support/scratch-repository.js';
import { createMirror } from './git/mirror.js';
import { createRepositoryAccess } from './repository-access.js';
import type { RepositoryKeyService } from './repository-keys.service.js';

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!hasOpenssl)('a repository behind https (needs openssl)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-https-'));
  const repository = new ScratchRepository();
  const asked: string[] = [];
  let redirect: string | undefined;
  let commit: string;
  let server: ReturnType<typeof createServer>;

  beforeAll(async () => {
    commit = repository.save({ 'a.ts': '' });
    repository.git('update-server-info');
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
        ...['-keyout', key, '-out', certificate, '-subj', '/CN=git.example'],
        ...['-addext', 'subjectAltName=DNS:git.example'],
      ],
      { stdio: 'ignore' },
    );
    server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, answer) => {
      asked.push(request.url!);
      const path = new URL(request.url!, 'https://git.example').pathname;
      if (redirect !== undefined) return answer.writeHead(302, { location: redirect + request.url }).end();
      try {
        answer.end(readFileSync(join(repository.folder, '.git', path.replace(/^\/[^/]+\//, ''))));
      } catch {
        answer.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    asked.length = 0;
    redirect = undefined;
  });
  afterAll(() => {
    server.close();
    repository.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const port = () => (server.address() as { port: number }).port;

  const fetch = (url: string, name: string) =>
    createRepositoryAccess({
      repositoriesDir: folder,
      mirrorsDir: folder,
      resolveHost: async () => ['127.0.0.1'],
      keys: {} as RepositoryKeyService,
    }).reach(1, url, (remote) =>
      createMirror(folder, name).fetch(
        { ...remote, settings: [...remote.settings!, `http.sslCAInfo=${join(folder, 'certificate.pem')}`] },
        null,
      ),
    );

  it('is read at the address that was judged; nobody else is asked what the name means', async () => {
    expect(await fetch(`https://GIT.example.:${port()}/a.git`, 'judged')).toBe(commit);
    expect(asked[0]).toBe('/a.git/info/refs?service=git-upload-pack');
  });

  it('that sends elsewhere is not followed', async () => {
    redirect = `https://git.example:${port()}/moved`;
    await expect(fetch(`https://git.example:${port()}/a.git`, 'moved')).rejects.toThrow(
      'The repository is not reachable',
    );
    expect(asked).toEqual(['/a.git/info/refs?service=git-upload-pack']);
  });
});
