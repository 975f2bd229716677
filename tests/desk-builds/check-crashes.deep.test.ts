import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../desk-end-to-end/real-desk.js';
import type { FakeDesk, Furnished } from '../support/build-world.js';
import { checkRoom } from '../support/check-room.js';
import { type ProgramWorld, startProgramWorld } from '../support/program-world.js';
import { canIsolate } from './build-desk.js';
import { it as onSite } from './desk-test.js';
import type { FakeCheckRun } from './fake-checks.js';
import { holdWrites } from './held-writes.js';

/** Kills the service and its database with SIGKILL between and during the steps of a check. */
describe('Checks of a build after kill -9 of the service or database', () => {
  let world: ProgramWorld;
  let room: Furnished;
  let desk: FakeDesk;
  let checks: ReturnType<typeof checkRoom>;

  beforeAll(async () => {
    world = await startProgramWorld();
    room = await world.furnish();
    desk = await room.readyDesk();
    checks = checkRoom(room);
    await checks.setChecks({ checks: [{ name: 'tests', command: 'npm test', minutes: 5 }] });
    await checks.setPolicy({ rework: { on_gate: true } });
  });
  afterAll(() => world?.stop());

  type Said = { status: number; body: { status?: string } };
  /** Retries until the service gives a final answer, as a desk does. */
  const insist = (say: () => Promise<Said>): Promise<Said> =>
    until(async () => {
      const answer = await say().catch(() => undefined);
      return answer && answer.status < 500 ? answer : undefined;
    }, 1000);

  it.each(['node', 'database'] as const)(
    'checks finish once with one next attempt and a complete log after kill -9 of the %s',
    async (victim) => {
      const kill = () => (victim === 'node' ? world.restartNode() : world.restartDatabase());
      const held = await holdWrites(world.connection);
      const card = await room.card();
      await room.build(card.id);
      const { buildId, claim } = await checks.git.work(desk, {
        'src/work.ts': `export const by = '${victim}';\n`,
      });
      const said = () => room.finish(desk, buildId, claim, { outcome: 'succeeded', result: 'Did it' });
      await held.hold(buildId, 'checking_at', said);
      await kill();
      await held.release();
      expect(await insist(said)).toMatchObject({ status: 200, body: { status: 'checking' } });
      await kill();
      expect(await insist(said)).toMatchObject({ status: 200, body: { status: 'checking' } });

      const claimed = await until(() => checks.order(desk).catch(() => undefined), 1000);
      const steps: (() => Promise<Said>)[] = [
        () => checks.start(desk, claimed),
        () => checks.report(desk, claimed, 'tests', { status: 'running' }),
        () => checks.log(desk, claimed, 'tests', 1, 'one\n'),
        () => checks.log(desk, claimed, 'tests', 2, 'two\n'),
      ];
      for (const step of steps) {
        expect((await insist(step)).status).toBe(200);
        await kill();
        expect((await insist(step)).status).toBe(200);
      }
      const again = await holdWrites(world.connection);
      const ends = { checks: [{ name: 'tests', status: 'failed', exit_code: 1, seconds: 1 }] };
      const end = () => checks.finish(desk, claimed, ends);
      await again.hold(buildId, 'finished_at', end);
      await kill();
      await again.release();
      expect(await insist(end)).toMatchObject({ status: 200, body: { status: 'failed' } });
      await kill();
      expect(await insist(end)).toMatchObject({ status: 200, body: { status: 'failed' } });

      const { body } = await room.call('GET', `/api/v1/factory/builds?task_id=${card.id}`);
      expect(body).toMatchObject({
        total: 2,
        builds: [
          { attempt: 2, status: 'queued', continues: buildId },
          {
            attempt: 1,
            status: 'failed',
            reason: 'The check tests failed with exit code 1',
            result: 'Did it',
          },
        ],
      });
      const log = await room.call('GET', `/api/v1/factory/builds/${buildId}/checks/tests/log`);
      expect(log.body).toMatchObject({
        chunks: [{ text: 'one\n' }, { text: 'two\n' }],
        next: 2,
        finished: true,
      });
      const next = (body as { builds: { build_id: string }[] }).builds[0]!;
      await room.call('POST', `/api/v1/factory/builds/${next.build_id}/cancel`);
    },
  );
});

describe.concurrent('Checks of a build on a desk', () => {
  const check = (name: string, command: string) => ({ name, command, minutes: 5 });
  const COUNT = 'for i in $(seq 1 20); do echo "line $i"; sleep 0.1; done';
  const LINES = Array.from({ length: 20 }, (_, n) => `line ${n + 1}\n`).join('');
  const logOf = (run: FakeCheckRun) => (run.logs['count'] ?? []).join('');
  const isolation = canIsolate ? undefined : ('none' as const);

  onSite('finish despite cut connections', async ({ service, repository, makeDesk }) => {
    service.cut('checks', 'before', 3);
    service.cut('checks', 'after', 4);
    service.cut('base', 'halfway');
    const desk = await makeDesk({ isolation });
    desk.start();
    const run = service.queueChecks(repository, [check('count', COUNT), check('last', 'true')]);
    await until(() => run.finish ?? undefined, 1000);
    expect([logOf(run), service.faults]).toEqual([LINES, []]);
    expect(run.finish!.checks).toMatchObject([{ status: 'passed' }, { status: 'passed' }]);
  });

  onSite(
    'finish although the sidecar is killed after each call',
    async ({ service, repository, makeDesk }) => {
      const desk = await makeDesk({ isolation });
      desk.start();
      const run = service.queueChecks(repository, [check('count', COUNT), check('last', 'true')]);
      const said = () => service.calls.filter(({ buildId }) => buildId === run.id).length;
      for (let calls = 1; calls <= 6 && !run.finish; calls += 1) {
        await until(() => said() >= calls || run.finish !== null, 1000);
        await desk.kill();
        desk.start();
      }
      await until(() => run.finish ?? undefined, 1000);
      expect([logOf(run), service.faults]).toEqual([LINES, []]);
    },
  );

  onSite(
    'leave nothing behind when their process is killed, and can run again',
    async ({ service, repository, makeDesk }) => {
      const desk = await makeDesk({ isolation });
      desk.start();
      const run = service.queueChecks(repository, [check('count', COUNT)]);
      await until(() => logOf(run).includes('line 3\n'), 1000);
      const { pid } = JSON.parse(desk.read(`var/lib/guildhall-sidecar/check-work/${run.id}/runner.json`)) as {
        pid: number;
      };
      process.kill(pid, 'SIGKILL');
      await until(() => !desk.has(`var/lib/guildhall-sidecar/check-work/${run.id}`), 1000);
      expect(run.finish).toBeNull();
      service.queueAgain(run);
      await until(() => run.finish ?? undefined, 1000);
      expect([run.starts, logOf(run), service.faults]).toEqual([2, LINES, []]);
    },
  );
});
