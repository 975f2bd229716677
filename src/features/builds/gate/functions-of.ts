import type { ProgramLanguage } from './program-language.js';
import type { SourceText } from './source-text.js';
import { indentedBlock } from './tests-of.js';

export interface FoundFunction {
  name: string;
  /** What it takes, without the object it belongs to. */
  parameters: string;
  /** Without comments and with nothing in its strings. */
  body: string;
  /** The same with the strings. */
  spoken: string;
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

/** Of a language with braces: every body that parentheses and a name stand before. */
function findBraced(source: SourceText): FoundFunction[] {
  const { code, spoken, pairs } = source;
  const found: FoundFunction[] = [];
  for (let open = code.indexOf('{'); open >= 0; open = code.indexOf('{', open + 1)) {
    const close = pairs[open]!;
    if (close < 0) continue;
    const head = headBefore(source, open);
    if (!head) continue;
    found.push({
      ...head,
      body: code.slice(open + 1, close).trim(),
      spoken: spoken.slice(open + 1, close).trim(),
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
  const stop = Math.max(from, ...[';', '{', '}'].map((sign) => code.lastIndexOf(sign, open - 1) + 1));
  // The last of those that nothing but an answer stands behind; of Go's several answers the one before them.
  for (let end = code.lastIndexOf(')', open); end >= stop; end = code.lastIndexOf(')', end - 1)) {
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
        parameters: code.slice(begin + 1, end),
        above: code.slice(Math.max(0, named.at - 200), named.at),
      };
    if (named && NO_FUNCTION.has(named.name)) return undefined;
    end = begin + 1;
  }
  return undefined;
}

const ASSIGNED = /([\w$]+)\s*(?::[^=;{}]{0,200})?=\s*(?:async\s+)?(?:function\s*\*?\s*)?$/;
const NAMED = /([\w$~!?]+)\s*(?:<[^<>(){};]{0,200}>)?\s*$/;

function nameBefore(code: string, begin: number): { name: string; at: number } | undefined {
  const start = Math.max(0, begin - 300);
  const said = code.slice(start, begin);
  const assigned = ASSIGNED.exec(said);
  if (assigned) return { name: assigned[1]!, at: start + assigned.index };
  const named = NAMED.exec(said);
  return named && !/^\d/.test(named[1]!) ? { name: named[1]!, at: start + named.index } : undefined;
}

/** Functions whose body is one expression. */
const ARROW = /=>\s*(?![\s{])/g;

function findArrows({ code, spoken, pairs }: SourceText): FoundFunction[] {
  const found: FoundFunction[] = [];
  for (const { index, 0: sign } of code.matchAll(ARROW)) {
    const start = Math.max(0, index - 300);
    // What it answers may stand between.
    const before = code
      .slice(start, index)
      .replace(/(?<=\))\s*:[^()=;{}]{0,200}$/, '')
      .trimEnd();
    const closing = start + before.length - 1;
    const begin = code[closing] === ')' ? pairs[closing]! : -1;
    const named = begin < 0 ? undefined : nameBefore(code, begin);
    if (!named || NO_FUNCTION.has(named.name)) continue;
    const from = index + sign.length;
    const end = endOfExpression(code, from, pairs);
    const above = code.slice(Math.max(0, named.at - 200), named.at);
    found.push({
      name: named.name,
      parameters: code.slice(begin + 1, closing),
      body: code.slice(from, end).trim(),
      spoken: spoken.slice(from, end).trim(),
      above,
    });
  }
  return found;
}

function endOfExpression(code: string, from: number, pairs: Int32Array): number {
  for (let at = from; at < code.length; at++) {
    const sign = code[at]!;
    if ('([{'.includes(sign) && pairs[at]! > at) at = pairs[at]!;
    else if (
      ';,)]}'.includes(sign) ||
      (sign === '\n' && !/^\s*[.?:&|+*/-]/.test(code.slice(at + 1, at + 40)))
    )
      return at;
  }
  return code.length;
}

const PYTHON = /^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(/gm;

function findPython({ code, spoken, pairs }: SourceText): FoundFunction[] {
  return [...code.matchAll(PYTHON)].flatMap((match) => {
    const open = match.index + match[0].length - 1;
    const close = pairs[open]!;
    const colon = close < 0 ? -1 : code.indexOf(':', close);
    if (colon < 0) return [];
    const end = indentedBlock(code, colon, match[1]!.length);
    const body = withoutDocstring(code.slice(colon + 1, end));
    return [
      {
        name: match[2]!,
        parameters: code.slice(open + 1, close).replace(/^\s*(?:self|cls)\s*,?/, ''),
        body,
        spoken: withoutDocstring(spoken.slice(colon + 1, end)),
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

function findRuby({ code, spoken }: SourceText): FoundFunction[] {
  return [...code.matchAll(RUBY)].map((match) => {
    const headEnd = match.index + match[0].length;
    const end = indentedBlock(code, headEnd, match[1]!.length);
    return {
      name: match[2]!,
      parameters: (match[3] ?? '').slice(1, -1),
      body: code.slice(headEnd, end).trim(),
      spoken: spoken.slice(headEnd, end).trim(),
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
