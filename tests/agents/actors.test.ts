import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Board } from '../../src/features/boards/boards.schemas.js';
import { type BoardCaller, boardCaller } from '../../src/features/boards/boards.test-support.js';
import type { InboxItem } from '../../src/features/inbox/inbox.schemas.js';
import { startTestApp, type World } from '../support/app.js';
import { openEvents } from '../support/events.js';

type Headers = Record<string, string>;

let world: World;
let url: string;
let workspace: Awaited<ReturnType<World['workspace']>>;
let person: { user_id: number; name: string; agent_id: string | null };
let shop: { user_id: number; name: string; agent_id: string | null };
let asAgent: Headers;
let ours: BoardCaller;
let agents: BoardCaller;
let board: Board;

beforeAll(async () => {
  world = await startTestApp({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } });
  url = await world.server.listen({ port: 0, host: '127.0.0.1' });
  workspace = await world.workspace({ plan: 'business' });
  const { brand, admin } = workspace;
  await world.operator('POST', '/agents', { agent_id: 'claude-shop', brand_id: brand.brand_id });
  const token = await world.token(brand, admin, undefined, { agent_id: 'claude-shop' });
  asAgent = { authorization: `Bearer ${token}` };
  person = { user_id: admin.user_id, name: admin.full_name, agent_id: null };
  shop = { ...person, name: `claude-shop (for ${admin.full_name})`, agent_id: 'claude-shop' };
  ours = boardCaller(world, { cookie: workspace.cookie });
  agents = boardCaller(world, asAgent);
  board = await ours.board();
});
afterAll(() => world.stop());

