import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import { openSharedReviewRoom } from '../../../../tests/support/review-room.js';
import { secondsFrom } from '../../../kernel/clock.js';
import type { BuildView } from '../builds.schemas.js';
import { LEASE_SECONDS } from './push-job.js';
import { claimPushes } from './review.store.js';

const { world, room, succeed, ...opened } = await openSharedReviewRoom();
let { desk } = opened;

const review = (buildId: string, body: object, headers?: Record<string, string>) =>
  room.call<BuildView & { detail: string }>(
    'POST',
    `/api/v1/factory/builds/${buildId}/review`,
    body,
    headers,
  );

const pushed = () => world.runJob('build-push');
const branchOf = async (buildId: string) => (await room.get(buildId)).branch;

describe('POST /api/v1/factory/builds/{build_id}/review accept', () => {
  it('pushes the branch to the repository in a background job', async () => {
    const { buildId, head } = await succeed();
    const accepted = await review(buildId, { decision: 'accept' });
    expect(accepted.status).toBe(200);
    expect(accepted.body).toMatchObject({ build_id: buildId, pushed_at: null, push_error: null });
    expect(await pushed()).toMatchObject({ failed: 0 });
    expect(await room.get(buildId)).toMatchObject({ push_error: null, pushed_at: expect.any(String) });
    expect(room.repository.git('rev-parse', `refs/heads/${await branchOf(buildId)}`)).toBe(head);
  });

  it('changes nothing when repeated', async () => {
    const { buildId } = await succeed();
    await review(buildId, { decision: 'accept' });
    await pushed();
    const before = await room.get(buildId);
    const again = await review(buildId, { decision: 'accept' });
    expect([again.status, again.body]).toEqual([200, before]);
    await world.advance(3600);
    expect(await pushed()).toMatchObject({ processed: 0, failed: 0 });
    expect(await room.get(buildId)).toEqual(before);
  });

  it('leaves the card in place while the push fails, with the reason on the build and in the inbox', async () => {
    const { buildId, card } = await succeed();
    room.repository.git('branch', await branchOf(buildId), room.baseSha);
    await review(buildId, { decision: 'accept' });
    await pushed();
    const { push_error } = await room.get(buildId);
    expect(push_error).toContain('is there already with other commits');
    expect(await room.readCard(card.id)).toMatchObject({ status: 'in_review' });
    const items = async () =>
      (
        await room.call<{ items: { build_id: string; excerpt: string; done_at: string | null }[] }>(
          'GET',
          '/api/v1/me/inbox?kind=push_failed&state=all',
        )
      ).body.items
        .filter((item) => item.build_id === buildId)
        .map(({ excerpt, done_at }) => [excerpt, done_at !== null]);
    expect(await items()).toEqual([[push_error, false]]);

    room.repository.git('branch', '-D', await branchOf(buildId));
    await review(buildId, { decision: 'accept' });
    await pushed();
    expect(await room.readCard(card.id)).toMatchObject({ status: 'done' });
    expect(await items()).toEqual([[push_error, true]]);
  });

  it('sets push_error when the branch exists with other commits, and succeeds with the same commit', async () => {
    const other = await succeed();
    room.repository.git('branch', await branchOf(other.buildId), room.baseSha);
    await review(other.buildId, { decision: 'accept' });
    await pushed();
    const branch = await branchOf(other.buildId);
    expect(await room.get(other.buildId)).toMatchObject({
      pushed_at: null,
      push_error: `The branch ${branch} is there already with other commits`,
    });
    expect(room.repository.git('rev-parse', `refs/heads/${branch}`)).toBe(room.baseSha);
    await world.advance(24 * 3600);
    expect(await pushed()).toMatchObject({ processed: 0, failed: 0 });

    desk = await room.readyDesk();
    const same = await succeed();
    room.repository.git(
      'fetch',
      '--quiet',
      join(world.config.dataDir, 'mirrors', `${room.projectId}.git`),
      same.head,
    );
    room.repository.git('branch', await branchOf(same.buildId), same.head);
    await review(same.buildId, { decision: 'accept' });
    await pushed();
    expect(await room.get(same.buildId)).toMatchObject({ push_error: null, pushed_at: expect.any(String) });
  });

  itDeeply('reports an unavailable repository and retries the push automatically', async () => {
    const { buildId, head } = await succeed();
    await review(buildId, { decision: 'accept' });
    const hidden = `${room.repository.folder}-away`;
    renameSync(room.repository.folder, hidden);
    expect(await pushed()).toMatchObject({ failed: 1 });
    expect(await room.get(buildId)).toMatchObject({ pushed_at: null, push_error: expect.any(String) });
    renameSync(hidden, room.repository.folder);
    await world.advance(61);
    await pushed();
    expect(await room.get(buildId)).toMatchObject({ push_error: null, pushed_at: expect.any(String) });
    expect(room.repository.git('rev-parse', `refs/heads/${await branchOf(buildId)}`)).toBe(head);
  });

  itDeeply('is pushed by another node when the node that claimed the push died', async () => {
    const { buildId, head } = await succeed();
    await review(buildId, { decision: 'accept' });
    const now = world.clock.now();
    await claimPushes(world.db, now, secondsFrom(now, LEASE_SECONDS), 8);
    expect(await pushed()).toMatchObject({ processed: 0, failed: 0 });
    await world.advance(2 * 60);
    expect(await pushed()).toMatchObject({ processed: 1, failed: 0 });
    expect(room.repository.git('rev-parse', `refs/heads/${await branchOf(buildId)}`)).toBe(head);
  });

  itDeeply('pushes from a node that has never seen the commits', async () => {
    desk = await room.readyDesk();
    const { buildId, head } = await succeed();
    rmSync(join(world.config.dataDir, 'mirrors', `${room.projectId}.git`), { recursive: true });
    await review(buildId, { decision: 'accept' });
    await pushed();
    expect(room.repository.git('rev-parse', `refs/heads/${await branchOf(buildId)}`)).toBe(head);
  });

  it('pushes nothing when there are no commits', async () => {
    await room.build((await room.card()).id);
    const taken = await room.take(desk);
    await room.finish(desk, taken.buildId, taken.claim, { outcome: 'succeeded' });
    expect((await review(taken.buildId, { decision: 'accept' })).body).toMatchObject({
      push_error: 'This build has no commits to push',
    });
  });
});

