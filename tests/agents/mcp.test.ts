import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { parse } from 'yaml';
import { FIELD_NAMES } from '../../src/features/boards/cards/card-fields.js';
import { sha256Hex } from '../../src/kernel/secrets.js';
import { startTestApp, type World } from '../support/app.js';
import { itUsually as it, itDeeply } from '../support/deep.js';

const ANSWER_BYTES = 32 * 1024;
type Workspace = Awaited<ReturnType<World['workspace']>>;
type Mode = 'legacy' | 'auto';

let world: World;
let home: Workspace;
let foreign: Workspace;
let address: string;
let board: string;
const open: Client[] = [];

beforeAll(async () => {
  world = await startTestApp();
  address = await world.server.listen({ port: 0, host: '127.0.0.1' });
  home = await world.workspace({ plan: 'business' });
  foreign = await world.workspace({ plan: 'business' });
  board = (await post('/api/v1/board/boards', { name: 'Work' })).board_id;
});

afterAll(async () => {
  await Promise.all(open.map((client) => client.close()));
  await world.stop();
});

async function post(url: string, payload: object, who = home) {
  const response = await world.inject({ method: 'POST', url, headers: who.bearer, payload });
  expect(response.statusCode, response.body).toBeLessThan(300);
  return response.json();
}

