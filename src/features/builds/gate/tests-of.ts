import type { ProgramLanguage } from './program-language.js';
import type { SourceText } from './source-text.js';

export interface FoundTest {
  name: string;
  /** With what stands before it: attributes, the words of the call. */
  head: string;
  /** Without comments, and with its strings. */
  body: string;
}

type Finder = (source: SourceText) => FoundTest[];

const JS_CALL =
  /(?<![\w.$])(xit|fit|xtest|xspecify|it|test|specify|Deno\.test)((?:\.(?!describe|beforeEach|afterEach|beforeAll|afterAll|step|use|extend|setTimeout|info|configure|before|after|mock|todo)\w+)*)\s*(?:<[^>()\n]{0,200}>)?\s*([(`])/g;

function findJavaScript({ code, spoken, pairs }: SourceText): FoundTest[] {
  const found: FoundTest[] = [];
  for (const match of code.matchAll(JS_CALL)) {
    const start = match.index;
    let open = start + match[0].length - 1;
    if (/\.(each|for|skipIf|runIf|if|concurrent\.each)$/.test(match[2]!)) {
      const end = code[open] === '`' ? code.indexOf('`', open + 1) : pairs[open]!;
      open = end < 0 ? -1 : code.indexOf('(', end + 1);
    }
    if (open < 0 || code[open] !== '(') continue;
    const close = pairs[open]!;
    if (close < 0) continue;
    const inside = spoken.slice(open + 1, close);
    const name = /^\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/.exec(inside);
    const said = name?.[1] ?? name?.[2] ?? name?.[3] ?? /^\s*([\w.$]+)/.exec(inside)?.[1];
    if (said === undefined) continue;
    found.push({ name: said, head: match[0], body: inside.slice(name?.[0].length ?? 0) });
  }
  return found;
}

/** Lines that stand deeper than the one at a place; blank ones belong to them. */
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

const PYTHON_TEST = /^([ \t]*)(?:async[ \t]+)?def[ \t]+(test\w*)[ \t]*\(/gm;

function findPython({ code, spoken, pairs }: SourceText): FoundTest[] {
  return [...code.matchAll(PYTHON_TEST)].flatMap((match) => {
    const open = match.index + match[0].length - 1;
    const close = pairs[open]!;
    const colon = close < 0 ? -1 : code.indexOf(':', close);
    if (colon < 0) return [];
    const end = indentedBlock(code, colon, match[1]!.length);
    return [
      {
        name: match[2]!,
        head: linesBefore(spoken, match.index, /^\s*[@)]/),
        body: spoken.slice(colon + 1, end),
      },
    ];
  });
}

/** The lines right above a place that match, as attributes do. */
function linesBefore(text: string, at: number, matching: RegExp): string {
  let start = text.lastIndexOf('\n', at - 1) + 1;
  for (let lines = 0; start > 0 && lines < 20; lines++) {
    const above = text.lastIndexOf('\n', start - 2) + 1;
    const line = text.slice(above, start - 1);
    if (!matching.test(line)) break;
    start = above;
  }
  return text.slice(start, at);
}

/** What is found by a head that ends before its braces. */
const braced =
  (head: RegExp, nameOf: (match: RegExpExecArray, source: SourceText) => string | undefined): Finder =>
  (source) => {
    const { code, spoken, pairs } = source;
    return [...code.matchAll(head)].flatMap((match) => {
      const name = nameOf(match, source);
      const open = code.indexOf('{', match.index + match[0].length - 1);
      const close = open < 0 ? -1 : pairs[open]!;
      if (name === undefined || close < 0) return [];
      return [{ name, head: spoken.slice(match.index, open), body: spoken.slice(open + 1, close) }];
    });
  };

const firstString = (text: string): string | undefined => /"((?:\\.|[^"\\])*)"/.exec(text)?.[1];
const saidAt = (match: RegExpExecArray, { spoken }: SourceText): string =>
  spoken.slice(match.index, match.index + match[0].length);

const RUBY_TEST =
  /^([ \t]*)(?:(?:x|f)?(?:it|specify|example|scenario)\b[ \t]*(?:\(|['"])|test[ \t]+['"]|should[ \t]+['"]|def[ \t]+(test_\w+))/gm;

function findRuby({ code, spoken }: SourceText): FoundTest[] {
  return [...code.matchAll(RUBY_TEST)].flatMap((match) => {
    const lineEnd = code.indexOf('\n', match.index);
    const line = spoken.slice(match.index, lineEnd < 0 ? undefined : lineEnd);
    const name = match[2] ?? /['"]((?:\\.|[^'"\\])*)['"]/.exec(line)?.[1];
    if (name === undefined || (match[2] === undefined && !/(\bdo\b|\{)/.test(line))) return [];
    const end = indentedBlock(code, match.index, match[1]!.length);
    return [
      {
        name,
        head: line.trim(),
        body: /\bdo\b|def/.test(line) ? spoken.slice(match.index + line.length, end) : line,
      },
    ];
  });
}

const PHP_METHOD =
  /(?:#\[\s*(?:PHPUnit\\[\w\\]*)?Test\b[^\]]*\]\s*)?(?:#\[[^\]]*\]\s*)*(?:(?:public|final|static)\s+)*function\s+(\w+)\s*\([^)]*\)[^{;]*\{/g;
const PEST = /(?<![\w>$:])(it|test)\s*\(\s*(['"])/g;

function findPhp(source: SourceText): FoundTest[] {
  const { code, comments, spoken, pairs } = source;
  const methods = braced(PHP_METHOD, (match) => {
    const above = comments.slice(Math.max(0, match.index - 400), match.index);
    const annotated = /@test\b/.test(above.slice(above.lastIndexOf('/**') + 1)) && /\*\/\s*$/.test(above);
    return /^test/i.test(match[1]!) || annotated || /^#\[[^\]]*Test\b/.test(match[0]) ? match[1]! : undefined;
  })(source);
  const pest = [...code.matchAll(PEST)].flatMap((match) => {
    const open = code.indexOf('(', match.index);
    const close = pairs[open]!;
    if (close < 0) return [];
    const inside = spoken.slice(open + 1, close);
    const name = /^\s*(['"])((?:\\.|(?!\1).)*)\1/.exec(inside)?.[2];
    return name === undefined ? [] : [{ name, head: match[0], body: inside.slice(name.length) }];
  });
  return [...methods, ...pest];
}

const C_MACRO =
  /\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|TEST_CASE|TEST_CASE_METHOD|SCENARIO|SECTION|BOOST_AUTO_TEST_CASE|BOOST_FIXTURE_TEST_CASE|START_TEST|Test|TEST_METHOD|CTEST|MU_TEST|UTEST|ZTEST)\s*\(([^(){}]*)\)[^{};]*\{/g;
const C_FUNCTION = /\b(?:static\s+)?(?:void|int|bool)\s+(test_?\w+)\s*\([^(){};]*\)\s*\{/g;
/** Its closing is a word of its own. */
const CHECK_TEST = /\bSTART_TEST\s*\(\s*(\w+)\s*\)([\s\S]{0,20000}?)\bEND_TEST\b/g;

function findC(source: SourceText): FoundTest[] {
  const macros = braced(C_MACRO, (match, whole) => {
    const said = saidAt(match, whole);
    return firstString(said) ?? match[1]!.replace(/\s+/g, '').replaceAll(/\bDISABLED_/g, '');
  })(source);
  const bare = [...source.code.matchAll(CHECK_TEST)].map((match) => ({
    name: match[1]!,
    head: 'START_TEST',
    body: match[2]!,
  }));
  return [
    ...macros.filter(({ head }) => !head.startsWith('START_TEST')),
    ...bare,
    ...braced(C_FUNCTION, (match) => match[1])(source),
  ];
}

const FINDERS: Record<ProgramLanguage, Finder> = {
  javascript: findJavaScript,
  python: findPython,
  go: braced(/^func\s+((?:Test|Benchmark|Fuzz|Example)\w*)\s*\([^)]*\)\s*\{/gm, (match) => match[1]),
  rust: braced(
    /#\[\s*(?:\w+::)*(?:test|rstest|test_case|proptest)\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)\s*\([^)]*\)[^{;]*\{/g,
    (match) => match[1],
  ),
  java: braced(
    /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b(?:\s*\([^)]*\))?\s*(?:@\w+(?:\s*\([^)]*\))?\s*)*(?:(?:public|protected|private|static|final|suspend|fun)\s+)*(?:[\w<>[\],.?]+\s+)?(\w+|`[^`]*`)\s*\([^)]*\)[^{;]*\{/g,
    (match, whole) => (match[1]!.startsWith('`') ? /`([^`]*)`/.exec(saidAt(match, whole))?.[1] : match[1]),
  ),
  ruby: findRuby,
  php: findPhp,
  c: findC,
  cpp: findC,
  c_sharp: braced(
    /\[\s*(?:Test|TestCase|TestCaseSource|Fact|Theory|TestMethod|DataTestMethod|SkippableFact)\b[^\]]*\]\s*(?:\[[^\]]*\]\s*)*(?:(?:public|internal|protected|private|static|async|virtual|override)\s+)*[\w<>[\],.?]+\s+(\w+)\s*\([^)]*\)[^{;]*\{/g,
    (match) => match[1],
  ),
};

/** The tests that a text holds, in their order. */
export const findTests = (language: ProgramLanguage, source: SourceText): FoundTest[] =>
  FINDERS[language](source);
