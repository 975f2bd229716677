import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeVariables } from '../../src/config/config.js';
import { buildProgram } from '../cli/cli-world.js';
import { root } from '../support/build.js';

/** What the image is made of, by its recipe: nothing is built here. */

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
/** What COPY takes, without where it goes. */
const taken = (stage: string) => wordsOf(stage, 'COPY').map((words) => words.slice(0, -1));

describe('the container image', () => {
  it('is made in two stages, so that neither sources nor tools are in it', () => {
    expect(stages).toHaveLength(2);
    expect(making).toMatch(/^FROM \S+ AS build$/m);
    expect(taken(final).every(([from]) => from === '--from=build')).toBe(true);
    expect(making).toContain('npm prune --omit=dev');
  });

  it('takes only what is there', async () => {
    await buildProgram();
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const given = taken(making).flat();
    expect(given).toContain('package-lock.json');
    for (const path of given) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(ignored, 'kept from the builder').not.toContain(path);
    }
    const kept = taken(final).flatMap(([, ...paths]) => paths.map((path) => path.replace('/app/', '')));
    expect(kept).toEqual(expect.arrayContaining(['node_modules', 'dist']));
    for (const path of kept) expect(existsSync(join(root, path)), path).toBe(true);
  });

  it('starts with a script that has beside it what it imports', () => {
    const [command] = wordsOf(final, 'CMD');
    const script = JSON.parse(command!.join(' ')).at(-1) as string;
    const beside = taken(final)
      .flat()
      .map((path) => basename(path));
    const imported = readFileSync(join(root, script), 'utf8').matchAll(/^import .* from '\.\/(.+)';$/gm);
    for (const name of [basename(script), ...[...imported].map(([, path]) => path!)])
      expect(beside).toContain(name);
  });

  it('does not run as root, and is told only what the program knows', () => {
    const [[user]] = wordsOf(final, 'USER') as [[string]];
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const [settings] = wordsOf(final, 'ENV');
    const names = settings!.map((each) => each.split('=')[0]!).filter((name) => name !== 'NODE_ENV');
    expect(names).toEqual(expect.arrayContaining(['PORT', 'DATA_DIR']));
    for (const name of names) expect(describeVariables()).toMatch(new RegExp(`^\\s*${name}\\s`, 'm'));
    expect(wordsOf(final, 'VOLUME')).toEqual([[/DATA_DIR=(\S+)/.exec(final)![1]]]);
    expect(wordsOf(final, 'EXPOSE')).toEqual([[/PORT=(\S+)/.exec(final)![1]]]);
  });

  it('asks for its health where the interface says, with a program that can be read', () => {
    const [, check] = /^HEALTHCHECK .* CMD (\[.+\])$/m.exec(final)!;
    const [node, flag, program] = JSON.parse(check!) as [string, string, string];
    expect([node, flag]).toEqual(['node', '-e']);
    expect(() => new Function(program)).not.toThrow();
    const { paths } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as { paths: object };
    expect(Object.keys(paths)).toContain(/\/api\/[\w/]+/.exec(program)![0]);
  });
});
