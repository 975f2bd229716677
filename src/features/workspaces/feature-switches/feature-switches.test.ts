import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startTestApp } from '../../../../tests/support/app.js';
import {
  refused,
  type SettingsWorld,
  startSettingsWorld,
  type Workspace,
} from '../../../../tests/support/settings-world.js';
import { newId } from '../../../kernel/ids.js';
import type { Features } from './feature-switches.schemas.js';

let world: SettingsWorld;
let team: Workspace;

beforeAll(async () => {
  world = await startSettingsWorld();
  team = await world.workspace({ plan: 'team' });
});
afterAll(() => world.stop());

const read = (workspace: Workspace, query = '', headers: object = workspace.bearer) =>
  world.ask(workspace, 'GET', `/features${query}`, undefined, headers);
const turn = (workspace: Workspace, key: string, body: object, headers?: object) =>
  world.ask(workspace, 'PUT', `/features/${key}`, body, headers);

describe('GET /brands/{brand_id}/features', () => {
  it('answers all four switches with why, who, when and what they hold', async () => {
    const nobody = { changed_by: null, changed_at: null };
    const on = { on: true, locked_by_plan: false, source: 'plan_default', ...nobody };
    expect(await read(team)).toEqual([
      200,
      {
        new_navigation: true,
        switches: {
          skills: { ...on, holds: { installed_packages: 0 } },
          feed: { ...on, holds: { feed_sources: 0 } },
          machines: { ...on, holds: { machines: 0 } },
          crm: {
            on: false,
            locked_by_plan: true,
            source: 'plan_default',
            ...nobody,
            holds: { crm_boards: 0 },
          },
        },
      },
    ]);
  });

  it('counts what each feature holds in this workspace, and turns crm on by its data', async () => {
    const workspace = await world.workspace({ plan: 'business', new_navigation: false });
    const { brand_id } = workspace.brand;
    for (const brand of [workspace.brand, team.brand]) {
      await world.operator('POST', `/brands/${brand.brand_id}/packages`, { name: 'tool', version: '1.0.0' });
    }
    await world.operator('POST', `/brands/${brand_id}/feed-sources`, {
      name: 'News',
      url: 'https://example.test/a',
    });
    for (const [key, board_type] of [
      ['A', 'crm'],
      ['B', 'crm'],
      ['C', 'build'],
    ] as const) {
      const board = { board_id: newId(), brand_id, name: key, key, board_type };
      const now = world.clock.now();
      await world.db
        .insertInto('boards')
        .values({ ...board, last_activity_at: now, created_at: now })
        .execute();
    }
    const desk = { method: 'POST' as const, url: '/api/v1/workstations', payload: { name: 'Desk' } };
    await world.inject({ ...desk, headers: { cookie: workspace.cookie } });
    const [, features] = await read(workspace);
    expect(features).toMatchObject({
      new_navigation: false,
      switches: {
        skills: { holds: { installed_packages: 1 } },
        feed: { holds: { feed_sources: 1 } },
        machines: { holds: { machines: 1 } },
        crm: { on: true, source: 'data_default', locked_by_plan: false, holds: { crm_boards: 2 } },
      },
    });
  });

  it('is open to any active member with brand:read, by token or session', async () => {
    const member = await world.member(team.brand);
    const bearer = { authorization: `Bearer ${await world.token(team.brand, member, ['brand:read'])}` };
    expect((await read(team, '', bearer))[0]).toBe(200);
    expect((await read(team, '', { cookie: await world.signIn(member, team.brand) }))[0]).toBe(200);
  });

  it('names the missing scope and says whether the workspace allows it', async () => {
    const bearer = await world.memberBearer(team, ['memory:read']);
    const detail = 'Token lacks scope brand:read; this workspace allows it, so a new token can carry it';
    expect(await read(team, '', bearer)).toEqual(refused(403, detail));
  });

  it('answers 401 without a token', async () => {
    expect((await read(team, '', {}))[0]).toBe(401);
  });

  it.each(['999999', 'abc', '0', '-1'])('answers 404 Brand not found for %s', async (brandId) => {
    const response = await world.inject({ url: `/api/v1/brands/${brandId}/features`, headers: team.bearer });
    expect([response.statusCode, response.json()]).toEqual(refused(404, 'Brand not found'));
  });

  it('answers 404 Brand not found for another workspace', async () => {
    const other = await world.workspace();
    expect(await read(other, '', team.bearer)).toEqual(refused(404, 'Brand not found'));
  });

  it('answers YAML and Markdown with the same facts', async () => {
    const url = `/api/v1/brands/${team.brand.brand_id}/features`;
    const json = await world.inject({ url, headers: team.bearer });
    const yaml = await world.inject({ url: `${url}?format=yaml`, headers: team.bearer });
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(parse(yaml.body)).toEqual(json.json());
    const markdown = await world.inject({ url: `${url}?format=md`, headers: team.bearer });
    expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8');
    for (const fact of ['new', 'skills', 'machines', 'crm', 'installed', 'plan'])
      expect(markdown.body).toContain(fact);
  });

  it.each(['json', 'xml', '', 'YAML'])('answers 422 for format=%s', async (format) => {
    expect((await read(team, `?format=${format}`))[0]).toBe(422);
  });
});

