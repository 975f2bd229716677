import type { ProgramLanguage } from '../languages.js';

/** The same text in several layers of equal length, so that offsets match. */
export interface SourceText {
  raw: string;
  /** Without comments and string contents. */
  code: string;
  codeWithStrings: string;
  comments: string;
  /** Offset of the matching bracket, or -1 at every other position. */
  pairs: Int32Array;
}

interface LexicalRules {
  line: readonly string[];
  block: readonly (readonly [begin: string, end: string])[];
  quotes: readonly (readonly [begin: string, end: string, spans: boolean])[];
}

const C_LIKE: LexicalRules = {
  line: ['//'],
  block: [['/*', '*/']],
  quotes: [
    ['"', '"', false],
    ["'", "'", false],
  ],
};

const LEXICAL_RULES: Record<ProgramLanguage, LexicalRules> = {
  javascript: { ...C_LIKE, quotes: [...C_LIKE.quotes, ['`', '`', true]] },
  python: {
    line: ['#'],
    block: [],
    quotes: [['"""', '"""', true], ["'''", "'''", true], ...C_LIKE.quotes],
  },
  go: { ...C_LIKE, quotes: [...C_LIKE.quotes, ['`', '`', true]] },
  rust: { ...C_LIKE, quotes: [['"', '"', true]] },
  java: { ...C_LIKE, quotes: [['"""', '"""', true], ...C_LIKE.quotes] },
  ruby: {
    line: ['#'],
    block: [['\n=begin', '\n=end']],
    quotes: [
      ['"', '"', true],
      ["'", "'", true],
    ],
  },
  php: {
    line: ['//', '#'],
    block: [['/*', '*/']],
    quotes: [
      ['"', '"', true],
      ["'", "'", true],
    ],
  },
  c: C_LIKE,
  cpp: C_LIKE,
  c_sharp: { ...C_LIKE, quotes: [['"""', '"""', true], ...C_LIKE.quotes] },
};

const RUST_CHARACTER = /'(?:\\[^']{1,10}|[^\\'])'/y;
/** A slash after a value is a division. Anywhere else it starts a regular expression. */
const AFTER_VALUE = /[\w$)\]}]\s*$/;
const BEGINS_PATTERN = /\b(?:return|typeof|case|in|of|do|else|void|delete)\s*$/;
/**
 * Limits the length of a regular expression, so that unclosed slashes do not each scan the rest of the line.
 */
const PATTERN = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n]){0,500}\]|[^/\\\n[]){1,500}\/[a-z]{0,10}/y;

/**
 * Splits a text into layers in linear time and may err on unusual code. ADR 0026 compares it with syntax
 * trees.
 */
export function readSource(language: ProgramLanguage, raw: string): SourceText {
  const habits = LEXICAL_RULES[language];
  const code: string[] = [];
  const codeWithStrings: string[] = [];
  const comments: string[] = [];
  const put = (from: number, to: number, kind: 'code' | 'comment' | 'string', edge = 0) => {
    const text = raw.slice(from, to);
    const blank = text.replace(/[^\n]/g, ' ');
    comments.push(kind === 'comment' ? text : blank);
    codeWithStrings.push(kind === 'comment' ? blank : text);
    if (kind === 'string')
      code.push(text.slice(0, edge), blank.slice(edge, blank.length - edge), text.slice(text.length - edge));
    else code.push(kind === 'code' ? text : blank);
  };
  let plainFrom = 0;
  let at = 0;
  const take = (end: number, kind: 'comment' | 'string', edge = 0) => {
    if (at > plainFrom) put(plainFrom, at, 'code');
    put(at, end, kind, Math.min(edge, (end - at) >> 1));
    at = end;
    plainFrom = end;
  };
  while (at < raw.length) {
    const end = endOfPiece(language, habits, raw, at, plainFrom);
    if (end) take(end.at, end.kind, end.edge);
    else at += 1;
  }
  if (at > plainFrom) put(plainFrom, at, 'code');
  const plain = code.join('');
  return {
    raw,
    code: plain,
    codeWithStrings: codeWithStrings.join(''),
    comments: comments.join(''),
    pairs: pairBrackets(plain),
  };
}

