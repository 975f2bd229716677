import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { CursorCodec } from '../../kernel/cursor.js';
import type { Arguments } from './operations.js';
import { ANSWER_BYTES, type Listing, type Position, readPosition, shorten, tellData } from './pages.js';

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

/** The texts of an answer that goes on: a part that ends within a document is joined with the next. */
function readAll(
  answerOf: (args: Arguments) => object,
  listing = WHOLE,
  given: Arguments = {},
): { answers: Record<string, unknown>[]; bytes: number[] } {
  const answers: Record<string, unknown>[] = [];
  const bytes: number[] = [];
  let text = '';
  for (let position: Position = { args: given }; ; ) {
    let told: ReturnType<typeof tellData>;
    for (let { fewer } = position; ; fewer = told.fewer) {
      const wanted = { ...position.args, ...position.on, ...(fewer !== undefined && { limit: fewer }) };
      told = tellData(answerOf(wanted), { ...position, fewer }, listing, codec);
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
  'a list that is too long goes on item by item, standing %s',
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
  ['beside another', [item(0), long(1), long(2), item(3)]],
])('an item that is too long by itself goes on as text, then the list does: %s', (_where, items) => {
  const { answers, bytes } = readAll(() => ({ items, total: items.length }));
  expect(itemsOf(answers)).toEqual(items);
  expect(Math.max(...bytes)).toBeLessThanOrEqual(ANSWER_BYTES);
});

it('a short list beside a long text is told once, with the text', () => {
  const data = { text: 'z\n'.repeat(40_000), items: [item(0), item(1)] };
  expect(readAll(() => data).answers).toEqual([data]);
});

it('a list with a cursor of its own is asked for fewer, so that what goes on is exact whatever is written meanwhile', () => {
  const all = [...Array.from({ length: 200 }, (_, n) => item(n)), long(200), item(201)];
  const gone = new Set<number>();
  const answerOf = ({ limit = 100, cursor = 0 }: { limit?: number; cursor?: number }) => {
    const there = all.filter(({ id }) => !gone.has(id) && id >= cursor);
    const page = there.slice(0, limit);
    // Whoever has been told of is removed at once: a count of those told would now skip others.
    if (cursor > 0 && cursor < 200) gone.add(cursor - 1);
    return { items: page, next_cursor: there.length > limit ? page.at(-1)!.id + 1 : null };
  };
  const { answers, bytes } = readAll(answerOf, PAGED);
  expect(itemsOf(answers)).toEqual(all);
  expect(gone.size).toBeGreaterThan(2);
  expect(Math.max(...bytes)).toBeLessThanOrEqual(ANSWER_BYTES);
});

it('a list with pages is told page by page, each in as many parts as it needs', () => {
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

it('a list that is read before an item goes on before the last that was told', () => {
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

it('stays within the bound however long the arguments are, which then come along with the cursor', () => {
  const items = Array.from({ length: 200 }, (_, n) => item(n));
  const given = { query: 'pear '.repeat(5000), limit: 50 };
  const { answers, bytes } = readAll(() => ({ items }), WHOLE, given);
  expect(itemsOf(answers)).toEqual(items);
  expect(Math.max(...bytes)).toBeLessThanOrEqual(ANSWER_BYTES);
  const cursor = /cursor: (\S+)\n$/.exec(tellData({ items }, { args: given }, WHOLE, codec) as string)![1];
  expect(readPosition(codec, cursor, { limit: 50, query: given.query }).args).toEqual(given);
  for (const others of [{}, { ...given, limit: 49 }])
    expect(() => readPosition(codec, cursor, others)).toThrow(
      'cursor must come with the same arguments as the call that it continues',
    );
});

it('refuses a cursor that is none', () => {
  expect(() => readPosition(codec, 5, {})).toThrow('cursor must be a string');
  expect(() => readPosition(codec, 'made-up', {})).toThrow('cursor must be one that this tool answered');
});

it('what does not go on is cut, and says so', () => {
  expect(shorten('short')).toBe('short');
  const cut = shorten('w'.repeat(50_000));
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(ANSWER_BYTES);
  expect(cut).toMatch(/w\n# The answer is longer/);
});
