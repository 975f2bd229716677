import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { CursorCodec } from '../../kernel/cursor.js';
import { ANSWER_BYTES, readPosition, tellData } from './pages.js';

const codec = new CursorCodec('secret', 'test');
const item = (n: number) => ({
  id: n,
  text: `ä ${'x'.repeat(400)}`,
  tags: ['a', { deep: ['b'] }],
  none: [],
  nested: { a: { b: 'c\n  - d' } },
});

function readAll(data: object): { answers: Record<string, unknown>[]; bytes: number[] } {
  const answers: Record<string, unknown>[] = [];
  const bytes: number[] = [];
  for (let cursor: string | undefined; ; ) {
    const text = tellData(data, cursor ? readPosition(codec, cursor) : { args: {} }, undefined, codec);
    bytes.push(Buffer.byteLength(text));
    const { cursor: next, ...answer } = parse(text);
    answers.push(answer);
    if (!next) return { answers, bytes };
    cursor = next;
  }
}

it.each([['first'], ['between'], ['last']])(
  'a list that is too long goes on item by item, standing %s',
  (where) => {
    const items = Array.from({ length: 300 }, (_, n) => item(n));
    const data = {
      ...(where !== 'first' && { before: { a: 1 } }),
      items,
      ...(where !== 'last' && { total: 300, after: 'x' }),
    };
    const { answers, bytes } = readAll(data);
    expect(answers.length).toBeGreaterThan(3);
    expect(Math.max(...bytes)).toBeLessThanOrEqual(ANSWER_BYTES);
    expect(answers.flatMap((answer) => answer['items'])).toEqual(items);
    for (const answer of answers) expect({ ...answer, items }).toEqual(data);
  },
);

it('an item that is too long by itself goes on as text', () => {
  const text = tellData({ items: [{ text: 'y'.repeat(50_000) }] }, { args: {} }, undefined, codec);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(ANSWER_BYTES);
  expect(text).toMatch(/\ncursor: \S+\n$/);
});
