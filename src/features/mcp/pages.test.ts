import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { CursorCodec } from '../../kernel/cursor.js';
import type { Arguments } from './operations.js';
import { ANSWER_BYTES, type Listing, type Position, readPosition, shorten, writePage } from './pages.js';

const codec = new CursorCodec('secret', 'test');
const WHOLE: Listing = { pagination: undefined, size: undefined };
const PAGED: Listing = {
  pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'items' },
  size: 'limit',
};

const item = (n: number) => ({
  id: n,
  text: `ä ${'x'.repeat(400)}`,
  tags: ['a', { deep: ['b'] }],
  none: [],
  nested: { a: { b: 'c\n  - d' } },
});

/** Reads an answer to its last page and joins the parts of a split document. */
function readAll(
  answerOf: (args: Arguments) => object,
  listing = WHOLE,
  given: Arguments = {},
): { answers: Record<string, unknown>[]; bytes: number[] } {
  const answers: Record<string, unknown>[] = [];
  const bytes: number[] = [];
  let text = '';
  for (let position: Position = { args: given }; ; ) {
    let told: ReturnType<typeof writePage>;
    for (let { fewer } = position; ; fewer = told.fewer) {
      const wanted = { ...position.args, ...position.on, ...(fewer !== undefined && { limit: fewer }) };
      told = writePage(answerOf(wanted), { ...position, fewer }, listing, codec);
      if (typeof told === 'string') break;
    }
    bytes.push(Buffer.byteLength(told));
    if (bytes.length > 40) throw new Error('It goes on without end');
    const cursor = /cursor: (\S+)\n$/.exec(told);
    const next = cursor ? readPosition(codec, cursor[1], given) : undefined;
    text += cursor ? told.slice(0, cursor.index).replace(/# .*\n$/, '') : told;
    if (next?.from === undefined) {
      answers.push(parse(text));
      text = '';
    } else text = text.slice(0, -1);
    if (!next) return { answers, bytes };
    position = next;
  }
}

const itemsOf = (answers: Record<string, unknown>[]) => answers.flatMap((answer) => answer['items']);

it.each([['first'], ['between'], ['last']])(
  'splits a long list between items when it is the %s field',
  (where) => {
    const items = Array.from({ length: 300 }, (_, n) => item(n));
    const data = {
      ...(where !== 'first' && { before: { a: 1 } }),
      items,
      ...(where !== 'last' && { total: 300, after: 'x' }),
    };
    const { answers, bytes } = readAll(() => data);
    expect(answers.length).toBeGreaterThan(3);
    expect(Math.max(...bytes)).toBeLessThanOrEqual(ANSWER_BYTES);
    expect(itemsOf(answers)).toEqual(items);
    for (const answer of answers) expect({ ...answer, items }).toEqual(data);
  },
);

const long = (n: number) => ({ id: n, text: `${n} ${'y ü\n'.repeat(20_000)}` });

it.each([
  ['first', [long(0), item(1), item(2)]],
  ['between others', [item(0), long(1), item(2)]],
  ['last', [item(0), item(1), long(2)]],
  ['next to another', [item(0), long(1), long(2), item(3)]],
])('splits an item that is too long as text, then continues the list: %s', (_where, items) => {
  const { answers, bytes } = readAll(() => ({ items, total: items.length }));
  expect(itemsOf(answers)).toEqual(items);
  expect(Math.max(...bytes)).toBeLessThanOrEqual(ANSWER_BYTES);
});

it('returns a short list once, together with a long text', () => {
  const data = { text: 'z\n'.repeat(40_000), items: [item(0), item(1)] };
  expect(readAll(() => data).answers).toEqual([data]);
});

it('requests fewer items of a list with its own cursor, so that concurrent changes skip nothing', () => {
  const all = [...Array.from({ length: 200 }, (_, n) => item(n)), long(200), item(201)];
  const gone = new Set<number>();
  const answerOf = ({ limit = 100, cursor = 0 }: { limit?: number; cursor?: number }) => {
    const there = all.filter(({ id }) => !gone.has(id) && id >= cursor);
    const page = there.slice(0, limit);
    // Remove items already returned: an offset would now skip others.
    if (cursor > 0 && cursor < 200) gone.add(cursor - 1);
    return { items: page, next_cursor: there.length > limit ? page.at(-1)!.id + 1 : null };
  };
  const { answers, bytes } = readAll(answerOf, PAGED);
  expect(itemsOf(answers)).toEqual(all);
  expect(gone.size).toBeGreaterThan(2);
  expect(Math.max(...bytes)).toBeLessThanOrEqual(ANSWER_BYTES);
});

it('returns a numbered list page by page, in as many parts as each page needs', () => {
  const all = Array.from({ length: 260 }, (_, n) => item(n));
  const pages: Listing = {
    pagination: { style: 'page', parameter: 'page', size: 'per_page', items: 'items' },
    size: undefined,
  };
  const answerOf = ({ page = 1 }: { page?: number }) => ({
    items: all.slice((page - 1) * 120, page * 120),
    total: all.length,
    page,
    per_page: 120,
  });
  const { answers } = readAll(answerOf, pages);
  expect(answers.length).toBeGreaterThan(5);
  expect(itemsOf(answers)).toEqual(all);
});

it('continues a list with a `before` parameter before the last returned item', () => {
  const all = Array.from({ length: 200 }, (_, n) => item(200 - n));
  const before: Listing = {
    pagination: { style: 'before', parameter: 'before', from: 'id', items: 'items' },
    size: 'limit',
  };
  let newer = 0;
  const answerOf = ({ before: limit = Infinity }: { before?: number }) => {
    const there = [...Array.from({ length: newer }, (_, n) => item(201 + newer - n)), ...all];
    newer += 3;
    return { items: there.filter(({ id }) => id < limit), total: all.length };
  };
  expect(itemsOf(readAll(answerOf, before).answers)).toEqual(all);
});

it('stays within the size limit with long arguments, which must then be sent with the cursor', () => {
  const items = Array.from({ length: 200 }, (_, n) => item(n));
  const given = { query: 'pear '.repeat(5000), limit: 50 };
  const { answers, bytes } = readAll(() => ({ items }), WHOLE, given);
  expect(itemsOf(answers)).toEqual(items);
  expect(Math.max(...bytes)).toBeLessThanOrEqual(ANSWER_BYTES);
  const cursor = /cursor: (\S+)\n$/.exec(writePage({ items }, { args: given }, WHOLE, codec) as string)![1];
  expect(readPosition(codec, cursor, { limit: 50, query: given.query }).args).toEqual(given);
  for (const others of [{}, { ...given, limit: 49 }])
    expect(() => readPosition(codec, cursor, others)).toThrow(
      'cursor must come with the same arguments as the call that it continues',
    );
});

it('refuses an invalid cursor', () => {
  expect(() => readPosition(codec, 5, {})).toThrow('cursor must be a string');
  expect(() => readPosition(codec, 'made-up', {})).toThrow('cursor must be a cursor that this tool returned');
});

it('cuts an answer that cannot continue, and says so', () => {
  expect(shorten('short')).toBe('short');
  const cut = shorten('w'.repeat(50_000));
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(ANSWER_BYTES);
  expect(cut).toMatch(/w\n# The answer is longer/);
});