async function connect(
  token: string,
  mode: Mode = 'auto',
  path = '/mcp',
  headers: Record<string, string> = {},
) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}`, ...headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL(path, address), { requestInit }));
  open.push(client);
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [first] = content as { type: string; text: string }[];
  return { text: first!.text, isError: isError === true };
}

async function readAll(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const texts: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { text, isError } = await call(client, name, { ...args, ...(cursor && { cursor }) });
    expect(isError, text).toBe(false);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(ANSWER_BYTES);
    const next: string | undefined = /\ncursor: (\S+)\n$/.exec(text)?.[1];
    texts.push(text.replace(/\ncursor: \S+\n$/, ''));
    if (!next) return texts;
    await meanwhile();
    cursor = next;
  }
}

const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

describe.each<Mode>(['legacy', 'auto'])('POST /mcp with the official client (%s)', (mode) => {
  it('lists tools, calls them and answers with text only', async () => {
    const client = await connect(home.token, mode);
    expect(await names(client)).toEqual(
      expect.arrayContaining(['list_boards', 'find_operation', 'read_operation']),
    );
    const result = await client.callTool({ name: 'list_boards', arguments: {} });
    expect(result).not.toHaveProperty('structuredContent');
    expect(parse((result.content as { text: string }[])[0]!.text)).toMatchObject({
      boards: [{ board_id: board, name: 'Work' }],
    });
  });

  it('lists three resource templates and reads a board by its URI', async () => {
    const client = await connect(home.token, mode);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate).sort()).toEqual([
      'guildhall://agents/{agent_id}/memory',
      'guildhall://boards/{board_id}',
      'guildhall://projects/{project_id}/lessons/{+path}',
    ]);
    const { contents } = await client.readResource({ uri: `guildhall://boards/${board}` });
    expect((contents[0] as { text: string }).text).toContain('# Work');
    await expect(client.readResource({ uri: 'guildhall://nothing/1' })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it('returns -32602 for an unknown tool', async () => {
    const client = await connect(home.token, mode);
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe('POST /mcp access', () => {
  const ask = (headers: Record<string, string>) =>
    world.inject({
      method: 'POST',
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream', ...headers },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    });

  it('accepts only a personal access token, and returns 401 with WWW-Authenticate: Bearer without one', async () => {
    for (const headers of [{}, { cookie: home.cookie }, { authorization: 'Bearer guild_pat_x' }]) {
      const response = await ask(headers as Record<string, string>);
      expect(response.statusCode).toBe(401);
      expect(response.headers['www-authenticate']).toBe('Bearer');
    }
    expect((await ask(home.bearer)).statusCode).toBe(200);
  });

  it('refuses a foreign Origin', async () => {
    expect((await ask({ ...home.bearer, origin: 'https://evil.test' })).statusCode).toBe(403);
    expect((await ask({ ...home.bearer, origin: world.config.baseUrl })).statusCode).toBe(200);
    const rebound = { host: 'evil.test', origin: 'http://evil.test' };
    expect((await ask({ ...home.bearer, ...rebound })).statusCode).toBe(403);
    const loopback = { host: 'localhost:3000', origin: 'http://localhost:3000' };
    expect((await ask({ ...home.bearer, ...loopback })).statusCode).toBe(200);
  });

  it('reports that there is no authorization server, and rejects GET', async () => {
    const metadata = await world.inject({ url: '/.well-known/oauth-protected-resource' });
    expect(metadata.statusCode).toBe(404);
    expect(metadata.json()).toEqual({ detail: 'Not found' });
    expect((await world.inject({ url: '/mcp', headers: home.bearer })).statusCode).toBe(405);
  });

  it.each([
    ['application/json', undefined],
    ['application/*', undefined],
    ['*/*', undefined],
    ['application/json, */*;q=0.1', undefined],
    ['application/json', '2025-11-25'],
  ])(
    'answers with one JSON message when the client accepts %s but no event stream (%s)',
    async (accept, version) => {
      const ask = (payload: object) =>
        world.inject({
          method: 'POST',
          url: '/mcp',
          headers: { ...home.bearer, accept, ...(version && { 'mcp-protocol-version': version }) },
          payload,
        });
      const list = await ask({ jsonrpc: '2.0', id: 7, method: 'tools/list' });
      expect([list.statusCode, list.headers['content-type']]).toEqual([200, 'application/json']);
      expect(list.json()).toMatchObject({ id: 7, result: { tools: expect.any(Array) } });
      const unknown = await ask({ jsonrpc: '2.0', id: 8, method: 'tools/dance' });
      expect(unknown.json()).toMatchObject({ id: 8, error: { code: -32601 } });
      const read = await ask({
        jsonrpc: '2.0',
        id: 9,
        method: 'tools/call',
        params: { name: 'list_boards' },
      });
      expect(read.json()).toMatchObject({ id: 9, result: { content: [{ type: 'text' }] } });
    },
  );

  it('returns 406 when the client does not accept JSON', async () => {
    const headers = { ...home.bearer, accept: 'text/html' };
    const payload = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await world.inject({ method: 'POST', url: '/mcp', headers, payload })).statusCode).toBe(406);
  });

  it('refuses a revoked token immediately', async () => {
    const member = await world.member(home.brand);
    const { token, token_id } = await world.operator<{ token: string; token_id: string }>(
      'POST',
      `/brands/${home.brand.brand_id}/tokens`,
      { user_id: member.user_id, scopes: [], name: 'short' },
    );
    const bearer = { authorization: `Bearer ${token}` };
    expect((await ask(bearer)).statusCode).toBe(200);
    await world.operator('DELETE', `/tokens/${token_id}`);
    expect((await ask(bearer)).statusCode).toBe(401);
  });

  it('answers an invalid message with a protocol error, never a 500', async () => {
    for (const payload of ['[]', '{}', '1', 'null', '{"jsonrpc":"2.0","id":1}', '[1,2]']) {
      const response = await world.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          ...home.bearer,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        payload,
      });
      expect(response.statusCode, payload).toBeLessThan(500);
    }
  });
});

describe('tools/list', () => {
  it('returns at most 25 tools and 10,000 tokens, identical for each call with the same token', async () => {
    const client = await connect(home.token);
    const { tools } = await client.listTools();
    expect(tools.length).toBeLessThanOrEqual(25);
    expect(JSON.stringify(tools).length / 4).toBeLessThan(10_000);
    expect(JSON.stringify((await client.listTools()).tools)).toBe(JSON.stringify(tools));
  });

  it('has no workspace argument in any tool, because the token determines the workspace', async () => {
    const { tools } = await (await connect(home.token)).listTools();
    expect(JSON.stringify(tools)).not.toContain('brand_id');
  });

  it('marks read-only and destructive tools with hints', async () => {
    const { tools } = await (await connect(home.token)).listTools();
    const hints = (name: string) => tools.find((tool) => tool.name === name)!.annotations;
    expect(hints('list_boards')).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hints('create_task')).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(hints('write_operation')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });

  it('hides tools that the token has no scope for, also from find_operation, and refuses calls with the message of the 403', async () => {
    const member = await world.member(home.brand);
    const client = await connect(await world.token(home.brand, member, ['brand:read']));
    expect(await names(client)).not.toContain('search_memories');
    expect(
      (await call(client, 'find_operation', { words: 'search memories of an agent' })).text,
    ).not.toContain('search_memories');
    const refused = await call(client, 'search_memories', { agent_id: 'scout' });
    expect(refused).toEqual({
      isError: true,
      text: 'Token lacks scope memory:read; this workspace allows it, so a new token can carry it',
    });
    const admins = await call(client, 'write_operation', {
      name: 'delete_board',
      arguments: { board_id: board },
    });
    expect(admins).toEqual({ isError: true, text: 'Brand admin access required' });
  });

  it('limits tools by toolsets and read_only in the query or in headers, including the catalog', async () => {
    const narrowed = [
      await connect(home.token, 'auto', '/mcp?toolsets=memory&read_only=1'),
      await connect(home.token, 'auto', '/mcp', { 'x-mcp-toolsets': 'memory', 'x-mcp-readonly': '1' }),
    ];
    for (const client of narrowed) {
      const shown = await names(client);
      expect(shown).toContain('search_memories');
      for (const hidden of ['list_boards', 'create_memory', 'write_operation']) {
        expect(shown).not.toContain(hidden);
      }
      expect((await call(client, 'find_operation', { words: 'board' })).text).not.toContain('list_boards');
      expect((await call(client, 'read_operation', { name: 'list_boards' })).isError).toBe(true);
      await expect(client.callTool({ name: 'create_memory', arguments: {} })).rejects.toMatchObject({
        code: -32602,
      });
    }
  });

  it.each([
    ['?read_only=1', {}, true],
    ['?read_only=Yes', {}, true],
    ['?read_only=on', {}, true],
    ['?read_only=true', {}, true],
    ['?read_only=', {}, true],
    ['?read_only=0', {}, false],
    ['?read_only=false', {}, false],
    ['?read_only=no', {}, false],
    ['?read_only=off', {}, false],
    ['', { 'x-mcp-readonly': 'yes' }, true],
    ['', { 'x-mcp-readonly': '' }, true],
    ['', { 'x-mcp-readonly': 'no' }, false],
    ['?read_only=0', { 'x-mcp-readonly': '1' }, true],
    ['', {}, false],
  ])('query %s with headers %j sets read-only to %s', async (query, headers, isReadOnly) => {
    const client = await connect(home.token, 'auto', `/mcp${query}`, headers);
    expect((await names(client)).includes('write_operation')).toBe(!isReadOnly);
  });

  it('returns 400 for a read_only value that is not a boolean', async () => {
    const ask = (query: string, headers = {}) =>
      world.inject({
        method: 'POST',
        url: `/mcp${query}`,
        headers: { ...home.bearer, ...headers },
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      });
    for (const response of [await ask('?read_only=maybe'), await ask('', { 'x-mcp-readonly': 'maybe' })]) {
      expect(response.statusCode).toBe(400);
      expect(response.json().detail).toMatch(/must be one of: 1, true, yes, on, 0, false, no, off$/);
    }
  });
});

describe('Operation catalog', () => {
  it('lists every operation that a token may call, except direct tools and excluded operations', async () => {
    const client = await connect(home.token);
    const shown = new Set(await names(client));
    const callable = world.app.routes.filter(
      ({ access, agents }) => access.credentials.includes('pat') && agents !== 'never',
    );
    expect(callable.length).toBeGreaterThan(40);
    for (const { name, summary } of callable) {
      if (shown.has(name)) continue;
      const { text, isError } = await call(client, 'describe_operation', { name });
      expect(isError, text).toBe(false);
      expect(parse(text)).toMatchObject({ name });
      expect(summary).toMatch(/\S/);
    }
  });

  it('excludes only passwords, tokens, keys, bundles, pictures, streams and MCP itself', () => {
    const never = world.app.routes
      .filter(({ access, agents }) => access.credentials.includes('pat') && agents === 'never')
      .map(({ name }) => name);
    expect(never.toSorted()).toEqual([
      'add_attachment',
      'call_mcp',
      'connect_forge',
      'create_import',
      'delete_project_secret',
      'disconnect_forge',
      'get_attachment',
      'get_member_photo',
      'hand_in_commits',
      'remove_project_credentials',
      'renew_hook_secret',
      'rotate_project_key',
      'send_password_reset',
      'set_member_password',
      'set_member_photo',
      'set_project_credentials',
      'set_project_secret',
      'stream_board_activity',
      'stream_build_log',
      'stream_my_inbox',
      'stream_project_index',
    ]);
  });

  it('finds, describes, reads and writes through the catalog', async () => {
    const client = await connect(home.token);
    for (const asked of [{ query: 'turn a feature off' }, { words: 'turn a feature off' }])
      expect((await call(client, 'find_operation', asked)).text).toContain('set_feature');
    expect((await call(client, 'find_operation', { query: 'xqzjvwkpt' })).text).toBe(
      'No operation has these words; try others.',
    );
    const assigning = parse(
      (await call(client, 'find_operation', { query: 'assign a card to somebody' })).text,
    );
    expect(assigning.slice(0, 3)).toContainEqual(expect.objectContaining({ name: 'update_task' }));
    const written = await call(client, 'write_operation', {
      name: 'set_feature',
      arguments: { key: 'crm', on: true },
    });
    expect(parse(written.text)).toMatchObject({ switches: { crm: { on: true } } });
    const read = await call(client, 'read_operation', { name: 'get_features' });
    expect(parse(read.text)).toMatchObject({ switches: { crm: { on: true, source: 'admin' } } });
  });

  it('records a write in the audit log with its request id, address and token', async () => {
    const message = (id: number, name: string, args: object) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    const change = { name: 'set_feature', arguments: { key: 'crm', on: false } };
    const requestId = crypto.randomUUID();
    const answer = await world.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...home.bearer, 'x-request-id': requestId, 'x-forwarded-for': '192.0.2.7' },
      payload: message(1, 'write_operation', change),
    });
    expect(answer.json().result.isError, answer.body).toBeFalsy();
    const { rows } = await world.database.pool.query('select * from audit_log where request_id = $1', [
      requestId,
    ]);
    const { rows: tokens } = await world.database.pool.query(
      'select token_id from tokens where token_hash = $1',
      [sha256Hex(home.token)],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      address: '192.0.2.7',
      credential: `pat:${tokens[0].token_id}`,
      actor_token_id: tokens[0].token_id,
      actor_user_id: home.admin.user_id,
    });
  });

  it('separates read and write operations, and names the right tool', async () => {
    const client = await connect(home.token);
    expect(await call(client, 'read_operation', { name: 'set_feature', arguments: {} })).toEqual({
      isError: true,
      text: 'set_feature is called through write_operation',
    });
    expect((await call(client, 'write_operation', { name: 'get_features' })).text).toBe(
      'get_features is called through read_operation',
    );
    expect((await call(client, 'describe_operation', { name: 'sign_in' })).isError).toBe(true);
  });
});

