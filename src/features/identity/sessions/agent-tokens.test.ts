import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import { hireWorld } from '../../../../tests/support/hires.js';

let world: World;
let workspace: Awaited<ReturnType<World['workspace']>>;

beforeAll(async () => {
  world = await startTestApp();
  workspace = await world.workspace({ plan: 'business' });
  await agent('claude-shop', { name: 'Claude of the shop' });
});
afterAll(() => world.stop());

const agent = (agent_id: string, fields: object = {}) =>
  world.operator('POST', '/agents', { agent_id, brand_id: workspace.brand.brand_id, ...fields });

const call = async (method: 'GET' | 'POST', path: string, payload?: object) => {
  const { cookie } = workspace;
  const answer = await world.inject({ method, url: `/api/v1/me${path}`, headers: { cookie }, payload });
  return [answer.statusCode, answer.json()] as const;
};
const make = (agent_id: string | null) => call('POST', '/tokens', { name: 'work', scopes: [], agent_id });

const ask = async (token: string, url = '/api/v1/me') => {
  const answer = await world.inject({ url, headers: { authorization: `Bearer ${token}` } });
  return answer.statusCode === 200 ? answer.json() : answer.statusCode;
};

describe('POST /api/v1/me/tokens {agent_id}', () => {
  it('binds the token to an agent of the workspace and shows it in the response and the lists', async () => {
    const [status, made] = await make('claude-shop');
    expect([status, made.agent_id]).toEqual([201, 'claude-shop']);
    const [, own] = await call('GET', '/tokens');
    const listed = ({ tokens }: { tokens: { token_id: string; agent_id: string }[] }) =>
      tokens.find(({ token_id }) => token_id === made.token_id)?.agent_id;
    expect(listed(own)).toBe('claude-shop');
    expect(listed(await world.operator('GET', `/brands/${workspace.brand.brand_id}/tokens`))).toBe(
      'claude-shop',
    );
    expect(await ask(made.token)).toMatchObject({
      user: { user_id: workspace.admin.user_id, full_name: workspace.admin.full_name },
      agent: { agent_id: 'claude-shop', name: 'Claude of the shop' },
    });
    expect(await ask(made.token, '/api/v1/me/token')).toMatchObject({ kind: 'pat', agent_id: 'claude-shop' });
  });

  it("returns 422 for an unknown agent, another workspace's and the platform's", async () => {
    const other = await world.brand();
    await agent('claude-next-door', { brand_id: other.brand_id });
    await agent('claude-of-all', { brand_id: null });
    for (const agentId of ['nobody', 'claude-next-door', 'claude-of-all', ''])
      expect(await make(agentId)).toEqual([422, { detail: 'agent_id must name an agent of this workspace' }]);
  });

  it('names the agent in the audit and in the export of the person', async () => {
    const [, made] = await make('claude-shop');
    const entry = await world.db
      .selectFrom('audit_log')
      .select('details')
      .where('subject', '=', `token:${made.token_id}`)
      .executeTakeFirstOrThrow();
    expect(entry.details).toMatchObject({ agent_id: 'claude-shop' });
    const [, exported] = await call('GET', '/export');
    expect(
      exported.tokens.find(({ token_id }: { token_id: string }) => token_id === made.token_id),
    ).toMatchObject({ agent_id: 'claude-shop' });
  });
});

describe('Removal of an agent', () => {
  it('revokes its tokens when it is deleted', async () => {
    await agent('claude-brief');
    const [, made] = await make('claude-brief');
    await sql`delete from agents where agent_id = 'claude-brief'`.execute(world.db);
    expect(await ask(made.token)).toBe(401);
    const [, { tokens }] = await call('GET', '/tokens');
    expect(tokens.map(({ token_id }: { token_id: string }) => token_id)).not.toContain(made.token_id);
  });

  it('revokes its tokens on every node at once when its hire ends, and allows no new ones', async () => {
    const hires = hireWorld(world);
    const node = await startTestApp({ database: world.database });
    try {
      const { agent_id, hire_id } = await hires.active(workspace.cookie, (await hires.employee()).profile_id);
      const [, made] = await make(agent_id);
      const [, other] = await make('claude-shop');
      const askThere = (token: string) =>
        node.inject({ url: '/api/v1/me', headers: { authorization: `Bearer ${token}` } });
      expect((await askThere(made.token)).statusCode).toBe(200);
      expect((await ask(made.token)).agent.agent_id).toBe(agent_id);

      expect((await hires.cancel(workspace.cookie, hire_id, 'cancel-immediate')).statusCode).toBe(200);
      expect(await ask(made.token)).toBe(401);
      await expect.poll(async () => (await askThere(made.token)).statusCode).toBe(401);
      expect((await ask(other.token)).agent.agent_id).toBe('claude-shop');
      expect((await make(agent_id))[0]).toBe(422);
      const revoked = await world.db
        .selectFrom('audit_log')
        .select(['action', 'actor_user_id'])
        .where('subject', '=', `token:${made.token_id}`)
        .where('action', '=', 'token.revoked')
        .execute();
      expect(revoked).toEqual([{ action: 'token.revoked', actor_user_id: workspace.admin.user_id }]);
    } finally {
      await node.stop();
    }
  });
});
