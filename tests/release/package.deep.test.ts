import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, root } from '../support/build.js';
import { makeDataDir, Program } from '../support/program.js';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const packages = [
  `guildhall-${version}.tgz`,
  `guildhall-client-${version}.tgz`,
  `guildhall-cli-${version}.tgz`,
];

/** Whether the npm registry is reachable, which the installation into an empty folder needs. */
const registryAnswers = (() => {
  try {
    execFileSync('npm', ['view', 'pino', 'version', '--fetch-retries=0', '--fetch-timeout=20000'], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!registryAnswers)('A release installed into an empty folder with an empty cache', () => {
  let data: Awaited<ReturnType<typeof makeDataDir>>;
  let made: string;
  let folder: string;
  let command: string;
  let program: Program;
  let address: string;
  let cookie: string;

  beforeAll(async () => {
    await ensureBuilt('server', 'sidecar', 'dashboard');
    data = await makeDataDir();
    made = join(data.path, 'release');
    folder = join(data.path, 'installed');
    execFileSync(process.execPath, ['scripts/release.mjs', '--out', made], { cwd: root, stdio: 'ignore' });
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    const args = [
      'install',
      '--cache',
      join(data.path, 'cache'),
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ];
    execFileSync('npm', [...args, join(made, packages[0]!)], { cwd: folder, stdio: 'ignore' });
    command = join(folder, 'node_modules/.bin/guildhall');
    program = new Program({ DATA_DIR: join(data.path, 'data') }, ['serve'], [command]);
    address = await program.ready();
  });

  afterAll(async () => {
    await program?.end();
    await data?.remove();
  });

  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${address}/api/v1${path}`, {
      method,
      headers: { cookie, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    expect(response.status, text).toBeLessThan(300);
    return (response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as T;
  };

  it('has packages of one version, a bill of materials, a provenance and checksums', () => {
    const sums = readFileSync(join(made, 'SHA256SUMS'), 'utf8');
    for (const name of packages) expect(sums).toContain(`  ${name}\n`);
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: made });
    const read = (name: string) => JSON.parse(readFileSync(join(made, name), 'utf8'));
    const bill = read(`guildhall-${version}.cdx.json`);
    expect(bill.bomFormat).toBe('CycloneDX');
    expect(bill.metadata.component).toMatchObject({ name: 'guildhall', type: 'application' });
    const components = bill.components.map(({ name }: { name: string }) => name);
    // A dependency, and packages bundled into the program, the pages (one of them indirectly) and the command
    // line.
    expect(components).toEqual(
      expect.arrayContaining(['sharp', 'fastify', 'react-dom', 'scheduler', 'commander']),
    );
    for (const tool of ['vitest', 'esbuild', '@biomejs/biome', 'playwright-core'])
      expect(components).not.toContain(tool);
    const { subject, predicateType } = read(`guildhall-${version}.provenance.json`);
    expect(predicateType).toBe('https://slsa.dev/provenance/v1');
    expect(subject.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(packages));
  });

  it('runs both the service and the command line', async () => {
    expect(execFileSync(command, ['--version'], { encoding: 'utf8' }).trim()).toBe(version);
    expect(execFileSync(command, ['--help'], { encoding: 'utf8' })).toContain('from the command line');
    const info = await (await fetch(`${address}/api/v1/system/info`)).json();
    expect(info).toMatchObject({ name: 'guildhall', version });
    const docs = ['/docs', '/docs/assets/swagger-ui.css', '/docs/assets/swagger-ui-bundle.js'];
    for (const path of ['/', ...docs, '/openapi.json', '/install/sidecar.mjs']) {
      expect((await fetch(`${address}${path}`)).status, path).toBe(200);
    }
  });

  it('installs no package that reports installations, and still lists the one whose files it includes', () => {
    const installed = readdirSync(join(folder, 'node_modules'));
    expect(installed).not.toContain('@scarf');
    expect(installed).not.toContain('swagger-ui-dist');
    const bill = JSON.parse(readFileSync(join(made, `guildhall-${version}.cdx.json`), 'utf8'));
    const components = bill.components.map(({ purl }: { purl: string }) => purl);
    expect(components).toContainEqual(expect.stringContaining('pkg:npm/swagger-ui-dist@'));
    expect(components).not.toContainEqual(expect.stringContaining('scarf'));
  });

  it('supports a build, a comment, a rework and an accepted change', async () => {
    const printed = (pattern: RegExp): string => pattern.exec(program.output)![1]!;
    await program.says(/Hand \S+ to the desk/);
    const signedIn = await fetch(`${address}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        email: printed(/^ {2}(\S+@\S+) +admin/m),
        password: printed(/with the password (\S+) as/),
      }),
    });
    cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const ref = printed(/^Hand (\S+) to the desk/m);
    const { items } = await call<{ items: { id: string; ref: string }[] }>(
      'GET',
      '/board/master/tasks?limit=1000',
    );
    const card = items.find((each) => each.ref === ref)!;

    type Build = {
      build_id: string;
      status: string;
      attempt: number;
      result: string;
      pushed_at: string | null;
    };
    const until = (build: Build, holds: (seen: Build) => boolean) =>
      expect
        .poll(async () => {
          const seen = await call<Build>('GET', `/factory/builds/${build.build_id}`);
          return holds(seen) ? seen : undefined;
        })
        .toBeDefined();
    const succeeded = ({ status }: Build) => status === 'succeeded';

    const first = await call<Build>('POST', `/board/tasks/${card.id}/builds`, {});
    await until(first, succeeded);
    expect(await call<string>('GET', `/factory/builds/${first.build_id}/diff`)).toContain('diff --git');
    const second = await call<Build>('POST', `/factory/builds/${first.build_id}/review`, {
      decision: 'rework',
      comments: [{ path: 'README.md', line: 1, body: 'Name the keeper.' }],
    });
    await until(second, succeeded);
    const answered = await call<Build>('GET', `/factory/builds/${second.build_id}`);
    expect(answered.result).toContain('Name the keeper.');
    await call('POST', `/factory/builds/${second.build_id}/review`, { decision: 'accept' });
    await until(second, ({ pushed_at }) => pushed_at !== null);
  });
});
