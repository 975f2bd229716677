import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/platform/http/declaration/route.js';
import { startTestApp, type World } from '../support/app.js';
import { ControlledHost } from '../support/forge-world.js';
import { describeRoute } from '../support/routes.js';
import { ScratchRepository } from '../support/scratch-repository.js';

type Workspace = Awaited<ReturnType<World['workspace']>>;

let world: World;
let home: Workspace;
let board: string;

beforeAll(async () => {
  world = await startTestApp({ openForge: new ControlledHost().open });
  home = await world.workspace({ plan: 'enterprise' });
  board = (await send('POST', '/api/v1/board/boards', { name: 'Work' }, {})).json().board_id;
});

afterAll(() => world.stop());

const send = (
  method: Route['method'],
  url: string,
  payload: object | undefined,
  headers: Record<string, string>,
  credential: Record<string, string> = home.bearer,
) => world.inject({ method, url, headers: { ...credential, ...headers }, payload });

const keyed = (key: string) => ({ 'idempotency-key': key });
const memory = (title: string) => ({ agent_id: 'scout', kind: 'fact', title, body: 'b' });
const writeMemory = (key: string, title: string, credential?: Record<string, string>) =>
  send('POST', '/api/v1/memory/memories', memory(title), keyed(key), credential);

async function countMemories(title: string): Promise<number> {
  const rows = await world.db.selectFrom('memories').select('memory_id').where('title', '=', title).execute();
  return rows.length;
}

/** The request that creates each kind of record: its path, body and credential. */
type Example = { url: string; payload?: object; cookie?: boolean; form?: boolean };

