import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openBuildWorld } from '../../../../tests/support/build-world.js';

const world = await openBuildWorld();
const room = await world.furnish();
const url = `/api/v1/brands/${room.space.brand.brand_id}/webhooks`;
const made = await room.call('POST', url, { url: 'https://93.184.216.34/hook', events: ['*'] });
expect(made.status, JSON.stringify(made.body)).toBe(201);

async function told(buildId: string): Promise<[string, string][]> {
  const { rows } = await sql<{
    body: string;
  }>`select body from webhook_messages order by created_at, event_id`.execute(world.db);
  return rows
    .map(({ body }) => JSON.parse(body))
    .filter(({ data }) => data.build_id === buildId)
    .map(({ type, data }) => [type, data.status]);
}

it('Webhooks report that a build was queued, started and finished, once each', async () => {
  const desk = await room.readyDesk();
  const { build_id } = await room.build((await room.card()).id);
  const [order] = await room.work(desk);
  await room.start(desk, build_id, order!.claim);
  await room.start(desk, build_id, order!.claim);
  for (const _ of [1, 2]) await room.finish(desk, build_id, order!.claim, { outcome: 'succeeded' });
  expect(await told(build_id)).toEqual([
    ['build.queued', 'queued'],
    ['build.started', 'running'],
    ['build.finished', 'succeeded'],
  ]);
});

it('Webhooks report every change of the card that follows from its build, as the activity feed shows it', async () => {
  const desk = await room.readyDesk();
  const card = await room.card();
  const { build_id } = await room.build(card.id);
  const [order] = await room.work(desk);
  await room.start(desk, build_id, order!.claim);
  await room.finish(desk, build_id, order!.claim, { outcome: 'succeeded' });
  const feed = await room.call('GET', `/api/v1/board/activity/boards/${room.boardId}?limit=200`);
  const shown = (feed.body.items as { task_id: string }[]).filter(({ task_id }) => task_id === card.id);
  const { rows } = await sql<{
    body: string;
  }>`select body from webhook_messages where type like 'task.%' order by created_at, event_id`.execute(
    world.db,
  );
  const entries = rows.map(({ body }) => JSON.parse(body).data).filter(({ task_id }) => task_id === card.id);
  expect(entries.map(({ entry }) => entry)).toEqual(shown.toReversed());
  expect(entries.map(({ entry }) => [entry.action, entry.actor === null])).toEqual([
    ['task.created', false],
    ['task.moved', true],
    ['task.moved', true],
  ]);
});

it('Webhooks report a finish once when the desk repeats what the service has already ended', async () => {
  const desk = await room.readyDesk();
  const { build_id } = await room.build((await room.card()).id);
  const [order] = await room.work(desk);
  await room.start(desk, build_id, order!.claim);
  const { settings } = await room.get(build_id);
  const overdue = ((settings?.wall_minutes ?? 120) + 11) * 60;
  // The desk keeps reporting, so it is the time limit that ends the build.
  for (let passed = 0; passed < overdue; passed += 300) {
    await world.advance(300);
    await room.work(desk, { slots: 0, running: [build_id] });
  }
  await world.runJob('build-pass');
  expect(await room.get(build_id)).toMatchObject({ status: 'timed_out' });
  await room.finish(desk, build_id, order!.claim, { outcome: 'timed_out' });
  expect((await told(build_id)).slice(2)).toEqual([['build.finished', 'timed_out']]);
});
