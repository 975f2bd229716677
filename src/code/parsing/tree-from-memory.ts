import { readFileSync } from 'node:fs';
import type { Comment, ParserOptions, Program } from 'oxc-parser';
import { getBufferOffset, parseRawSync, rawTransferSupported } from 'oxc-parser/src-js/bindings.js';
import {
  ACTIVE_SIZE,
  BLOCK_ALIGN,
  BLOCK_SIZE,
  BUFFER_SIZE,
  IS_TS_FLAG_POS,
} from 'oxc-parser/src-js/generated/constants.js';
import { deserialize as readJavaScript } from 'oxc-parser/src-js/generated/deserialize/js.js';
import { deserialize as readTypeScript } from 'oxc-parser/src-js/generated/deserialize/ts.js';
import type { SourceText } from './source-text.js';

export interface Tree {
  program: Program;
  comments: Comment[];
}

interface Block {
  /** What the parser writes into. */
  whole: Uint8Array;
  /** What is read of it. */
  memory: Parameters<typeof readTypeScript>[0];
}

/** Of a thread, for all its files; null where it cannot be had. */
let block: Block | null | undefined;

/**
 * The tree of a source, out of the memory in which the parser made it: as JSON it takes five times as long to hand it over.
 * Undefined where the system has no such memory to give, or the tree is too deep for it.
 */
export function readTree(
  path: string,
  { text, bytes }: SourceText,
  options: ParserOptions,
): Tree | undefined {
  if (block === undefined) block = reserve();
  if (block === null) return undefined;
  const { whole, memory } = block;
  // The source lies at the end.
  const start = ACTIVE_SIZE - bytes.length;
  try {
    whole.set(bytes, start);
    parseRawSync(path, whole, start, bytes.length, options);
    const isJavaScript = memory[IS_TS_FLAG_POS] === 0;
    const { program, comments } = (isJavaScript ? readJavaScript : readTypeScript)(
      memory,
      text,
      start,
      bytes.length,
    );
    return { program, comments: isJavaScript ? [...hashbangOf(program), ...comments] : comments };
  } catch {
    return undefined;
  }
}

/** A block has to begin at a certain place, and so far more is reserved. Only what is written to takes up memory. */
function reserve(): Block | null {
  if (!rawTransferSupported() || isCountedWhenReserved()) return null;
  try {
    const reserved = new ArrayBuffer(BLOCK_SIZE + BLOCK_ALIGN);
    const offset = getBufferOffset(new Uint8Array(reserved, 0, 1));
    const memory = Object.assign(new Uint8Array(reserved, offset, BUFFER_SIZE), {
      int32: new Int32Array(reserved, offset, BUFFER_SIZE / Int32Array.BYTES_PER_ELEMENT),
      float64: new Float64Array(reserved, offset, BUFFER_SIZE / Float64Array.BYTES_PER_ELEMENT),
    });
    return { whole: new Uint8Array(reserved, offset, BLOCK_SIZE), memory };
  } catch {
    return null;
  }
}

/** Some systems count what is reserved as if it were used: others would go short of it. */
function isCountedWhenReserved(): boolean {
  try {
    return readFileSync('/proc/sys/vm/overcommit_memory', 'utf8').trim() === '2';
  } catch {
    return false;
  }
}

/** As the parser tells it otherwise: a comment like the others. */
function hashbangOf({ hashbang }: Program): Comment[] {
  return hashbang ? [{ type: 'Line', value: hashbang.value, start: hashbang.start, end: hashbang.end }] : [];
}
