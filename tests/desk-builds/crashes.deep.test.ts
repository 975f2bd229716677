import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect } from 'vitest';
import { until } from '../desk-end-to-end/real-desk.js';
import { type BuildDesk, canIsolate, findProcesses } from './build-desk.js';
import { it as itOnSite } from './desk-test.js';
import type { FakeBuild, FakeService, Step } from './fake-service.js';

/** Kills processes and cuts connections at every step: nothing may be lost, sent twice or run twice. */

const isolation = canIsolate ? undefined : ('none' as const);

const it = itOnSite.extend<{ desk: BuildDesk }>({
  desk: async ({ makeDesk }, use) => use(await makeDesk({ isolation })),
});

const ended = (build: FakeBuild) => until(() => build.finish ?? undefined, 240);
const logOf = (build: FakeBuild) => build.parts.join('');
const called = (service: FakeService, step: Step) =>
  until(() => service.calls.some((call) => call.step === step));

/** Returns true when the moment for the kill has come. */
type Moment = (build: FakeBuild, desk: BuildDesk) => boolean;

/** Prints for two seconds, leaves a file, and records each run. */
const SPEAKS = `echo run >> runs.txt; for i in $(seq 1 40); do echo "line $i"; sleep 0.05; done`;
const LINES = Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join('');

async function expectWhole(build: FakeBuild, service: FakeService, desk: BuildDesk): Promise<void> {
  expect(await ended(build)).toEqual({ outcome: 'succeeded' });
  expect(logOf(build)).toBe(LINES);
  expect(build.repository.git('show', `${build.branch}:runs.txt`)).toBe('run');
  await until(() => desk.isDone(build.id));
  expect(service.faults).toEqual([]);
}

describe.concurrent('Build with a cut network', () => {
  const steps: Step[] = ['work', 'start', 'base', 'log', 'commits', 'finish'];
  const cuts = steps.flatMap((step) => [
    [step, 'before'] as const,
    // A lost order expires with its claim, and the service sends it again.
    ...(step === 'work' ? [] : [[step, 'after'] as const]),
    ...(step === 'base' ? [[step, 'halfway'] as const] : []),
  ]);
  it.for(cuts)(
    'succeeds when the connection is cut at %s, %s the service processed it',
    async ([step, when], { service, repository, desk }) => {
      service.cut(step, when, 3);
      desk.setCoder(SPEAKS);
      desk.start();
      await expectWhole(service.queue(repository), service, desk);
    },
  );

  it('continues while the network is down, and sends everything afterwards', async ({
    service,
    repository,
    desk,
  }) => {
    desk.setCoder(SPEAKS);
    desk.start();
    const build = service.queue(repository);
    await called(service, 'log');
    for (const step of steps) service.cut(step, 'before', 5);
    await expectWhole(build, service, desk);
  });
});

describe.concurrent('Build whose sidecar is killed', () => {
  const moments: [string, Moment][] = [
    ['when the order is on disk', (build, desk) => existsSync(desk.spool(build.id, 'order.json'))],
    ['when the start was answered', (build) => build.starts > 0],
    ['when the start is on disk', (build, desk) => existsSync(desk.spool(build.id, 'start.json'))],
    ['when the base is on disk', (build, desk) => existsSync(desk.spool(build.id, 'base.bundle'))],
    ['when the runner runs', (build, desk) => desk.runnerPid(build.id) !== undefined],
    ['when the first lines arrived', (build) => build.parts.length > 0],
    ['when the commits are on disk', (build, desk) => existsSync(desk.spool(build.id, 'commits.bundle'))],
    ['when the finish is on disk', (build, desk) => existsSync(desk.spool(build.id, 'finish.json'))],
    ['when the commits arrived', (build) => build.commits > 0],
    ['when the finish arrived', (build) => build.finishes > 0],
  ];
  it.for(moments)('succeeds after a kill %s', async ([, hasCome], { service, repository, desk }) => {
    desk.setCoder(SPEAKS);
    desk.start();
    const build = service.queue(repository);
    const deadline = performance.now() + 240_000;
    while (!hasCome(build, desk) && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 1));
    expect(hasCome(build, desk)).toBe(true);
    await desk.kill();
    desk.start();
    await expectWhole(build, service, desk);
  });

  it('continues until its end without a sidecar', async ({ service, repository, desk }) => {
    desk.setCoder(SPEAKS);
    desk.start();
    const build = service.queue(repository);
    await until(() => desk.runnerPid(build.id));
    await desk.kill();
    await until(() => existsSync(desk.spool(build.id, 'finish.json')));
    desk.start();
    await expectWhole(build, service, desk);
  });

  it('succeeds after repeated kills', async ({ service, repository, desk }) => {
    desk.setCoder(SPEAKS);
    const build = service.queue(repository);
    for (let round = 0; round < 8 && !build.finish; round += 1) {
      desk.start();
      await new Promise((resolve) => setTimeout(resolve, 400));
      await desk.kill();
    }
    desk.start();
    await expectWhole(build, service, desk);
  });
});

