import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSharedReviewRoom } from '../../../../tests/support/review-room.js';
import type { BuildView } from '../builds.schemas.js';

const { world, room, desk, succeed } = await openSharedReviewRoom();

interface Decided {
  detail: { error: string; decision: string; by: unknown; at: string; message: string };
}

const review = (buildId: string, body: object, headers?: Record<string, string>) =>
  room.call<BuildView & Decided>('POST', `/api/v1/factory/builds/${buildId}/review`, body, headers);
const accept = { decision: 'accept' };
const rework = { decision: 'rework', comments: [{ path: 'a.md', body: 'Again, please.' }] };
const pushed = () => world.runJob('build-push');

/** Another member of the workspace who has the same page open. */
async function colleague() {
  const person = await world.member(room.space.brand);
  const cookie = await world.signIn(person, room.space.brand);
  return {
    person,
    review: async (buildId: string, body: object) => {
      const url = `/api/v1/factory/builds/${buildId}/review`;
      const answer = await world.inject({ method: 'POST', url, headers: { cookie }, payload: body });
      return { status: answer.statusCode, body: answer.json() as BuildView & Decided };
    },
  };
}

const drop = (buildId: string) => room.call('POST', `/api/v1/factory/builds/${buildId}/cancel`);

describe('The decision on a build', () => {
  it('shows in review as {decision, by, at}, which is null before', async () => {
    const { buildId } = await succeed();
    expect((await room.get(buildId)).review).toBeNull();
    const { user_id } = room.space.admin;
    const accepted = await review(buildId, accept);
    const shown = {
      decision: 'accept',
      by: { user_id, name: expect.any(String), agent_id: null },
      at: expect.any(String),
      comments: 0,
    };
    expect(accepted.body.review).toEqual(shown);
    expect((await room.get(buildId)).review).toEqual(accepted.body.review);
    const listed = await room.call<{ builds: BuildView[] }>('GET', '/api/v1/factory/builds?limit=1');
    expect(listed.body.builds[0]!.review).toEqual(accepted.body.review);
    await pushed();
  });

  it('shows the agents that requested and reviewed the build, with their person', async () => {
    const { brand, admin } = room.space;
    await world.operator('POST', '/agents', { agent_id: 'claude-judge', brand_id: brand.brand_id });
    const token = await world.token(brand, admin, undefined, { agent_id: 'claude-judge' });
    const headers = { authorization: `Bearer ${token}` };
    const actor = {
      user_id: admin.user_id,
      name: `claude-judge (for ${admin.full_name})`,
      agent_id: 'claude-judge',
    };
    const { buildId } = await succeed();
    const asked = await review(buildId, rework, headers);
    expect([asked.status, asked.body.created_by]).toEqual([201, actor]);
    expect((await room.get(buildId)).review).toMatchObject({ decision: 'rework', by: actor });
    const told = (await room.activity()).filter(({ changes }) => 'build' in changes);
    expect(told[0]!.actor).toEqual(actor);
    await drop(asked.body.build_id);
    const { buildId: other } = await succeed();
    expect((await review(other, accept, headers)).body.review).toMatchObject({
      decision: 'accept',
      by: actor,
    });
    await pushed();
  });

  it('accepting after a rework returns 409 decided', async () => {
    const { buildId } = await succeed();
    const other = await colleague();
    const reworked = await other.review(buildId, rework);
    expect(reworked.status).toBe(201);
    expect(reworked.body.review).toBeNull();
    const refused = await review(buildId, accept);
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toEqual({
      error: 'decided',
      decision: 'rework',
      by: { user_id: other.person.user_id, name: expect.any(String), agent_id: null },
      at: (await room.get(buildId)).review!.at,
      message: expect.any(String),
    });
    expect(await pushed()).toMatchObject({ processed: 0, failed: 0 });
    await drop(reworked.body.build_id);
  });

  it('a rework after accepting returns 409 decided, even while another build is open', async () => {
    const { buildId, card } = await succeed();
    await review(buildId, accept);
    const again = await room.build(card.id);
    const refused = await review(buildId, rework);
    expect([refused.status, refused.body.detail]).toMatchObject([
      409,
      { error: 'decided', decision: 'accept' },
    ]);
    await drop(again.build_id);
    const keyed = await review(buildId, rework, { 'idempotency-key': `late-${buildId}` });
    expect([keyed.status, keyed.body.detail]).toMatchObject([409, { error: 'decided' }]);
  });

  it('exactly one of two simultaneous decisions wins', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { buildId } = await succeed();
      const other = await colleague();
      const answers = await Promise.all([review(buildId, accept), other.review(buildId, rework)]);
      const won = answers.filter(({ status }) => status < 300);
      const lost = answers.filter(({ status }) => status === 409);
      expect([won.length, lost.length]).toEqual([1, 1]);
      const { review: shown } = await room.get(buildId);
      expect(shown!.decision).toBe(won[0]!.status === 200 ? 'accept' : 'rework');
      expect(lost[0]!.body.detail).toMatchObject({ error: 'decided', decision: shown!.decision });
      if (won[0]!.status === 201) await drop(won[0]!.body.build_id);
    }
  });

  it('a rework that cannot start leaves the build undecided', async () => {
    const { buildId, card } = await succeed();
    const open = await room.build(card.id);
    expect((await review(buildId, rework)).body.detail).toMatchObject({ error: 'build_open' });
    expect((await room.get(buildId)).review).toBeNull();
    await drop(open.build_id);
    expect((await review(buildId, accept)).status).toBe(200);
  });

  it('repeating a rework after its attempt has ended keeps the first decision', async () => {
    const { buildId } = await succeed();
    const first = await review(buildId, rework);
    await drop(first.body.build_id);
    const before = (await room.get(buildId)).review;
    const second = await review(buildId, rework);
    expect([second.status, second.body.continues]).toEqual([201, buildId]);
    expect((await room.get(buildId)).review).toEqual(before);
    await drop(second.body.build_id);
  });
});

