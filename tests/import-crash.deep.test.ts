import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeDataDir, Program } from './support/program.js';

/** The program is killed while an import reads from a repository host, and continues at the same page. */

const ADMIN_KEY = 'operator-key-of-the-import-test';
const PAGES = 5;
let data: Awaited<ReturnType<typeof makeDataDir>>;
let program: Program;
let host: Server;
const asked: number[] = [];
/** The host does not answer this page until the program has been killed. */
let stuckAt: number | undefined = 3;

beforeAll(async () => {
  data = await makeDataDir();
  host = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://host.example');
    const answer = (status: number, body: unknown, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    if (pathname.endsWith('/issues')) {
      const page = Number(searchParams.get('page') ?? 1);
      asked.push(page);
      if (page === stuckAt) return;
      const link = page < PAGES ? { link: `<http://host.example/next>; rel="next"` } : {};
      const at = '2024-01-02T03:04:05Z';
      answer(
        200,
        [{ number: page, title: `Issue ${page}`, state: 'open', created_at: at, updated_at: at }],
        link,
      );
    } else if (pathname.endsWith('/pulls')) answer(200, []);
    else if (pathname.includes('/pulls/')) answer(404, {});
    else answer(200, { full_name: 'acme/app', default_branch: 'main', permissions: { push: true } });
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await program?.end();
  host.closeAllConnections();
  host.close();
  await data.remove();
});

function start(): Program {
  program = new Program({
    DATA_DIR: data.path,
    ADMIN_API_KEY: ADMIN_KEY,
    FORGE_NETWORKS: '127.0.0.0/8',
    GUILDHALL_TEST_CLOCK: '1',
    GUILDHALL_DEMO: '0',
    EMBEDDER: 'none',
  });
  return program;
}

async function call<T = Record<string, never>>(
  url: string,
  headers: Record<string, string>,
  payload?: object,
  method = payload ? 'POST' : 'GET',
): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(payload && { 'content-type': 'application/json' }) },
    ...(payload && { body: JSON.stringify(payload) }),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

it('an import continues at the same page after kill -9', async () => {
  const api = `${await start().ready()}/api/v1`;
  const operator = { 'x-admin-key': ADMIN_KEY };
  const { brand_id } = await call<{ brand_id: number }>(`${api}/admin/brands`, operator, {
    name: 'Crash',
    scope_ceiling: ['brand:read', 'brand:admin'],
  });
  const { user_id } = await call<{ user_id: number }>(`${api}/admin/users`, operator, {
    email: 'crash@example.test',
    full_name: 'Crash',
    password: 'correct horse battery',
  });
  await call(`${api}/admin/brands/${brand_id}/members/${user_id}`, operator, { role: 'admin' }, 'PUT');
  const { token } = await call<{ token: string }>(`${api}/admin/brands/${brand_id}/tokens`, operator, {
    user_id,
    name: 'crash',
    scopes: ['brand:read', 'brand:admin'],
  });
  const bearer = { authorization: `Bearer ${token}` };
  const { project_id } = await call<{ project_id: string }>(`${api}/projects`, bearer, {
    name: 'Code',
    repository: null,
  });
  const { port } = host.address() as AddressInfo;
  const forge = {
    kind: 'github',
    api_url: `http://127.0.0.1:${port}`,
    repository: 'acme/app',
    token: 'ghp_secret',
  };
  await call(`${api}/projects/${project_id}/forge`, bearer, forge, 'PUT');
  const { board_id } = await call<{ board_id: string }>(`${api}/board/boards`, bearer, { name: 'Moved' });
  const path = `board/boards/${board_id}/imports/host`;
  const { import_id } = await call<{ import_id: string }>(`${api}/${path}`, bearer, { project_id });
  await expect.poll(() => asked).toEqual([1, 2, 3]);
  program.signal('SIGKILL');
  await program.exited;

  stuckAt = undefined;
  const again = `${await start().ready()}/api/v1`;
  await call(`${again}/admin/clock`, operator, { advance_seconds: 600 });
  const read = () => call<{ status: string }>(`${again}/board/imports/${import_id}`, bearer);
  await expect.poll(async () => (await read()).status).toBe('ready');
  expect(await read()).toMatchObject({ counts: { new: PAGES } });
  expect(asked).toEqual([1, 2, 3, 3, 4, 5]);
});