describe('Tool answers', () => {
  it("returns the API's error message, which names the field and the rule", async () => {
    const client = await connect(home.token);
    for (const [name, args, sentence] of [
      ['search_memories', { agent_id: 'scout', limit: 51 }, 'limit must be from 1 to 50'],
      [
        'search_memories',
        { agent_id: 'scout', colour: 'red' },
        'colour is not a known field; the fields are: agent_id, query, kinds, limit, explain',
      ],
      [
        'add_comment',
        { task_id: 'NO-1', text: 'Hello' },
        'text is not a known field; the fields are: task_id, body',
      ],
      [
        'create_task',
        { board_id: board, title: 'One', assignee: { user_id: 1, handle: 'ada' } },
        'assignee.handle is not a known field; the fields are: user_id, name',
      ],
      ['find_operation', { question: 'board' }, 'question is not a known field; the fields are: query'],
      ['search_memories', {}, 'agent_id is required'],
      ['create_task', { board_id: board }, 'title is required'],
      [
        'list_boards',
        { brand_id: 1 },
        'brand_id is not a known field; the fields are: page, per_page, with_counts',
      ],
      ['get_task', { task_id: crypto.randomUUID() }, 'Card not found'],
    ] as const) {
      expect(await call(client, name, args)).toEqual({ isError: true, text: sentence });
    }
  });

  it("never shows another workspace's data", async () => {
    const task = await post(`/api/v1/board/boards/${board}/tasks`, { title: 'Ours alone' });
    const stranger = await connect(foreign.token);
    expect((await call(stranger, 'get_task', { task_id: task.id })).text).toBe('Card not found');
    expect((await call(stranger, 'list_board_tasks', { board_id: board })).isError).toBe(true);
    expect((await call(stranger, 'find_tasks')).text).not.toContain('Ours alone');
  });

  it('returns a receipt for a changed card, and adds comments', async () => {
    const client = await connect(home.token);
    const made = parse((await call(client, 'create_task', { board_id: board, title: 'Move me' })).text);
    const moved = parse(
      (await call(client, 'update_task', { task_id: made.id, status: 'in_progress' })).text,
    );
    expect(moved).toMatchObject({ task_id: made.id, to_column: 'In Progress' });
    await call(client, 'add_comment', { task_id: made.id, body: 'On it' });
    expect(parse((await call(client, 'list_comments', { task_id: made.id })).text)).toMatchObject({
      comments: [{ body: 'On it' }],
    });
  });

  it('returns a created card in summary form, or in full with detail=full', async () => {
    const client = await connect(home.token);
    const made = { board_id: board, title: 'Brief', instructions: 'Long' };
    const summary = (await post(`/api/v1/board/boards/${board}/tasks`, { title: 'As in a list' })).id;
    const listed = parse((await call(client, 'list_board_tasks', { board_id: board })).text).items;
    const fields = Object.keys(listed.find(({ id }: { id: string }) => id === summary));
    for (const args of [made, { ...made, detail: 'summary' }])
      expect(Object.keys(parse((await call(client, 'create_task', args)).text))).toEqual(fields);
    const carried = await call(client, 'write_operation', { name: 'create_task', arguments: made });
    expect(Object.keys(parse(carried.text))).toEqual(fields);
    const whole = parse((await call(client, 'create_task', { ...made, detail: 'full' })).text);
    expect([Object.keys(whole).length, whole.instructions]).toEqual([FIELD_NAMES.length, 'Long']);
    expect(await call(client, 'create_task', { ...made, detail: 'short' })).toEqual({
      isError: true,
      text: 'detail must be one of: summary, full',
    });
    const described = parse((await call(client, 'describe_operation', { name: 'create_task' })).text);
    expect(described.arguments.properties.detail).toMatchObject({
      enum: ['summary', 'full'],
      default: 'summary',
    });
  });

  it('continues exactly with a cursor through any number of cards', async () => {
    const { board_id } = await post('/api/v1/board/boards', { name: 'Long' });
    const titles = Array.from({ length: 120 }, (_, i) => `Card ${i} ${'ü'.repeat(180)}`);
    for (const title of titles) await post(`/api/v1/board/boards/${board_id}/tasks`, { title });
    const client = await connect(home.token);
    const pages = await readAll(client, 'list_board_tasks', { board_id });
    expect(pages.length).toBeGreaterThan(2);
    const seen = pages.flatMap((page) => parse(page).items.map(({ title }: { title: string }) => title));
    expect(seen.sort()).toEqual([...titles].sort());
  });

  itDeeply('continue exactly after the cursor while other writes happen', async () => {
    const { board_id } = await post('/api/v1/board/boards', { name: 'Busy' });
    const ids: string[] = [];
    for (let i = 0; i < 130; i++) {
      const made = await post(`/api/v1/board/boards/${board_id}/tasks`, { title: `Card ${'ö'.repeat(150)}` });
      ids.push(made.id);
    }
    const client = await connect(home.token);
    const itemsOf = (pages: string[]) => pages.flatMap((page) => parse(page).items as { id: string }[]);
    const activity = { name: 'list_board_activity', arguments: { board_id, limit: 200 } };
    let written = 0;
    const seen = itemsOf(
      await readAll(client, 'read_operation', activity, async () => {
        if (written === 9) return;
        for (let i = 0; i < 3; i++) {
          await post(`/api/v1/board/tasks/${ids[i]}/comments`, { body: `Said ${i}` });
          written += 1;
        }
      }),
    );
    expect(written).toBeGreaterThan(0);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(131 + written);
    expect(seen).toHaveLength(131 + written);

    const gone: string[] = [];
    const found = itemsOf(
      await readAll(client, 'find_tasks', { board_ids: board_id }, async () => {
        const url = `/api/v1/board/tasks/${ids.at(-1 - gone.length)}`;
        await world.inject({ method: 'DELETE', url, headers: home.bearer });
        gone.push(url.split('/').at(-1)!);
      }),
    );
    expect(gone.length).toBeGreaterThan(0);
    expect(found.map(({ id }) => id).toSorted()).toEqual([...ids].toSorted());
  });

  it('lists each card of a board once while cards are moved and deleted between pages', async () => {
    const { board_id } = await post('/api/v1/board/boards', { name: 'Moving' });
    const ids: string[] = [];
    for (let i = 0; i < 70; i++) {
      const made = await post(`/api/v1/board/boards/${board_id}/tasks`, { title: `Card ${'ö'.repeat(450)}` });
      ids.push(made.id);
    }
    const client = await connect(home.token);
    let read = 0;
    const pages = await readAll(client, 'list_board_tasks', { board_id }, async () => {
      // Deletes one card that was listed, moves another one, and moves an unlisted card to the front.
      const change = (id: string, method: 'PATCH' | 'DELETE', payload?: object) =>
        world.inject({ method, url: `/api/v1/board/tasks/${id}`, headers: home.bearer, payload });
      await change(ids[read * 2]!, 'DELETE');
      await change(ids[read * 2 + 1]!, 'PATCH', { column: 'Done' });
      await change(ids.at(-1 - read)!, 'PATCH', { position: -1 });
      read += 1;
    });
    expect(read).toBeGreaterThan(1);
    const seen = pages.flatMap((page) => parse(page).items.map(({ id }: { id: string }) => id));
    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect((await call(client, 'list_board_tasks', { board_id, page: 2, per_page: 30 })).text).toContain(
      'page: 2',
    );
  });

  it('cuts a long answer to a write without a cursor, so that a write never runs twice', async () => {
    const client = await connect(home.token);
    const { board_id } = await post('/api/v1/board/boards', { name: 'Once' });
    const instructions = 'word\n'.repeat(20_000);
    const { text, isError } = await call(client, 'create_task', {
      board_id,
      title: 'Once',
      instructions,
      detail: 'full',
    });
    expect(isError).toBe(false);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(ANSWER_BYTES);
    expect(text).not.toContain('cursor:');
    expect(text).toContain('The answer is longer');
    const again = await call(client, 'create_task', { board_id, title: 'Twice', cursor: 'any' });
    expect(again.isError).toBe(true);
    expect(again.text).toMatch(/^cursor is not a known field; the fields are: board_id, /);
    expect(parse((await call(client, 'find_tasks', { board_ids: board_id })).text).total).toBe(1);
  });

  it('continues with a cursor within one long text', async () => {
    const instructions = Array.from({ length: 6000 }, (_, i) => `line ${i} äöü`).join('\n');
    const task = await post(`/api/v1/board/boards/${board}/tasks`, { title: 'Long text', instructions });
    const client = await connect(home.token);
    const whole = (await readAll(client, 'get_task', { task_id: task.id })).join('');
    expect(parse(whole).instructions).toBe(instructions);
    const refused = await call(client, 'get_task', { cursor: 'made-up' });
    expect(refused).toEqual({ isError: true, text: 'cursor must be a cursor that this tool returned' });
  });
});

