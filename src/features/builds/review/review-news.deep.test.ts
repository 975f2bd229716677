import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openSharedReviewRoom } from '../../../../tests/support/review-room.js';
import type { InboxItem } from '../../inbox/inbox.schemas.js';

const { world, room, desk, git, succeed } = await openSharedReviewRoom();
const url = `/api/v1/brands/${room.space.brand.brand_id}/webhooks`;
const events = ['build.accepted', 'build.reworked', 'build.pushed', 'task.updated'];
const made = await room.call('POST', url, { url: 'https://93.184.216.34/hook', events });
expect(made.status, JSON.stringify(made.body)).toBe(201);

const review = (buildId: string, body: object) =>
  room.call<{ build_id: string }>('POST', `/api/v1/factory/builds/${buildId}/review`, body);
const rework = { decision: 'rework', comments: [{ path: 'a.md', body: 'Again, please.' }] };

const entriesOf = async (cardId: string) =>
  (await room.activity()).filter(({ task_id, changes }) => task_id === cardId && 'build' in changes);

async function told(buildId: string) {
  const { rows } = await sql<{ body: string }>`
    select body from webhook_messages order by created_at, event_id`.execute(world.db);
  return rows.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.build_id === buildId);
}

describe('Accepting, reworking and pushing a build', () => {
  it('add activity entries with person and build to the card, and set review_state', async () => {
    const { buildId, card } = await succeed();
    const before = await room.readCard(card.id);
    const back = await review(buildId, rework);
    expect((await room.readCard(card.id)).review_state).toBe('changes_requested');
    const next = await git.succeed(desk, { 'b.md': 'better\n' });
    expect(next.buildId).toBe(back.body.build_id);
    await review(next.buildId, { decision: 'accept' });
    expect((await room.readCard(card.id)).review_state).toBe('approved');
    await world.runJob('build-push');

    const { user_id } = room.space.admin;
    const actor = { user_id, name: expect.any(String), agent_id: null };
    const build = (build_id: string, attempt: number, event: string) => ({
      build: { from: null, to: { build_id, attempt, event } },
    });
    expect(await entriesOf(card.id)).toMatchObject([
      {
        action: 'task.moved',
        actor,
        changes: {
          ...build(next.buildId, 2, 'build.pushed'),
          status: { from: 'in_review', to: 'done' },
        },
      },
      {
        action: 'task.updated',
        actor,
        changes: {
          ...build(next.buildId, 2, 'build.accepted'),
          review_state: { from: 'changes_requested', to: 'approved' },
        },
      },
      {
        action: 'task.updated',
        actor,
        changes: {
          ...build(buildId, 1, 'build.reworked'),
          review_state: { from: null, to: 'changes_requested' },
        },
      },
    ]);
    // Each entry raises the version by one.
    const entries = (await room.activity()).filter(({ task_id }) => task_id === card.id);
    const after = (await room.readCard(card.id)) as unknown as { version: number };
    expect(after.version).toBe(entries.length);
    const stale = { 'if-match': `"${(before as unknown as { version: number }).version}"` };
    const refused = await room.call('PATCH', `/api/v1/board/tasks/${card.id}`, { title: 'x' }, stale);
    expect(refused.status).toBe(412);
    expect(JSON.stringify(refused.body)).not.toContain('"build"');
  });

  it('moves the card when accepting, unless a person has moved it meanwhile', async () => {
    const { buildId, card } = await succeed();
    expect((await room.readCard(card.id))['status']).toBe('in_review');
    await review(buildId, { decision: 'accept' });
    await world.runJob('build-push');
    expect(await room.readCard(card.id)).toMatchObject({ status: 'done', review_state: 'approved' });
    expect((await entriesOf(card.id))[0]).toMatchObject({
      changes: { status: { from: 'in_review', to: 'done' } },
    });

    const moved = await succeed();
    await room.call('PATCH', `/api/v1/board/tasks/${moved.card.id}`, { status: 'blocked' });
    await review(moved.buildId, { decision: 'accept' });
    await world.runJob('build-push');
    expect(await room.readCard(moved.card.id)).toMatchObject({ status: 'blocked', review_state: 'approved' });

    const sentBack = await succeed();
    const next = await review(sentBack.buildId, rework);
    expect((await room.readCard(sentBack.card.id))['status']).toBe('in_review');
    await room.call('POST', `/api/v1/factory/builds/${next.body.build_id}/cancel`);
  });

  it('records one entry for a repeated accept, and another for a second approved build of the card', async () => {
    const { buildId, card } = await succeed();
    for (const _ of [1, 2]) await review(buildId, { decision: 'accept' });
    expect(await entriesOf(card.id)).toHaveLength(1);
    await room.build(card.id);
    const second = await git.succeed(desk, { 'c.md': 'c\n' });
    await review(second.buildId, { decision: 'accept' });
    expect((await entriesOf(card.id)).map(({ changes }) => 'review_state' in changes)).toEqual([false, true]);
  });

  it('sends build.accepted, build.reworked and build.pushed to webhooks once each', async () => {
    const { buildId, card } = await succeed();
    const back = await review(buildId, rework);
    await git.succeed(desk, { 'd.md': 'd\n' });
    for (const _ of [1, 2]) await review(back.body.build_id, { decision: 'accept' });
    for (const _ of [1, 2]) await world.runJob('build-push');
    expect(await told(buildId)).toMatchObject([
      { type: 'build.reworked', data: { task_id: card.id, ref: card.ref, review: { decision: 'rework' } } },
    ]);
    const { branch, head_sha } = await room.get(back.body.build_id);
    expect(await told(back.body.build_id)).toMatchObject([
      { type: 'build.accepted', data: { attempt: 2, review: { decision: 'accept' } } },
      { type: 'build.pushed', data: { attempt: 2, branch, head_sha } },
    ]);
  });

  it('updates every open page of the board at once', async () => {
    const { buildId, card } = await succeed();
    const feed = `/api/v1/board/activity/boards/${room.boardId}`;
    const before = await room.call<{ next_cursor: string }>('GET', feed);
    await review(buildId, rework);
    const since = encodeURIComponent(before.body.next_cursor);
    const news = await room.call<{ items: { task_id: string; changes: object }[] }>(
      'GET',
      `${feed}?since=${since}`,
    );
    expect(news.body.items[0]).toMatchObject({ task_id: card.id, changes: { build: expect.anything() } });
    const [open] = (
      await room.call<{ builds: { build_id: string }[] }>(
        'GET',
        `/api/v1/factory/builds?task_id=${card.id}&state=open`,
      )
    ).body.builds;
    await room.call('POST', `/api/v1/factory/builds/${open!.build_id}/cancel`);
  });
});

