import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { until } from '../desk-end-to-end/real-desk.js';
import type { ScratchRepository } from '../support/scratch-repository.js';
import { type BuildDesk, canIsolate, findProcesses } from './build-desk.js';
import { it } from './desk-test.js';
import type { FakeBuild, FakeService } from './fake-service.js';

if (!canIsolate) console.warn('SKIPPED: namespaces for builds need root, unshare and setpriv');

const MODES = [
  ...(canIsolate ? [['as on a real desk', undefined] as const] : []),
  ['without root', 'none' as const] as const,
];

const PROJECT = '6a3b8c1e-55d0-4c0b-9f0a-0d6f0c3b7e11';
const OTHER_PROJECT = '0f0f0f0f-55d0-4c0b-9f0a-0d6f0c3b7e11';
const INSTALL = 'mkdir -p lib; echo "made by $(cat package-lock.json)" > lib/made; echo installing';

const logOf = (build: FakeBuild) => build.parts.join('');
const cacheOf = (desk: BuildDesk) => desk.path('var/lib/guildhall-sidecar/cache/setup');
const entriesOf = (desk: BuildDesk) => (existsSync(cacheOf(desk)) ? readdirSync(cacheOf(desk)) : []);

/** Runs builds one after another until they finish. */
function builder(service: FakeService, repository: ScratchRepository) {
  return async (command: string | null, fields: Record<string, unknown> = {}): Promise<FakeBuild> => {
    const setup = command === null ? null : { command, minutes: 5 };
    const build = service.queue(repository, { setup, project_id: PROJECT, trusted_base: true, ...fields });
    await until(() => build.finish ?? undefined, 500);
    return build;
  };
}

const locked = (repository: ScratchRepository, version: string) =>
  repository.save({ '.gitignore': 'lib/\nown.env\n', 'package-lock.json': version });

describe.concurrent.each(MODES)('Setup of a build, %s', (_name, isolation) => {
  it('runs setup before the coder, and caches its result by the digest of the lock files', async ({
    service,
    repository,
    makeDesk,
  }) => {
    locked(repository, 'one');
    const desk = await makeDesk({ isolation });
    desk.setCoder('echo "coder finds: $(cat lib/made), mine: $(test -O lib/made && echo yes)"');
    desk.start();
    const run = builder(service, repository);
    const first = await run(INSTALL);
    expect(first.finish).toEqual({ outcome: 'succeeded' });
    expect(logOf(first)).toMatch(
      /^== setup: mkdir -p lib; .*\ninstalling\n== setup: done in \d+ s\n== setup: kept in the cache\ncoder finds: made by one, mine: yes\n$/,
    );
    const again = await run(INSTALL);
    expect(logOf(again)).toMatch(
      /^== setup: .*\n== setup: taken from the cache\ncoder finds: made by one, mine: yes\n$/,
    );
    // Cached files do not count as changes of the build.
    expect([first.commits, again.commits]).toEqual([0, 0]);
    expect(logOf(await run(`${INSTALL} anew`))).toContain('installing anew\n');
    expect(logOf(await run(INSTALL, { project_id: OTHER_PROJECT }))).toContain('installing\n');
    locked(repository, 'two');
    expect(logOf(await run(INSTALL))).toContain('coder finds: made by two, mine: yes\n');
    expect(entriesOf(desk)).toHaveLength(4);
    expect(service.faults).toEqual([]);
  });
});

