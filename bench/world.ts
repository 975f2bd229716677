import { randomUUID } from 'node:crypto';
import type { BenchWorld } from './row.js';

async function send(url: string, method: string, headers: Record<string, string>, body?: unknown) {
  const answer = await fetch(url, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${new URL(url).pathname} answered ${answer.status}: ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
}

export async function makeWorld(url: string, adminKey: string, databaseUrl?: string): Promise<BenchWorld> {
  const operator: BenchWorld['operator'] = (method, path, body) =>
    send(`${url}/api/v1/admin${path}`, method, { 'x-admin-key': adminKey }, body);

  const brand = await operator('POST', '/brands', { name: 'Bench', plan: 'business' });
  const person = { email: `bench-${randomUUID()}@example.com`, password: 'bench password' };
  const user = await operator('POST', '/users', { ...person, full_name: 'Bench Admin' });
  const brandId = Number(brand['brand_id']);
  const userId = Number(user['user_id']);
  await operator('PUT', `/brands/${brandId}/members/${userId}`, { role: 'admin', position: 'Owner' });
  const made = await operator('POST', `/brands/${brandId}/tokens`, {
    user_id: userId,
    name: 'bench',
    scopes: ['brand:read', 'memory:read', 'memory:write', 'code:read'],
  });
  const token = String(made['token']);
  const bearer = { authorization: `Bearer ${token}` };
  return {
    url,
    databaseUrl,
    brandId,
    userId,
    ...person,
    token,
    tokenId: String(made['token_id']),
    bearer,
    operator,
    call: (method, path, body) => send(`${url}${path}`, method, bearer, body),
  };
}
