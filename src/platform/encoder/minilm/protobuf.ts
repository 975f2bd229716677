/** As much of the protocol buffer format as it takes to write a model: fields of numbers, bytes and messages. */
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
