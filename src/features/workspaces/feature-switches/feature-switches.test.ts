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
import type { Features } from '../workspaces.schemas.js';

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
  it('returns all four switches with source, author, time and content counts', async () => {
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

  it('counts the content of each feature in this workspace, and data turns crm on', async () => {
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

  it('returns the same facts as YAML and Markdown', async () => {
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

  it.each(['json', 'xml', '', 'YAML'])('returns 422 for format=%s', async (format) => {
    expect((await read(team, `?format=${format}`))[0]).toBe(422);
  });
});

describe('PUT /brands/{brand_id}/features/{key}', () => {
  it('sets source, changed_by and changed_at and returns the same shape as GET', async () => {
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

  it('rejects turning on a feature that the plan lacks, but allows turning it off', async () => {
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

  it.each([
    ['nothing', { on: true }],
    ['Skills', { on: true }],
    ['skills', {}],
    ['skills', { on: 'true' }],
    ['skills', { on: 1 }],
    ['skills', { on: null }],
    ['skills', { on: true, off: false }],
  ])('returns 422 for %s %j', async (key, body) => {
    expect((await turn(team, key, body))[0]).toBe(422);
  });

  it('adds an audit entry', async () => {
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
