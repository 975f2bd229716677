import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../kernel/errors.js';
import { Closed, Nullable, OneOf, searchText, Timestamp, Uuid } from '../declaration/schemas.js';
import { bodyValidator, queryValidator } from './validation.js';

const Body = Closed({
  name: Type.String({ minLength: 1, maxLength: 5 }),
  password: Type.Optional(Type.String({ minLength: 8 })),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
  share: Type.Optional(Type.Number({ minimum: 0 })),
  on: Type.Optional(Type.Boolean()),
  plan: Type.Optional(OneOf(['free', 'team'])),
  tags: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 2 })),
  at: Type.Optional(Nullable(Timestamp)),
  id: Type.Optional(Uuid),
  url: Type.Optional(Type.String({ format: 'uri' })),
  slug: Type.Optional(Type.String({ pattern: '^[a-z]+$', rule: 'must have small letters only' })),
  inner: Type.Optional(Closed({ deep: Type.Array(Closed({ x: Type.Integer() })) })),
});

function sentence(check: () => void): string | undefined {
  try {
    check();
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.detail}`;
    throw error;
  }
  return undefined;
}

describe('The message for an invalid body names one field and its rule', () => {
  const check = bodyValidator(Body);
  const judge = (body: unknown) => sentence(() => check(body));

  it.each<[unknown, string]>([
    [{}, 'name is required'],
    [{ name: 1 }, 'name must be a string'],
    [{ name: null }, 'name must be a string'],
    [{ name: '' }, 'name must not be empty'],
    [{ name: 'abcdef' }, 'name must have at most 5 characters'],
    [{ name: 'a', password: 'short' }, 'password must have at least 8 characters'],
    [{ name: 'a', count: '5' }, 'count must be a whole number'],
    [{ name: 'a', count: 1.5 }, 'count must be a whole number'],
    [{ name: 'a', count: 0 }, 'count must be from 1 to 50'],
    [{ name: 'a', count: 51 }, 'count must be from 1 to 50'],
    [{ name: 'a', share: -1 }, 'share must be >= 0'],
    [{ name: 'a', share: '1' }, 'share must be a number'],
    [{ name: 'a', on: 'true' }, 'on must be true or false'],
    [{ name: 'a', plan: 'gold' }, 'plan must be one of: free, team'],
    [{ name: 'a', plan: ['free'] }, 'plan must be a string'],
    [{ name: 'a', tags: 'x' }, 'tags must be a list'],
    [{ name: 'a', tags: [] }, 'tags must have at least 1 item'],
    [{ name: 'a', tags: ['x', 'y', 'z'] }, 'tags must have at most 2 items'],
    [{ name: 'a', tags: ['x', 1] }, 'tags.1 must be a string'],
    [{ name: 'a', at: 'tomorrow' }, 'at must be a valid ISO 8601 time'],
    [{ name: 'a', at: 5 }, 'at must be a string'],
    [{ name: 'a', id: 'x' }, 'id must be a valid UUID'],
    [{ name: 'a', url: 'no url' }, 'url must be a valid URL'],
    [{ name: 'a', slug: 'A' }, 'slug must have small letters only'],
    [{ name: 'a', inner: { deep: [{ x: 1 }, { x: 'y' }] } }, 'inner.deep.1.x must be a whole number'],
    [{ name: 'a', inner: {} }, 'inner.deep is required'],
    [{ name: 'a', inner: { deep: [], more: 1 } }, 'inner.more is not a known field'],
    [{ name: 'a', surplus: 1 }, 'surplus is not a known field'],
    [[], 'The body must be a JSON object'],
    [null, 'The body must be a JSON object'],
    ['text', 'The body must be a JSON object'],
  ])('%j: %s', (body, expected) => expect(judge(body)).toBe(`422 ${expected}`));

  it('counts a surrogate pair as one character', () => {
    expect(judge({ name: '🎉🎉🎉🎉🎉' })).toBeUndefined();
    expect(judge({ name: '🎉🎉🎉🎉🎉🎉' })).toBe('422 name must have at most 5 characters');
  });

  it('accepts only valid instants as timestamps', () => {
    for (const at of ['2026-11-14T09:30:00Z', '2026-11-14T09:30:00.123+02:00', '2024-02-29T00:00:00Z', null])
      expect(judge({ name: 'a', at }), String(at)).toBeUndefined();
    for (const at of [
      '2016-12-31T23:59:60Z',
      '2026-02-30T00:00:00Z',
      '2026-11-14',
      '2026-11-14T09:30:00',
      '',
    ])
      expect(judge({ name: 'a', at }), at).toBe('422 at must be a valid ISO 8601 time');
  });
});

describe('Query', () => {
  const read = queryValidator(
    Type.Object({
      q: Type.Optional(Type.String()),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
      threshold: Type.Optional(Type.Number()),
      on: Type.Optional(Type.Boolean()),
    }),
    { status: 400 },
  );

  it('is decoded by the declared types, with defaults, and ignores unknown parameters', () => {
    expect(read({ q: '5', limit: '7', threshold: '-0.5', on: 'false', other: 'x', __proto__: 'x' })).toEqual({
      q: '5',
      limit: 7,
      threshold: -0.5,
      on: false,
    });
    expect(read({})).toEqual({ limit: 10 });
  });

  it('accepts the former name of a parameter unless the current one is present', () => {
    const readText = queryValidator(Type.Object({ query: searchText('Words.', { maxLength: 3 }) }), {
      status: 400,
    });
    expect(readText({ q: 'old' })).toEqual({ query: 'old' });
    expect(readText({ q: 'old', query: 'new' })).toEqual({ query: 'new' });
    expect(sentence(() => readText({ q: 'older' }))).toBe('400 query must have at most 3 characters');
  });

  it.each<[Record<string, unknown>, string]>([
    [{ limit: '' }, 'limit must be a whole number'],
    [{ limit: '1.5' }, 'limit must be a whole number'],
    [{ limit: '1e1' }, 'limit must be a whole number'],
    [{ limit: ' 1' }, 'limit must be a whole number'],
    [{ limit: '0x10' }, 'limit must be a whole number'],
    [{ limit: '51' }, 'limit must be from 1 to 50'],
    [{ limit: ['1', '2'] }, 'limit must be a whole number'],
    [{ threshold: 'NaN' }, 'threshold must be a number'],
    [{ threshold: '1e999' }, 'threshold must be a number'],
    [{ on: '1' }, 'on must be true or false'],
    [{ q: ['a', 'b'] }, 'q must be a string'],
    [{ q: 'a\u0000' }, 'q must not contain characters that are no text'],
    [{ q: '\ud800' }, 'q must not contain characters that are no text'],
  ])('%j is rejected with the status of the route: %s', (query, expected) =>
    expect(sentence(() => read(query))).toBe(`400 ${expected}`),
  );
});
