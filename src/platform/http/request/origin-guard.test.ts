import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KNOWN, startHttp, type TestServer } from '../../../../tests/support/http.js';
import { memberAccess, publicAccess, type Route, route } from '../declaration/route.js';

const declare = (fields: Partial<Route>): Route =>
  route({
    name: 'do_things',
    method: 'POST',
    path: '/write',
    summary: 'A test',
    tags: ['Test'],
    access: memberAccess(),
    responses: { 200: Type.Any() },
    errors: [],
    handler: () => ({}),
    ...fields,
  });

let http: TestServer;

beforeAll(async () => {
  http = await startHttp([
    declare({}),
    declare({ method: 'GET', path: '/read' }),
    declare({ path: '/login', access: publicAccess(), changesSession: true }),
    declare({ path: '/public', access: publicAccess() }),
  ]);
});

afterAll(() => http.server.close());

const status = async (method: 'GET' | 'POST', url: string, headers: Record<string, string>) =>
  (await http.inject({ method, url, headers })).statusCode;

const FOREIGN: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'http://guildhall.test.evil.example' },
  { origin: 'http://evil.example/http://guildhall.test' },
  { origin: 'null' },
  { origin: 'https://guildhall.test' },
  { origin: 'https://localhost', host: 'localhost' },
  { origin: 'http://localhost', host: 'localhost', 'x-forwarded-proto': 'https' },
  { origin: 'ftp://localhost', host: 'localhost' },
  { origin: '' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'http://guildhall.test' },
];
const OWN: Record<string, string>[] = [
  {},
  { origin: 'http://guildhall.test' },
  { origin: 'http://localhost:80' },
  { origin: 'https://localhost', 'x-forwarded-proto': 'https' },
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': 'same-origin', origin: 'http://guildhall.test' },
];

describe('Writes with a session cookie', () => {
  it.each(FOREIGN)('return 403 for a page of another origin: %j', async (site) => {
    const answer = await http.inject({
      method: 'POST',
      url: '/write',
      headers: { ...KNOWN.cookie, ...site },
    });
    expect([answer.statusCode, answer.json()]).toEqual([
      403,
      { detail: 'This request came from a page of another origin' },
    ]);
  });

  it.each(OWN)("succeed for Guildhall's own pages and for programs: %j", async (site) => {
    expect(await status('POST', '/write', { ...KNOWN.cookie, host: 'localhost', ...site })).toBe(200);
  });
});

describe('Origin check', () => {
  it('keeps foreign pages from opening a session', async () => {
    for (const site of FOREIGN) expect(await status('POST', '/login', site), JSON.stringify(site)).toBe(403);
    for (const site of OWN) expect(await status('POST', '/login', { host: 'localhost', ...site })).toBe(200);
  });

  it('does not apply to tokens, reads and public routes', async () => {
    for (const site of FOREIGN) {
      expect(await status('POST', '/write', { ...KNOWN.bearer, ...site })).toBe(200);
      expect(await status('GET', '/read', { ...KNOWN.cookie, ...site })).toBe(200);
      expect(await status('POST', '/public', site)).toBe(200);
    }
  });
});
