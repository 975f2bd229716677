import { bytes, type Field, float, integer, message, text } from './protobuf.js';

const FLOAT = 1;
const INT8 = 3;
const INT64 = 7;
const ATTRIBUTE_FLOAT = 1;
const ATTRIBUTE_INTEGER = 2;
const STANDARD_OPERATORS = 17;

/** Operators that the runtime has beside the standard ones. */
export const CONTRIB = 'com.microsoft';

/** A model in the format of the runtime, put together node by node. */
export interface OnnxModel {
  /** A constant; answers with its name, like the others. */
  floats(name: string, dimensions: number[], values: Float32Array): string;
  bytes(name: string, dimensions: number[], values: Int8Array): string;
  integers(name: string, values: number[]): string;
  node(operator: string, inputs: string[], outputs: string[], attributes?: Attributes, domain?: string): void;
  /** The finished model from `input` to `output`, both of the shape [1, any number, size]. */
  finish(input: string, output: string, size: number): Buffer;
}

/** Whole numbers and, marked as such, fractions. */
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