describe('Batch of messages', () => {
  const message = (id: number, name: string, args: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  const send = (node: World, who: Workspace, batch: object[]) =>
    node.inject({ method: 'POST', url: '/mcp', headers: who.bearer, payload: batch });

  it('runs a batch in order, so that each message sees the effects of the previous ones', async () => {
    const answer = await send(world, home, [
      message(1, 'create_task', { board_id: board, title: 'First of the batch' }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      message(2, 'list_board_tasks', { board_id: board }),
    ]);
    const [made, listed] = answer.json();
    expect([made.id, listed.id]).toEqual([1, 2]);
    expect(listed.result.content[0].text).toContain('First of the batch');
  });

  it('counts each message of a batch towards the rate limit', async () => {
    const limited = await startTestApp({
      database: world.database,
      people: 'limited',
      env: { RATE_LIMIT_PER_MINUTE: '10' },
    });
    const space = await limited.workspace();
    const made = await limited.inject({
      method: 'POST',
      url: '/api/v1/board/boards',
      headers: { cookie: space.cookie },
      payload: { name: 'Limited' },
    });
    const { board_id } = made.json();
    const batch = Array.from({ length: 8 }, (_, n) =>
      message(n, 'create_task', { board_id, title: `Card ${n}` }),
    );
    const answers = (await send(limited, space, batch)).json<{ id: number; error?: object }[]>();
    expect(answers.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(answers.filter(({ error }) => error).map(({ error }) => error)).toEqual(
      [5, 6, 7].map(() => ({
        code: -32000,
        message: 'Too many requests of this credential: 5 a minute are allowed',
      })),
    );
    await limited.stop();
  });

  it('refuses the remaining messages of a batch when the token is revoked', async () => {
    const space = await world.workspace();
    const created = await post('/api/v1/board/boards', { name: 'Ends' }, space);
    const batch = Array.from({ length: 30 }, (_, n) =>
      message(n, 'create_task', { board_id: created.board_id, title: `Card ${n}` }),
    );
    const tasks = {
      url: `/api/v1/board/boards/${created.board_id}/tasks`,
      headers: { cookie: space.cookie },
    };
    const running = send(world, space, batch);
    await expect.poll(async () => (await world.inject(tasks)).json().total).toBeGreaterThan(0);
    const [token] = await world.db
      .selectFrom('tokens')
      .select('token_id')
      .where('brand_id', '=', space.brand.brand_id)
      .execute();
    await world.operator('DELETE', `/tokens/${token!.token_id}`);
    const answers = (await running).json<{ error?: { message: string } }[]>();
    expect(answers).toHaveLength(30);
    expect(answers.at(-1)!.error!.message).toMatch(/^Not authenticated/);
    const { total } = (await world.inject(tasks)).json();
    expect(total).toBe(answers.filter(({ error }) => !error).length);
  });
});
