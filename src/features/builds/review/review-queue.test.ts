import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import { openSharedReviewRoom } from '../../../../tests/support/review-room.js';
import { rowsReadBy } from '../../../../tests/support/rows-read.js';
import type { BuildView } from '../builds.schemas.js';
import { buildStore } from '../record/builds.store.js';

const { world, room, desk, git } = await openSharedReviewRoom();

async function succeed(card?: { id: string }) {
  await world.advance(1);
  await room.build((card ?? (await room.card())).id);
  return (await git.succeed(desk, { 'a.md': `${Math.random()}\n` })).buildId;
}

const decide = async (buildId: string, decision: string) => {
  await world.advance(1);
  const comments = [{ body: 'Again.' }];
  const body = decision === 'rework' ? { decision, comments } : { decision };
  return room.call<BuildView>('POST', `/api/v1/factory/builds/${buildId}/review`, body);
};

interface Listed {
  builds: BuildView[];
  total: number;
  next_cursor: string | null;
}
const list = async (query: string) =>
  (await room.call<Listed>('GET', `/api/v1/factory/builds?${query}`)).body;
const idsOf = async (review: string) => {
  const { builds, total } = await list(`review=${review}`);
  expect([review, total]).toEqual([review, builds.length]);
  return builds.map(({ build_id }) => build_id);
};

describe('GET /api/v1/factory/builds?review=', () => {
  it('lists reviews that wait longest first and finished ones newest first, with counts of each state', async () => {
    const card = await room.card();
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) ids.push(await succeed(count === 0 ? card : undefined));
    const [one, two, three, four, five, six] = ids;
    expect(await idsOf('to_review')).toEqual(ids);
    await decide(five!, 'accept');
    await decide(four!, 'accept');
    expect(await idsOf('accepted')).toEqual([five, four]);
    await world.runJob('build-push');
    await decide(six!, 'accept');
    const back = await decide(three!, 'rework');
    await decide(two!, 'rework').then(({ body }) =>
      room.call('POST', `/api/v1/factory/builds/${body.build_id}/cancel`),
    );
    expect(await idsOf('to_review')).toEqual([one]);
    expect(await idsOf('rework')).toEqual([two, three]);
    expect(await idsOf('accepted')).toEqual([six]);
    expect((await idsOf('pushed')).sort()).toEqual([four, five].sort());
    expect((await list('review=pushed&coder=codex')).total).toBe(0);
    expect((await list(`review=rework&workstation_id=${desk.id}`)).total).toBe(2);
    expect((await list('review=rework&state=open')).total).toBe(0);

    // A newer attempt replaces the earlier one in the queue.
    await room.call('POST', `/api/v1/factory/builds/${back.body.build_id}/cancel`);
    const again = await succeed(card);
    expect(await idsOf('to_review')).toEqual([again]);
    expect((await room.call('GET', '/api/v1/factory/builds?review=mine')).status).toBe(422);
  });

  itDeeply('returns each build once across pages and rejects the cursor of another list', async () => {
    const more = [await succeed(), await succeed(), await succeed()];
    for (const review of ['to_review', 'rework']) {
      const whole = await idsOf(review);
      const seen: string[] = [];
      let cursor: string | null = '';
      do {
        const page: Listed = await list(`review=${review}&limit=1${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.builds.map(({ build_id }) => build_id));
        cursor = page.next_cursor && encodeURIComponent(page.next_cursor);
      } while (cursor);
      expect(seen).toEqual(whole);
    }
    expect((await idsOf('to_review')).slice(-3)).toEqual(more);
    const { next_cursor } = await list('review=to_review&limit=1');
    const url = `/api/v1/factory/builds?review=pushed&cursor=${encodeURIComponent(next_cursor!)}`;
    expect((await room.call('GET', url)).status).toBe(400);
  });

  it('reads only the rows that it shows, regardless of past reviews', async () => {
    const { brand_id } = room.space.brand;
    await sql`
      insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, coder, wall_minutes, branch, base_branch,
        base_sha, queued_at, finished_at, outcome, accepted_at, pushed_at)
      select gen_random_uuid(), ${brand_id}, gen_random_uuid(), 'A-1', gen_random_uuid(), 1, 'claude', 30, 'b', 'main',
        ${'0'.repeat(40)}, t, t, 'succeeded', t, t
      from (select ${world.clock.now()}::timestamptz - make_interval(secs => n) as t from generate_series(1, 3000) n) past`.execute(
      world.db,
    );
    await sql`analyze builds`.execute(world.db);
    for (const review of ['pushed', 'accepted', 'to_review'] as const) {
      const read = await rowsReadBy(world.db, ['builds'], ['enable_seqscan'], (tx) =>
        buildStore(tx, brand_id).list({ review, limit: 20 }, undefined, 21, world.clock.now()),
      );
      expect(read, review).toBeLessThan(400);
    }
  });
});