const examples: Record<string, () => Promise<Example>> = {
  create_board: async () => ({ url: '/api/v1/board/boards', payload: { name: 'Another' } }),
  create_task: async () => ({ url: `/api/v1/board/boards/${board}/tasks`, payload: { title: 'Once' } }),
  add_comment: async () => {
    const task = (await send('POST', `/api/v1/board/boards/${board}/tasks`, { title: 'Said' }, {})).json();
    return { url: `/api/v1/board/tasks/${task.id}/comments`, payload: { body: 'Once' } };
  },
  add_attachment: async () => {
    const task = (await send('POST', `/api/v1/board/boards/${board}/tasks`, { title: 'Drawn' }, {})).json();
    const text =
      '--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nOnce\r\n--edge--\r\n';
    return { url: `/api/v1/board/tasks/${task.id}/attachments`, payload: Buffer.from(text), form: true };
  },
  create_import: async () => {
    const text =
      '--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\ntitle\nOnce\r\n--edge--\r\n';
    return {
      url: `/api/v1/board/boards/${board}/imports?source=csv`,
      payload: Buffer.from(text),
      form: true,
    };
  },
  create_host_import: async () => {
    const { project_id } = (await send('POST', '/api/v1/projects', { name: 'Hosted' }, {})).json();
    const forge = { kind: 'github', api_url: 'https://git.example', repository: 'acme/app', token: 'a' };
    await send('PUT', `/api/v1/projects/${project_id}/forge`, forge, {});
    return { url: `/api/v1/board/boards/${board}/imports/host`, payload: { project_id } };
  },
  create_memory: async () => ({ url: '/api/v1/memory/memories', payload: memory('Known once') }),
  create_source: async () => {
    await send('POST', '/api/v1/memory/memories', memory('Makes the agent'), {});
    return { url: '/api/v1/memory/sources', payload: { agent_id: 'scout', source_type: 'agentboard' } };
  },
  push_conversation: async () => ({
    url: '/api/v1/memory/conversations',
    payload: {
      agent_id: 'scout',
      source_type: 'claude_code',
      external_id: randomUUID(),
      messages: [{ role: 'user', content: 'We deploy on Fridays', at: '2026-01-01T00:00:00Z' }],
    },
  }),
  create_build: async () => ({ url: `/api/v1/board/tasks/${await buildableCard()}/builds`, payload: {} }),
  review_build: async () => {
    const url = `/api/v1/board/tasks/${await buildableCard()}/builds`;
    const { build_id } = (await send('POST', url, {}, {})).json();
    await world.db
      .updateTable('builds')
      .set({ outcome: 'succeeded', finished_at: world.clock.now() })
      .where('build_id', '=', build_id)
      .execute();
    const comments = [{ path: 'src/main.ts', line: 1, body: 'Shorter' }];
    return { url: `/api/v1/factory/builds/${build_id}/review`, payload: { decision: 'rework', comments } };
  },
  add_build_comment: async () => {
    const url = `/api/v1/board/tasks/${await buildableCard()}/builds`;
    const { build_id } = (await send('POST', url, {}, {})).json();
    return { url: `/api/v1/factory/builds/${build_id}/comments`, payload: { body: 'Once' } };
  },
  create_project: async () => ({ url: '/api/v1/projects', payload: { name: 'Shop' } }),
  create_docs_space: async () => ({ url: '/api/v1/docs/spaces', payload: { name: 'Handbook' } }),
  invite_member: async () => ({
    url: `/api/v1/brands/${home.brand.brand_id}/invitations`,
    payload: { email: 'newcomer@example.test', role: 'member' },
  }),
  invite_board_guest: async () => ({
    url: `/api/v1/board/boards/${board}/guests`,
    payload: { email: 'visitor@example.test', role: 'viewer' },
  }),
  invite_docs_space_guest: async () => {
    const space = (await send('POST', '/api/v1/docs/spaces', { name: 'Manual' }, {})).json();
    return {
      url: `/api/v1/docs/spaces/${space.space_id}/guests`,
      payload: { email: 'reader@example.test', role: 'viewer' },
    };
  },
  invite_guest_as_member: async () => {
    const guest = await world.person();
    const place = `/api/v1/board/boards/${board}/guests/${guest.user_id}`;
    await send('PUT', place, { role: 'viewer' }, {});
    return { url: `/api/v1/brands/${home.brand.brand_id}/guests/${guest.user_id}/make-member` };
  },
  create_my_token: async () => ({
    url: '/api/v1/me/tokens',
    payload: { name: 'Mine', scopes: ['memory:read'] },
    cookie: true,
  }),
  create_my_view: async () => ({ url: '/api/v1/me/views', payload: { name: 'Mine', query: 'assignee=me' } }),
  create_webhook: async () => ({
    url: `/api/v1/brands/${home.brand.brand_id}/webhooks`,
    payload: { url: 'https://93.184.216.34/hook', events: ['*'] },
  }),
  order_workstation: async () => ({ url: '/api/v1/workstations', payload: { name: 'Desk' }, cookie: true }),
  hire_employee: async () => ({ ...(await hireable()), cookie: true }),
  cancel_build: async () => {
    const builds = `/api/v1/board/tasks/${await buildableCard()}/builds`;
    const { build_id } = (await send('POST', builds, {}, {})).json();
    return { url: `/api/v1/factory/builds/${build_id}/cancel`, payload: {} };
  },
  cancel_hire: async () => ({
    url: `/api/v1/employees/hires/${await hired()}/cancel`,
    payload: {},
    cookie: true,
  }),
  cancel_hire_now: async () => ({
    url: `/api/v1/employees/hires/${await hired()}/cancel-immediate`,
    payload: {},
    cookie: true,
  }),
};

async function buildableCard(): Promise<string> {
  const folder = join(world.config.repositoriesDir, String(home.brand.brand_id), randomUUID());
  const repository = new ScratchRepository(folder);
  repository.save({ 'src/main.ts': 'export const answer = 42;\n' });
  const payload = { name: 'Code', repository: { url: folder } };
  const { project_id } = (await send('POST', '/api/v1/projects', payload, {})).json();
  await world.runJob('project-index-wanted');
  const card = { title: 'Buildable', project_id };
  return (await send('POST', `/api/v1/board/boards/${board}/tasks`, card, {})).json().id;
}

async function hireable(): Promise<Example> {
  const { profile_id } = await world.operator<{ profile_id: string }>('POST', '/catalog', {
    name: 'Scribe',
    description: 'Writes',
    template: { runtime: 'codex', instructions: 'Write', packages: [] },
  });
  return { url: `/api/v1/employees/${profile_id}/hire`, payload: {} };
}

