import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { until } from '../desk-end-to-end/real-desk.js';
import { type BuildDesk, canIsolate } from './build-desk.js';
import { it as itOnSite } from './desk-test.js';
import type { FakeBuild, Step } from './fake-service.js';

/** Damages what a desk depends on: the connection, the disk, and files after a power failure. */

const isolation = canIsolate ? undefined : ('none' as const);

const it = itOnSite.extend<{ desk: BuildDesk }>({
  desk: async ({ makeDesk }, use) => use(await makeDesk({ isolation })),
});

const ended = (build: FakeBuild) => until(() => build.finish ?? undefined, 240);
const show = (build: FakeBuild, path: string) => build.repository.git('show', `${build.branch}:${path}`);

const SPEAKS = 'echo x > x.txt; for i in $(seq 1 40); do echo "line $i"; sleep 0.05; done';
const LINES = Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join('');

describe.concurrent('Pages of a proxy in front of the service', () => {
  const steps: Step[] = ['start', 'base', 'log', 'commits', 'finish'];
  const pages = steps.flatMap((step) => [200, 404, 409].map((status) => [status, step] as const));
  it.for(pages)(
    'treats a page with status %s at %s neither as a success nor as a rejection',
    async ([status, step], { service, repository, desk }) => {
      desk.setCoder(SPEAKS);
      const build = service.queue(repository);
      build.pages[step] = { status, left: 6 };
      desk.start();
      expect(await ended(build)).toEqual({ outcome: 'succeeded' });
      expect(build.parts.join('')).toBe(LINES);
      expect(show(build, 'x.txt')).toBe('x');
      expect(service.faults).toEqual([]);
    },
  );
});

describe.concurrent('Desk after a power failure', () => {
  /** Leaves a file and a git filter that records the user git ran as, and then runs for a long time. */
  const WORKS = `
    git config filter.tell.clean 'id -u >> $HOME/../out/ran-as; cat'
    echo '*.txt filter=tell' > .gitattributes; echo x > x.txt; echo hello; sleep 1000`;

  async function cutPower(desk: BuildDesk, build: FakeBuild): Promise<void> {
    await until(() => build.parts.length > 0);
    await desk.kill();
    spawnSync('kill', ['-KILL', String(desk.runnerPid(build.id))]);
  }

  const damages = ['runner.json', 'log/acknowledged', 'salvages', 'commits.fate', 'filled'].flatMap((name) =>
    ['', '\0\0\0\0'].map((content) => [name, content] as const),
  );
  it.for(damages)(
    'recovers the work despite a damaged %s',
    async ([name, content], { service, repository, desk }) => {
      desk.setCoder(WORKS);
      desk.start();
      const build = service.queue(repository);
      await cutPower(desk, build);
      writeFileSync(desk.spool(build.id, name), content);
      desk.start();
      expect(await ended(build)).toMatchObject({
        outcome: 'failed',
        reason: expect.stringContaining('cut off'),
      });
      expect(build.parts.join('')).toMatch(/^hello\n\[The build was cut off/);
      expect(show(build, 'x.txt')).toBe('x');
      expect(service.faults).toEqual([]);
    },
  );

  it.for(['', '\0\0\0\0'])(
    'runs nothing as root for a build whose user is unknown (%j)',
    async (content, { service, repository, desk, skip }) => {
      if (!canIsolate) skip();
      desk.setCoder(WORKS);
      desk.start();
      const build = service.queue(repository);
      await cutPower(desk, build);
      writeFileSync(desk.spool(build.id, 'uid'), content);
      desk.start();
      expect(await ended(build)).toMatchObject({ outcome: 'failed' });
      const ran = desk.area(build.id, 'out/ran-as');
      expect(existsSync(ran) ? readFileSync(ran, 'utf8').split('\n') : []).not.toContain('0');
    },
  );

  it('deletes leftover secrets of a finished build', async ({ service, repository, desk }) => {
    desk.setCoder('echo x > x.txt');
    desk.start();
    const build = service.queue(repository);
    await until(() => desk.isDone(build.id), 240);
    await desk.kill();
    for (const name of ['start.json', 'order.json']) writeFileSync(desk.spool(build.id, name), '{}');
    desk.start();
    await until(() => ['start.json', 'order.json'].every((name) => !existsSync(desk.spool(build.id, name))));
    expect(desk.isDone(build.id)).toBe(true);
    expect(readFileSync(desk.area(build.id, 'checkout/x.txt'), 'utf8')).toBe('x\n');
  });

  it('keeps the checkout of a build whose claim is unknown', async ({ service, repository, desk }) => {
    desk.setCoder(WORKS);
    desk.start();
    const build = service.queue(repository);
    await cutPower(desk, build);
    writeFileSync(desk.spool(build.id, 'order.json'), '');
    desk.start();
    await until(() => desk.isDone(build.id), 240);
    expect(readFileSync(desk.area(build.id, 'checkout/x.txt'), 'utf8')).toBe('x\n');
  });
});

describe.runIf(canIsolate)('Desk with a full disk', () => {
  it('loses no log line or result, and continues when there is space again', async ({
    service,
    repository,
    desk,
  }) => {
    const state = desk.path('var/lib/guildhall-sidecar');
    mkdirSync(state, { recursive: true });
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=755', 'none', state]);
    try {
      desk.setCoder(`
        echo x > x.txt; dd if=/dev/zero of=fill bs=64k 2>/dev/null; dd if=/dev/zero of=rest bs=1k 2>/dev/null
        for i in $(seq 1 20); do echo "line $i"; sleep 0.05; done
        rm fill rest
        for i in $(seq 21 40); do echo "line $i"; sleep 0.05; done`);
      desk.start();
      const build = service.queue(repository);
      expect(await ended(build)).toEqual({ outcome: 'succeeded' });
      expect(build.parts.join('')).toBe(LINES);
      expect(show(build, 'x.txt')).toBe('x');
    } finally {
      await desk.kill();
      spawnSync('umount', ['-l', state]);
    }
  });
});