interface Piece {
  at: number;
  kind: 'comment' | 'string';
  edge: number;
}

function endOfPiece(
  language: ProgramLanguage,
  habits: LexicalRules,
  raw: string,
  at: number,
  plainFrom: number,
): Piece | undefined {
  const first = raw.charCodeAt(at);
  // Fast path: letters, digits and blanks never start a comment or a string.
  if (first > 96 || first === 32 || (first > 47 && first < 58) || (first > 64 && first < 91)) {
    if (first !== 96) return undefined;
  }
  for (const [begin, end] of habits.block)
    if (raw.startsWith(begin, at))
      return { at: after(raw, end, at + begin.length), kind: 'comment', edge: 0 };
  // PHP attributes also start with `#`.
  for (const begin of habits.line)
    if (raw.startsWith(begin, at) && !(language === 'php' && raw.startsWith('#[', at)))
      return { at: before(raw, '\n', at), kind: 'comment', edge: 0 };
  for (const [begin, end, spans] of habits.quotes)
    if (raw.startsWith(begin, at))
      return { at: endOfString(raw, at + begin.length, end, spans), kind: 'string', edge: begin.length };
  if (language === 'rust' && raw[at] === "'") {
    RUST_CHARACTER.lastIndex = at;
    const found = RUST_CHARACTER.exec(raw);
    return found ? { at: at + found[0].length, kind: 'string', edge: 1 } : undefined;
  }
  if ((language === 'javascript' || language === 'ruby') && raw[at] === '/') {
    const said = raw.slice(Math.max(plainFrom, at - 40), at);
    if (AFTER_VALUE.test(said) && !BEGINS_PATTERN.test(said)) return undefined;
    PATTERN.lastIndex = at;
    const found = PATTERN.exec(raw);
    return found ? { at: at + found[0].length, kind: 'string', edge: 1 } : undefined;
  }
  return undefined;
}

function after(raw: string, mark: string, from: number): number {
  const found = raw.indexOf(mark, from);
  return found < 0 ? raw.length : found + mark.length;
}

function before(raw: string, mark: string, from: number): number {
  const found = raw.indexOf(mark, from);
  return found < 0 ? raw.length : found;
}

function endOfString(raw: string, from: number, end: string, spans: boolean): number {
  for (let at = from; at < raw.length; at++) {
    const letter = raw[at];
    if (letter === '\\') at += 1;
    else if (letter === '\n' && !spans) return at;
    else if (raw.startsWith(end, at)) return at + end.length;
  }
  return raw.length;
}

const OPENING = ['(', '{', '['];
const CLOSING = [')', '}', ']'];

/** Matches each kind of bracket separately, so that one unbalanced bracket does not affect the others. */
function pairBrackets(code: string): Int32Array {
  const pairs = new Int32Array(code.length).fill(-1);
  const open: number[][] = [[], [], []];
  for (let at = 0; at < code.length; at++) {
    const begins = OPENING.indexOf(code[at]!);
    if (begins >= 0) open[begins]!.push(at);
    const ends = begins >= 0 ? -1 : CLOSING.indexOf(code[at]!);
    const from = ends < 0 ? undefined : open[ends]!.pop();
    if (from === undefined) continue;
    pairs[from] = at;
    pairs[at] = from;
  }
  return pairs;
}

/** Returns the trimmed lines that one text has more often than the other, which leaves out moved lines. */
export function diffLines(before: string, after: string): { added: string[]; removed: string[] } {
  const then = before.split('\n').map((line) => line.trim());
  const now = after.split('\n').map((line) => line.trim());
  return { added: moreOf(now, then), removed: moreOf(then, now) };
}

/** Returns the items that occur more often in the first list than in the second. */
export function moreOf<T>(
  first: readonly T[],
  second: readonly T[],
  keyOf: (one: T) => unknown = (one) => one,
): T[] {
  const counts = new Map<unknown, number>();
  for (const one of second) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return first.filter((one) => {
    const left = counts.get(keyOf(one)) ?? 0;
    if (left > 0) counts.set(keyOf(one), left - 1);
    return left === 0;
  });
}