describe('Accepting again after a push_error', () => {
  it('retries the push for any member, and is not a second decision', async () => {
    const { buildId, head } = await succeed();
    const { branch } = await room.get(buildId);
    room.repository.git('branch', branch, room.baseSha);
    const first = await review(buildId, accept);
    await pushed();
    expect(await room.get(buildId)).toMatchObject({ pushed_at: null, push_error: expect.any(String) });
    room.repository.git('branch', '-D', branch);
    await world.advance(24 * 3600);
    expect(await pushed()).toMatchObject({ processed: 0, failed: 0 });

    const again = await (await colleague()).review(buildId, accept);
    expect([again.status, again.body.push_error]).toEqual([200, null]);
    expect(again.body.review).toEqual(first.body.review);
    expect(await pushed()).toMatchObject({ processed: 1, failed: 0 });
    expect(await room.get(buildId)).toMatchObject({ push_error: null, pushed_at: expect.any(String) });
    expect(room.repository.git('rev-parse', `refs/heads/${branch}`)).toBe(head);
  });

  it('restarts the retry delays for an unreachable host', async () => {
    const { buildId } = await succeed();
    await review(buildId, accept);
    const hidden = `${room.repository.folder}-away`;
    renameSync(room.repository.folder, hidden);
    try {
      for (let tries = 0; tries < 5; tries += 1) {
        await pushed();
        await world.advance(3 * 3600);
      }
      expect(await pushed()).toMatchObject({ processed: 0, failed: 0 });
      await review(buildId, accept);
      expect(await pushed()).toMatchObject({ failed: 1 });
    } finally {
      renameSync(hidden, room.repository.folder);
    }
    await world.advance(61);
    expect(await pushed()).toMatchObject({ processed: 1, failed: 0 });
  });

  it('retries nothing when there are no commits', async () => {
    await room.build((await room.card()).id);
    const taken = await room.take(desk);
    await room.finish(desk, taken.buildId, taken.claim, { outcome: 'succeeded' });
    for (const _ of [1, 2])
      expect((await review(taken.buildId, accept)).body.push_error).toBe('This build has no commits to push');
    expect(await pushed()).toMatchObject({ processed: 0, failed: 0 });
  });
});
