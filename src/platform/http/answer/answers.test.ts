import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startHttp, type TestServer } from '../../../../tests/support/http.js';
import { markdownFacts } from '../../../kernel/markdown.js';
import { publicAccess, type Route, route } from '../declaration/route.js';
import { bytes, noContent, notModified, text } from './answers.js';

const facts = {
  at: new Date('2026-11-14T09:30:00Z'),
  name: '# no heading\n- no item',
  none: null,
  count: 3,
  yes: 'yes',
  number: '007',
  list: [{ a: 1 }, { a: 2 }],
  empty: [],
};
const plain = JSON.parse(JSON.stringify(facts));

const declare = (path: string, fields: Partial<Route>): Route =>
  route({
    name: 'do_things',
    method: 'GET',
    path,
    summary: 'A test',
    tags: ['Test'],
    access: publicAccess(),
    responses: { 200: Type.Any() },
    errors: [],
    handler: () => facts,
    ...fields,
  });

let http: TestServer;

beforeAll(async () => {
  http = await startHttp([
    declare('/json', {}),
    declare('/formats', {
      formats: { allowed: ['json', 'yaml', 'md'], default: 'json', markdown: markdownFacts },
    }),
    declare('/yaml-first', {
      formats: { allowed: ['yaml', 'json'], default: 'yaml', markdown: markdownFacts },
    }),
    declare('/created', { method: 'POST', responses: { 201: Type.Any() } }),
    declare('/empty', { responses: { 204: null }, handler: () => noContent({ 'x-own': '1' }) }),
    declare('/unchanged', {
      responses: { 200: Type.Any(), 304: null },
      handler: () => notModified({ etag: '"1"' }),
    }),
    declare('/picture', {
      headers: ['Cache-Control'],
      handler: () => bytes(Buffer.from([1, 2, 3]), 'image/png', { 'cache-control': 'private' }),
    }),
    declare('/page', { handler: () => text(200, '<p>ä</p>', 'text/html; charset=utf-8') }),
    declare('/wrong', { responses: { 200: Type.Object({ other: Type.String() }) } }),
  ]);
});

afterAll(() => http.server.close());

const get = (url: string) => http.inject({ url });

describe('Response', () => {
  it('is JSON with timestamps like 2026-11-14T09:30:00.000Z', async () => {
    const answer = await get('/json');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json()).toMatchObject({ at: '2026-11-14T09:30:00.000Z' });
  });

  it('has the declared success status', async () => {
    expect((await http.inject({ method: 'POST', url: '/created' })).statusCode).toBe(201);
  });

  it('may have no body, custom headers or binary content', async () => {
    const empty = await get('/empty');
    expect([empty.statusCode, empty.body, empty.headers['x-own']]).toEqual([204, '', '1']);
    const unchanged = await get('/unchanged');
    expect([unchanged.statusCode, unchanged.body, unchanged.headers.etag]).toEqual([304, '', '"1"']);
    const picture = await get('/picture');
    expect([
      picture.headers['content-type'],
      picture.headers['cache-control'],
      [...picture.rawPayload],
    ]).toEqual(['image/png', 'private', [1, 2, 3]]);
    expect((await get('/page')).body).toBe('<p>ä</p>');
  });

  it('returns 500 in tests when it does not match its schema', async () => {
    expect((await get('/wrong')).statusCode).toBe(500);
  });
});

describe('format parameter', () => {
  it('returns the same facts as application/yaml in UTF-8 for yaml', async () => {
    const answer = await get('/formats?format=yaml');
    expect(answer.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(parse(answer.body)).toEqual(plain);
  });

  it('returns the same facts as text/markdown in UTF-8 for md, with values escaped', async () => {
    const answer = await get('/formats?format=md');
    expect(answer.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(answer.body).toContain('\\# no heading');
    expect(answer.body).not.toMatch(/^#/m);
    for (const key of Object.keys(facts)) expect(answer.body).toContain(`**${key}**`);
  });

  it("defaults to json, or to the route's default", async () => {
    expect((await get('/formats')).json()).toEqual(plain);
    expect(parse((await get('/yaml-first')).body)).toEqual(plain);
    expect((await get('/yaml-first?format=json')).json()).toEqual(plain);
  });

  it.each(['xml', '', 'YAML', 'md'])(
    'returns 422 for %j when the route does not offer it',
    async (format) => {
      const answer = await get(`/yaml-first?format=${format}`);
      expect([answer.statusCode, answer.json()]).toEqual([
        422,
        { detail: 'format must be one of: yaml, json' },
      ]);
    },
  );
});