describe('POST /api/v1/factory/builds/{build_id}/review rework', () => {
  const comments = [
    { path: 'a.md', line: 1, body: 'Say it in a better way.' },
    { path: 'b```.md', body: '````\n# Not a heading\n````' },
  ];

  it('returns 201 with a new build that continues this one and has the comments in its brief', async () => {
    const first = await succeed();
    const rework = await review(first.buildId, { decision: 'rework', comments });
    expect(rework.status, JSON.stringify(rework.body)).toBe(201);
    expect(rework.body).toMatchObject({
      status: 'queued',
      attempt: 2,
      continues: first.buildId,
      base_sha: first.head,
      task_id: first.card.id,
    });
    const [order] = await room.work(desk);
    const started = await room.start(desk, order!.build_id, order!.claim);
    expect(started.body.brief).toContain('a.md:1');
    expect(started.body.brief).toContain('Say it in a better way.');
    expect(started.body.brief).toContain('Attempt 1 ended as `succeeded`');
    expect(started.body.brief).toContain('Did it');
    expect(started.body.brief).toContain('`````text\n````\n# Not a heading\n````\n`````');
    await room.finish(desk, order!.build_id, order!.claim, { outcome: 'failed' });
  });

  itDeeply(
    'creates one attempt per Idempotency-Key, and returns 409 while the card has another open build',
    async () => {
      const { buildId } = await succeed();
      const key = { 'idempotency-key': 'rework-once' };
      const [one, two] = [
        await review(buildId, { decision: 'rework', comments }, key),
        await review(buildId, { decision: 'rework', comments }, key),
      ];
      expect([one.status, two.status, two.body.build_id]).toEqual([201, 201, one.body.build_id]);
      const third = await review(buildId, { decision: 'rework', comments });
      expect(third.status).toBe(409);
      expect(third.body.detail).toMatchObject({ error: 'build_open', build_id: one.body.build_id });
      await room.call('POST', `/api/v1/factory/builds/${one.body.build_id}/cancel`);
    },
  );

  it('returns 422 for an invalid decision', async () => {
    const { buildId } = await succeed();
    const wrong: object[] = [
      {},
      { decision: 'reject' },
      { decision: 'rework' },
      { decision: 'rework', comments: [] },
      { decision: 'rework', comments: [{ path: 'a' }] },
      { decision: 'rework', comments: [{ path: '', body: 'x' }] },
      { decision: 'rework', comments: [{ path: 'a', line: 0, body: 'x' }] },
      { decision: 'rework', comments: [{ path: 'a', body: 'x'.repeat(20_001) }] },
      { decision: 'rework', comments: Array.from({ length: 101 }, () => ({ path: 'a', body: 'x' })) },
      { decision: 'accept', comments },
      { decision: 'accept', more: 1 },
    ];
    for (const body of wrong)
      expect((await review(buildId, body)).status, JSON.stringify(body).slice(0, 80)).toBe(422);
  });
});

describe('A review decision', () => {
  it('returns 409 for a build that did not succeed', async () => {
    const build = await room.build((await room.card()).id);
    const words = (status: string) => `Only a build that succeeded can be reviewed; this one is ${status}`;
    for (const decision of ['accept', 'rework']) {
      const body = { decision, ...(decision === 'rework' && { comments: [{ path: 'a', body: 'b' }] }) };
      const refused = await review(build.build_id, body);
      expect([refused.status, refused.body.detail]).toEqual([409, words('queued')]);
    }
    const taken = await room.take(desk);
    expect((await review(taken.buildId, { decision: 'accept' })).body.detail).toBe(words('running'));
    await room.finish(desk, taken.buildId, taken.claim, { outcome: 'failed' });
    expect((await review(taken.buildId, { decision: 'accept' })).body.detail).toBe(words('failed'));
  });

  it('returns 404 for another workspace', async () => {
    const { buildId } = await succeed();
    const other = await world.furnish();
    const refused = await other.call('POST', `/api/v1/factory/builds/${buildId}/review`, {
      decision: 'accept',
    });
    expect(refused.status).toBe(404);
  });
});
