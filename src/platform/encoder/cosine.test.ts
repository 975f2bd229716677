import { describe, expect, it } from 'vitest';
import { bytesToVector, cosine, dotProduct, normalise, vectorToBytes } from './cosine.js';

const vector = (...numbers: number[]) => Float32Array.from(numbers);

describe('cosine', () => {
  it('is 1 for equal directions, 0 for orthogonal ones and -1 for opposite ones', () => {
    expect(cosine(vector(1, 2), vector(10, 20))).toBeCloseTo(1, 6);
    expect(cosine(vector(1, 0), vector(0, 5))).toBe(0);
    expect(cosine(vector(1, 1), vector(-2, -2))).toBeCloseTo(-1, 6);
  });
  it('is 0 for a zero vector', () => {
    expect(cosine(vector(0, 0), vector(1, 2))).toBe(0);
    expect([...normalise(vector(0, 0))]).toEqual([0, 0]);
  });
  it('throws for vectors of different dimensions', () => {
    expect(() => cosine(vector(1), vector(1, 2))).toThrow(RangeError);
    expect(() => dotProduct(vector(1), vector(1, 2))).toThrow(RangeError);
  });
});

describe('Vectors as bytes', () => {
  it('are restored exactly, from any offset in a larger buffer', () => {
    const original = vector(1.5, -0.25, 3e-9, 512);
    const bytes = vectorToBytes(original);
    expect([...bytes.subarray(0, 4)]).toEqual([0, 0, 0xc0, 0x3f]);
    const shifted = Buffer.concat([Buffer.from([9]), bytes]).subarray(1);
    expect(bytesToVector(shifted)).toEqual(original);
  });
});
