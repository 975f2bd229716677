import type { ProgramLanguage } from '../languages/languages.js';
import { MAX_DEPTH } from './function-heads.js';
import type { SourceText } from './source-text.js';
import { findColon, indentedBlock } from './tests-of.js';

export interface FoundFunction {
  name: string;
  /** What it takes, without the object it belongs to. */
  parameters: string;
  /** Without comments and with nothing in its strings. */
  body: string;
  /** The same with the strings. */
  bodyWithStrings: string;
  /** The lines right above it. */
  above: string;
}

const NO_FUNCTION = new Set(
  'if for while switch catch return function else do try with using lock synchronized match loop unless until foreach elseif sizeof typeof new await yield defer go select when where constructor'.split(
    ' ',
  ),
);
/** Between the parentheses and the braces: what it answers, throws, promises. */
const BETWEEN = /^[\w\s.*<>[\],&|?:()'"=-]*$/;
const LONGEST_BETWEEN = 300;
const LONGEST_PARAMETERS = 2000;

/** Of a language with braces: every body that parentheses and a name stand before. */
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

/** Right before the brace of a value, and never before that of a body. */
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
  // The last of those that nothing but an answer stands behind; of Go's several answers the one before them.
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
/** Of a type between a name and what it is assigned, or of type parameters. */
const LONGEST_TYPE = 200;
const IN_NAME = /[\w$]/;
const IN_METHOD = /[\w$~!?]/;

/** The name of the function whose parameters begin at a place. Read backward: a pattern would begin anew at every letter. */
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

/** Where `<…>` begins that ends at a place; -1 where it does not. */
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

/** Functions whose body is one expression. */
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

/** What a function answers may stand between its parameters and its arrow. */
function skipAnswerBack(code: string, end: number): number {
  for (let at = end - 1; at >= Math.max(0, end - LONGEST_TYPE) && !'()=;{}'.includes(code[at]!); at -= 1) {
    const before = code[at] === ':' ? skipBlanksBack(code, at) : 0;
    if (code[before - 1] === ')') return before;
  }
  return end;
}

/** Longer ones do something: the rest of them is not looked at. */
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

/** The functions that a text holds, each with its own body. */
export function findFunctions(language: ProgramLanguage, source: SourceText): FoundFunction[] {
  if (language === 'python') return findPython(source);
  if (language === 'ruby') return findRuby(source);
  return findBraced(source);
}
