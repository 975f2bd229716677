import type { ProgramLanguage } from '../languages.js';
import { type FunctionHead, findColon, indentedBlock, isGroup, type Piece, readHeads } from './functions.js';
import type { SourceText } from './source-text.js';

export interface FoundTest {
  name: string;
  body: string;
}

interface PlacedBody {
  name: string;
  from: number;
  to: number;
}

type Finder = (source: SourceText) => PlacedBody[];

const JS_CALL =
  /(?<![\w.$])(?:xit|fit|xtest|xspecify|it|test|specify|Deno\.test)((?:\.(?!describe|beforeEach|afterEach|beforeAll|afterAll|step|use|extend|setTimeout|info|configure|before|after|mock|todo)\w+)*)\s*(?:<[^>()\n]{0,200}>\s*)?[(`]/g;
const WITH_A_TABLE = /\.(?:each|for|skipIf|runIf|if|concurrent\.each)$/;
const LONGEST_NAME = 2000;
/** Limits how far an attribute or macro is read. */
const LONGEST_LOOK = 300;

function findJavaScript({ code, codeWithStrings, pairs }: SourceText): PlacedBody[] {
  const found: PlacedBody[] = [];
  for (const match of code.matchAll(JS_CALL)) {
    let open = match.index + match[0].length - 1;
    if (WITH_A_TABLE.test(match[1]!)) {
      const end = code[open] === '`' ? code.indexOf('`', open + 1) : pairs[open]!;
      open = end < 0 ? -1 : skipBlanks(code, end + 1);
    }
    if (open < 0 || code[open] !== '(') continue;
    const close = pairs[open]!;
    if (close < 0) continue;
    const begin = codeWithStrings.slice(open + 1, Math.min(close, open + LONGEST_NAME));
    const name = /^\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/.exec(begin);
    const said = name?.[1] ?? name?.[2] ?? name?.[3] ?? /^\s*([\w.$]+)/.exec(begin)?.[1];
    if (said !== undefined) found.push({ name: said, from: open + 1 + (name?.[0].length ?? 0), to: close });
  }
  return found;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at]!.trim() === '') at += 1;
  return at;
}

const PYTHON_TEST = /^([ \t]*)(?:async[ \t]+)?def[ \t]+(test\w*)[ \t]*\(/gm;
function findPython({ code, pairs }: SourceText): PlacedBody[] {
  return [...code.matchAll(PYTHON_TEST)].flatMap((match) => {
    const colon = findColon(code, pairs[match.index + match[0].length - 1]!);
    if (colon < 0) return [];
    return [{ name: match[2]!, from: colon + 1, to: indentedBlock(code, colon, match[1]!.length) }];
  });
}

const RUBY_TEST =
  /^([ \t]*)(?:(?:x|f)?(?:it|specify|example|scenario)\b[ \t]*(?:\(|['"])|test[ \t]+['"]|should[ \t]+['"]|def[ \t]+(test_\w+))/gm;

function findRuby({ code, codeWithStrings }: SourceText): PlacedBody[] {
  return [...code.matchAll(RUBY_TEST)].flatMap((match) => {
    const lineEnd = code.indexOf('\n', match.index);
    const line = codeWithStrings.slice(match.index, lineEnd < 0 ? undefined : lineEnd);
    const name = match[2] ?? /['"]((?:\\.|[^'"\\])*)['"]/.exec(line.slice(0, LONGEST_LOOK))?.[1];
    if (name === undefined || (match[2] === undefined && !/\bdo\b|\{/.test(line))) return [];
    if (!/\bdo\b|def/.test(line)) return [{ name, from: match.index, to: match.index + line.length }];
    const to = indentedBlock(code, match.index, match[1]!.length);
    return [{ name, from: match.index + line.length, to }];
  });
}

/** For languages with braces. `nameOf` returns the name of a test, or undefined for other functions. */
const braced =
  (nameOf: (head: FunctionHead, source: SourceText) => string | undefined): Finder =>
  (source) => {
    const found: PlacedBody[] = [];
    for (const head of readHeads(source)) {
      const name = nameOf(head, source);
      if (name !== undefined) found.push({ name, from: head.open + 1, to: head.close });
    }
    return found;
  };

const textOf = (text: string, { at, end }: Piece): string =>
  text.slice(at + 1, Math.min(end - 1, at + LONGEST_LOOK));

/**
 * Returns the name of the function after its test attributes. `readMark` returns how many pieces an attribute
 * has and whether it marks a test.
 */
function nameAfterMark(
  pieces: readonly Piece[],
  readMark: (at: number) => { pieces: number; isTest: boolean } | undefined,
  readName: (at: number) => string | undefined,
): string | undefined {
  let isMarked = false;
  let name: string | undefined;
  for (let at = 0; at < pieces.length; ) {
    const mark = readMark(at);
    if (mark) {
      if (mark.isTest) [isMarked, name] = [true, undefined];
      at += mark.pieces;
      continue;
    }
    if (isMarked) name ??= readName(at);
    at += 1;
  }
  return name;
}

const beforeParameters = (pieces: readonly Piece[], at: number): string | undefined =>
  pieces[at]?.kind === 'word' && isGroup(pieces[at + 1], '(') ? pieces[at].text : undefined;

const JAVA_MARK = /^(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)$/;

const findJava = braced(({ pieces }) => {
  const readMark = (at: number) => {
    if (pieces[at]!.text !== '@' || pieces[at + 1]?.kind !== 'word') return undefined;
    let last = at + 1;
    while (pieces[last + 1]?.text === '.' && pieces[last + 2]?.kind === 'word') last += 2;
    const isTest = JAVA_MARK.test(pieces[last]!.text);
    return { pieces: last + 1 - at + (isGroup(pieces[last + 1], '(') ? 1 : 0), isTest };
  };
  return nameAfterMark(pieces, readMark, (at) => beforeParameters(pieces, at)?.replaceAll('`', ''));
});

