import { describe, expect, it } from 'vitest';
import { DeadlineExceeded, endsWithin, within } from './deadline.js';

const never = new Promise<never>(() => {});

describe('within', () => {
  it('is the result or the failure of work that ends in time', async () => {
    expect(await within(60_000, Promise.resolve('done'))).toBe('done');
    await expect(within(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('gives up on work that does not, and on its failure afterwards', async () => {
    let fail = (_: Error) => {};
    const late = new Promise((_, reject) => {
      fail = reject;
    });
    await expect(within(1, late)).rejects.toThrow(DeadlineExceeded);
    fail(new Error('nobody hears this'));
  });
});

describe('endsWithin', () => {
  it('tells whether it ended, well or not', async () => {
    expect(await endsWithin(60_000, Promise.resolve())).toBe(true);
    expect(await endsWithin(60_000, Promise.reject(new Error('broken')))).toBe(true);
    expect(await endsWithin(1, never)).toBe(false);
  });
});
