import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';

const SPACES = '/api/v1/docs/spaces';
type Workspace = Awaited<ReturnType<World['workspace']>>;
let world: World;
let acme: Workspace;
let other: Workspace;

beforeAll(async () => {
  world = await startTestApp();
  [acme, other] = [await world.workspace(), await world.workspace()];
});
afterAll(() => world.stop());

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
async function ask(headers: object, method: Method, path: string, payload?: object) {
  const response = await world.inject({ method, url: `${SPACES}${path}`, headers: { ...headers }, payload });
  return [response.statusCode, response.body === '' ? undefined : response.json()] as const;
}
const make = async ({ bearer }: Workspace, name: string): Promise<string> =>
  (await ask(bearer, 'POST', '', { name }))[1].space_id;
const invite = (workspace: Workspace, spaceId: string, userId: number | string, role = 'viewer') =>
  ask(workspace.bearer, 'PUT', `/${spaceId}/guests/${userId}`, { role });

describe('POST /docs/spaces', () => {
  it('creates a space for any member and any scope', async () => {
    const token = await world.token(acme.brand, await world.member(acme.brand), []);
    const answer = await ask({ authorization: `Bearer ${token}` }, 'POST', '', { name: 'Handbook' });
    expect(answer).toEqual([201, { space_id: expect.any(String), name: 'Handbook' }]);
  });

  it.each([{}, { name: '' }, { name: '  ' }, { name: 5 }, { name: 'a', kind: 'b' }])(
    'rejects %j',
    async (body) => {
      expect((await ask(acme.bearer, 'POST', '', body))[0]).toBe(422);
    },
  );
});

describe('GET /docs/spaces', () => {
  it('lists only the spaces of the workspace', async () => {
    const workspace = await world.workspace();
    const space_id = await make(workspace, 'Ours');
    await make(other, 'Theirs');
    expect(await ask(workspace.bearer, 'GET', '')).toEqual([
      200,
      { spaces: [{ space_id, name: 'Ours' }], total: 1 },
    ]);
  });

  it('shows guests only their own spaces', async () => {
    const [open, closed] = [await make(acme, 'Open'), await make(acme, 'Closed')];
    const guest = await world.person();
    await invite(acme, open, guest.user_id);
    const cookie = { cookie: await world.signIn(guest, acme.brand) };
    expect(await ask(cookie, 'GET', '')).toEqual([
      200,
      { spaces: [{ space_id: open, name: 'Open' }], total: 1 },
    ]);
    expect((await ask(cookie, 'GET', `/${open}`))[0]).toBe(200);
    expect((await ask(cookie, 'GET', `/${closed}`))[0]).toBe(403);
    expect((await ask(cookie, 'POST', '', { name: 'Mine' }))[0]).toBe(403);
    expect((await ask(cookie, 'PUT', `/${open}/guests/1`, { role: 'editor' }))[0]).toBe(403);
  });
});

describe('GET /docs/spaces/{space_id}', () => {
  it('returns the space, and 404 for a space outside the workspace', async () => {
    const space_id = await make(acme, 'Plans');
    expect(await ask(acme.bearer, 'GET', `/${space_id}`)).toEqual([200, { space_id, name: 'Plans' }]);
    for (const id of [randomUUID(), 'abc', await make(other, 'Theirs')]) {
      expect((await ask(acme.bearer, 'GET', `/${id}`))[0]).toBe(404);
    }
  });
});

describe('PUT /docs/spaces/{space_id}/guests/{user_id}', () => {
  it('gives a person access and changes the level of a guest', async () => {
    const space_id = await make(acme, 'Plans');
    const { user_id, email, full_name } = await world.person();
    const guest = { space_id, user_id, email, full_name, created_at: expect.any(String) };
    expect(await invite(acme, space_id, user_id)).toEqual([200, { ...guest, role: 'viewer' }]);
    expect(await invite(acme, space_id, user_id, 'editor')).toEqual([200, { ...guest, role: 'editor' }]);
  });

  it('rejects unknown levels, people and spaces, and members', async () => {
    const space_id = await make(acme, 'Plans');
    const { user_id } = await world.person();
    expect((await invite(acme, space_id, user_id, 'owner'))[0]).toBe(422);
    expect((await invite(acme, space_id, 999999))[0]).toBe(404);
    expect((await invite(acme, space_id, 'abc'))[0]).toBe(404);
    expect((await invite(other, space_id, user_id))[0]).toBe(404);
    expect((await invite(acme, space_id, acme.admin.user_id))[0]).toBe(409);
  });

  it('accepts people of this workspace, former ones and people without a workspace, and no one else', async () => {
    const [here, there] = [await make(acme, 'Ours'), await make(other, 'Theirs')];
    const [guest, member] = [await world.person(), await world.member(other.brand)];
    await invite(other, there, guest.user_id);
    const unknown = [404, { detail: 'User not found' }];
    for (const { user_id } of [guest, member, other.admin])
      expect(await invite(acme, here, user_id)).toEqual(unknown);

    await ask(other.bearer, 'DELETE', `/${there}/guests/${guest.user_id}`);
    await world.operator('DELETE', `/brands/${other.brand.brand_id}/members/${member.user_id}`);
    for (const { user_id } of [guest, member]) {
      expect((await invite(acme, here, user_id))[0]).toBe(200);
      // Former members and guests remain known to the other workspace.
      expect((await invite(other, there, user_id))[0]).toBe(200);
      expect((await invite(acme, here, user_id, 'editor'))[0]).toBe(200);
    }
  });
});

describe('DELETE /docs/spaces/{space_id}/guests/{user_id}', () => {
  const withdraw = (workspace: Workspace, spaceId: string, userId: number | string) =>
    ask(workspace.bearer, 'DELETE', `/${spaceId}/guests/${userId}`);

  it('takes effect at once', async () => {
    const [open, left] = [await make(acme, 'Open'), await make(acme, 'Left')];
    const guest = await world.person();
    for (const space of [open, left]) await invite(acme, space, guest.user_id);
    const cookie = { cookie: await world.signIn(guest, acme.brand) };
    expect(await withdraw(acme, left, guest.user_id)).toEqual([204, undefined]);
    expect((await ask(cookie, 'GET', `/${left}`))[0]).toBe(403);
    expect((await ask(cookie, 'GET', `/${open}`))[0]).toBe(200);
    expect(await withdraw(acme, left, guest.user_id)).toEqual([404, { detail: 'Guest not found' }]);
  });

  it('returns 404 for a person who is not a guest and for a space of another workspace', async () => {
    const [ours, theirs] = [await make(acme, 'Ours'), await make(other, 'Theirs')];
    const guest = await world.person();
    await invite(other, theirs, guest.user_id);
    expect((await withdraw(acme, theirs, guest.user_id))[0]).toBe(404);
    for (const id of ['abc', guest.user_id, acme.admin.user_id])
      expect(await withdraw(acme, ours, id)).toEqual([404, { detail: 'Guest not found' }]);
    expect((await withdraw(acme, randomUUID(), guest.user_id))[0]).toBe(404);
  });
});
