/** The part of the protocol buffer format that a model needs: numbers, bytes and messages. */
export type Field = Buffer;

const VARINT = 0;
const BYTES = 2;
const FIXED32 = 5;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

const key = (number: number, type: number): Buffer => varint(number * 8 + type);

export const integer = (number: number, value: number): Field =>
  Buffer.concat([key(number, VARINT), varint(value)]);

export function float(number: number, value: number): Field {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([key(number, FIXED32), bytes]);
}

export const bytes = (number: number, value: Buffer): Field =>
  Buffer.concat([key(number, BYTES), varint(value.length), value]);

export const text = (number: number, value: string): Field => bytes(number, Buffer.from(value));

export const message = (number: number, fields: readonly Field[]): Field =>
  bytes(number, Buffer.concat(fields));

const FLOAT = 1;
const INT8 = 3;
const INT64 = 7;
const ATTRIBUTE_FLOAT = 1;
const ATTRIBUTE_INTEGER = 2;
const STANDARD_OPERATORS = 17;

/** Non-standard operators of ONNX Runtime. */
export const CONTRIB = 'com.microsoft';

export interface OnnxModel {
  floats(name: string, dimensions: number[], values: Float32Array): string;
  bytes(name: string, dimensions: number[], values: Int8Array): string;
  integers(name: string, values: number[]): string;
  node(operator: string, inputs: string[], outputs: string[], attributes?: Attributes, domain?: string): void;
  finish(input: string, output: string, size: number): Buffer;
}

type Attributes = Record<string, number | { float: number }>;

export function createOnnxModel(): OnnxModel {
  const nodes: Field[] = [];
  const constants: Field[] = [];
  const constant = (name: string, type: number, dimensions: number[], raw: Buffer) => {
    constants.push(
      message(5, [
        ...dimensions.map((dimension) => integer(1, dimension)),
        integer(2, type),
        text(8, name),
        bytes(9, raw),
      ]),
    );
    return name;
  };

  return {
    floats: (name, dimensions, values) => {
      const raw = Buffer.alloc(values.length * 4);
      values.forEach((value, i) => {
        raw.writeFloatLE(value, i * 4);
      });
      return constant(name, FLOAT, dimensions, raw);
    },
    bytes: (name, dimensions, values) =>
      constant(name, INT8, dimensions, Buffer.from(values.buffer, values.byteOffset, values.length)),
    integers: (name, values) => {
      const raw = Buffer.alloc(values.length * 8);
      values.forEach((value, i) => {
        raw.writeBigInt64LE(BigInt(value), i * 8);
      });
      return constant(name, INT64, [values.length], raw);
    },
    node(operator, inputs, outputs, attributes = {}, domain = '') {
      nodes.push(
        message(1, [
          ...inputs.map((input) => text(1, input)),
          ...outputs.map((output) => text(2, output)),
          text(4, operator),
          ...Object.entries(attributes).map(([name, value]) => attribute(name, value)),
          text(7, domain),
        ]),
      );
    },
    finish: (input, output, size) =>
      Buffer.concat([
        integer(1, 8),
        message(7, [
          ...nodes,
          text(2, 'encoder'),
          ...constants,
          message(11, valueInfo(input, size)),
          message(12, valueInfo(output, size)),
        ]),
        message(8, [text(1, ''), integer(2, STANDARD_OPERATORS)]),
        message(8, [text(1, CONTRIB), integer(2, 1)]),
      ]),
  };
}

const attribute = (name: string, value: number | { float: number }): Field =>
  message(
    5,
    typeof value === 'number'
      ? [text(1, name), integer(3, value), integer(20, ATTRIBUTE_INTEGER)]
      : [text(1, name), float(2, value.float), integer(20, ATTRIBUTE_FLOAT)],
  );

function valueInfo(name: string, size: number): Field[] {
  const dimensions = [[integer(1, 1)], [text(2, 'tokens')], [integer(1, size)]];
  const shape = dimensions.map((dimension) => message(1, dimension));
  return [text(1, name), message(2, [message(1, [integer(1, FLOAT), message(2, shape)])])];
}
