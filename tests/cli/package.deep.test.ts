import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], npm_config_loglevel: 'error' };
const run = (program: string, args: string[], cwd: string) =>
  execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
let folder: string;

/** Packs the package and installs it into an empty folder, as a user would. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildhall-package-'));
  run('npm', ['pack', '--pack-destination', folder, join(root, 'cli')], folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./guildhall-cli-${version}.tgz`], folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('Package guildhall-cli', () => {
  it("contains one file without dependencies, with the service's version", async () => {
    const files = run('find', ['node_modules/guildhall-cli', '-type', 'f'], folder).trim().split('\n').sort();
    expect(files.map((path) => path.slice('node_modules/guildhall-cli/'.length))).toEqual([
      'LICENSE',
      'README.md',
      'dist/guildhall.cjs',
      'package.json',
    ]);
    expect((await stat(join(folder, 'node_modules'))).isDirectory()).toBe(true);
    const [own, whole] = await Promise.all(
      ['cli/package.json', 'package.json'].map(
        async (path) =>
          JSON.parse(await readFile(join(root, path), 'utf8')) as { version: string; dependencies?: object },
      ),
    );
    expect(own!.dependencies).toBeUndefined();
    expect(own!.version).toBe(whole!.version);
    expect(run('node_modules/.bin/guildhall', ['--version'], folder).trim()).toBe(own!.version);
  });

  it('runs after installation', () => {
    expect(run('node_modules/.bin/guildhall', ['--help'], folder)).toContain('from the command line');
  });

  it('runs as `npx guildhall` in the checkout', () => {
    expect(run('npx', ['guildhall', '--version'], root).trim()).toBe(version);
  });
});