const C_SHARP_MARK =
  /\s*(?:Test|TestCase|TestCaseSource|Fact|Theory|TestMethod|DataTestMethod|SkippableFact)\b/y;
const RUST_MARK = /\s*(?:\w+::)*(?:test|rstest|test_case|proptest)\b/y;

function isMarkedBy(mark: RegExp, code: string, { at }: Piece): boolean {
  mark.lastIndex = at + 1;
  return mark.test(code);
}

const findCSharp = braced(({ pieces }, { code }) =>
  nameAfterMark(
    pieces,
    (at) =>
      isGroup(pieces[at], '[')
        ? { pieces: 1, isTest: isMarkedBy(C_SHARP_MARK, code, pieces[at]!) }
        : undefined,
    (at) => beforeParameters(pieces, at),
  ),
);

const isHashAttribute = (pieces: readonly Piece[], at: number): boolean =>
  pieces[at]!.text === '#' && isGroup(pieces[at + 1], '[');

const findRust = braced(({ pieces }, { code }) =>
  nameAfterMark(
    pieces,
    (at) =>
      isHashAttribute(pieces, at)
        ? { pieces: 2, isTest: isMarkedBy(RUST_MARK, code, pieces[at + 1]!) }
        : undefined,
    (at) => (pieces[at - 1]?.text === 'fn' && pieces[at]!.kind === 'word' ? pieces[at]!.text : undefined),
  ),
);

const findGo = braced(({ pieces }) => {
  const [keyword, name, parameters] = pieces.slice(-3);
  return keyword?.text === 'func' &&
    isGroup(parameters, '(') &&
    /^(?:Test|Benchmark|Fuzz|Example)/.test(name!.text)
    ? name!.text
    : undefined;
});

