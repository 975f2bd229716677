import { createProductKernel, fitsKernel } from './product-kernel.js';

/** A vector in eight bits for each number, as it is stored: what to multiply them with, then the numbers. */
const LARGEST = 127;
export const SCALE_BYTES = 4;

export function quantise(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(SCALE_BYTES + vector.length);
  const scale = Math.fround(largestOf(vector) / LARGEST);
  bytes.writeFloatLE(scale);
  for (let i = 0; i < vector.length && scale > 0; i += 1)
    bytes.writeInt8(Math.round(vector[i]! / scale), SCALE_BYTES + i);
  return bytes;
}

const largestOf = (vector: Float32Array): number =>
  vector.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);

const LARGEST_ASKED = 32_767;

const kernel = createProductKernel();

/** A vector that is compared with stored ones: whole numbers all the way, which is several times as fast as fractions. */
export interface Asked {
  numbers: Int16Array;
  scale: number;
}

export function askFor(vector: Float32Array): Asked {
  const scale = largestOf(vector) / LARGEST_ASKED;
  return {
    numbers: Int16Array.from(vector, (value) => (scale === 0 ? 0 : Math.round(value / scale))),
    scale,
  };
}

/** The cosines with the first `count` stored vectors, for vectors of length one. */
export function cosinesOf(
  { numbers, scale }: Asked,
  values: Int8Array,
  scales: Float32Array,
  count: number,
): Float64Array {
  const sums =
    kernel && fitsKernel(numbers.length)
      ? kernel.sums(numbers, values, count)
      : sumPlainly(numbers, values, count);
  for (let i = 0; i < count; i += 1) sums[i] = sums[i]! * scale * scales[i]!;
  return sums;
}

/** What the kernel does, on any machine and for any length. */
export function sumPlainly(numbers: Int16Array, values: Int8Array, count: number): Float64Array {
  const { length } = numbers;
  const sums = new Float64Array(count);
  for (let i = 0, at = 0; i < count; i += 1) {
    let sum = 0;
    for (let j = 0; j < length; j += 1, at += 1) sum += numbers[j]! * values[at]!;
    sums[i] = sum;
  }
  return sums;
}