describe('The inbox item that asks for a review', () => {
  const inboxOf = async (cookie: string): Promise<InboxItem[]> => {
    const url = '/api/v1/me/inbox?state=all&limit=200';
    return (await world.inject({ method: 'GET', url, headers: { cookie } })).json().items;
  };
  const stateOf = async (cookie: string, buildId: string) =>
    (await inboxOf(cookie))
      .filter(({ build_id }) => build_id === buildId)
      .map(({ kind, done_at, read_at }) => [kind, done_at !== null, read_at !== null]);

  it.each(['accept', 'rework'])('is done for everyone after one person reviewed: %s', async (decision) => {
    const watcher = await world.member(room.space.brand);
    const theirs = await world.signIn(watcher, room.space.brand);
    const { buildId, card } = await succeed({ fields: { watchers: [watcher.user_id] } });
    const other = await succeed({ fields: { watchers: [watcher.user_id] } });
    expect(await stateOf(theirs, buildId)).toEqual([['review_asked', false, false]]);
    const answer = await review(buildId, decision === 'accept' ? { decision } : rework);
    expect(answer.status).toBeLessThan(300);
    for (const cookie of [theirs, room.space.cookie])
      expect(await stateOf(cookie, buildId)).toEqual([['review_asked', true, true]]);
    expect(await stateOf(theirs, other.buildId)).toEqual([['review_asked', false, false]]);
    if (decision === 'rework') {
      const next = await git.succeed(desk, { 'e.md': `${Math.random()}\n` });
      expect(await stateOf(theirs, next.buildId)).toEqual([['review_asked', false, false]]);
      expect(next.buildId).toBe(answer.body.build_id);
    }
    expect(card.id).toBeTruthy();
  });
});
