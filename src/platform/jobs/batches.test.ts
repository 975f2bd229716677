import { expect, it } from 'vitest';
import { runRoundRobin } from './batches.js';

it('runRoundRobin continues with a workspace whose work ended during the next claim', async () => {
  const left = [1, 1, 1];
  const done: number[] = [];
  let endWork = () => {};
  await runRoundRobin<{ brand_id: number }>({
    atOnce: 2,
    signal: new AbortController().signal,
    claimNext: async ({ after, busy }) => {
      const next = left.find((brandId) => brandId > after && !busy.includes(brandId));
      if (next !== undefined) return { brand_id: left.shift()! };
      endWork();
      // The other work ends before this claim does.
      await new Promise((resolve) => setImmediate(resolve));
      return undefined;
    },
    work: async ({ brand_id }) => {
      await new Promise<void>((resolve) => {
        endWork = resolve;
      });
      done.push(brand_id);
    },
  });
  expect(done).toEqual([1, 1, 1]);
});
