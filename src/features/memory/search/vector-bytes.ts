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

/** Compares one vector with many stored ones: whole numbers all the way, which is several times as fast as fractions. */
export function createComparison(asked: Float32Array) {
  const scale = largestOf(asked) / LARGEST_ASKED;
  const numbers = Int32Array.from(asked, (value) => (scale === 0 ? 0 : Math.round(value / scale)));
  const length = numbers.length;
  const paired = length - (length % 4);

  /** The cosine with the vector that starts at `from`, for vectors of length one. */
  return (values: Int8Array, from: number, scaleOf: number): number => {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let i = 0; i < paired; i += 4) {
      a = (a + Math.imul(numbers[i]!, values[from + i]!)) | 0;
      b = (b + Math.imul(numbers[i + 1]!, values[from + i + 1]!)) | 0;
      c = (c + Math.imul(numbers[i + 2]!, values[from + i + 2]!)) | 0;
      d = (d + Math.imul(numbers[i + 3]!, values[from + i + 3]!)) | 0;
    }
    let sum = a + b + c + d;
    for (let i = paired; i < length; i += 1) sum += numbers[i]! * values[from + i]!;
    return sum * scale * scaleOf;
  };
}
