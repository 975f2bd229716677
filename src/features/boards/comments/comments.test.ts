import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestPerson, type World } from '../../../../tests/support/app.js';
import { boardStore } from '../board/boards.store.js';
import type { ActivityEntry, Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller, MISSING } from '../boards.test-support.js';
import type { FullCard } from '../cards/cards.schemas.js';
import { cardStore } from '../cards/cards.store.js';

let world: World;
let workspace: Awaited<ReturnType<World['workspace']>>;
let ours: BoardCaller;
let theirs: BoardCaller;
let member: BoardCaller;
let admin: TestPerson;
let board: Board;
let card: FullCard;

beforeAll(async () => {
  world = await startTestApp();
  workspace = await world.workspace();
  admin = workspace.admin;
  ours = boardCaller(world, workspace.bearer);
  theirs = boardCaller(world, (await world.workspace()).bearer);
  const person = await world.member(workspace.brand);
  member = boardCaller(world, { authorization: `Bearer ${await world.token(workspace.brand, person)}` });
  board = await ours.board();
});
afterAll(() => world.stop());
beforeEach(async () => {
  card = await ours.card(board.board_id);
});

const listed = async () => (await ours.get(`/tasks/${card.id}/comments`)).json();
const newest = async (): Promise<ActivityEntry> =>
  (await ours.get(`/activity/boards/${board.board_id}?limit=1`)).json().items[0];

async function guestAt(role: string) {
  const person = await world.person();
  const path = `/boards/${board.board_id}/guests/${person.user_id}`;
  await ours.call('PUT', path, { role });
  const caller = boardCaller(world, { cookie: await world.signIn(person, workspace.brand) });
  return { caller, become: (level: string) => ours.call('PUT', path, { role: level }) };
}

describe('/api/v1/board/tasks/{task_id}/comments', () => {
  it('POST returns 201 {id, task_id, author, body, created_at}, and GET lists the comments with total', async () => {
    const response = await ours.call('POST', `/tasks/${card.id}/comments`, { body: 'Hello' });
    expect(response.statusCode).toBe(201);
    const comment = response.json();
    expect(Object.keys(comment)).toEqual(['id', 'task_id', 'author', 'body', 'created_at']);
    expect(comment.author).toEqual({ user_id: admin.user_id, name: admin.full_name, agent_id: null });
    const second = await ours.comment(card.id, 'Again');
    expect((await ours.get(`/tasks/${card.id}/comments`)).json()).toEqual({
      comments: [comment, second],
      total: 2,
    });
    expect((await ours.get(`/tasks/${card.id}/comments?per_page=1&page=2`)).json()).toEqual({
      comments: [second],
      total: 2,
    });
    expect((await ours.get(`/tasks/${card.id}`)).json()).toMatchObject({ comment_count: 2, version: 1 });
  });

  it('GET returns the same comments in the same order for every page size', async () => {
    for (let n = 0; n < 8; n++) await ours.comment(card.id, `Comment ${n}`);
    const taken = (await listed()).comments[3];
    await ours.call('DELETE', `/tasks/${card.id}/comments/${taken.id}`);
    const { comments: all } = await listed();
    expect(all).toHaveLength(7);
    for (let size = 1; size <= 8; size++)
      for (let page = 1; page <= 8; page++)
        expect((await ours.get(`/tasks/${card.id}/comments?per_page=${size}&page=${page}`)).json()).toEqual({
          comments: all.slice((page - 1) * size, page * size),
          total: 7,
        });
    for (const page of [1_000_000, 100_000_000, 999_999_999_999_999]) {
      const beyond = await ours.get(`/tasks/${card.id}/comments?per_page=500&page=${page}`);
      expect(beyond.json(), String(page)).toEqual({ comments: [], total: 7 });
    }
  });

  it('POST returns 404 when the card is deleted meanwhile', async () => {
    const waiting = async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        world.db,
      );
      return rows.length;
    };
    let answers: Promise<{ statusCode: number; body: string }[]> | undefined;
    await world.db.transaction().execute(async (tx) => {
      await boardStore(tx, workspace.brand.brand_id).lockBoard(board.board_id, admin.user_id);
      answers = Promise.all(
        [1, 2, 3].map((n) => ours.call('POST', `/tasks/${card.id}/comments`, { body: `No ${n}` })),
      );
      await expect.poll(waiting).toBe(3);
      await cardStore(tx, workspace.brand.brand_id).deleteCard(card.id);
    });
    expect((await answers!).map(({ statusCode, body }) => [statusCode, JSON.parse(body)])).toEqual(
      [1, 2, 3].map(() => [404, { detail: 'Card not found' }]),
    );
  });

  it("POST refuses an empty body, and another workspace's card", async () => {
    expect((await ours.call('POST', `/tasks/${card.id}/comments`, { body: ' ' })).statusCode).toBe(422);
    expect((await theirs.call('POST', `/tasks/${card.id}/comments`, { body: 'x' })).statusCode).toBe(404);
    expect((await theirs.get(`/tasks/${card.id}/comments`)).statusCode).toBe(404);
  });
});

