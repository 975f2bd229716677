import type { ProgramLanguage } from '../languages.js';
import type { SourceText } from './source-text.js';

export interface Piece {
  kind: 'word' | 'sign' | 'group';
  at: number;
  end: number;
  /** For a group, its opening bracket. */
  text: string;
}

/** A pair of braces with the pieces of the statement before it. */
export interface FunctionHead {
  /** Offset of the statement, including leading blanks and comments. */
  start: number;
  pieces: Piece[];
  open: number;
  close: number;
}

/** Real code is never nested this deeply, and the limit avoids reading nested bodies once per level. */
export const MAX_DEPTH = 50;

const WORD = /[\w$]+|`[^`\n]{0,1000}`/y;
const BLANKS = /\s+/y;

/**
 * Yields every pair of braces with the statement before it. A statement starts after the last `;`, `{` or `}`
 * at its own depth, and nested brackets are skipped, so the scan is linear.
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

export interface FoundFunction {
  name: string;
  parameters: string;
  /** Without comments and string contents. */
  body: string;
  /** Without comments. */
  bodyWithStrings: string;
  /** The lines directly above the function. */
  above: string;
}

const NO_FUNCTION = new Set(
  'if for while switch catch return function else do try with using lock synchronized match loop unless until foreach elseif sizeof typeof new await yield defer go select when where constructor'.split(
    ' ',
  ),
);
/** The text between parameters and body: return type, `throws`, promises. */
const BETWEEN = /^[\w\s.*<>[\],&|?:()'"=-]*$/;
const LONGEST_BETWEEN = 300;
const LONGEST_PARAMETERS = 2000;

function findBraced(source: SourceText): FoundFunction[] {
  const { code, codeWithStrings, pairs } = source;
  const found: FoundFunction[] = [];
  const ends: number[] = [];
  for (let open = code.indexOf('{'); open >= 0; open = code.indexOf('{', open + 1)) {
    const close = pairs[open]!;
    if (close < 0) continue;
    while (ends.length > 0 && ends.at(-1)! < open) ends.pop();
    ends.push(close);
    const head = ends.length <= MAX_DEPTH ? headBefore(source, open) : undefined;
    if (!head) continue;
    found.push({
      ...head,
      body: code.slice(open + 1, close).trim(),
      bodyWithStrings: codeWithStrings.slice(open + 1, close).trim(),
    });
  }
  return [...found, ...findArrows(source)];
}

type Head = Pick<FoundFunction, 'name' | 'parameters' | 'above'>;

/** Matches before the brace of an object literal, but not before the brace of a function body. */
const VALUE = /(?:[([,:?&|+]|(?<![=!<>])=)\s*$/;

function headBefore({ code, pairs }: SourceText, open: number): Head | undefined {
  if (VALUE.test(code.slice(Math.max(0, open - 20), open))) return undefined;
  const from = Math.max(0, open - LONGEST_BETWEEN);
  const window = code.slice(from, open);
  const stop = from + Math.max(...[';', '{', '}'].map((sign) => window.lastIndexOf(sign) + 1));
  const parenthesisBefore = (place: number): number => {
    const found = window.lastIndexOf(')', place - from - 1);
    return found < 0 || place <= from ? -1 : from + found;
  };
  // The parameters are the last parentheses before the body, or the ones before them when Go returns several
  // values.
  for (let end = parenthesisBefore(open); end >= stop; end = parenthesisBefore(end)) {
    const begin = pairs[end]!;
    if (begin < 0) return undefined;
    const named = nameBefore(code, begin);
    if (
      named &&
      !NO_FUNCTION.has(named.name) &&
      BETWEEN.test(code.slice(end + 1, open).slice(0, LONGEST_BETWEEN))
    )
      return {
        name: named.name,
        parameters: code.slice(begin + 1, Math.min(end, begin + LONGEST_PARAMETERS)),
        above: code.slice(Math.max(0, named.at - 200), named.at),
      };
    if (named && NO_FUNCTION.has(named.name)) return undefined;
    end = begin;
  }
  return undefined;
}

interface Named {
  name: string;
  at: number;
}

const LONGEST_NAME = 300;
/** Limits the length of a type annotation or of type parameters. */
const LONGEST_TYPE = 200;
const IN_NAME = /[\w$]/;
const IN_METHOD = /[\w$~!?]/;

function nameBefore(code: string, begin: number): Named | undefined {
  const end = skipBlanksBack(code, begin);
  const sign = skipWordBack(code, skipStarBack(code, end), 'function');
  const assignment = skipWordBack(code, sign, 'async');
  if (code[assignment - 1] === '=') return assignedBefore(code, assignment - 1);
  const last = code[end - 1] === '>' ? typeParametersBefore(code, end - 1) : end;
  const named = last < 0 ? undefined : readNameBack(code, skipBlanksBack(code, last), IN_METHOD);
  return named && !/^\d/.test(named.name) ? named : undefined;
}

/** `name =`, `name: type =` */
function assignedBefore(code: string, sign: number): Named | undefined {
  let found = readNameBack(code, skipBlanksBack(code, sign), IN_NAME);
  for (let at = sign - 1; at >= Math.max(0, sign - LONGEST_TYPE) && !'=;{}'.includes(code[at]!); at -= 1)
    if (code[at] === ':') found = readNameBack(code, skipBlanksBack(code, at), IN_NAME) ?? found;
  return found;
}

/** The start of the `<…>` that ends at `close`, or -1. */
function typeParametersBefore(code: string, close: number): number {
  for (let at = close - 1; at >= Math.max(0, close - LONGEST_TYPE); at -= 1) {
    if (code[at] === '<') return at;
    if ('>(){};'.includes(code[at]!)) return -1;
  }
  return -1;
}

function readNameBack(code: string, end: number, inName: RegExp): Named | undefined {
  let at = end;
  while (at > 0 && end - at < LONGEST_NAME && inName.test(code[at - 1]!)) at -= 1;
  return at < end ? { name: code.slice(at, end), at } : undefined;
}

function skipBlanksBack(code: string, end: number): number {
  let at = end;
  while (at > 0 && code[at - 1]!.trim() === '') at -= 1;
  return at;
}

const skipStarBack = (code: string, end: number): number =>
  code[end - 1] === '*' ? skipBlanksBack(code, end - 1) : end;
const skipWordBack = (code: string, end: number, word: string): number =>
  code.startsWith(word, end - word.length) && end >= word.length
    ? skipBlanksBack(code, end - word.length)
    : end;

/** Finds functions whose body is one expression. */
const ARROW = /=>\s*(?![\s{])/g;

function findArrows({ code, codeWithStrings, pairs }: SourceText): FoundFunction[] {
  const found: FoundFunction[] = [];
  for (const { index, 0: sign } of code.matchAll(ARROW)) {
    const closing = skipAnswerBack(code, skipBlanksBack(code, index)) - 1;
    const begin = code[closing] === ')' ? pairs[closing]! : -1;
    const named = begin < 0 ? undefined : nameBefore(code, begin);
    if (!named || NO_FUNCTION.has(named.name)) continue;
    const from = index + sign.length;
    const end = endOfExpression(code, from, pairs);
    const above = code.slice(Math.max(0, named.at - 200), named.at);
    found.push({
      name: named.name,
      parameters: code.slice(begin + 1, Math.min(closing, begin + LONGEST_PARAMETERS)),
      body: code.slice(from, end).trim(),
      bodyWithStrings: codeWithStrings.slice(from, end).trim(),
      above,
    });
  }
  return found;
}

function skipAnswerBack(code: string, end: number): number {
  for (let at = end - 1; at >= Math.max(0, end - LONGEST_TYPE) && !'()=;{}'.includes(code[at]!); at -= 1) {
    const before = code[at] === ':' ? skipBlanksBack(code, at) : 0;
    if (code[before - 1] === ')') return before;
  }
  return end;
}

/** An expression longer than this is not trivial, so the rest is not read. */
const LONGEST_EXPRESSION = 500;

function endOfExpression(code: string, from: number, pairs: Int32Array): number {
  const limit = Math.min(code.length, from + LONGEST_EXPRESSION);
  for (let at = from; at < limit; at++) {
    const sign = code[at]!;
    if ('([{'.includes(sign) && pairs[at]! > at) at = pairs[at]!;
    else if (
      ';,)]}'.includes(sign) ||
      (sign === '\n' && !/^\s*[.?:&|+*/-]/.test(code.slice(at + 1, at + 40)))
    )
      return at;
  }
  return limit;
}

const PYTHON = /^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(/gm;

function findPython({ code, codeWithStrings, pairs }: SourceText): FoundFunction[] {
  return [...code.matchAll(PYTHON)].flatMap((match) => {
    const open = match.index + match[0].length - 1;
    const close = pairs[open]!;
    const colon = findColon(code, close);
    if (colon < 0) return [];
    const end = indentedBlock(code, colon, match[1]!.length);
    const body = withoutDocstring(code.slice(colon + 1, end));
    return [
      {
        name: match[2]!,
        parameters: code.slice(open + 1, close).replace(/^\s*(?:self|cls)\s*,?/, ''),
        body,
        bodyWithStrings: withoutDocstring(codeWithStrings.slice(colon + 1, end)),
        above: code.slice(Math.max(0, match.index - 200), match.index),
      },
    ];
  });
}

const withoutDocstring = (body: string): string =>
  body
    .trim()
    .replace(/^[rRuU]?("""|''')[\s\S]*?\1/, '')
    .trim();

const RUBY = /^([ \t]*)def[ \t]+(?:self\.)?([\w?!=]+)[ \t]*(\([^)\n]*\))?/gm;

function findRuby({ code, codeWithStrings }: SourceText): FoundFunction[] {
  return [...code.matchAll(RUBY)].map((match) => {
    const headEnd = match.index + match[0].length;
    const end = indentedBlock(code, headEnd, match[1]!.length);
    return {
      name: match[2]!,
      parameters: (match[3] ?? '').slice(1, -1),
      body: code.slice(headEnd, end).trim(),
      bodyWithStrings: codeWithStrings.slice(headEnd, end).trim(),
      above: code.slice(Math.max(0, match.index - 200), match.index),
    };
  });
}

export function findFunctions(language: ProgramLanguage, source: SourceText): FoundFunction[] {
  if (language === 'python') return findPython(source);
  if (language === 'ruby') return findRuby(source);
  return findBraced(source);
}

/** Returns the end of the block of lines that are indented more deeply, including blank lines. */
export function indentedBlock(text: string, headEnd: number, indent: number): number {
  let at = text.indexOf('\n', headEnd);
  if (at < 0) return text.length;
  let end = at;
  while (at >= 0 && at < text.length) {
    const next = text.indexOf('\n', at + 1);
    const line = text.slice(at + 1, next < 0 ? text.length : next);
    if (line.trim() !== '') {
      if (line.length - line.trimStart().length <= indent) break;
      end = next < 0 ? text.length : next;
    }
    at = next;
  }
  return end;
}

/** Limits the length of the return type between the parameters and the colon. */
const LONGEST_ANSWER = 1000;

export function findColon(code: string, close: number): number {
  if (close < 0) return -1;
  const colon = code.slice(close, close + LONGEST_ANSWER).indexOf(':');
  return colon < 0 ? -1 : close + colon;
}