describe.concurrent('Build whose runner is killed', () => {
  const moments: [string, Moment][] = [
    ['while the coder writes output', (build) => build.parts.length > 3],
    ['as soon as it exists', (build, desk) => desk.runnerPid(build.id) !== undefined],
  ];
  const promise = '%s: the build failed, its processes are gone, what it did and said is kept';
  it.for(moments)(promise, async ([, hasCome], { service, repository, desk }) => {
    desk.setCoder(
      `echo x > x.txt; (setsid bash -c "exec -a straggler-$GUILDHALL_BUILD_ID sleep 1000" &); for i in $(seq 1 400); do echo "line $i"; sleep 0.05; done`,
    );
    desk.start();
    const build = service.queue(repository);
    await until(() => hasCome(build, desk));
    process.kill(desk.runnerPid(build.id)!, 'SIGKILL');
    const finish = await ended(build);
    expect(finish).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('cut off') });
    expect(findProcesses(`straggler-${build.id}`)).toEqual([]);
    const numbers = [...logOf(build).matchAll(/^line (\d+)$/gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(logOf(build)).toMatch(/\[The build was cut off [^\]]*\]\n$/);
    if (numbers.length > 0) expect(repository.git('show', `${build.branch}:x.txt`)).toBe('x');
    expect(build.starts).toBe(1);
  });

  it('fails and keeps its commits when the sidecar is killed too, as in a reboot', async ({
    service,
    repository,
    desk,
  }) => {
    desk.setCoder('echo x > x.txt; echo hello; sleep 1000');
    desk.start();
    const build = service.queue(repository);
    await until(() => build.parts.length > 0);
    await desk.kill();
    process.kill(desk.runnerPid(build.id)!, 'SIGKILL');
    desk.start();
    expect(await ended(build)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('cut off'),
    });
    expect(repository.git('show', `${build.branch}:x.txt`)).toBe('x');
    expect(await desk.command('stop-builds')).toBe(0);
  });
});

