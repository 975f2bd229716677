import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { assertComplete } from './declaration-check.js';
import {
  memberAccess,
  operatorAccess,
  publicAccess,
  type Route,
  sessionAccess,
  textParam,
  uuidParam,
} from './route.js';
import { Nullable } from './schemas.js';

const complete: Route = {
  name: 'do_things',
  method: 'GET',
  path: '/api/v1/brands/{brand_id}/things/{thing_id}',
  summary: 'One thing',
  description: 'Answers the thing.',
  tags: ['Things'],
  access: memberAccess({ scope: 'brand:read' }),
  params: { thing_id: uuidParam('Not found', { description: 'The thing.' }) },
  responses: { 200: Type.Object({}) },
  errors: [],
  handler: () => ({}),
};

const described = { description: 'What it is.' };

const faultOf = (...routes: Partial<Route>[]) => {
  try {
    assertComplete(routes.map((route) => ({ ...complete, ...route })));
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};

describe('Starting the server', () => {
  it.each<[Partial<Route>, string]>([
    [{ summary: ' ' }, 'has no summary'],
    [{ tags: [] as never }, 'has no tag'],
    [{ responses: {} }, 'declares no response'],
    [{ errors: undefined as never }, 'declares no errors'],
    [{ params: {} }, 'does not declare the path parameter thing_id'],
    [
      { params: { thing_id: uuidParam(), other: uuidParam() } },
      'declares other, which its path does not have',
    ],
    [{ access: operatorAccess() }, 'does not declare the path parameter brand_id'],
    [{ access: { ...sessionAccess(), scopes: ['brand:read'] } }, 'asks a scope of callers that have none'],
    [
      { body: Type.Object({}), upload: { field: 'file', maxBytes: 1, description: '' } },
      'takes a JSON body and an upload',
    ],
    [{ query: Type.String() as never }, 'has a query that is no object schema'],
    [{ name: undefined as never }, 'has no name'],
    [{ name: 'getThing' }, 'is called getThing, which is not snake case of at most 40 characters'],
    [{ name: 'get__thing' }, 'is called get__thing, which is not snake case'],
    [{ name: `get_${'a'.repeat(37)}` }, `is called get_${'a'.repeat(37)}, which is not snake case`],
    [{ description: undefined }, 'has no description'],
    [{ params: { thing_id: uuidParam() } }, 'does not describe thing_id'],
    [{ query: Type.Object({ page: Type.Integer() }) }, 'does not describe page'],
    [{ body: Type.Object({ name: Type.Optional(Type.String()) }) }, 'does not describe name'],
    [
      { body: Type.Object({ parts: Type.Array(Type.Object({ size: Type.Integer() }), described) }) },
      'does not describe parts.size',
    ],
    [
      { body: Type.Object({ part: Nullable(Type.Object({ size: Type.Integer() }), described) }) },
      'does not describe part.size',
    ],
    [
      {
        access: publicAccess(),
        params: { brand_id: textParam(), thing_id: textParam() },
        rawBody: { contentType: 'text/plain', maxBytes: 1, description: 'A text' },
      },
      'takes a file from callers without a credential',
    ],
    [
      { creates: {}, access: memberAccess({ role: 'guest' }) },
      'is open to guests and does not declare who is permitted a kept answer',
    ],
    [
      { ready: true, responses: { 200: Type.Object({}), 304: null }, headers: ['ETag'] },
      'has its answer ready and is no GET with If-None-Match, ETag and a 304',
    ],
    [{ ready: true, headers: ['If-None-Match', 'ETag'] }, 'has its answer ready and is no GET'],
    [{ effect: 'write' }, 'is a GET that is declared to write'],
    [{ effect: 'destroy' }, 'is a GET that is declared to write'],
    [{ mayLag: true, access: operatorAccess() }, 'may lag, and is no plain read of a member'],
    [{ responses: { 201: Type.Object({}) } }, 'answers 201 and does not declare `creates`'],
  ])('fails when a declaration is incomplete: %#', (fields, fault) => {
    expect(faultOf(fields)).toContain(`GET /api/v1/brands/{brand_id}/things/{thing_id}: ${fault}`);
  });

  it('fails when a route that writes is declared with mayLag', () => {
    expect(faultOf({ mayLag: true })).toBeUndefined();
    expect(faultOf({ mayLag: true, method: 'POST', effect: 'read' })).toBeUndefined();
    expect(faultOf({ mayLag: true, method: 'POST' })).toContain('may lag, and is no plain read of a member');
  });

  it('fails when two operations have the same name', () => {
    expect(faultOf({}, { method: 'DELETE' })).toContain('is called do_things, like another one');
  });

  it('fails when an endpoint is declared twice, even with other parameter names', () => {
    const twin = { path: '/api/v1/brands/{brand_id}/things/{id}', params: { id: uuidParam() } };
    expect(faultOf({}, twin)).toContain('declared twice');
  });

  it('reports every fault at once', () => {
    const message = faultOf({ summary: '' }, { name: 'do_others', path: '/other/{x}', params: {} });
    expect(message?.split('\n')).toHaveLength(3);
  });
});
