import { describe, expect, it } from 'vitest';
import { openSharedReviewRoom } from '../../../../tests/support/review-room.js';
import type { BuildView } from '../builds.schemas.js';

const { world, room, desk, succeed } = await openSharedReviewRoom();

const say = (taskId: string, body: string, headers?: Record<string, string>) =>
  room.call('POST', `/api/v1/board/tasks/${taskId}/comments`, { body }, headers);
const buildsOf = async (taskId: string) =>
  (await room.call<{ builds: BuildView[] }>('GET', `/api/v1/factory/builds?task_id=${taskId}`)).body.builds;

/** Starts and cancels the waiting build, and returns its brief. */
async function briefOfNext() {
  const [order] = await room.work(desk);
  const { body } = await room.start(desk, order!.build_id, order!.claim);
  await room.finish(desk, order!.build_id, order!.claim, { outcome: 'canceled' });
  return body.brief as string;
}

describe('A rework decision', () => {
  it('accepts comments without a path', async () => {
    const { buildId } = await succeed();
    const url = `/api/v1/factory/builds/${buildId}/review`;
    const lost = await room.call('POST', url, {
      decision: 'rework',
      comments: [{ line: 3, body: 'Where?' }],
    });
    expect(lost.status).toBe(422);
    const body = { decision: 'rework', comments: [{ body: 'Much too clever.' }] };
    expect((await room.call('POST', url, body)).status).toBe(201);
    const brief = await briefOfNext();
    expect(brief.slice(brief.indexOf('## Review comments'))).toContain('Much too clever.');
    expect(brief).not.toContain('null');
  });
});

describe('@agent in a comment on a card whose build waits for review', () => {
  it('starts a rework with the comment', async () => {
    const { buildId, card } = await succeed();
    expect((await say(card.id, '@agent Please say it shorter.')).status).toBe(201);
    const [next] = await buildsOf(card.id);
    expect(next).toMatchObject({ attempt: 2, continues: buildId, status: 'queued' });
    const { user_id } = room.space.admin;
    expect((await room.get(buildId)).review).toMatchObject({ decision: 'rework', by: { user_id } });
    expect(await room.readCard(card.id)).toMatchObject({ review_state: 'changes_requested' });
    const brief = await briefOfNext();
    expect(brief.slice(brief.indexOf('## Review comments'))).toContain('Please say it shorter.');
    // The rework was canceled, so nothing waits for review now.
    await say(card.id, '@agent and again');
    expect(await buildsOf(card.id)).toHaveLength(2);
  });

  it('also works with the name of the assigned agent, and with no other name', async () => {
    await room.call('POST', '/api/v1/memory/memories', {
      agent_id: 'claude-shop',
      kind: 'fact',
      title: 'Born',
      body: 'Here.',
    });
    const { card } = await succeed({ fields: { assignee_agent_id: 'claude-shop' } });
    for (const text of [
      '@claude please',
      'mail agent@example.org',
      'the agent said',
      '@agents',
      '@other-shop',
    ])
      await say(card.id, text);
    expect(await buildsOf(card.id)).toHaveLength(1);
    await say(card.id, 'Well done, @claude-shop, but shorter', { 'idempotency-key': `call-${card.id}` });
    expect(await buildsOf(card.id)).toHaveLength(2);
    await briefOfNext();
  });

  it('starts nothing for a guest, a read-only token, a coder or a card without a waiting review', async () => {
    const { card } = await succeed();
    const person = await world.person();
    const guests = `/api/v1/board/boards/${room.boardId}/guests/${person.user_id}`;
    await room.call('PUT', guests, { role: 'editor' });
    const cookie = await world.signIn(person, room.space.brand);
    const url = `/api/v1/board/tasks/${card.id}/comments`;
    const payload = { body: '@agent do as I say' };
    const asked = await world.inject({ method: 'POST', url, headers: { cookie }, payload });
    expect(asked.statusCode).toBe(201);
    const member = await world.member(room.space.brand);
    const reader = await world.token(room.space.brand, member, ['brand:read']);
    await say(card.id, '@agent please', { authorization: `Bearer ${reader}` });
    expect(await buildsOf(card.id)).toHaveLength(1);

    const fresh = await room.card();
    expect((await say(fresh.id, '@agent begin')).status).toBe(201);
    expect(await buildsOf(fresh.id)).toEqual([]);
  });

  it('starts nothing when an agent writes it, because that could loop forever', async () => {
    const { brand, admin } = room.space;
    for (const agent_id of ['claude-own', 'claude-other'])
      await world.operator('POST', '/agents', { agent_id, brand_id: brand.brand_id });
    const { card } = await succeed({ fields: { assignee_agent_id: 'claude-own' } });
    for (const agent_id of ['claude-own', 'claude-other']) {
      const token = await world.token(brand, admin, undefined, { agent_id });
      const said = await say(card.id, '@agent @claude-own go on', { authorization: `Bearer ${token}` });
      expect(said.status).toBe(201);
    }
    expect(await buildsOf(card.id)).toHaveLength(1);
    await say(card.id, '@agent go on');
    expect(await buildsOf(card.id)).toHaveLength(2);
    await briefOfNext();
  });

  it('keeps the comment but starts nothing while builds are switched off', async () => {
    const { buildId, card } = await succeed();
    await room.call('PUT', '/api/v1/factory/builds/policy', { enabled: false });
    const keyed = { 'idempotency-key': `off-${card.id}` };
    expect((await say(card.id, '@agent again', keyed)).status).toBe(201);
    expect((await say(card.id, '@agent again')).status).toBe(201);
    await room.call('PUT', '/api/v1/factory/builds/policy', { enabled: true });
    expect(await buildsOf(card.id)).toHaveLength(1);
    expect((await room.get(buildId)).review).toBeNull();
    expect((await room.readCard(card.id)).comment_count).toBe(2);
  });

  it('respects max_attempts of the card', async () => {
    const { buildId, card } = await succeed({ fields: { max_attempts: 1 } });
    expect((await say(card.id, '@agent once more')).status).toBe(201);
    expect(await buildsOf(card.id)).toHaveLength(1);
    expect((await room.get(buildId)).review).toBeNull();
    expect(await room.readCard(card.id)).toMatchObject({
      status: 'in_review',
      error_code: 'attempts_exhausted',
      error_message: expect.stringContaining('1 of 1'),
    });
    await room.call('PATCH', `/api/v1/board/tasks/${card.id}`, { max_attempts: 2 });
    await say(card.id, '@agent once more');
    expect(await buildsOf(card.id)).toHaveLength(2);
    await briefOfNext();
  });
});
