import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { assertComplete } from './declaration-check.js';
import { memberAccess, operatorAccess, type Route, sessionAccess, uuidParam } from './route.js';

const complete: Route = {
  method: 'GET',
  path: '/api/v1/brands/{brand_id}/things/{thing_id}',
  summary: 'One thing',
  tags: ['Things'],
  access: memberAccess({ scope: 'brand:read' }),
  params: { thing_id: uuidParam() },
  responses: { 200: Type.Object({}) },
  errors: [],
  handler: () => ({}),
};

const faultOf = (...routes: Partial<Route>[]) => {
  try {
    assertComplete(routes.map((route) => ({ ...complete, ...route })));
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};

describe('starting', () => {
  it('works with complete declarations', () => {
    expect(faultOf({})).toBeUndefined();
    expect(faultOf({}, { method: 'DELETE' })).toBeUndefined();
  });

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
  ])('fails when a declaration is incomplete: %#', (fields, fault) => {
    expect(faultOf(fields)).toContain(`GET /api/v1/brands/{brand_id}/things/{thing_id}: ${fault}`);
  });

  it('fails when an endpoint is declared twice, also under other parameter names', () => {
    const twin = { path: '/api/v1/brands/{brand_id}/things/{id}', params: { id: uuidParam() } };
    expect(faultOf({}, twin)).toContain('declared twice');
  });

  it('names every fault at once', () => {
    const message = faultOf({ summary: '' }, { path: '/other/{x}', params: {} });
    expect(message?.split('\n')).toHaveLength(3);
  });
});
