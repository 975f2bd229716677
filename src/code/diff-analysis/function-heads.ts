import type { SourceText } from './source-text.js';

/** A word, a sign, or everything between two brackets, which is one piece. */
export interface Piece {
  kind: 'word' | 'sign' | 'group';
  at: number;
  end: number;
  /** Of a word its letters, of a sign the sign, of a group its opening bracket. */
  text: string;
}

/** A pair of braces with the pieces of the statement before it. */
export interface FunctionHead {
  /** Where the statement begins, blanks and comments included. */
  start: number;
  pieces: Piece[];
  open: number;
  close: number;
}

/** Honest code is never nested this deeply. The bound keeps nested bodies from being read once per level. */
export const MAX_DEPTH = 50;

const WORD = /[\w$]+|`[^`\n]{0,1000}`/y;
const BLANKS = /\s+/y;

/**
 * Walks the code once and yields every pair of braces with what stands before it. A statement begins after the last `;`, `{`
 * or `}` of its own bracket; brackets inside it are skipped, so every character is read once.
 */
export function* readHeads(source: SourceText): Generator<FunctionHead> {
  const { code, pairs } = source;
  const startOutside = new Map<number, number>();
  let start = 0;
  let depth = 0;
  for (let at = 0; at < code.length; at += 1) {
    const sign = code[at]!;
    const other = pairs[at]!;
    if (sign === '(' || sign === '[') {
      if (other < 0) continue;
      startOutside.set(other, start);
      start = at + 1;
    } else if (sign === ')' || sign === ']') {
      start = startOutside.get(at) ?? start;
    } else if (sign === '{') {
      depth += other < 0 ? 0 : 1;
      if (other >= 0 && depth <= MAX_DEPTH)
        yield { start, pieces: readPieces(source, start, at), open: at, close: other };
      start = at + 1;
    } else if (sign === '}' || sign === ';') {
      if (sign === '}' && other >= 0) depth -= 1;
      start = at + 1;
    }
  }
}

function readPieces({ code, pairs }: SourceText, start: number, end: number): Piece[] {
  const pieces: Piece[] = [];
  for (let at = start; at < end; ) {
    BLANKS.lastIndex = at;
    if (BLANKS.test(code)) {
      at = BLANKS.lastIndex;
      continue;
    }
    WORD.lastIndex = at;
    const word = WORD.exec(code)?.[0];
    const sign = code[at]!;
    const close = sign === '(' || sign === '[' ? pairs[at]! : -1;
    const next = close > at ? close + 1 : at + (word?.length ?? 1);
    const kind = close > at ? 'group' : word === undefined ? 'sign' : 'word';
    pieces.push({ kind, at, end: next, text: word ?? sign });
    at = next;
  }
  return pieces;
}

export const isGroup = (piece: Piece | undefined, open: '(' | '['): boolean =>
  piece?.kind === 'group' && piece.text === open;
