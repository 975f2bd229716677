import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  down,
  type MemoryHost,
  type PullRequestWorkspace,
  startPullRequestWorld,
} from '../../../../tests/support/pull-request-world.js';
import { webhookCaller } from '../../../../tests/support/webhooks.js';
import { ForgeFailed } from '../adapter/forge.js';

let opened: Awaited<ReturnType<typeof startPullRequestWorld>>;
let room: PullRequestWorkspace;
let host: MemoryHost;

beforeAll(async () => {
  opened = await startPullRequestWorld();
  ({ host, room } = opened);
  await webhookCaller(opened.world, room.space).create('https://receiver.example.test/', [
    'pr.merged',
    'pr.checks_failed',
    'pr.changes_requested',
  ]);
});
afterEach(() => host.heal());
afterAll(() => opened.world.stop());

async function open(fields: Record<string, unknown> = {}) {
  const opened = await room.acceptAndOpen({ fields });
  return { ...opened, number: host.of(opened.card)[0]!.number };
}

/** Webhook messages about a card. */
async function told(taskId: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const { rows } = await sql<{ body: string }>`
    select body from webhook_messages where brand_id = ${room.brandId} order by created_at, event_id`.execute(
    opened.world.db,
  );
  return rows
    .map(({ body }) => JSON.parse(body))
    .filter(({ data }) => data.task_id === taskId)
    .map(({ type, data }) => ({ type, data }));
}

/** Inbox items of the admin, who is the reporter of the cards. */
async function inbox(taskId: string): Promise<string[]> {
  const { body } = await room.call<{ items: { kind: string; task: { task_id: string } }[] }>(
    'GET',
    '/api/v1/me/inbox?limit=100',
  );
  return body.items
    .filter(({ kind, task }) => task.task_id === taskId && kind.startsWith('pr_'))
    .map(({ kind }) => kind);
}