describe('PATCH /api/v1/board/tasks/{task_id}/comments/{comment_id}', () => {
  const edit = (caller: BoardCaller, commentId: string, payload: unknown = { body: 'Better' }) =>
    caller.patch(`/tasks/${card.id}/comments/${commentId}`, payload);

  it('lets the author rewrite it, and returns the comment', async () => {
    const comment = await member.comment(card.id, 'Good');
    const answer = await edit(member, comment.id);
    expect([answer.statusCode, answer.json()]).toEqual([200, { ...comment, body: 'Better' }]);
    expect(await listed()).toEqual({ comments: [{ ...comment, body: 'Better' }], total: 1 });
    expect(await newest()).toMatchObject({
      action: 'task.commented',
      ref: card.ref,
      changes: { comment: { from: 'Good', to: 'Better' } },
    });
    expect((await ours.get(`/tasks/${card.id}`)).json()).toMatchObject({ comment_count: 1, version: 1 });
  });

  it('writes nothing when nothing changes', async () => {
    const comment = await ours.comment(card.id, 'Good');
    const before = await newest();
    expect((await edit(ours, comment.id, { body: 'Good' })).json()).toEqual(comment);
    expect(await newest()).toEqual(before);
  });

  it('returns 403 for other people, including admins', async () => {
    const comment = await member.comment(card.id, 'Good');
    const answer = await edit(ours, comment.id);
    expect([answer.statusCode, answer.json()]).toEqual([
      403,
      { detail: 'Only its author may change a comment' },
    ]);
    expect((await listed()).comments).toEqual([comment]);
  });

  it('lets guests rewrite their own while their level allows comments', async () => {
    const { caller, become } = await guestAt('commenter');
    const comment = await caller.comment(card.id, 'Mine');
    const others = await ours.comment(card.id, 'Ours');
    expect((await edit(caller, comment.id)).statusCode).toBe(200);
    expect((await edit(caller, others.id)).statusCode).toBe(403);
    await become('viewer');
    expect((await edit(caller, comment.id, { body: 'Again' })).statusCode).toBe(403);
  });

  it('returns 404 for an unknown comment on the card, and before that 422 for a bad body', async () => {
    const comment = await ours.comment(card.id);
    const elsewhere = await ours.comment((await ours.card(board.board_id)).id);
    for (const id of [MISSING, 'nope', elsewhere.id]) {
      const answer = await edit(ours, id);
      expect([answer.statusCode, answer.json()]).toEqual([404, { detail: 'Comment not found' }]);
      expect((await edit(ours, id, { body: ' ' })).statusCode).toBe(422);
    }
    for (const payload of [
      {},
      { body: null },
      { body: 5 },
      { body: 'x', author: 1 },
      { body: 'x'.repeat(65_537) },
    ])
      expect((await edit(ours, comment.id, payload)).statusCode).toBe(422);
    expect((await edit(theirs, comment.id)).statusCode).toBe(404);
  });
});

describe('DELETE /api/v1/board/tasks/{task_id}/comments/{comment_id}', () => {
  const remove = async (caller: BoardCaller, commentId: string) =>
    (await caller.call('DELETE', `/tasks/${card.id}/comments/${commentId}`)).statusCode;

  it('lets the author delete it, returns 204 and lowers the count', async () => {
    const comment = await member.comment(card.id, 'Oops');
    const kept = await ours.comment(card.id, 'Kept');
    expect(await remove(member, comment.id)).toBe(204);
    expect(await listed()).toEqual({ comments: [kept], total: 1 });
    expect((await ours.get(`/tasks/${card.id}`)).json()).toMatchObject({ comment_count: 1, version: 1 });
    expect(await newest()).toMatchObject({
      action: 'task.commented',
      ref: card.ref,
      changes: { comment: { from: 'Oops', to: null } },
    });
    expect(await remove(member, comment.id)).toBe(404);
  });

  it('lets an admin delete any comment, and other people only their own', async () => {
    const comment = await ours.comment(card.id);
    const guests = (await guestAt('editor')).caller;
    expect(await remove(member, comment.id)).toBe(403);
    expect(await remove(guests, comment.id)).toBe(403);
    const theirComment = await guests.comment(card.id);
    expect(await remove(ours, theirComment.id)).toBe(204);
    expect(await remove(ours, comment.id)).toBe(204);
  });

  it('lets guests delete their own while their level allows comments', async () => {
    const { caller, become } = await guestAt('commenter');
    const [first, second] = [await caller.comment(card.id), await caller.comment(card.id)];
    expect(await remove(caller, first.id)).toBe(204);
    await become('viewer');
    expect(await remove(caller, second.id)).toBe(403);
  });

  it('returns 404 for an unknown comment on the card', async () => {
    const comment = await ours.comment(card.id);
    const elsewhere = await ours.comment((await ours.card(board.board_id)).id);
    for (const id of [MISSING, 'nope', elsewhere.id]) expect(await remove(ours, id)).toBe(404);
    expect(await remove(theirs, comment.id)).toBe(404);
    expect((await listed()).total).toBe(1);
  });
});
