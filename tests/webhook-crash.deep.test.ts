import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeDataDir, Program } from './support/program.js';
import { answering, type Receiver, startReceiver, verifies } from './support/webhooks.js';

/**
 * The program is killed while it sends a webhook message. The message may or may not have arrived, so it is
 * sent again.
 */

const ADMIN_KEY = 'operator-key-of-the-crash-test';
let data: Awaited<ReturnType<typeof makeDataDir>>;
let receiver: Receiver;
let program: Program;

beforeAll(async () => {
  data = await makeDataDir();
  receiver = await startReceiver(() => {});
});

afterAll(async () => {
  await program?.end();
  await receiver.close();
  await data.remove();
});

function start(): Program {
  program = new Program({
    DATA_DIR: data.path,
    ADMIN_API_KEY: ADMIN_KEY,
    WEBHOOK_NETWORKS: '127.0.0.0/8',
    GUILDHALL_TEST_CLOCK: '1',
    GUILDHALL_DEMO: '0',
    EMBEDDER: 'none',
  });
  return program;
}

async function post<T>(url: string, headers: Record<string, string>, payload: object, method = 'POST') {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(payload),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

it('a webhook message of a committed change is sent at least once, even after kill -9', async () => {
  const api = `${await start().ready()}/api/v1`;
  const operator = { 'x-admin-key': ADMIN_KEY };
  const { brand_id } = await post<{ brand_id: number }>(`${api}/admin/brands`, operator, {
    name: 'Crash',
    scope_ceiling: ['brand:read', 'brand:admin'],
  });
  const { user_id } = await post<{ user_id: number }>(`${api}/admin/users`, operator, {
    email: 'crash@example.test',
    full_name: 'Crash',
    password: 'correct horse battery',
  });
  await post(`${api}/admin/brands/${brand_id}/members/${user_id}`, operator, { role: 'admin' }, 'PUT');
  const { token } = await post<{ token: string }>(`${api}/admin/brands/${brand_id}/tokens`, operator, {
    user_id,
    name: 'crash',
    scopes: ['brand:read', 'brand:admin'],
  });
  const bearer = { authorization: `Bearer ${token}` };
  const hook = await post<{ secret: string }>(`${api}/brands/${brand_id}/webhooks`, bearer, {
    url: receiver.url,
    events: ['board.created'],
  });
  await post(`${api}/board/boards`, bearer, { name: 'Committed' });
  const [first] = await receiver.arrived(1);
  program.signal('SIGKILL');
  await program.exited;

  receiver.answerWith(answering(200));
  const again = `${await start().ready()}/api/v1`;
  await post(`${again}/admin/clock`, operator, { advance_seconds: 60 });
  const [, second] = await receiver.arrived(2);
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
  expect(second!.body).toBe(first!.body);
  expect(verifies(hook.secret, second!)).toBe(true);
});
