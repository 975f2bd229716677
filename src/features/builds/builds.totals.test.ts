import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openBuildWorld } from '../../../tests/support/build-world.js';
import { rowsReadBy } from '../../../tests/support/rows-read.js';
import { buildStore } from './record/builds.store.js';

const world = await openBuildWorld();
const room = await world.furnish();

const list = async (query: string) =>
  (
    await room.call<{ builds: { status: string }[]; total: number }>(
      'GET',
      `/api/v1/factory/builds?limit=200${query}`,
    )
  ).body;

it('The total of a build list is exact for every filter without counting finished builds', async () => {
  const [one, two] = [await room.readyDesk(), await room.readyDesk()];
  const cancel = (buildId: string) => room.call('POST', `/api/v1/factory/builds/${buildId}/cancel`);
  await cancel((await room.build((await room.card()).id)).build_id);
  for (const [desk, outcome, coder] of [
    [one, 'succeeded', 'claude'],
    [one, 'failed', 'codex'],
    [two, 'succeeded', 'codex'],
    [two, 'timed_out', 'claude'],
  ] as const) {
    const { build_id } = await room.build((await room.card()).id, { coder });
    const { claim } = await room.take(desk);
    await room.finish(desk, build_id, claim, { outcome });
  }
  const late = await room.build((await room.card()).id);
  const { claim } = await room.take(two);
  await world.advance(601);
  await world.runJob('build-pass');
  const lost = await room.build((await room.card()).id);
  await room.take(one);
  await world.advance(601);
  await room.build((await room.card()).id);
  await room.take(one);
  await room.build((await room.card()).id);

  const statuses = [
    'queued',
    'claimed',
    'running',
    'checking',
    'succeeded',
    'failed',
    'canceled',
    'timed_out',
    'lost',
  ];
  const filters = ['', ...statuses.map((status) => `&status=${status}`)].flatMap((status) =>
    ['', '&state=open', '&state=finished'].flatMap((state) =>
      ['', '&coder=codex', `&workstation_id=${two.id}`, `&coder=claude&workstation_id=${one.id}`].map(
        (more) => status + state + more,
      ),
    ),
  );
  const check = async () => {
    for (const filter of filters) {
      const { builds, total } = await list(filter);
      expect([filter, total]).toEqual([filter, builds.length]);
    }
    const { builds } = await list('');
    for (const status of statuses)
      expect((await list(`&status=${status}`)).builds).toEqual(
        builds.filter((each) => each.status === status),
      );
  };
  await check();
  await room.finish(two, late.build_id, claim, { outcome: 'succeeded' });
  expect((await room.get(late.build_id)).status).toBe('succeeded');
  expect((await room.get(lost.build_id)).status).toBe('lost');
  await world.runJob('build-pass');
  await check();

  // With many old builds, a page must read only its own rows and the open builds.
  await sql`
    insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, coder, branch, base_branch, base_sha, queued_at,
      finished_at, outcome)
    select gen_random_uuid(), ${room.space.brand.brand_id}, gen_random_uuid(), 'OLD-1', gen_random_uuid(), 1, 'claude', 'b', 'm',
      'a', '2020-01-01', '2020-01-01', 'failed' from generate_series(1, 2000)`.execute(world.db);
  await sql`analyze builds`.execute(world.db);
  const before = (await list('')).total;
  expect(before).toBe(2000 + 10 - 1);
  const read = await rowsReadBy(world.db, ['builds'], ['enable_seqscan', 'enable_bitmapscan'], (tx) =>
    buildStore(tx, room.space.brand.brand_id).list({}, undefined, 6, world.clock.now()),
  );
  expect(read).toBeLessThan(500);
  await sql`delete from builds where ref = 'OLD-1'`.execute(world.db);
  await check();
});
