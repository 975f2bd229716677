/** Stored vectors are a scale followed by eight bits per number. */
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

/** A query vector as integers, which are several times faster to compare than floats. */
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

/** The cosines with the first `count` stored vectors, for normalized vectors. */
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

/** Same result as the kernel, for any machine and length. */
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

/**
 * Multiplies one vector with many, eight numbers at a time, with SIMD instructions that JavaScript cannot use
 * directly. Integers, so the sums equal the plain ones exactly.
 */
export interface ProductKernel {
  /** Computes the products of `asked` with each of the first `count` vectors of its length. */
  sums(asked: Int16Array, values: Int8Array, count: number): Float64Array;
}

const NUMBERS_AT_ONCE = 8;
/** Sums of longer vectors might overflow 32 bits. */
const LONGEST = 2048;

/** Vectors of other lengths use the plain sum. */
const fitsKernel = (length: number): boolean =>
  length > 0 && length <= LONGEST && length % NUMBERS_AT_ONCE === 0;

const PAGE = 65_536;
/** Memory layout of the kernel: the query, the sums, and as many vectors as fit. */
const ASKED_AT = 0;
const SUMS_AT = PAGE;
const VALUES_AT = 2 * PAGE;
const VALUE_PAGES = 8;

/** Only the part used here: Node's types do not include it. */
interface Wasm {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: { memory: { buffer: ArrayBuffer }; add: Add } };
}

type Add = (asked: number, askedEnd: number, values: number, valuesEnd: number, sums: number) => void;

/** Undefined when the processor lacks these instructions. */
export function createProductKernel(): ProductKernel | undefined {
  try {
    const { Module, Instance } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
    const { memory, add } = new Instance(new Module(writeModule())).exports;
    return { sums: (...given) => addUp(memory.buffer, add, ...given) };
  } catch {
    return undefined;
  }
}

function addUp(
  memory: ArrayBuffer,
  add: Add,
  asked: Int16Array,
  values: Int8Array,
  count: number,
): Float64Array {
  const { length } = asked;
  const atOnce = Math.min(PAGE / 8, Math.floor((VALUE_PAGES * PAGE) / length));
  const sums = new Float64Array(count);
  new Int16Array(memory, ASKED_AT, length).set(asked);
  for (let done = 0; done < count; done += atOnce) {
    const now = Math.min(atOnce, count - done);
    new Int8Array(memory, VALUES_AT).set(values.subarray(done * length, (done + now) * length));
    add(ASKED_AT, ASKED_AT + length * 2, VALUES_AT, VALUES_AT + now * length, SUMS_AT);
    sums.set(new Float64Array(memory, SUMS_AT, now), done);
  }
  return sums;
}

const TYPE = { i32: 0x7f, v128: 0x7b };
const GET = 0x20;
const SET = 0x21;
const TEE = 0x22;
const LOOP = [0x03, 0x40];
const END = 0x0b;
const ADD_I32 = 0x6a;
const ADD_F64 = 0xa0;
const TO_F64 = 0xb7;
const STORE_F64 = [0x39, 3, 0];
const CONSTANT = 0x41;
/** Jumps to the start of the innermost loop while the first value is lower than the second. */
const AGAIN_IF_BELOW = [0x49, 0x0d, 0];
const VECTOR = 0xfd;
const ZEROS = [VECTOR, 0x0c, ...new Array<number>(16).fill(0)];
const LOAD_WORDS = [VECTOR, 0x00, 0, 0];
const LOAD_BYTES_AS_WORDS = [VECTOR, 0x01, 0, 0];
const MULTIPLY_AND_ADD_PAIRS = [VECTOR, 0xba, 0x01];
const ADD_VECTORS = [VECTOR, 0xae, 0x01];
const LANE = [VECTOR, 0x1b];

/**
 * The function `add(asked, askedEnd, values, valuesEnd, sums)` and its memory in WebAssembly's binary form.
 */
function writeModule(): Uint8Array {
  const [asked, askedEnd, values, valuesEnd, sums, at, running] = [0, 1, 2, 3, 4, 5, 6] as const;
  const move = (local: number, by: number) => [GET, local, CONSTANT, by, ADD_I32];
  const lane = (number: number) => [GET, running, ...LANE, number, TO_F64];
  const body = [
    ...[2, 1, TYPE.i32, 1, TYPE.v128],
    ...LOOP,
    ...[...ZEROS, SET, running, GET, asked, SET, at],
    ...LOOP,
    ...[GET, running, GET, at, ...LOAD_WORDS, GET, values, ...LOAD_BYTES_AS_WORDS],
    ...[...MULTIPLY_AND_ADD_PAIRS, ...ADD_VECTORS, SET, running],
    ...[...move(values, NUMBERS_AT_ONCE), SET, values],
    ...[...move(at, NUMBERS_AT_ONCE * 2), TEE, at, GET, askedEnd, ...AGAIN_IF_BELOW],
    END,
    ...[GET, sums, ...lane(0), ...lane(1), ADD_F64, ...lane(2), ADD_F64, ...lane(3), ADD_F64, ...STORE_F64],
    ...[...move(sums, 8), SET, sums],
    ...[GET, values, GET, valuesEnd, ...AGAIN_IF_BELOW],
    END,
    END,
  ];
  const named = (name: string) => [name.length, ...Buffer.from(name)];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 5, ...new Array<number>(5).fill(TYPE.i32), 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 2 + VALUE_PAGES]),
    ...section(7, [2, ...named('memory'), 2, 0, ...named('add'), 0, 0]),
    ...section(10, [1, ...sized(body)]),
  ]);
}

const section = (id: number, content: number[]): number[] => [id, ...sized(content)];

/** LEB128: lengths have seven bits per byte. */
const sized = (content: number[]): number[] => [
  (content.length & 0x7f) | 0x80,
  content.length >>> 7,
  ...content,
];