describe('PUT /brands/{brand_id}/features/{key}', () => {
  it('sets source, changed_by and changed_at and answers the shape of GET', async () => {
    const workspace = await world.workspace();
    const [status, features] = await turn(workspace, 'feed', { on: false });
    expect([status, features]).toEqual(await read(workspace));
    expect((features as Features).switches.feed).toEqual({
      on: false,
      locked_by_plan: false,
      source: 'admin',
      changed_by: { user_id: workspace.admin.user_id, name: workspace.admin.full_name, agent_id: null },
      changed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      holds: { feed_sources: 0 },
    });
    const [, again] = await turn(workspace, 'feed', { on: true });
    expect((again as Features).switches.feed).toMatchObject({ on: true, source: 'admin' });
  });

  it('is visible to another node at once', async () => {
    const other = await startTestApp({ database: world.database });
    const workspace = await world.workspace();
    await turn(workspace, 'skills', { on: false });
    const url = `/api/v1/brands/${workspace.brand.brand_id}/features`;
    const response = await other.inject({ url, headers: workspace.bearer });
    expect(response.json<Features>().switches.skills).toMatchObject({ on: false, source: 'admin' });
    await other.stop();
  });

  it('refuses to turn on what the plan does not include, and lets it be turned off', async () => {
    const detail = 'This feature is not included in the workspace plan';
    expect(await turn(team, 'crm', { on: true })).toEqual(refused(409, detail));
    const [status, features] = await turn(team, 'crm', { on: false });
    expect(status).toBe(200);
    expect((features as Features).switches.crm).toMatchObject({
      on: false,
      locked_by_plan: true,
      source: 'admin',
      changed_by: { user_id: team.admin.user_id },
    });
  });

  it('still says that an admin set it when a smaller plan locks it', async () => {
    const workspace = await world.workspace({ plan: 'business' });
    await turn(workspace, 'crm', { on: true });
    await world.operator('PATCH', `/brands/${workspace.brand.brand_id}`, { plan: 'free' });
    const [, features] = await world.ask(workspace, 'GET', '/features');
    const { crm, machines } = (features as Features).switches;
    expect(crm).toMatchObject({ on: false, locked_by_plan: true, source: 'admin' });
    expect(machines).toMatchObject({ on: false, locked_by_plan: true, source: 'plan_default' });
  });

  it.each([
    ['nothing', { on: true }],
    ['Skills', { on: true }],
    ['skills', {}],
    ['skills', { on: 'true' }],
    ['skills', { on: 1 }],
    ['skills', { on: null }],
    ['skills', { on: true, off: false }],
  ])('answers 422 for %s %j', async (key, body) => {
    expect((await turn(team, key, body))[0]).toBe(422);
  });

  it('is refused without the scope, then to a member who is no admin', async () => {
    const member = await world.memberBearer(team);
    expect(await turn(team, 'nothing', {}, member)).toEqual(refused(403, 'Brand admin access required'));
    const narrow = await world.workspace({ scope_ceiling: ['brand:read'] });
    const detail =
      'Token lacks scope brand:admin, and this workspace does not allow it: a platform admin must widen its policy first';
    expect(await turn(narrow, 'skills', { on: true })).toEqual(refused(403, detail));
  });

  it('leaves an audit record', async () => {
    const workspace = await world.workspace();
    await turn(workspace, 'skills', { on: false });
    const entry = await world.db
      .selectFrom('audit_log')
      .select(['action', 'subject', 'details', 'actor_user_id'])
      .where('brand_id', '=', workspace.brand.brand_id)
      .where('action', '=', 'feature.changed')
      .executeTakeFirst();
    const actor_user_id = workspace.admin.user_id;
    expect(entry).toEqual({
      action: 'feature.changed',
      subject: 'feature:skills',
      details: { on: false },
      actor_user_id,
    });
  });
});