describe('Card sync with its pull request', () => {
  it('a merge finishes the card and notifies webhooks and people once', async () => {
    const { card, number, buildId } = await open();
    host.merge(number);
    await room.look();
    await room.look();
    expect(await room.readCard(card.id)).toMatchObject({
      status: 'done',
      pr_state: 'merged',
      merged_at: '2026-03-04T05:06:07.000Z',
    });
    const messages = await told(card.id);
    expect(messages.map(({ type }) => type)).toEqual(['pr.merged']);
    expect(messages[0]!.data).toMatchObject({
      task_id: card.id,
      ref: card.ref,
      project_id: room.projectId,
      number,
      url: `https://git.example.test/acme/app/pull/${number}`,
      build_id: buildId,
      head_sha: host.get(number).head.sha,
    });
    expect(await inbox(card.id)).toEqual(['pr_merged']);
  });

  it('closing without a merge blocks the card with pr_closed; reopening returns it to review', async () => {
    const { card, number } = await open();
    host.change(number, { state: 'closed' });
    await room.look();
    expect(await room.readCard(card.id)).toMatchObject({
      status: 'blocked',
      error_code: 'pr_closed',
      error_message: `Pull request #${number} was closed without being merged`,
      pr_state: 'closed',
    });
    host.change(number, { state: 'open' });
    await room.look();
    expect(await room.readCard(card.id)).toMatchObject({
      status: 'in_review',
      error_code: null,
      error_message: null,
      pr_state: 'open',
    });
  });

  it('closing during a later attempt sets pr_closed when that attempt ends, unless a person moved the card', async () => {
    const later = async () => {
      const { card, number, buildId } = await open();
      await room.build(card.id, { continues: buildId });
      const taken = await room.take(room.desk);
      host.change(number, { state: 'closed' });
      await room.look();
      expect(await room.readCard(card.id)).toMatchObject({
        status: 'in_progress',
        pr_state: 'closed',
        error_code: null,
      });
      return { card, number, ...taken };
    };
    for (const outcome of ['succeeded', 'failed', 'canceled']) {
      const { card, number, buildId, claim } = await later();
      await room.finish(room.desk, buildId, claim, { outcome });
      expect(await room.readCard(card.id)).toMatchObject({
        status: 'blocked',
        error_code: 'pr_closed',
        error_message: `Pull request #${number} was closed without being merged`,
      });
      host.change(number, { state: 'open' });
      await room.look();
      expect(await room.readCard(card.id)).toMatchObject({ status: 'in_review', error_code: null });
    }
    const moved = await later();
    await room.call('PATCH', `/api/v1/board/tasks/${moved.card.id}`, { status: 'pending' });
    await room.finish(room.desk, moved.buildId, moved.claim, { outcome: 'succeeded' });
    expect(await room.readCard(moved.card.id)).toMatchObject({ status: 'pending', error_code: null });
  });

  it('closing after a later attempt succeeded blocks the card with pr_closed', async () => {
    const { card, number, buildId } = await open();
    await room.build(card.id, { continues: buildId });
    await room.git.succeed(room.desk, { 'b.md': 'More\n' });
    host.change(number, { state: 'closed' });
    await room.look();
    expect(await room.readCard(card.id)).toMatchObject({ status: 'blocked', error_code: 'pr_closed' });
  });

  it.each([
    ['merged', () => ({ state: 'merged' as const, mergedAt: new Date() })],
    ['closed', () => ({ state: 'closed' as const })],
  ])('a status set by a person is kept when the pull request is %s', async (state, change) => {
    const { card, number } = await open();
    await room.call('PATCH', `/api/v1/board/tasks/${card.id}`, { status: 'pending' });
    host.change(number, change());
    await room.look();
    expect(await room.readCard(card.id)).toMatchObject({
      status: 'pending',
      pr_state: state,
      error_code: null,
    });
  });

  it('one failed check makes the card failing, and only real changes are recorded', async () => {
    const { card, number } = await open();
    const count = (await room.entries(card.id)).length;
    host.check(number, ['lint', 'pending'], ['docs', 'none']);
    await room.look();
    expect(await room.readCard(card.id)).toMatchObject({ checks_state: 'pending' });
    host.check(number, ['lint', 'pending'], ['tests', 'failing']);
    await room.look();
    await room.look();
    host.check(number, ['lint', 'passing'], ['tests', 'failing']);
    await room.look();
    expect(await room.readCard(card.id)).toMatchObject({ checks_state: 'failing' });
    const entries = (await room.entries(card.id)).slice(count);
    expect(entries.map(({ changes }) => changes)).toEqual([
      { checks_state: { from: 'none', to: 'pending' } },
      { checks_state: { from: 'pending', to: 'failing' } },
    ]);
    expect((await told(card.id)).map(({ type, data }) => [type, data['checks']])).toEqual([
      ['pr.checks_failed', ['tests']],
    ]);
    expect(await inbox(card.id)).toEqual(['pr_checks_failed']);
    host.check(number, ['lint', 'none'], ['tests', 'none']);
    await room.look();
    expect(await room.readCard(card.id)).toMatchObject({ checks_state: 'none' });
  });

  it('a new head that fails is announced again', async () => {
    const { card, number } = await open();
    host.check(number, ['tests', 'failing']);
    await room.look();
    host.change(number, { head: { ...host.get(number).head, sha: 'another' } });
    await room.look();
    expect((await told(card.id)).map(({ data }) => data['head_sha'])).toHaveLength(2);
  });

  it('the last review of each author counts, and requested changes outweigh an approval', async () => {
    const { card, number } = await open();
    const said = (
      author: string,
      state: 'approved' | 'changes_requested' | 'commented' | 'dismissed',
      minute: number,
    ) => ({
      author,
      state,
      body: `${author} said so`,
      at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
    });
    host.change(number, { reviewRequested: true });
    await room.look();
    expect((await room.readCard(card.id)).review_state).toBe('requested');
    const reviews = [said('ann', 'changes_requested', 1), said('ben', 'approved', 2)];
    host.change(number, { reviews });
    await room.look();
    expect((await room.readCard(card.id)).review_state).toBe('changes_requested');
    host.change(number, { reviews: [...reviews, said('ann', 'commented', 3)] });
    await room.look();
    expect((await room.readCard(card.id)).review_state).toBe('changes_requested');
    host.change(number, { reviews: [...reviews, said('ann', 'approved', 4)] });
    await room.look();
    expect((await room.readCard(card.id)).review_state).toBe('approved');
    expect((await told(card.id)).map(({ type, data }) => [type, data['author']])).toEqual([
      ['pr.changes_requested', 'ann'],
    ]);
    expect(await inbox(card.id)).toEqual(['pr_changes_requested']);
  });

  it('the card shows the deployment address only if it is a web address', async () => {
    const { card, number } = await open();
    host.change(number, { deployment: 'https://preview.example.test/1' });
    await room.look();
    expect((await room.readCard(card.id)).deploy_url).toBe('https://preview.example.test/1');
    host.change(number, { deployment: 'javascript:alert(1)' });
    await room.look();
    expect((await room.readCard(card.id)).deploy_url).toBeNull();
  });

  it('an older answer never overwrites a newer one', async () => {
    const { card, number } = await open();
    let answer = () => {};
    const waits = new Promise<void>((resolve) => {
      answer = resolve;
    });
    host.after.readPullRequest = async () => {
      host.heal();
      await waits;
    };
    const slow = room.look();
    await expect.poll(() => host.after.readPullRequest).toBeUndefined();
    await opened.world.advance(1);
    host.merge(number);
    const answered = await room.tie(card.id, { number });
    expect(answered.status).toBe(200);
    answer();
    await slow;
    expect(await room.readCard(card.id)).toMatchObject({ pr_state: 'merged', status: 'done' });
    expect((await told(card.id)).map(({ type }) => type)).toEqual(['pr.merged']);
  });

  it('a part that the token cannot read does not block the others', async () => {
    const { card, number } = await open();
    host.before.readChecks = () => {
      throw new ForgeFailed('refused', 'The token may not read checks');
    };
    host.merge(number);
    await room.look();
    expect(await room.readCard(card.id)).toMatchObject({ status: 'done' });
    const { body } = await room.call('GET', `/api/v1/projects/${room.projectId}/forge`);
    expect(body['error']).toBe('The token may not read checks');
  });

  it('a disconnected project is not synced', async () => {
    const { card, number } = await open();
    await room.call('DELETE', `/api/v1/projects/${room.projectId}/forge`);
    host.merge(number);
    host.calls.length = 0;
    await room.look();
    expect(host.calls).toEqual([]);
    await room.connect();
    await room.look();
    expect(await room.readCard(card.id)).toMatchObject({ status: 'done' });
  });
});

describe('Webhook delivery', () => {
  const deliver = (about: object) =>
    sql`
    insert into forge_deliveries (project_id, delivery_id, brand_id, received_at, about)
    values (${room.projectId}, ${crypto.randomUUID()}, ${room.brandId}, ${opened.world.clock.now()}, ${JSON.stringify(about)}::jsonb)`.execute(
      opened.world.db,
    );
  const left = async () =>
    (await sql`select from forge_deliveries where about is not null`.execute(opened.world.db)).rows.length;

  it('stays pending until the host was asked about it successfully', async () => {
    const { card, number } = await open();
    host.merge(number);
    await deliver({ pulls: [number], shas: [], issues: false });
    host.before.readPullRequest = down;
    await room.look();
    expect(await left()).toBe(1);
    host.heal();
    await room.look();
    expect(await left()).toBe(0);
    expect(await room.readCard(card.id)).toMatchObject({ status: 'done' });
  });
});