const PEST = /(?<![\w>$:])(it|test)\s*\(\s*(['"])/g;

const findPhpMethods = braced(({ start, pieces }, { code, comments }) => {
  const keyword = pieces.findLastIndex(
    ({ text, kind }, at) => kind === 'word' && text === 'function' && beforeParameters(pieces, at + 1),
  );
  if (keyword < 0) return undefined;
  const name = pieces[keyword + 1]!.text;
  const isMarked = pieces.some(
    (_, at) => isHashAttribute(pieces, at) && /Test\b/.test(textOf(code, pieces[at + 1]!)),
  );
  const above = comments.slice(start, pieces[0]!.at);
  return /^test/i.test(name) || isMarked || /@test\b/.test(above.slice(above.lastIndexOf('/**') + 1))
    ? name
    : undefined;
});

function findPhp(source: SourceText): PlacedBody[] {
  const { code, codeWithStrings, pairs } = source;
  const pest = [...code.matchAll(PEST)].flatMap((match) => {
    const open = code.indexOf('(', match.index);
    const close = pairs[open]!;
    if (close < 0) return [];
    const begin = codeWithStrings.slice(open + 1, Math.min(close, open + LONGEST_NAME));
    const name = /^\s*(['"])((?:\\.|(?!\1).)*)\1/.exec(begin)?.[2];
    return name === undefined ? [] : [{ name, from: open + 1 + name.length, to: close }];
  });
  return [...findPhpMethods(source), ...pest];
}

const C_MACROS = new Set(
  'TEST TEST_F TEST_P TYPED_TEST TEST_CASE TEST_CASE_METHOD SCENARIO SECTION BOOST_AUTO_TEST_CASE BOOST_FIXTURE_TEST_CASE Test TEST_METHOD CTEST MU_TEST UTEST ZTEST'.split(
    ' ',
  ),
);
const C_ANSWER = /^(?:void|int|bool)$/;

const findCFunctions = braced(({ pieces }, { codeWithStrings }) => {
  const macro = pieces.findLastIndex(({ text }, at) => C_MACROS.has(text) && isGroup(pieces[at + 1], '('));
  if (macro >= 0) {
    const said = textOf(codeWithStrings, pieces[macro + 1]!);
    return /"((?:\\.|[^"\\])*)"/.exec(said)?.[1] ?? said.replace(/\s+/g, '').replaceAll(/\bDISABLED_/g, '');
  }
  const [answer, name, parameters] = pieces.slice(-3);
  return isGroup(parameters, '(') && C_ANSWER.test(answer!.text) && /^test_?\w/.test(name!.text)
    ? name!.text
    : undefined;
});

const CHECK_TEST = /\bSTART_TEST\s*\(\s*(\w+)\s*\)|\bEND_TEST\b/g;

/** The Check library ends tests with a macro. */
function findCheckTests({ code }: SourceText): PlacedBody[] {
  const found: PlacedBody[] = [];
  let begun: RegExpExecArray | undefined;
  for (const match of code.matchAll(CHECK_TEST)) {
    if (match[1] === undefined && begun)
      found.push({ name: begun[1]!, from: begun.index + begun[0].length, to: match.index });
    begun = match[1] === undefined ? undefined : match;
  }
  return found;
}

const findC: Finder = (source) => [...findCFunctions(source), ...findCheckTests(source)];

const FINDERS: Record<ProgramLanguage, Finder> = {
  javascript: findJavaScript,
  python: findPython,
  go: findGo,
  rust: findRust,
  java: findJava,
  ruby: findRuby,
  php: findPhp,
  c: findC,
  cpp: findC,
  c_sharp: findCSharp,
};

/**
 * Tests nested more deeply count as part of the surrounding test, so that bodies are not read once per level.
 */
const MOST_AROUND = 8;

function leaveOutNested(found: readonly PlacedBody[]): PlacedBody[] {
  const ends: number[] = [];
  return [...found]
    .sort((one, other) => one.from - other.from)
    .filter(({ from, to }) => {
      while (ends.length > 0 && ends.at(-1)! <= from) ends.pop();
      ends.push(to);
      return ends.length <= MOST_AROUND;
    });
}

export const findTests = (language: ProgramLanguage, source: SourceText): FoundTest[] =>
  leaveOutNested(FINDERS[language](source)).map(({ name, from, to }) => ({
    name,
    body: source.codeWithStrings.slice(from, to),
  }));
