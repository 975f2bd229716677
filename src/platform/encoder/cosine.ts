/** Normalizes in place to length one, so that comparisons are a dot product. A zero vector stays zero. */
export function normalise(vector: Float32Array): Float32Array {
  let squares = 0;
  for (let i = 0; i < vector.length; i += 1) squares += vector[i]! * vector[i]!;
  const length = Math.sqrt(squares);
  if (length > 0 && Number.isFinite(length)) {
    for (let i = 0; i < vector.length; i += 1) vector[i] = vector[i]! / length;
  }
  return vector;
}

export function dotProduct(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) throw new RangeError('Vectors of different dimensions cannot be compared');
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}

/** Returns the exact cosine, or 0 when one vector is zero. */
export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) throw new RangeError('Vectors of different dimensions cannot be compared');
  let dot = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let i = 0; i < a.length; i += 1) {
    const x = a[i]!;
    const y = b[i]!;
    dot += x * y;
    squaresA += x * x;
    squaresB += y * y;
  }
  const lengths = Math.sqrt(squaresA * squaresB);
  return lengths > 0 ? Math.max(-1, Math.min(1, dot / lengths)) : 0;
}

/** Little-endian on every machine, so that stored vectors are portable. */
export function vectorToBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  for (let i = 0; i < vector.length; i += 1) bytes.writeFloatLE(vector[i]!, i * 4);
  return bytes;
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

export function bytesToVector(bytes: Uint8Array): Float32Array {
  if (bytes.byteLength % 4 !== 0) throw new RangeError('Bytes do not hold whole 32-bit numbers');
  // A view needs an aligned start, which a slice of a pooled buffer rarely has, so the bytes are copied
  // first.
  if (LITTLE_ENDIAN) return new Float32Array(Uint8Array.from(bytes).buffer);
  const buffer = Buffer.from(bytes);
  return Float32Array.from({ length: bytes.byteLength / 4 }, (_, i) => buffer.readFloatLE(i * 4));
}