describe.concurrent('Setup of a build', () => {
  it('gives setup and coder their own secrets, and masks both in the log', async ({
    service,
    repository,
    makeDesk,
  }) => {
    const desk = await makeDesk();
    desk.setCoder('echo "coder: $CODER_URL, $SETUP_SECRET"');
    desk.start();
    const build = await builder(service, repository)('echo "setup: $SETUP_SECRET, $CODER_URL"', {
      env: { CODER_URL: 'https://db.test/for-the-coder' },
      setup_env: { SETUP_SECRET: 'for-the-setup' },
      secret_names: ['CODER_URL', 'SETUP_SECRET'],
    });
    expect(build.finish).toEqual({ outcome: 'succeeded' });
    expect(logOf(build)).toMatch(/^setup: \S+, $/m);
    expect(logOf(build)).toMatch(/^coder: \S+, $/m);
    expect(logOf(build)).not.toMatch(/for-the-setup|for-the-coder/);
  });

  it("runs setup with the coder's user and checkout, but without its token and keys", async ({
    service,
    repository,
    makeDesk,
  }) => {
    const desk = await makeDesk();
    desk.setCoder('echo "coder is $(id -u) in $PWD"');
    writeFileSync(
      desk.path('etc/guildhall/coder.env'),
      'REGISTRY_MODE=private\nOPENAI_API_KEY=sk-of-the-owner\n',
    );
    desk.start({ ANTHROPIC_API_KEY: 'sk-ant-of-the-desk' });
    const run = builder(service, repository);
    const one = await run(
      'echo "coder is $(id -u) in $PWD"; env | grep -c "TOKEN\\|API_KEY\\|sk-of\\|sk-ant" ; echo "$REGISTRY_MODE $LLM"; cat; echo grumble >&2',
      { env: { LLM: 'x' }, notes: ['.guildhall/checks.yaml does not count: it is not valid YAML'] },
    );
    const lines = logOf(one).split('\n');
    expect(lines[0]).toBe('[.guildhall/checks.yaml does not count: it is not valid YAML]');
    expect(lines.slice(2, 6)).toEqual([lines.at(-2), '0', 'private ', 'grumble']);
  });

  it('fails the build if setup fails, without running the coder or submitting commits', async ({
    service,
    repository,
    makeDesk,
  }) => {
    locked(repository, 'one');
    const desk = await makeDesk({ isolation: 'none' });
    desk.setCoder('echo the coder ran; echo x > x.txt');
    desk.start();
    const run = builder(service, repository);
    const failed = await run('echo no such package; echo half > half.txt; exit 3');
    expect(failed.finish).toEqual({ outcome: 'failed', reason: 'The setup failed with exit code 3' });
    expect(logOf(failed)).toMatch(/^== setup: .*\nno such package\n$/);
    expect([failed.commits, entriesOf(desk)]).toEqual([0, []]);
    const late = await run('echo waiting; sleep 1000', { setup: { command: 'sleep 1000', minutes: 0.02 } });
    expect(late.finish).toEqual({
      outcome: 'timed_out',
      reason: 'The setup did not end within 0.02 minutes',
    });
    const without = await run(null);
    expect(logOf(without)).toBe('the coder ran\n');
  });

  it('stops setup on a cancel, including all processes it started', async ({
    service,
    repository,
    makeDesk,
  }) => {
    const desk = await makeDesk({ isolation: 'none' });
    desk.setCoder('echo the coder ran');
    desk.start();
    const command = `(setsid bash -c "exec -a setup-straggler-$GUILDHALL_BUILD_ID sleep 1000" &); echo begun; sleep 1000`;
    const build = service.queue(repository, { setup: { command, minutes: 5 }, project_id: PROJECT });
    await until(() => logOf(build).includes('begun'));
    service.cancel(build);
    await until(() => build.finish ?? undefined, 500);
    expect(build.finish).toEqual({ outcome: 'canceled' });
    expect(logOf(build)).not.toContain('the coder ran');
    expect(findProcesses(`setup-straggler-${build.id}`)).toEqual([]);
  });

  it("caches setup only for the repository's own commits with a lock file, and only files that git ignores", async ({
    service,
    repository,
    makeDesk,
  }) => {
    const desk = await makeDesk({ isolation: 'none' });
    desk.setCoder('true');
    desk.start();
    const run = builder(service, repository);
    repository.save({ '.gitignore': 'lib/\n' });
    const kept = async (command: string, fields = {}) =>
      /== setup: (?:not )?kept in the cache:? ?(.*)\n/.exec(logOf(await run(command, fields)))?.[1];
    expect(await kept('mkdir lib; echo x > lib/x')).toBe('there is no lock file');
    locked(repository, 'one');
    expect(await kept(INSTALL, { trusted_base: false })).toBe("the build continues from a coder's commits");
    expect(await kept('true')).toBe('it makes no files that git ignores');
    expect(await kept(`${INSTALL}; echo x > plain.txt`)).toBe('it leaves files that git does not ignore');
    expect(entriesOf(desk)).toEqual([]);
    expect(await kept(INSTALL)).toBe('');
    // A build on a coder's commits may read the cache, but not write it.
    expect(logOf(await run(INSTALL, { trusted_base: false }))).toContain('taken from the cache');
  });

  it('runs setup again if the cache is damaged or would write outside the checkout', async ({
    service,
    repository,
    makeDesk,
  }) => {
    locked(repository, 'one');
    const desk = await makeDesk({ isolation: 'none' });
    desk.setCoder('cat lib/made; ls lib');
    desk.start();
    const run = builder(service, repository);
    await run(INSTALL);
    const content = () => `${cacheOf(desk)}/${entriesOf(desk)[0]}/content`;
    const bytes = readFileSync(content());
    bytes[bytes.indexOf('made by one')] = 0x4d;
    writeFileSync(content(), bytes);
    const changed = await run(INSTALL);
    const MADE_AGAIN =
      'installing\n== setup: done in \\d+ s\n== setup: kept in the cache\nmade by one\nmade\n$';
    expect(logOf(changed)).toMatch(
      new RegExp(`^== setup: .*\n== setup: what was kept is of no use: it is damaged\n${MADE_AGAIN}`),
    );
    truncateSync(content(), 512);
    expect(logOf(await run(INSTALL))).toMatch(new RegExp(`^== setup: .*\n${MADE_AGAIN}`));
    const TAKEN = /^== setup: .*\n== setup: taken from the cache\nmade by one\nmade\n$/;
    expect(logOf(await run(INSTALL))).toMatch(TAKEN);

    // Longer than the archive in it, and than a pipe holds, so a reader that stops early would fail.
    const longer = Buffer.concat([readFileSync(content()), Buffer.alloc(4 * 1024 * 1024)]);
    writeFileSync(content(), longer);
    const about = content().replace(/content$/, 'about.json');
    const { roots } = JSON.parse(readFileSync(about, 'utf8'));
    const digest = createHash('sha256').update(longer).digest('hex');
    writeFileSync(about, JSON.stringify({ digest, bytes: longer.length, roots }));
    expect(logOf(await run(INSTALL))).toMatch(TAKEN);

    const outside = desk.path('outside');
    repository.git('rm', '-q', '--cached', '.gitignore');
    repository.git('update-index', '--add', '--cacheinfo', `120000,${blobOf(repository, outside)},lib`);
    repository.git('commit', '-q', '-m', 'a link out');
    const linked = await run(INSTALL);
    expect(logOf(linked)).toContain('installing\n');
    expect(logOf(linked)).not.toContain('taken from the cache');
    expect(existsSync(outside)).toBe(false);
  });
});

/** Adds an object to the repository without a commit. */
function blobOf(repository: ScratchRepository, text: string): string {
  writeFileSync(`${repository.folder}/.git/blob`, text);
  return repository.git('hash-object', '-w', '.git/blob');
}
