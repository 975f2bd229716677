import { randomInt } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { until } from '../desk-end-to-end/real-desk.js';
import { type BuildDesk, canIsolate, findProcesses } from './build-desk.js';
import { it } from './desk-test.js';
import type { FakeCheckRun } from './fake-checks.js';

if (!canIsolate) console.warn('SKIPPED: namespaces for checks need root, unshare and setpriv');

const MODES = [
  ...(canIsolate ? [['as on a real desk', undefined] as const] : []),
  ['without root', 'none' as const] as const,
];

const logOf = (run: FakeCheckRun, name: string) => (run.logs[name] ?? []).join('');
const ended = (run: FakeCheckRun) => until(() => run.finish ?? undefined, 500);
const check = (name: string, command: string, minutes = 5) => ({ name, command, minutes });
/** Sleeps longer than any test, with a unique number that identifies the process. */
const sleepForever = () => `sleep 777${randomInt(1e9, 1e10)}`;
const leftOver = (desk: BuildDesk, folder: string) => {
  const path = desk.path(`var/lib/guildhall-sidecar/${folder}`);
  return existsSync(path) ? readdirSync(path) : [];
};
const isEmpty = (desk: BuildDesk) =>
  until(() => leftOver(desk, 'check-work').length + leftOver(desk, 'check-checkouts').length === 0);

describe.concurrent.each(MODES)('Checks of a build on a desk, %s', (_name, isolation) => {
  it("runs checks one at a time in a clean checkout after setup, without the coder's files or settings", async ({
    service,
    repository,
    makeDesk,
  }) => {
    const desk = await makeDesk({ isolation });
    desk.setCoder('echo "coder is $(id -u)"; echo left > left-behind.txt; touch /tmp/of-the-coder');
    desk.start({ ANTHROPIC_API_KEY: 'sk-ant-of-the-desk' });
    const build = service.queue(repository);
    await until(() => build.finish ?? undefined, 500);
    const straggler = sleepForever();
    const run = service.queueChecks(
      repository,
      [
        check(
          'first / one',
          'echo "check is $(id -u)"; git rev-parse HEAD; git status --short; cat made; pwd',
        ),
        check(
          'env',
          `env | grep -c "TOKEN\\|API_KEY\\|sk-ant"; echo "CI $CI"; ls; (${straggler} &) ; exit 3`,
        ),
        check('start', 'echo said; echo grumbled >&2'),
      ],
      { command: 'echo ready > made; echo setting up', minutes: 5 },
    );
    await ended(run);
    expect(run.finish).toMatchObject({
      checks: [
        { name: 'first / one', status: 'passed', exit_code: 0, seconds: expect.any(Number) },
        { name: 'env', status: 'failed', exit_code: 3 },
        { name: 'start', status: 'passed', exit_code: 0 },
      ],
      setup: { exit_code: 0, log_tail: 'setting up\n' },
    });
    const [who, head, status, made, where] = logOf(run, 'first / one').split('\n');
    expect([head, status, made]).toEqual([run.headSha, '?? made', 'ready']);
    if (isolation === undefined) expect(`coder${who!.slice(5)}\n`).not.toBe(build.parts.join(''));
    expect(where).not.toBe(desk.area(build.id, 'checkout'));
    expect(logOf(run, 'env').split('\n').slice(0, 2)).toEqual(['0', 'CI true']);
    expect(logOf(run, 'env')).not.toContain('left-behind');
    expect(logOf(run, 'start')).toBe('said\ngrumbled\n');
    expect(run.said).toEqual(
      ['first / one running', 'first / one passed', 'env running', 'env failed'].filter((word) =>
        run.said.includes(word),
      ),
    );
    expect(findProcesses(straggler)).toEqual([]);
    await isEmpty(desk);
    expect(service.faults).toEqual([]);
  });

  it('gives checks their own time limits, and leaves no processes', async ({
    service,
    repository,
    makeDesk,
  }) => {
    const desk = await makeDesk({ isolation });
    desk.start();
    const endless = sleepForever();
    const run = service.queueChecks(repository, [
      check('slow', `echo waiting; (setsid ${endless} &); ${endless}`, 0.02),
      check('quick', 'true'),
    ]);
    await ended(run);
    expect(run.finish!.checks).toMatchObject([
      { status: 'timed_out', exit_code: null },
      { status: 'passed', exit_code: 0 },
    ]);
    expect(logOf(run, 'slow')).toMatch(
      /^waiting\n(Terminated\n)?\n\[The check did not end within 0.02 minutes\]\n$/,
    );
    expect(findProcesses(endless)).toEqual([]);
  });

  it('skips checks when setup fails', async ({ service, repository, makeDesk }) => {
    const desk = await makeDesk({ isolation });
    desk.start();
    const run = service.queueChecks(repository, [check('never', 'echo ran')], {
      command: 'echo no; exit 4',
      minutes: 1,
    });
    await ended(run);
    expect(run.finish).toMatchObject({
      checks: [{ name: 'never', status: 'skipped', exit_code: null }],
      setup: { exit_code: 4, log_tail: 'no\n' },
    });
    expect(run.logs).toEqual({});
  });

  it('continues checks after a restart of the sidecar without losing a log line', async ({
    service,
    repository,
    makeDesk,
  }) => {
    const desk = await makeDesk({ isolation });
    desk.start();
    const run = service.queueChecks(repository, [
      check('long', 'for i in $(seq 1 30); do echo "line $i"; sleep 0.1; done'),
      check('next', 'echo next'),
    ]);
    await until(() => logOf(run, 'long').includes('line 3\n'));
    await desk.kill();
    desk.start();
    await ended(run);
    expect(logOf(run, 'long')).toBe(Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`).join(''));
    expect(run.finish!.checks).toMatchObject([{ status: 'passed' }, { status: 'passed' }]);
    expect([run.starts, service.faults]).toEqual([1, []]);
    await isEmpty(desk);
  });

  it('stops checks on a cancel and leaves nothing behind', async ({ service, repository, makeDesk }) => {
    const desk = await makeDesk({ isolation });
    desk.start();
    const endless = sleepForever();
    const run = service.queueChecks(repository, [check('long', `echo on; ${endless}`)]);
    await until(() => logOf(run, 'long') === 'on\n');
    service.cancel(run);
    await isEmpty(desk);
    expect([findProcesses(endless), run.finish]).toEqual([[], null]);
  });
});
