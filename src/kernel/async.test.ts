import { describe, expect, it } from 'vitest';
import { DeadlineExceeded, endsWithin, joinWrites, within } from './async.js';

const never = new Promise<never>(() => {});

describe('within', () => {
  it('returns the result or the error of work that settles in time', async () => {
    expect(await within(60_000, Promise.resolve('done'))).toBe('done');
    await expect(within(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('throws when the work takes too long and ignores its later failure', async () => {
    let fail = (_: Error) => {};
    const late = new Promise((_, reject) => {
      fail = reject;
    });
    await expect(within(1, late)).rejects.toThrow(DeadlineExceeded);
    fail(new Error('nobody hears this'));
  });
});

describe('endsWithin', () => {
  it('reports whether the work settled in time, with or without an error', async () => {
    expect(await endsWithin(60_000, Promise.resolve())).toBe(true);
    expect(await endsWithin(60_000, Promise.reject(new Error('broken')))).toBe(true);
    expect(await endsWithin(1, never)).toBe(false);
  });
});

/** Records writes that complete when the test calls `end`. */
function openWrites() {
  const begun: { key: string; things: readonly number[]; end(error?: Error): void }[] = [];
  const join = joinWrites<string, number>(
    (key, things) =>
      new Promise((resolve, reject) =>
        begun.push({ key, things, end: (error) => (error ? reject(error) : resolve()) }),
      ),
  );
  return { begun, join, told: () => begun.map(({ key, things }) => [key, things]) };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('starts the first write at once and combines all later items into the next write', async () => {
  const { begun, join, told } = openWrites();
  const done: number[] = [];
  const note = (n: number) => join('a', n).then(() => done.push(n));
  const all = [1, 2, 3].map(note);
  expect(told()).toEqual([['a', [1]]]);
  begun[0]!.end();
  await settle();
  expect([told()[1], done]).toEqual([['a', [2, 3]], [1]]);
  all.push(note(4), note(5));
  begun[1]!.end();
  await settle();
  expect([told()[2], done]).toEqual([
    ['a', [4, 5]],
    [1, 2, 3],
  ]);
  begun[2]!.end();
  await Promise.all(all);
  note(6);
  expect(told()[3]).toEqual(['a', [6]]);
});

it('writes different keys independently', () => {
  const { join, told } = openWrites();
  for (const key of ['a', 'b']) void join(key, 1);
  expect(told()).toEqual([
    ['a', [1]],
    ['b', [1]],
  ]);
});

it('reports an error only to the callers whose items were in the failed write', async () => {
  const { begun, join, told } = openWrites();
  const outcomes = Promise.allSettled([1, 2, 3].map((n) => join('a', n)));
  begun[0]!.end(new Error('first'));
  await settle();
  begun[1]!.end(new Error('second'));
  expect((await outcomes).map((each) => (each as PromiseRejectedResult).reason.message)).toEqual([
    'first',
    'second',
    'second',
  ]);
  void join('a', 4);
  expect(told()[2]).toEqual(['a', [4]]);
});