describe.concurrent('Sidecar reactions to the service', () => {
  it('runs nothing and leaves nothing when the claim is lost at the start', async ({
    service,
    repository,
    desk,
  }) => {
    desk.setCoder('echo ran');
    const build = service.queue(repository);
    build.refuse.start = { status: 409, body: { detail: { error: 'claim_lost', message: 'gone' } } };
    desk.start();
    await called(service, 'start');
    await until(() => !existsSync(desk.spool(build.id)));
    expect(existsSync(desk.area(build.id))).toBe(false);
    expect(build.parts).toEqual([]);
  });

  it('stops the coder and sends nothing more when the claim is lost during the build', async ({
    service,
    repository,
    desk,
  }) => {
    desk.setCoder(`while :; do echo x; sleep 0.1; done & exec -a coder-of-$GUILDHALL_BUILD_ID sleep 1000`);
    desk.start();
    const build = service.queue(repository);
    await until(() => build.parts.length > 0);
    build.claim = 'another';
    await until(() => desk.isDone(build.id));
    expect(findProcesses(`coder-of-${build.id}`)).toEqual([]);
    expect(JSON.parse(readFileSync(desk.spool(build.id, 'done.json'), 'utf8'))).toMatchObject({
      how: 'abandoned',
    });
    expect([build.commits, build.finish]).toEqual([0, null]);
  });

  it('resends the log from the position that the service expects', async ({ service, repository, desk }) => {
    desk.setCoder(SPEAKS);
    desk.start();
    const build = service.queue(repository);
    await until(() => build.parts.length >= 5);
    const lost = build.parts.splice(2);
    expect(lost.length).toBeGreaterThan(2);
    await expectWhole(build, service, desk);
  });

  it('stops a build that the service has finished', async ({ service, repository, desk }) => {
    desk.setCoder('echo hello; exec -a coder-of-$GUILDHALL_BUILD_ID sleep 1000');
    desk.start();
    const build = service.queue(repository);
    await until(() => build.parts.length > 0);
    build.state = 'ended';
    await until(() => desk.isDone(build.id));
    expect(findProcesses(`coder-of-${build.id}`)).toEqual([]);
  });

  it('ignores an answer without a valid proof', async ({ service, repository, desk }) => {
    service.giveWrongProofs(2);
    desk.setCoder('echo ran');
    const first = service.queue(repository);
    desk.start();
    await until(() => desk.output().includes('did not come from the service'));
    expect(first.starts).toBe(0);
    const second = service.queue(repository);
    await until(() => service.calls.filter(({ step }) => step === 'work').length >= 3);
    await ended(service.queue(repository));
    expect([first.starts, second.starts].filter(Boolean).length).toBeLessThanOrEqual(1);
  });

  it('fails a build whose start order is invalid', async ({ service, repository, desk }) => {
    desk.setCoder('echo ran');
    const build = service.queue(repository, { branch: '--upload-pack=evil' });
    desk.start();
    expect(await ended(build)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('understand'),
    });
    expect(build.parts).toEqual([]);
  });

  it('fails a build whose base does not contain the commit', async ({ service, repository, desk }) => {
    desk.setCoder('echo ran');
    const build = service.queue(repository, { base_sha: 'a'.repeat(40) });
    desk.start();
    expect(await ended(build)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('checkout'),
    });
  });
});

describe.concurrent('Canceled build', () => {
  it('sends SIGTERM first, and keeps the work of a canceled build', async ({ service, repository, desk }) => {
    desk.setCoder(
      `trap 'sleep 1; echo bye; exit 0' TERM; echo x > x.txt; echo hello; while :; do sleep 0.05; done`,
    );
    desk.start();
    const build = service.queue(repository);
    await until(() => build.parts.length > 0);
    service.cancel(build);
    expect(await ended(build)).toEqual({ outcome: 'canceled' });
    expect(logOf(build)).toContain('bye\n');
    expect(repository.git('show', `${build.branch}:x.txt`)).toBe('x');
  });

  it('sends SIGKILL after 10 s to a canceled build and all processes it started', async ({
    service,
    repository,
    desk,
  }) => {
    desk.setCoder(`trap '' TERM; for i in 1 2 3; do (trap '' TERM; setsid bash -c "trap '' TERM; exec -a deaf-$GUILDHALL_BUILD_ID sleep 1000" &); done
      echo hello; exec -a deaf-$GUILDHALL_BUILD_ID sleep 1000`);
    desk.start();
    const build = service.queue(repository);
    await until(() => build.parts.length > 0);
    expect(findProcesses(`deaf-${build.id}`).length).toBeGreaterThanOrEqual(4);
    service.cancel(build);
    expect(await ended(build)).toEqual({ outcome: 'canceled' });
    expect(findProcesses(`deaf-${build.id}`)).toEqual([]);
  });

  it('stops a build that is canceled before the coder runs and while the sidecar is down', async ({
    service,
    repository,
    desk,
  }) => {
    desk.setCoder('echo ran; sleep 1000');
    const build = service.queue(repository);
    service.cut('base', 'before', 1_000);
    desk.start();
    await called(service, 'start');
    service.cancel(build);
    await until(() => existsSync(desk.spool(build.id, 'cancel')));
    await desk.kill();
    desk.start();
    expect(await ended(build)).toEqual({ outcome: 'canceled' });
    expect(build.parts).toEqual([]);
  });

  it('leaves no process when the desk is removed', async ({ service, repository, desk }) => {
    desk.setCoder('echo hello; exec -a coder-of-$GUILDHALL_BUILD_ID sleep 1000');
    desk.start();
    const build = service.queue(repository);
    await until(() => build.parts.length > 0);
    await desk.kill('SIGTERM');
    expect(findProcesses(`coder-of-${build.id}`).length).toBeGreaterThan(0);
    expect(await desk.command('stop-builds')).toBe(0);
    expect(findProcesses(`coder-of-${build.id}`)).toEqual([]);
  });
});