const call = async (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  payload?: object,
  headers = asAgent,
) => {
  const answer = await world.inject({ method, url: `/api/v1${path}`, headers, payload });
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${answer.body}`);
  return answer.body === '' ? undefined : answer.json();
};
const inbox = async (): Promise<InboxItem[]> =>
  (await call('GET', '/me/inbox', undefined, { cookie: workspace.cookie })).items;
const feed = async (limit: number) =>
  (await ours.get(`/activity/boards/${board.board_id}?limit=${limit}`)).json().items;

describe('Agent tokens: the author of changes', () => {
  it('names the agent as the author when a comment is created and listed', async () => {
    const card = await ours.card(board.board_id);
    const made = await agents.call('POST', `/tasks/${card.id}/comments`, { body: 'Done' });
    expect(made.json().author).toEqual(shop);
    await ours.comment(card.id, 'Thanks');
    const { comments } = (await ours.get(`/tasks/${card.id}/comments`)).json();
    expect(comments.map(({ author }: { author: unknown }) => author)).toEqual([shop, person]);
  });

  it('names the agent as the actor in board and card activity, the stream and webhooks', async () => {
    const hook = { url: 'https://example.com/hook', events: ['*'] };
    const { webhook_id } = await call('POST', `/brands/${workspace.brand.brand_id}/webhooks`, hook);
    const stream = await openEvents(`${url}/api/v1/board/activity/boards/${board.board_id}/stream`, {
      cookie: workspace.cookie,
    });
    await world.db.deleteFrom('webhook_messages').execute();
    const card = await agents.card(board.board_id, { title: 'By the agent' });
    await agents.patch(`/tasks/${card.id}`, { title: 'Quickly' });
    await agents.patch(`/tasks/${card.id}`, { instructions: 'Carefully' });
    await agents.patch(`/tasks/${card.id}`, { status: 'done' });
    await agents.comment(card.id, 'Said');
    const actors = (items: { actor: unknown }[]) => items.map(({ actor }) => actor);
    expect(actors(await feed(5))).toEqual(Array(5).fill(shop));
    expect(actors((await ours.get(`/tasks/${card.id}/activity`)).json().items)).toEqual(Array(5).fill(shop));
    const told = await world.db.selectFrom('webhook_messages').select('body').execute();
    expect(told.map(({ body }) => JSON.parse(body).data.entry.actor)).toEqual(Array(5).fill(shop));
    for (let i = 0; i < 5; i++)
      expect(((await stream.next())!.data as { actor: unknown }).actor).toEqual(shop);
    stream.close();
    await call('DELETE', `/brands/${workspace.brand.brand_id}/webhooks/${webhook_id}`);
  });

  it('names the agent in the last stream event of a deleted board', async () => {
    const gone = await ours.board();
    const stream = await openEvents(`${url}/api/v1/board/activity/boards/${gone.board_id}/stream`, {
      cookie: workspace.cookie,
    });
    await agents.call('DELETE', `/boards/${gone.board_id}`);
    expect((await stream.next())!.data).toMatchObject({ action: 'board.updated', actor: shop });
    stream.close();
  });

  it('names the agent in the audit log, and `actor` still filters by the person', async () => {
    await call('PUT', `/brands/${workspace.brand.brand_id}/features/feed`, { on: false });
    const audit = `/brands/${workspace.brand.brand_id}/audit?action=feature.changed`;
    const { entries } = await call('GET', `${audit}&actor=${person.user_id}`);
    expect(entries[0].actor).toEqual(shop);
    const { items } = await world.operator<{ items: object[] }>('GET', '/audit?action=feature.changed');
    expect(items[0]).toMatchObject({
      actor: { kind: 'pat', user_id: person.user_id, agent_id: 'claude-shop' },
    });
    const { switches } = await call('GET', `/brands/${workspace.brand.brand_id}/features`);
    expect(switches.feed.changed_by).toEqual(shop);
  });

  it("names the agent in a memory's history until the person changes the memory", async () => {
    const memory = { agent_id: 'claude-shop', kind: 'fact', title: 'Open', body: 'From nine to five.' };
    const { id } = await call('POST', '/memory/memories', memory);
    await call('PATCH', `/memory/memories/${id}`, { body: 'From eight.' });
    await call('PATCH', `/memory/memories/${id}`, { body: 'From seven.' }, { cookie: workspace.cookie });
    const { entries } = await call('GET', `/memory/memories/${id}/history`);
    expect(entries.map(({ actor }: { actor: unknown }) => actor)).toEqual([person, shop, shop]);
  });
});

describe('Display name of an agent in past activity', () => {
  const nameOf = async (cardId: string) =>
    (await ours.get(`/tasks/${cardId}/comments`)).json().comments[0].author.name;

  it("the agent's name follows renames of agent and person, and remains after the agent is deleted", async () => {
    const space = await world.workspace();
    await world.operator('POST', '/agents', { agent_id: 'codex-inn', brand_id: space.brand.brand_id });
    const token = await world.token(space.brand, space.admin, undefined, { agent_id: 'codex-inn' });
    const theirs = boardCaller(world, { authorization: `Bearer ${token}` });
    const card = await theirs.card((await theirs.board()).board_id);
    await theirs.comment(card.id, 'Here');
    const read = async (path: string) =>
      (await boardCaller(world, { cookie: space.cookie }).get(path)).json();
    /** Returns the author, after checking that comment and activity agree. */
    const named = async () => {
      const { author } = (await read(`/tasks/${card.id}/comments`)).comments[0];
      for (const path of [`/tasks/${card.id}/activity`, `/activity/boards/${card.board_id}`])
        expect((await read(path)).items[0].actor).toEqual(author);
      return author;
    };
    await sql`update agents set name = 'The innkeeper' where agent_id = 'codex-inn'`.execute(world.db);
    await call('PATCH', '/me', { full_name: 'Ada Lovelace' }, { cookie: space.cookie });
    expect((await named()).name).toBe('The innkeeper (for Ada Lovelace)');
    await sql`delete from agents where agent_id = 'codex-inn'`.execute(world.db);
    expect(await named()).toMatchObject({ name: 'codex-inn (for Ada Lovelace)', agent_id: 'codex-inn' });
  });

  it('the agent\'s name becomes "agent (for Former member)" after the person is erased', async () => {
    const { brand } = workspace;
    const colleague = await world.member(brand);
    const token = await world.token(brand, colleague, undefined, { agent_id: 'claude-shop' });
    const card = await ours.card(board.board_id);
    await boardCaller(world, { authorization: `Bearer ${token}` }).comment(card.id, 'Still here');
    expect(await nameOf(card.id)).toBe(`claude-shop (for ${colleague.full_name})`);
    await world.operator('DELETE', `/users/${colleague.user_id}`);
    await world.runJob('erase');
    expect(await nameOf(card.id)).toBe('claude-shop (for Former member)');
  });
});

describe('An agent as an actor separate from its person', () => {
  it("puts the agent's comments, mentions and assignments into the person's inbox", async () => {
    const card = await ours.card(board.board_id);
    await agents.comment(card.id, 'Half way');
    await agents.comment(card.id, `@${person.name} which colour?`);
    await agents.patch(`/tasks/${card.id}`, { assignee: person.user_id });
    await agents.patch(`/tasks/${card.id}`, { status: 'in_review' });
    const items = (await inbox()).filter(({ task }) => task?.task_id === card.id);
    expect(items.map(({ kind }) => kind).sort()).toEqual([
      'assigned',
      'commented',
      'mentioned',
      'review_asked',
    ]);
    for (const { actor } of items) expect(actor).toEqual(shop);
  });

  it("does not put the person's own actions into their inbox", async () => {
    const card = await ours.card(board.board_id);
    await ours.comment(card.id, `@${person.name} a note to myself`);
    await ours.patch(`/tasks/${card.id}`, { assignee: person.user_id });
    expect((await inbox()).filter(({ task }) => task?.task_id === card.id)).toEqual([]);
  });

  it("lets neither edit the other's comments, and lets the person delete the agent's", async () => {
    const colleague = await world.member(workspace.brand);
    const own = boardCaller(world, { cookie: await world.signIn(colleague, workspace.brand) });
    const token = await world.token(workspace.brand, colleague, undefined, { agent_id: 'claude-shop' });
    const theirAgent = boardCaller(world, { authorization: `Bearer ${token}` });
    const card = await ours.card(board.board_id);
    const [said, spoken] = [await own.comment(card.id, 'Mine'), await theirAgent.comment(card.id, 'Its own')];
    const place = ({ id }: { id: string }) => `/tasks/${card.id}/comments/${id}`;
    const edit = async (caller: BoardCaller, comment: { id: string }) =>
      (await caller.patch(place(comment), { body: 'Changed' })).statusCode;
    expect(await edit(theirAgent, said)).toBe(403);
    expect(await edit(own, spoken)).toBe(403);
    expect(await edit(theirAgent, spoken)).toBe(200);
    expect(await edit(own, said)).toBe(200);
    expect((await theirAgent.call('DELETE', place(said))).statusCode).toBe(403);
    expect((await own.call('DELETE', place(spoken))).statusCode).toBe(204);
  });
});
