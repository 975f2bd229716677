import { describe, expect, it } from 'vitest';
import { isUuid, newId, parseIntegerId } from './ids.js';

describe('newId', () => {
  it('creates unique UUIDs of version 7', () => {
    const ids = Array.from({ length: 2000 }, newId);
    expect(new Set(ids).size).toBe(2000);
    for (const id of ids) {
      expect(isUuid(id)).toBe(true);
      expect(id[14]).toBe('7');
      expect('89ab').toContain(id[19]);
    }
  });

  it('creates UUIDs in chronological order', () => {
    const millisecond = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    const ids = Array.from({ length: 600 }, newId).map(millisecond);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
  });
});

describe('parseIntegerId', () => {
  it.each([
    ['1', 1],
    ['2147483647', 2_147_483_647],
    ['2147483648', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['01', undefined],
    ['1.0', undefined],
    ['1e3', undefined],
    ['', undefined],
  ])('parses %j as %s', (text, id) => {
    expect(parseIntegerId(text)).toBe(id);
  });
});