describe.concurrent('Build slots and cleanup', () => {
  it('runs as many builds as there are slots, and reports free slots and running builds', async ({
    service,
    repository,
    makeDesk,
  }) => {
    const desk = await makeDesk({ isolation, slots: 2 });
    desk.setCoder(
      'until [ -e /tmp/guildhall-go-$GUILDHALL_BUILD_ID ]; do sleep 0.1; done; rm -f /tmp/guildhall-go-$GUILDHALL_BUILD_ID',
    );
    desk.start();
    const builds = [1, 2, 3].map(() => service.queue(repository));
    await until(() => builds.filter(({ state }) => state === 'running').length === 2);
    const full = await until(() =>
      service.calls.findLast(({ step, body }) => step === 'work' && body['slots'] === 0),
    );
    expect(full.body).toMatchObject({
      coders: ['claude', 'codex', 'openhands', 'opencode', 'pi'].map((name) => ({ name, version: null })),
      wait_seconds: 50,
    });
    await until(
      () => (service.calls.findLast(({ step }) => step === 'work')!.body['running'] as string[]).length === 2,
    );
    expect(await desk.health()).toMatchObject({ building: true });
    expect(builds[2]!.state).toBe('queued');
    expect(await desk.orderUpdate()).toBe(409);
    for (const build of builds) writeFileSync(`/tmp/guildhall-go-${build.id}`, '', { mode: 0o666 });
    await Promise.all(builds.map(ended));
    for (const build of builds) rmSync(`/tmp/guildhall-go-${build.id}`, { force: true });
    await until(async () => (await desk.health())['building'] === false);
  });

  it('offers no coder that is not installed', async ({ service, desk }) => {
    desk.start();
    const asked = await until(() => service.calls.find(({ step }) => step === 'work'));
    expect(asked.body['coders']).toEqual([]);
  });

  it('removes checkouts seven days after their commits were received, and nothing else', async ({
    service,
    repository,
    desk,
  }) => {
    desk.setCoder('echo x > x.txt');
    desk.start();
    const [old, young] = [service.queue(repository), service.queue(repository)];
    await ended(old);
    await ended(young);
    await until(() => desk.isDone(old.id) && desk.isDone(young.id));
    await desk.kill('SIGTERM');
    const days = (count: number) => new Date(Date.now() - count * 24 * 60 * 60_000).toISOString();
    const say = (id: string, at: string, how = 'finished', commits = 'received') =>
      writeFileSync(desk.spool(id, 'done.json'), JSON.stringify({ at, how, commits }));
    say(old.id, days(7.01));
    say(young.id, days(6.99));
    const idOf = (last: number) => `00000000-0000-4000-8000-00000000000${last}`;
    for (const name of ['theirs', idOf(0), idOf(1), idOf(2), idOf(3)]) {
      mkdirSync(desk.area(name), { recursive: true });
      appendFileSync(desk.area(name, 'file'), 'x');
    }
    for (const id of [idOf(1), idOf(2), idOf(3)]) mkdirSync(desk.spool(id), { recursive: true });
    say(idOf(1), days(99), 'finished', 'refused');
    say(idOf(2), days(99), 'abandoned', 'none');
    say(idOf(3), days(99), 'finished', 'none');
    mkdirSync(desk.spool('notes'), { recursive: true });
    desk.start();
    await until(() => !existsSync(desk.spool(old.id)) && !existsSync(desk.spool(idOf(3))));
    expect(existsSync(desk.area(old.id))).toBe(false);
    expect(readdirSync(desk.area('')).sort(), 'what may be the only copy stays').toEqual(
      ['theirs', idOf(0), idOf(1), idOf(2), young.id].sort(),
    );
    expect(existsSync(desk.spool('notes'))).toBe(true);
  });
});
