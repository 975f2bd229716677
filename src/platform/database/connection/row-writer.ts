import { CompiledQuery } from 'kysely';
import type { Db, Tx } from '../database.js';
import { CopiedRows } from './copy-query.js';

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const FLAGS_AND_EXTENSION = Buffer.alloc(8);
const END = 0xffff;
const NULL = -1;
const UUID_BYTES = 16;
const HYPHEN = 45;
/** What a character of an id stands for. */
const digits = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase())),
);
/** Letters that are sooner written one by one. */
const SHORT = 24;
/** Of a character in the longest case. */
const CHARACTER_BYTES = 3;

/** Adds rows to a table, named with its columns; nothing is looked at but what the table itself demands. */
export async function copyRows(db: Db | Tx, target: string, rows: CopiedRows): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(`copy ${target} from stdin (format binary)`, [rows]));
}

/** Writes rows column by column as PostgreSQL reads them in binary. */
export class RowWriter {
  #bytes: Buffer;
  #at = 0;

  constructor(
    readonly columns: number,
    expectedBytes = 64 * 1024,
  ) {
    this.#bytes = Buffer.allocUnsafe(expectedBytes);
    this.#append(SIGNATURE);
    this.#append(FLAGS_AND_EXTENSION);
  }

  /** Begins one; as many values have to follow as there are columns. */
  row(): this {
    this.#reserve(2);
    this.#at = this.#bytes.writeInt16BE(this.columns, this.#at);
    return this;
  }

  uuid(id: string): this {
    this.#reserve(4 + UUID_BYTES);
    this.#at = this.#bytes.writeInt32BE(UUID_BYTES, this.#at);
    for (let from = 0; from < id.length; from += 2) {
      if (id.charCodeAt(from) === HYPHEN) from++;
      this.#bytes[this.#at++] = (digits[id.charCodeAt(from)]! << 4) | digits[id.charCodeAt(from + 1)]!;
    }
    return this;
  }

  integer(value: number | null): this {
    if (value === null) return this.#null();
    this.#reserve(8);
    this.#at = this.#bytes.writeInt32BE(4, this.#at);
    this.#at = this.#bytes.writeInt32BE(value, this.#at);
    return this;
  }

  bigint(value: number | null): this {
    if (value === null) return this.#null();
    this.#reserve(12);
    this.#at = this.#bytes.writeInt32BE(8, this.#at);
    this.#at = this.#bytes.writeBigInt64BE(BigInt(value), this.#at);
    return this;
  }

  boolean(value: boolean): this {
    this.#reserve(5);
    this.#at = this.#bytes.writeInt32BE(1, this.#at);
    this.#at = this.#bytes.writeUInt8(value ? 1 : 0, this.#at);
    return this;
  }

  text(value: string | null): this {
    if (value === null) return this.#null();
    this.#reserve(4 + value.length * CHARACTER_BYTES);
    const written = this.#writeShort(value) ?? this.#bytes.write(value, this.#at + 4);
    this.#bytes.writeInt32BE(written, this.#at);
    this.#at += 4 + written;
    return this;
  }

  /** Undefined when it is longer, or not ASCII. */
  #writeShort(value: string): number | undefined {
    if (value.length > SHORT) return undefined;
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) return undefined;
      this.#bytes[this.#at + 4 + index] = code;
    }
    return value.length;
  }

  finish(): CopiedRows {
    this.#reserve(2);
    this.#at = this.#bytes.writeUInt16BE(END, this.#at);
    return new CopiedRows(this.#bytes.subarray(0, this.#at));
  }

  #null(): this {
    this.#reserve(4);
    this.#at = this.#bytes.writeInt32BE(NULL, this.#at);
    return this;
  }

  #append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + bytes));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
