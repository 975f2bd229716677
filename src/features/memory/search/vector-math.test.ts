import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askFor, cosinesOf, createProductKernel, quantise, SCALE_BYTES, sumPlainly } from './vector-math.js';

const numbersOf = <T extends Int8Array | Int16Array>(array: T, seed: number, largest: number): T => {
  let state = seed;
  for (let i = 0; i < array.length; i += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    array[i] = ((state >>> 8) % (2 * largest + 1)) - largest;
  }
  return array;
};

describe('Product kernel', () => {
  const kernel = createProductKernel()!;

  it('matches the plain sum for any supported length and number of vectors', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(2000), fc.nat(), (eights, count, seed) => {
        const length = 8 + eights * 8;
        const asked = numbersOf(new Int16Array(length), seed, 32_767);
        const values = numbersOf(new Int8Array(length * count), seed + 1, 127);
        expect(kernel.sums(asked, values, count)).toEqual(sumPlainly(asked, values, count));
      }),
      { numRuns: 30 },
    );
  });

  it('adds up the largest possible numbers', () => {
    for (const sign of [1, -1]) {
      const asked = new Int16Array(2048).fill(32_767 * sign);
      expect([...kernel.sums(asked, new Int8Array(2048).fill(-127), 1)]).toEqual([
        2048 * 32_767 * -127 * sign,
      ]);
    }
  });
});

describe('cosinesOf', () => {
  it.each([3, 8, 384])('returns the similarity of stored vectors with %i numbers', (length) => {
    const unit = (seed: number) => {
      const numbers = Array.from(numbersOf(new Int8Array(length), seed, 127));
      const size = Math.hypot(...numbers);
      return Float32Array.from(numbers, (number) => number / size);
    };
    const stored = [1, 2, 3].map(unit);
    const packed = stored.map(quantise);
    const values = Int8Array.from(packed.flatMap((bytes) => [...new Int8Array(bytes.subarray(SCALE_BYTES))]));
    const scales = Float32Array.from(packed, (bytes) => bytes.readFloatLE());
    const found = cosinesOf(askFor(stored[0]!), values, scales, 3);
    for (const [i, vector] of stored.entries())
      expect(found[i]).toBeCloseTo(
        vector.reduce((sum, value, j) => sum + value * stored[0]![j]!, 0),
        1,
      );
    expect(found[0]).toBeCloseTo(1, 2);
  });
});
