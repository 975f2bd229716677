import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, startTestApp, type World } from '../../../tests/support/app.js';

let world: World;

beforeAll(async () => {
  world = await startTestApp();
});
afterAll(() => world.stop());

const ask = (path: string) =>
  world.inject({ url: `/api/v1/admin${path}`, headers: { 'x-admin-key': ADMIN_KEY } });

describe('GET /api/v1/admin/brands/{brand_id}/members', () => {
  it('lists only current members of the workspace', async () => {
    const { brand, admin } = await world.workspace();
    await world.workspace();
    const left = await world.member(brand);
    await world.operator('DELETE', `/brands/${brand.brand_id}/members/${left.user_id}`);
    const answer = await ask(`/brands/${brand.brand_id}/members`);
    expect(answer.json()).toEqual({
      members: [
        {
          user_id: admin.user_id,
          email: admin.email,
          full_name: admin.full_name,
          role: 'admin',
          position: null,
          joined_at: expect.any(String),
        },
      ],
      total: 1,
    });
    expect((await ask('/brands/999999/members')).json()).toEqual({ detail: 'Brand not found' });
  });
});

describe('GET /api/v1/admin/brands/{brand_id}/tokens', () => {
  it('lists valid tokens with their owners and without the token text', async () => {
    const { brand, admin, token } = await world.workspace();
    const second = await world.operator<{ token_id: string }>('POST', `/brands/${brand.brand_id}/tokens`, {
      user_id: admin.user_id,
      name: 'second',
    });
    const read = async () => (await ask(`/brands/${brand.brand_id}/tokens`)).json();
    const both = await read();
    expect(both.total).toBe(2);
    expect(both.tokens[0]).toEqual({
      token_id: second.token_id,
      name: 'second',
      scopes: [],
      created_at: expect.any(String),
      expires_at: null,
      last_used_at: null,
      agent_id: null,
      user_id: admin.user_id,
      full_name: admin.full_name,
    });
    expect(JSON.stringify(both)).not.toContain(token);
    await world.operator('DELETE', `/tokens/${second.token_id}`);
    expect((await read()).tokens.map(({ name }: { name: string }) => name)).toEqual(['test']);
    expect((await ask('/brands/999999/tokens')).json()).toEqual({ detail: 'Brand not found' });
  });
});

describe('GET /api/v1/admin/audit?action=', () => {
  it('returns one kind of action, page by page', async () => {
    await world.workspace();
    await world.workspace();
    const first = (await ask('/audit?action=brand.created&limit=1')).json();
    const second = (await ask(`/audit?action=brand.created&limit=1&cursor=${first.next_cursor}`)).json();
    const actions = [...first.items, ...second.items].map(({ action }) => action);
    expect(actions).toEqual(['brand.created', 'brand.created']);
    expect((await ask('/audit?action=nobody.did.this')).json().items).toEqual([]);
  });
});