async function hired(): Promise<string> {
  const { url, payload } = await hireable();
  return (await send('POST', url, payload, {}, { cookie: home.cookie })).json().hire_id;
}

describe('Routes that create', () => {
  it('has an example for every route that creates', () => {
    const creating = world.app.routes.filter(({ creates }) => creates).map(({ name }) => name);
    expect(Object.keys(examples).sort()).toEqual(creating.sort());
  });

  it.each(Object.keys(examples))('%s creates one record for repeated requests with one key', async (name) => {
    const route = world.app.routes.find((each) => each.name === name)!;
    const { url, payload, cookie, form } = await examples[name]!();
    const credential = cookie ? { cookie: home.cookie } : home.bearer;
    const key = {
      ...keyed(`${name}-1`),
      ...(form && { 'content-type': 'multipart/form-data; boundary=edge' }),
    };
    const first = await send('POST', url, payload, key, credential);
    expect(first.statusCode, `${describeRoute(route)} ${first.body}`).toBeLessThan(300);
    const again = await send('POST', url, payload, key, credential);
    if (route.creates && 'secret' in route.creates && route.creates.secret) {
      const id = (first.json() as Record<string, string>)[route.creates.id]!;
      expect(again.statusCode).toBe(409);
      expect(again.json().detail).toMatchObject({ error: 'already_made', [route.creates.id]: id });
      expect(again.body).toContain('already made');
      for (const shown of [first.json().token, first.json().pat, first.json().secret])
        if (shown) expect(again.body).not.toContain(shown);
      return;
    }
    expect(again.statusCode).toBe(first.statusCode);
    expect(again.body).toBe(first.body);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});

describe('Idempotency-Key', () => {
  it('returns 422 unless the key has 1 to 255 visible ASCII characters', async () => {
    for (const key of ['', 'a b', 'ü', 'x'.repeat(256), 'tab\tbed']) {
      const response = await writeMemory(key, 'Never kept');
      expect(response.statusCode, JSON.stringify(key)).toBe(422);
    }
    expect(await countMemories('Never kept')).toBe(0);
    expect((await writeMemory('x'.repeat(255), 'Kept')).statusCode).toBe(201);
    expect((await writeMemory('!', 'Kept too')).statusCode).toBe(201);
  });

  it('leaves response headers unchanged: a repeated card request returns its ETag', async () => {
    const url = `/api/v1/board/boards/${board}/tasks`;
    const make = (headers: Record<string, string>) => send('POST', url, { title: 'Tagged' }, headers);
    const { etag } = (await make({})).headers;
    expect(etag).toBe('"1"');
    expect((await make(keyed('tagged'))).headers.etag).toBe(etag);
    const again = await make(keyed('tagged'));
    expect(again.headers).toMatchObject({ etag, 'idempotent-replayed': 'true' });
  });

  it('returns 422 when the key was used with another body or path', async () => {
    await writeMemory('taken', 'One');
    const other = await writeMemory('taken', 'Another');
    expect(other.statusCode).toBe(422);
    expect(other.json().detail).toBe(
      'Idempotency-Key was used for another request; take a new key for a new request',
    );
    const elsewhere = await send('POST', '/api/v1/board/boards', { name: 'One' }, keyed('taken'));
    expect(elsewhere.statusCode).toBe(422);
    expect(await countMemories('Another')).toBe(0);
  });

  it('compares bodies byte by byte', async () => {
    const ask = (payload: string) =>
      world.inject({
        method: 'POST',
        url: '/api/v1/board/boards',
        headers: { ...home.bearer, ...keyed('bytes'), 'content-type': 'application/json' },
        payload,
      });
    expect((await ask('{"name":"Bytes"}')).statusCode).toBe(201);
    expect((await ask('{"name": "Bytes"}')).statusCode).toBe(422);
    expect((await ask('{"name":"Bytes"}')).headers['idempotent-replayed']).toBe('true');
  });

  it('creates one record for twenty concurrent requests; the others replay or get 409 with Retry-After', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => writeMemory('crowd', 'Crowded')));
    for (const answer of answers) {
      expect([201, 409]).toContain(answer.statusCode);
      if (answer.statusCode === 409) expect(answer.headers['retry-after']).toBe('1');
    }
    expect(answers.filter(({ statusCode }) => statusCode === 201).length).toBeGreaterThan(0);
    expect(await countMemories('Crowded')).toBe(1);
  });

  it('scopes a key to one person in one workspace', async () => {
    const colleague = await world.member(home.brand);
    const theirs = { authorization: `Bearer ${await world.token(home.brand, colleague)}` };
    await writeMemory('mine', 'Twice');
    const other = await writeMemory('mine', 'Twice', theirs);
    expect(other.statusCode).toBe(201);
    expect(other.headers['idempotent-replayed']).toBeUndefined();
    expect(await countMemories('Twice')).toBe(2);
  });

  it('accepts a key again after 24 hours, and the sweep job deletes its row', async () => {
    await writeMemory('old', 'Old');
    await world.advance(24 * 60 * 60 - 60);
    expect((await writeMemory('old', 'Old')).headers['idempotent-replayed']).toBe('true');
    await world.advance(120);
    expect((await writeMemory('old', 'Old')).headers['idempotent-replayed']).toBeUndefined();
    expect(await countMemories('Old')).toBe(2);
    await sql`
      insert into idempotency_keys (brand_id, user_id, key, request_hash, status, created_at)
      select brand_id, user_id, 'many-' || n, request_hash, status, created_at
      from (select * from idempotency_keys limit 1) one cross join generate_series(1, 2500) n`.execute(
      world.db,
    );
    await world.advance(25 * 60 * 60);
    expect((await world.runJob('idempotency-sweep')).processed).toBeGreaterThan(2500);
    expect(await world.db.selectFrom('idempotency_keys').select('key').execute()).toEqual([]);
  });

  it('stores no key for a refused request', async () => {
    const refused = await send(
      'POST',
      '/api/v1/memory/memories',
      { ...memory('Late'), confidence: 2 },
      keyed('fix'),
    );
    expect(refused.statusCode).toBe(422);
    expect((await writeMemory('fix', 'Late')).statusCode).toBe(201);
    const missing = await send(
      'POST',
      `/api/v1/board/boards/${randomUUID()}/tasks`,
      { title: 'x' },
      keyed('gone'),
    );
    expect(missing.statusCode).toBe(404);
    expect((await writeMemory('gone', 'Not gone')).statusCode).toBe(201);
  });

  it("creates and stores nothing when the key's row cannot be written", async () => {
    await sql`alter table idempotency_keys add constraint nothing_kept check (key <> 'broken')`.execute(
      world.db,
    );
    expect((await writeMemory('broken', 'Broken')).statusCode).toBe(500);
    expect(await countMemories('Broken')).toBe(0);
    await sql`alter table idempotency_keys drop constraint nothing_kept`.execute(world.db);
    expect((await writeMemory('broken', 'Broken')).statusCode).toBe(201);
  });

  it('checks credential, scope and role before replaying', async () => {
    const member = await world.member(home.brand);
    const issue = (scopes: string[]) =>
      world.operator<{ token: string; token_id: string }>('POST', `/brands/${home.brand.brand_id}/tokens`, {
        user_id: member.user_id,
        scopes,
        name: 'test',
      });
    const full = await issue(['memory:write']);
    const poor = await issue(['memory:read']);
    const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });
    expect((await writeMemory('guarded', 'Guarded', bearer(full))).statusCode).toBe(201);
    expect((await writeMemory('guarded', 'Guarded', bearer(poor))).statusCode).toBe(403);
    await world.operator('DELETE', `/tokens/${full.token_id}`);
    expect((await writeMemory('guarded', 'Guarded', bearer(full))).statusCode).toBe(401);
  });

  it('serves more concurrent keyed requests than there are database connections', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => writeMemory(`many-${i}`, `Many ${i}`)),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 201));
  });

  it('ignores the key in requests that create nothing', async () => {
    const task = (await send('POST', `/api/v1/board/boards/${board}/tasks`, { title: 'Patched' }, {})).json();
    const patch = (title: string) =>
      send('PATCH', `/api/v1/board/tasks/${task.id}`, { title }, keyed('patch'));
    expect((await patch('A')).json().title).toBe('A');
    expect((await patch('B')).json().title).toBe('B');
  });
});
