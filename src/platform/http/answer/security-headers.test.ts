import { connect } from 'node:net';
import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { startHttp, type TestServer } from '../../../../tests/support/http.js';
import { publicAccess, route } from '../declaration/route.js';
import { answer } from './answers.js';

const declare = (path: string, cookie: string | string[]) =>
  route({
    name: 'do_things',
    method: 'GET',
    path,
    summary: 'A test',
    tags: ['Test'],
    access: publicAccess(),
    responses: { 200: Type.Any() },
    errors: [],
    handler: () => answer(200, {}, { 'set-cookie': cookie }),
  });
const ROUTES = [
  declare('/cookie', 'guildhall_session=x; Path=/; HttpOnly; SameSite=Lax'),
  declare('/cookies', ['a=1; Path=/', 'b=2; Path=/; Secure']),
];
const HTTPS = { 'x-forwarded-proto': 'https' };

let http: TestServer | undefined;
afterEach(() => http?.server.close());

describe('Strict-Transport-Security', () => {
  const transportOf = async (url: string, headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
    (await http!.inject({ url, headers, remoteAddress })).headers['strict-transport-security'];

  it('is set on every response when BASE_URL is https, for two years and all subdomains', async () => {
    http = await startHttp(ROUTES, { baseUrl: 'https://guildhall.test' });
    for (const url of ['/cookie', '/nowhere', '/%zz'])
      expect(await transportOf(url, {}), url).toBe('max-age=63072000; includeSubDomains');
  });

  it('is set when a trusted proxy reports https, and ignores other senders', async () => {
    http = await startHttp(ROUTES);
    expect(await transportOf('/cookie', HTTPS)).toBeTruthy();
    expect(await transportOf('/nowhere', { 'x-forwarded-proto': 'http, HTTPS' })).toBeTruthy();
    expect(await transportOf('/cookie', {})).toBeUndefined();
    expect(await transportOf('/cookie', { 'x-forwarded-proto': 'https, http' })).toBeUndefined();
    expect(await transportOf('/cookie', HTTPS, '203.0.113.5')).toBeUndefined();
  });

  it('is set on the response to bytes that are not HTTP', async () => {
    http = await startHttp(ROUTES, { baseUrl: 'https://guildhall.test' });
    await http.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = http.server.server.address() as { port: number };
    const text = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('no http at all\r\n\r\n'));
      let got = '';
      socket.on('data', (chunk) => {
        got += chunk;
      });
      socket.on('close', () => resolve(got));
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('strict-transport-security: max-age=63072000; includeSubDomains\r\n');
    expect(text).toContain('x-content-type-options: nosniff\r\n');
  });
});

describe('Cookies', () => {
  it('are Secure over https, even when only the proxy uses https', async () => {
    http = await startHttp(ROUTES);
    const cookiesOf = async (url: string, headers = {}) =>
      (await http!.inject({ url, headers })).headers['set-cookie'];
    expect(await cookiesOf('/cookie')).not.toContain('Secure');
    expect([await cookiesOf('/cookie', HTTPS)].flat()).toEqual([
      'guildhall_session=x; Path=/; HttpOnly; SameSite=Lax; Secure',
    ]);
    expect(await cookiesOf('/cookies', HTTPS)).toEqual(['a=1; Path=/; Secure', 'b=2; Path=/; Secure']);
  });
});

it('POST returns 403 for a foreign origin that matches only X-Forwarded-Host', async () => {
  http = await startHttp([{ ...ROUTES[0]!, method: 'POST', changesSession: true }]);
  const { statusCode } = await http.inject({
    method: 'POST',
    url: '/cookie',
    headers: { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
  });
  expect(statusCode).toBe(403);
});
