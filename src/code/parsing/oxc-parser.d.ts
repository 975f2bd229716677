/** Inner modules of the parser that `tree-from-memory` reads its memory with; they belong to the one version that is installed. */
declare module 'oxc-parser/src-js/bindings.js' {
  import type { ParserOptions } from 'oxc-parser';

  /** Whether the machine has the order of bytes and the width of addresses that it takes. */
  export function rawTransferSupported(): boolean;
  /** How far behind the first byte the next place is at which a block may begin. */
  export function getBufferOffset(firstByte: Uint8Array): number;
  export function parseRawSync(
    path: string,
    block: Uint8Array,
    sourceStart: number,
    sourceLength: number,
    options: ParserOptions,
  ): void;
}

declare module 'oxc-parser/src-js/generated/constants.js' {
  export const BLOCK_SIZE: number;
  export const BLOCK_ALIGN: number;
  export const BUFFER_SIZE: number;
  export const ACTIVE_SIZE: number;
  export const IS_TS_FLAG_POS: number;
}

declare module 'oxc-parser/src-js/generated/deserialize/*.js' {
  import type { Comment, Program } from 'oxc-parser';

  export function deserialize(
    memory: Uint8Array & { int32: Int32Array; float64: Float64Array },
    source: string,
    sourceStart: number,
    sourceLength: number,
  ): { program: Program; comments: Comment[] };
}
