import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';

type Headers = Record<string, string>;

let world: World;
let workspace: Awaited<ReturnType<World['workspace']>>;
let mine: Headers;

beforeAll(async () => {
  world = await startTestApp();
  workspace = await world.workspace();
  mine = { cookie: workspace.cookie };
});
afterAll(() => world.stop());

const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', payload?: object, headers = mine) =>
  world.inject({ method, url: `/api/v1/me/views${path}`, headers, payload });
const make = async (headers = mine, fields: object = {}) =>
  (await call('POST', '', { name: 'Mine', query: 'assignee=me&status=pending', ...fields }, headers)).json();
const names = async (headers: Headers) =>
  (await call('GET', '', undefined, headers)).json().views.map(({ name }: { name: string }) => name);

async function newcomer(): Promise<{ userId: number; headers: Headers }> {
  const member = await world.member(workspace.brand);
  return { userId: member.user_id, headers: { cookie: await world.signIn(member, workspace.brand) } };
}

describe('/api/v1/me/views', () => {
  it('stores {view_id, name, query, created_at, shared, owner}, and lists, changes and deletes views', async () => {
    const made = await call('POST', '', { name: ' Late ', query: 'due_before=now' });
    expect(made.statusCode).toBe(201);
    const view = made.json();
    expect(Object.keys(view)).toEqual(['view_id', 'name', 'query', 'created_at', 'shared', 'owner']);
    const { user_id, full_name } = workspace.admin;
    const owner = { user_id, name: full_name, agent_id: null };
    expect(view).toMatchObject({ name: 'Late', query: 'due_before=now', shared: false, owner });
    expect((await call('GET')).json()).toEqual({ views: [view], total: 1 });
    const changed = await call('PATCH', `/${view.view_id}`, { name: 'Later' });
    expect(changed.json()).toEqual({ ...view, name: 'Later' });
    expect((await call('PATCH', `/${view.view_id}`, { query: 'q=x' })).json().query).toBe('q=x');
    expect((await call('DELETE', `/${view.view_id}`)).statusCode).toBe(204);
    expect((await call('GET')).json()).toEqual({ views: [], total: 0 });
    expect((await call('DELETE', `/${view.view_id}`)).statusCode).toBe(404);
    expect((await call('PATCH', `/${view.view_id}`, { name: 'x' })).statusCode).toBe(404);
  });

  it.each([
    { name: '', query: 'q' },
    { name: '  ', query: 'q' },
    { name: 'x'.repeat(81), query: 'q' },
    { name: 'x', query: '' },
    { name: 'x', query: 'q'.repeat(2001) },
    { name: 'x' },
    { query: 'q' },
    { name: 'x', query: 'q', colour: 'red' },
  ])('returns 422 for an invalid body (%#)', async (body) => {
    expect((await call('POST', '', body)).statusCode).toBe(422);
  });

  it('accepts names of 80 and queries of 2,000 characters, and requires a field in a PATCH', async () => {
    const view = await make(mine, { name: 'x'.repeat(80), query: 'q'.repeat(2000) });
    expect(view.query).toHaveLength(2000);
    expect((await call('PATCH', `/${view.view_id}`, {})).statusCode).toBe(400);
  });

  it('belong to one person in one workspace and are hidden from others', async () => {
    const other = await newcomer();
    const view = await make(other.headers, { name: 'Theirs' });
    expect(await names(other.headers)).toEqual(['Theirs']);
    expect(await names(mine)).not.toContain('Theirs');
    expect((await call('PATCH', `/${view.view_id}`, { name: 'Stolen' })).statusCode).toBe(404);
    expect((await call('DELETE', `/${view.view_id}`)).statusCode).toBe(404);
    const second = await world.workspace();
    await world.member(second.brand, { person: workspace.admin });
    const there = { cookie: await world.signIn(workspace.admin, second.brand) };
    expect(await names(there)).toEqual([]);
    expect((await call('DELETE', `/${view.view_id}`, undefined, workspace.bearer)).statusCode).toBe(404);
    expect(await names(other.headers)).toEqual(['Theirs']);
  });

  it('are limited to 50, even when created simultaneously, and return 409 beyond', async () => {
    const { headers } = await newcomer();
    for (let made = 0; made < 48; made++) await make(headers);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call('POST', '', { name: 'x', query: 'q' }, headers)),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(await names(headers)).toHaveLength(50);
  });

  it('also work for guests and tokens', async () => {
    const person = await world.person();
    const board = await world.inject({
      method: 'POST',
      url: '/api/v1/board/boards',
      headers: mine,
      payload: { name: 'Open' },
    });
    const url = `/api/v1/board/boards/${board.json().board_id}/guests/${person.user_id}`;
    await world.inject({ method: 'PUT', url, headers: mine, payload: { role: 'viewer' } });
    const guest = { cookie: await world.signIn(person, workspace.brand) };
    const view = await make(guest, { name: 'A guest’s' });
    const shared = await make(mine, { name: 'Shared', shared: true });
    expect(await names(guest)).toEqual(['A guest’s']);
    expect((await call('PATCH', `/${shared.view_id}`, { name: 'x' }, guest)).statusCode).toBe(404);
    for (const refused of [
      await call('PATCH', `/${view.view_id}`, { shared: true }, guest),
      await call('POST', '', { name: 'x', query: 'q', shared: true }, guest),
    ])
      expect([refused.statusCode, refused.json().detail]).toEqual([403, 'Guests cannot share views']);
    await call('DELETE', `/${shared.view_id}`);
    const before = await names(mine);
    await make(workspace.bearer, { name: 'By token' });
    expect(await names(mine)).toEqual([...before, 'By token']);
  });

  it('can be shared with all members of the workspace, while only the owner and admins change or delete them', async () => {
    const owner = await newcomer();
    const other = await newcomer();
    const view = await make(owner.headers, { name: 'Ours', shared: true });
    const seen = (await call('GET', '', undefined, other.headers)).json().views;
    expect(seen).toEqual([{ ...view, shared: true, owner: { ...view.owner, user_id: owner.userId } }]);
    for (const method of ['PATCH', 'DELETE'] as const) {
      const refused = await call(
        method,
        `/${view.view_id}`,
        method === 'PATCH' ? { name: 'x' } : undefined,
        other.headers,
      );
      expect([refused.statusCode, refused.json().detail]).toEqual([
        403,
        'Only its owner and admins change a shared view',
      ]);
    }
    expect((await call('PATCH', `/${view.view_id}`, { name: 'Everybody’s' })).json()).toMatchObject({
      name: 'Everybody’s',
      owner: view.owner,
    });
    const hidden = await call('PATCH', `/${view.view_id}`, { shared: false }, owner.headers);
    expect(hidden.json()).toMatchObject({ shared: false, name: 'Everybody’s' });
    expect(await names(other.headers)).toEqual([]);
    expect((await call('DELETE', `/${view.view_id}`)).statusCode).toBe(404);
    await call('PATCH', `/${view.view_id}`, { shared: true }, owner.headers);
    const stranger = (await world.workspace()).bearer;
    expect((await call('DELETE', `/${view.view_id}`, undefined, stranger)).statusCode).toBe(404);
    expect((await call('DELETE', `/${view.view_id}`)).statusCode).toBe(204);
    expect(await names(owner.headers)).toEqual([]);
  });

  it('are deleted when their owner leaves, and are part of the personal data export', async () => {
    const { userId, headers } = await newcomer();
    await make(headers, { name: 'Leaving' });
    const exported = await world.inject({ method: 'GET', url: '/api/v1/me/export', headers });
    expect(exported.json().saved_views).toMatchObject([
      { name: 'Leaving', query: 'assignee=me&status=pending' },
    ]);
    await world.operator('DELETE', `/brands/${workspace.brand.brand_id}/members/${userId}`);
    const kept = await world.db
      .selectFrom('saved_views')
      .select('view_id')
      .where('user_id', '=', userId)
      .execute();
    expect(kept).toEqual([]);
  });
});
