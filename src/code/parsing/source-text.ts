import { isUtf8 } from 'node:buffer';

/** A source as text and as the bytes of that text. */
export interface SourceText {
  text: string;
  bytes: Uint8Array;
  /** Each character is one byte: what lies somewhere in the text lies there in the bytes. */
  isAscii: boolean;
}

const decoder = new TextDecoder();
const MARK = [0xef, 0xbb, 0xbf] as const;

/** Leaves out the mark of the byte order, and replaces what is no UTF-8. */
export function readSource(bytes: Uint8Array): SourceText {
  const text = decoder.decode(bytes);
  const isMarked = MARK.every((byte, index) => bytes[index] === byte);
  const same = isUtf8(bytes) ? bytes.subarray(isMarked ? MARK.length : 0) : Buffer.from(text);
  return { text, bytes: same, isAscii: same.length === text.length };
}
