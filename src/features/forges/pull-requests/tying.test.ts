import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  down,
  type MemoryHost,
  type PullRequestWorkspace,
  startPullRequestWorld,
} from '../../../../tests/support/pull-request-world.js';

let opened: Awaited<ReturnType<typeof startPullRequestWorld>>;
let room: PullRequestWorkspace;
let host: MemoryHost;

beforeAll(async () => {
  opened = await startPullRequestWorld();
  ({ host, room } = opened);
});
afterEach(() => host.heal());
afterAll(() => opened.world.stop());

/** Opens a pull request as a person would. */
async function byHand(): Promise<number> {
  const number = host.pulls.length + 1;
  const forge = host.open({ kind: 'github', apiUrl: '', repository: 'acme/app', token: '' });
  await forge.openPullRequest({ title: 'By hand', body: '', branch: `by-hand-${number}`, base: 'main' });
  return number;
}

const addressOf = (number: number) => `https://git.example.test/acme/app/pull/${number}`;

describe('Attaching a pull request that a person opened', () => {
  it('shows it on the card by its number, records the person and syncs it until it ends', async () => {
    const card = await room.card();
    const number = await byHand();
    host.check(number, ['tests', 'passing']);
    const answer = await room.tie(card.id, { number });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      number,
      url: addressOf(number),
      state: 'open',
      draft: false,
      head: { branch: `by-hand-${number}`, sha: host.get(number).head.sha },
      base: { branch: 'main', sha: 'base' },
      mergeable: true,
      checks: [{ name: 'tests', state: 'passing', url: null, summary: null }],
      reviews: [],
      comments: [],
    });
    expect((await room.shown(card.id)).body).toEqual(answer.body);
    expect(await room.readCard(card.id)).toMatchObject({
      pr_number: number,
      checks_state: 'passing',
      status: 'pending',
    });
    const entry = (await room.entries(card.id)).at(-1)!;
    expect(entry.actor).toMatchObject({ user_id: room.space.admin.user_id });
    host.merge(number);
    await room.look();
    expect(await room.readCard(card.id)).toMatchObject({ status: 'done', pr_state: 'merged' });
  });

  it('accepts its address in any spelling and changes nothing when repeated', async () => {
    const card = await room.card();
    const number = await byHand();
    for (const url of [
      addressOf(number),
      `${addressOf(number).toUpperCase().replace('HTTPS', 'https').replace('PULL', 'pull')}/files?w=1#a`,
    ])
      expect((await room.tie(card.id, { url })).status).toBe(200);
    const entries = (await room.entries(card.id)).filter(({ changes }) => 'pr_number' in changes);
    expect(entries).toHaveLength(1);
  });

  it('requires either a number or an address of this repository', async () => {
    const card = await room.card();
    const number = await byHand();
    for (const body of [
      {},
      { number, url: addressOf(number) },
      { number: 0 },
      { number: 2_147_483_648 },
      { url: 'nonsense' },
      { url: `https://git.example.test/acme/other/pull/${number}` },
      { url: `https://elsewhere.example.test/acme/app/pull/${number}` },
      { url: 'https://git.example.test/acme/app/pull/99999999999' },
      { url: `https://git.example.test/acme/app/issues/${number}` },
    ])
      expect([body, (await room.tie(card.id, body)).status]).toEqual([body, 422]);
    expect((await room.tie(card.id, { number: 4711 })).status).toBe(404);
    expect((await room.tie(card.id, { url: addressOf(4711) })).status).toBe(404);
    expect((await room.shown(card.id)).status).toBe(404);
  });

  it('returns 409 for a pull request of another card and for a second open one', async () => {
    const [one, other] = [await room.card(), await room.card()];
    const [first, second] = [await byHand(), await byHand()];
    await room.tie(one.id, { number: first });
    const refused = await room.tie(other.id, { number: first });
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: 'This pull request is tied to another card' },
    });
    expect(JSON.stringify(refused.body)).not.toContain(one.ref);
    expect(await room.tie(one.id, { number: second })).toMatchObject({
      status: 409,
      body: { detail: `This card already has an open pull request: #${first}` },
    });
  });

  it('returns 502 when the host is unreachable and 404 when the project has none', async () => {
    const card = await room.card();
    host.before.readPullRequest = down;
    expect(await room.tie(card.id, { number: 1 })).toMatchObject({
      status: 502,
      body: { detail: 'The host is not reachable' },
    });
    const free = await room.card({ project_id: null });
    expect((await room.tie(free.id, { number: 1 })).status).toBe(404);
  });

  it('returns 404 to other workspaces', async () => {
    const card = await room.card();
    const number = await byHand();
    const stranger = await opened.world.workspace();
    const url = `/api/v1/board/tasks/${card.id}/pull-request`;
    for (const method of ['GET', 'POST'] as const) {
      const payload = method === 'POST' ? { number } : undefined;
      const answer = await opened.world.inject({ method, url, headers: stranger.bearer, payload });
      expect(answer.statusCode).toBe(404);
    }
  });

  it('finishes the card of a merged pull request, but not one whose status a person changed since', async () => {
    const done = await room.card();
    const merged = await byHand();
    host.merge(merged);
    expect((await room.tie(done.id, { number: merged })).status).toBe(200);
    expect(await room.readCard(done.id)).toMatchObject({ status: 'done' });

    const moved = await room.card();
    const number = await byHand();
    await room.tie(moved.id, { number });
    await room.call('PATCH', `/api/v1/board/tasks/${moved.id}`, { status: 'canceled' });
    host.merge(number);
    await room.look();
    expect(await room.readCard(moved.id)).toMatchObject({ status: 'canceled', pr_state: 'merged' });
  });
});
