import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Board, GuildhallError } from '../../client/src/index.js';
import { ADMIN_KEY } from '../support/app.js';
import { type ClientWorld, startClientWorld, startScriptedServer } from './client-world.js';

let here: ClientWorld;
let board: Board;

beforeAll(async () => {
  here = await startClientWorld();
  board = await here.client.createBoard({ name: 'Engine', board_type: 'build' });
});
afterAll(() => here.stop());

const faultOf = (call: Promise<unknown>): Promise<GuildhallError> =>
  call.then(
    () => Promise.reject(new Error('It was not refused')),
    (error) => error,
  );

describe('Client methods', () => {
  it('has a method for every operation of the service', () => {
    for (const { name } of here.world.app.routes) {
      const method = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
      expect(here.client[method as 'listBoards'], method).toBeTypeOf('function');
    }
  });

  it('takes path, query and body fields in one flat object', async () => {
    const card = await here.client.createTask({ board_id: board.board_id, title: 'Flat' });
    const comment = await here.client.addComment({ task_id: card.id, body: 'Well done' });
    expect(comment.body).toBe('Well done');
    const receipt = await here.client.updateTask({ task_id: card.id, title: 'Flatter', return: 'receipt' });
    expect(receipt).toMatchObject({ task_id: card.id, changed: { title: { to: 'Flatter' } } });
    const page = await here.client.listBoardTasks({
      board_id: board.board_id,
      detail: 'summary',
      per_page: 1,
    });
    expect(page.items).toHaveLength(1);
    expect(await here.client.deleteTask({ task_id: card.id })).toBeUndefined();
  });

  it('distinguishes an omitted field from a cleared field', async () => {
    const card = await here.client.createTask({
      board_id: board.board_id,
      title: 'Due',
      due_at: '2030-01-01T00:00:00Z',
    });
    await here.client.updateTask({ task_id: card.id, priority: 'high', due_at: undefined });
    expect((await here.client.getTask({ task_id: card.id })).due_at).not.toBeNull();
    await here.client.updateTask({ task_id: card.id, due_at: null });
    expect((await here.client.getTask({ task_id: card.id })).due_at).toBeNull();
  });

  it('returns text as text, and requests JSON where the service defaults to YAML', async () => {
    expect(await here.client.exportBoard({ board_id: board.board_id })).toMatch(/^# Engine/);
    await here.client.createMemory({ agent_id: 'ada', title: 'Tea', body: 'Tea is at four', kind: 'fact' });
    const found = await here.client.searchMemories({ agent_id: 'ada', query: 'tea' });
    expect(found.memories[0]?.title).toBe('Tea');
    const { brand_id } = here.workspace.brand;
    expect((await here.client.getFeatures({ brand_id })).switches.machines).toHaveProperty('on');
    expect(await here.client.getFeatures({ brand_id, format: 'md' })).toMatch(/^# Features/);
    const yaml: string = await here.client.searchMemories({ agent_id: 'ada', query: 'tea', format: 'yaml' });
    expect(yaml).toContain('title: Tea');
  });

  it('uploads and downloads a file', async () => {
    const { brand, admin, cookie } = here.workspace;
    const asSession = here.clientOf({ token: undefined });
    const file = new Blob([Buffer.from(PIXEL, 'base64')], { type: 'image/png' });
    const person = { brand_id: brand.brand_id, user_id: admin.user_id };
    const { photo } = await asSession.setMemberPhoto(
      { ...person, file },
      { headers: { cookie, origin: 'http://guildhall.test' } },
    );
    expect(photo).toContain('/photo');
    const picture = await asSession.getMemberPhoto(person, { headers: { cookie } });
    expect(picture).toBeInstanceOf(Blob);
    expect(picture.size).toBeGreaterThan(0);
  });

  it('sends a raw body unchanged', async () => {
    const server = await startScriptedServer([{ status: 200, body: {} }]);
    try {
      const desk = here.clientOf({ url: server.url });
      await desk.putBuildCommits({ build_id: 'b', body: new Blob(['bundle']) });
      expect(server.seen[0]).toMatchObject({
        body: 'bundle',
        headers: { 'content-type': 'application/x-git-bundle' },
      });
    } finally {
      await server.stop();
    }
  });

  it('sends more headers and exposes the response headers', async () => {
    const card = await here.client.createTask({ board_id: board.board_id, title: 'Tagged' });
    let etag: string | null = null;
    await here.client.updateTask(
      { task_id: card.id, title: 'Once', return: 'receipt' },
      {
        headers: { 'if-match': `"${card.version}"` },
        onResponse: (response) => {
          etag = response.headers.get('etag');
        },
      },
    );
    expect(etag).toBe(`"${card.version + 1}"`);
    const late = here.client.updateTask(
      { task_id: card.id, title: 'Twice' },
      { headers: { 'if-match': `"${card.version}"` } },
    );
    expect((await faultOf(late)).status).toBe(412);
  });
});

describe('Client credentials', () => {
  it("sends the operator's key only with operator endpoints", async () => {
    const operator = here.clientOf({ token: undefined, adminKey: ADMIN_KEY });
    const { brands } = await operator.listAllWorkspaces();
    expect(brands.length).toBeGreaterThan(0);
    const other = await startScriptedServer([{ status: 200, body: { boards: [], total: 0 } }]);
    try {
      await here.clientOf({ url: other.url, adminKey: ADMIN_KEY }).listBoards();
      expect(other.seen[0]!.headers['x-admin-key']).toBeUndefined();
      expect(other.seen[0]!.headers.authorization).toBe(`Bearer ${here.workspace.token}`);
    } finally {
      await other.stop();
    }
  });

  it('does not follow redirects with a credential', async () => {
    const thief = await startScriptedServer([{ status: 200 }]);
    const moved = await startScriptedServer([{ status: 307, headers: { location: `${thief.url}/x` } }]);
    try {
      const fault = await faultOf(here.clientOf({ url: moved.url, adminKey: 'key' }).listAllWorkspaces());
      expect(fault).toMatchObject({ status: 307, detail: expect.stringContaining(`${thief.url}/x`) });
      expect(thief.seen).toEqual([]);
    } finally {
      await Promise.all([thief.stop(), moved.stop()]);
    }
  });
});

describe('Client errors', () => {
  it('throws GuildhallError with status, detail and requestId', async () => {
    const fault = await faultOf(here.client.getBoard({ board_id: crypto.randomUUID() }));
    expect(fault).toBeInstanceOf(GuildhallError);
    expect(fault).toMatchObject({
      name: 'GuildhallError',
      status: 404,
      detail: 'Board not found',
      message: 'Board not found',
      operation: 'getBoard',
      requestId: expect.stringMatching(/\S{8,}/),
    });
  });

  it('keeps the fields of a structured error', async () => {
    const server = await startScriptedServer([
      { status: 403, body: { detail: { error: 'quota_exceeded', message: 'No more', limit: 5 } } },
    ]);
    try {
      const fault = await faultOf(here.clientOf({ url: server.url }).listBoards());
      expect(fault.detail).toEqual({ error: 'quota_exceeded', message: 'No more', limit: 5 });
      expect(fault.message).toBe('No more');
    } finally {
      await server.stop();
    }
  });

  it('reports an answer that is not from Guildhall', async () => {
    const page = { headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' };
    const server = await startScriptedServer([
      { status: 502, ...page },
      { status: 200, ...page },
    ]);
    try {
      const client = here.clientOf({ url: server.url, retry: { times: 0 } });
      expect(await faultOf(client.listBoards())).toMatchObject({
        status: 502,
        detail: 'The service answered 502',
      });
      expect(await faultOf(client.listBoards())).toMatchObject({
        status: 200,
        detail: expect.stringContaining('not JSON'),
      });
    } finally {
      await server.stop();
    }
  });

  it.each([
    ['an empty body', ''],
    ['half of a response', '{"boards": ['],
  ])('reports %s instead of an answer', async (_, body) => {
    const server = await startScriptedServer([{ status: 200, headers: { 'x-request-id': 'r1' }, body }]);
    try {
      const fault = await faultOf(here.clientOf({ url: server.url }).listBoards());
      expect(fault).toBeInstanceOf(GuildhallError);
      expect(fault).toMatchObject({
        status: 200,
        detail: expect.stringContaining('not JSON'),
        requestId: 'r1',
      });
    } finally {
      await server.stop();
    }
  });

  it('throws an error with status 0 when there is no answer', async () => {
    const server = await startScriptedServer([{ status: 200 }]);
    await server.stop();
    const fault = await faultOf(here.clientOf({ url: server.url }).listBoards());
    expect(fault).toBeInstanceOf(GuildhallError);
    expect(fault).toMatchObject({ status: 0, message: expect.stringContaining('cannot be reached') });
  });

  it("rejects an aborted call with the signal's reason", async () => {
    const reason = new Error('Enough');
    expect(await faultOf(here.client.listBoards({}, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    const controller = new AbortController();
    const call = faultOf(here.client.listBoards({}, { signal: controller.signal }));
    controller.abort(reason);
    expect(await call).toBe(reason);
  });

  it.each([200, 500])(
    "rejects with the signal's reason when aborted while a %i body is read",
    async (status) => {
      const server = createServer((_, response) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.write('{"detail": ');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const reason = new Error('Enough');
      const controller = new AbortController();
      const client = here.clientOf({ url: `http://127.0.0.1:${port}` });
      const onResponse = () => void setTimeout(() => controller.abort(reason), 20);
      expect(await faultOf(client.listBoards({}, { signal: controller.signal, onResponse }))).toBe(reason);
      server.close().closeAllConnections();
    },
  );
});

describe('Fields that could change the request', () => {
  it.each(['', '.', '..', undefined, null])('rejects %j as a path parameter', async (value) => {
    const fault = await faultOf(
      Promise.resolve().then(() => here.client.deleteBoard({ board_id: value as string })),
    );
    expect(fault).toBeInstanceOf(TypeError);
    expect(fault.message).toContain('board_id');
  });

  it('encodes path parameters', async () => {
    const server = await startScriptedServer([{ status: 200, body: {} }]);
    try {
      await here.clientOf({ url: `${server.url}/under/` }).getBoard({ board_id: '../a?b#c/d' });
      expect(server.seen[0]!.url).toBe('/under/api/v1/board/boards/..%2Fa%3Fb%23c%2Fd');
    } finally {
      await server.stop();
    }
  });

  it('rejects a field that the operation does not have', async () => {
    const misspelt = { board_idd: board.board_id, board_id: board.board_id };
    const fault = await faultOf(here.client.getBoard(misspelt));
    expect(fault.message).toBe('getBoard has no field board_idd');
  });
});

/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
