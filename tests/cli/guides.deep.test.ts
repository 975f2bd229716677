import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runWithin } from '../support/agent-programs.js';
import { ADMIN_KEY, PASSWORD } from '../support/app.js';
import { checkouts } from '../support/build-checkouts.js';
import { type BuildWorld, type Furnished, startBuildWorld } from '../support/build-world.js';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type CliWorld, PROGRAM, startCliWorld } from './cli-world.js';

/** Runs the guides' shell examples in order, as pasted, in a clone of a project's repository. */

const folder = new URL('../../docs/guide/', import.meta.url);
const GUIDES = [
  'start',
  'agents',
  'boards',
  'memory',
  'lessons',
  'desks-and-builds',
  'operating',
  'risk-and-review',
];
/** Other test files run these guides. */
const ELSEWHERE = ['scripting', 'webhooks', 'pull-requests', 'your-own-repository'];

let builds: BuildWorld;
let room: Furnished;
let cli: CliWorld;
let env: Record<string, string>;
let working = true;
let desk: Promise<void>;

beforeAll(async () => {
  builds = await startBuildWorld();
  room = await builds.furnish();
  cli = await startCliWorld(builds);
  const bin = join(cli.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'guildhall'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
    mode: 0o755,
  });
  env = {
    ...cli.nobody,
    PATH: `${bin}:${process.env['PATH']}`,
    GUILDHALL_URL: cli.url,
    GUILDHALL_TOKEN: room.space.token,
    GUILDHALL_ADMIN_KEY: ADMIN_KEY,
    EMAIL: room.space.admin.email,
    PASSWORD,
    // Git needs a name and an address to commit.
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@acme.example',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@acme.example',
  };
  desk = keepBuilding();
});

afterAll(async () => {
  working = false;
  await desk;
  await cli?.stop();
});

/** A desk that runs every queued build. */
async function keepBuilding(): Promise<void> {
  const fake = await room.readyDesk();
  const git = checkouts(room);
  while (working) {
    const { body } = await room.call<{ total: number }>('GET', '/api/v1/factory/builds?status=queued');
    if (body.total > 0) {
      const { buildId, claim } = await git.work(fake, { 'README.md': 'With a match.\n' });
      await room.log(fake, buildId, claim, 1, 'Looking for a match …\n');
      await room.finish(fake, buildId, claim, { outcome: 'succeeded', result: 'Did it' });
    } else await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const examplesIn = (guide: string) =>
  [...readFileSync(new URL(`${guide}.md`, folder), 'utf8').matchAll(/^```bash\n([\s\S]*?)^```$/gm)]
    .map(([, text]) => text!)
    // Tests of the tools cover these commands, and their addresses are placeholders.
    .filter((text) => !/^(curl|claude|export) /.test(text));

describe('docs/guide', () => {
  it('runs every guide, here or in another test', async () => {
    const files = (await readdir(folder)).map((name) => name.replace(/\.md$/, ''));
    expect(files.sort()).toEqual([...GUIDES, ...ELSEWHERE].sort());
  });

  it.each(GUIDES)(
    'runs %s as pasted',
    async (guide) => {
      const at = join(new ScratchRepository().folder, 'clone');
      room.repository.git('clone', '--quiet', room.repository.folder, at);
      const examples = examplesIn(guide);
      expect(examples.length).toBeGreaterThan(1);
      const script = `set -euo pipefail\nroot=$PWD\n${examples.join('\ncd "$root"\n')}`;
      const { code, output } = await runWithin(60_000, ['bash', '-c', script], { cwd: at, env });
      expect(code, output).toBe(0);
      expect(output).not.toContain(room.space.token);
      if (guide === 'desks-and-builds') expect(output).toContain('Looking for a match');
    },
    300_000,
  );
});
