import type { ProgramLanguage } from '../languages/languages.js';
import type { SourceText } from './source-text.js';

/** In code without strings: the ways to keep a test from running, or to run it alone and with it no other. */
const SKIPS: Record<ProgramLanguage, readonly RegExp[]> = {
  javascript: [
    /(?<![\w.$])(?:it|test|describe|context|suite|specify|bench|Deno\.test)(?:\.\w+)*\.(?:skip|skipIf|todo|only|fixme|fails|failing|runIf|ignore)\b/g,
    /(?<![\w.$])(?:xit|xtest|xdescribe|xcontext|xspecify|fit|fdescribe|fcontext)\s*[(.]/g,
    /\b(?:t|this|ctx|context|test|task)\.(?:skip|todo|pending)\s*\(/g,
    /[{,]\s*(?:skip|todo|only|ignore)\s*:(?!\s*false\b)/g,
    /(?<![\w.$])pending\s*\(/g,
  ],
  python: [
    /@?pytest\.mark\.(?:skip|skipif|xfail)\b/g,
    /\bpytest\.(?:skip|xfail|importorskip|exit)\s*\(/g,
    /@?\bunittest\.(?:skip|skipIf|skipUnless|expectedFailure)\b/g,
    /@(?:skip|skipIf|skipUnless|expectedFailure)\b/g,
    /\.skipTest\s*\(/g,
    /\braise\s+(?:unittest\.)?SkipTest\b/g,
    /\b__test__\s*=\s*False\b/g,
    /\bcollect_ignore(?:_glob)?\b/g,
  ],
  go: [/\b\w+\.(?:Skip|Skipf|SkipNow)\s*\(/g],
  rust: [/#!?\[\s*(?:ignore\b|cfg_attr\([^\]]{0,300}\bignore\b|cfg\(\s*(?:any\(\s*\)|never|disabled))/g],
  java: [
    /@(?:\w+\.)*(?:Disabled|Ignore)\w*\b/g,
    /\benabled\s*=\s*false\b/g,
    /\b(?:Assume|Assumptions)\.\w+\s*\(/g,
    /(?<![\w.])assum(?:eTrue|eFalse|eThat|ingThat)\s*\(/g,
    /\bthrow\s+new\s+(?:SkipException|AssumptionViolatedException|TestAbortedException)\b/g,
  ],
  ruby: [
    /(?<![\w.:])(?:skip|pending)\b(?![\w?]{0,20}\s{0,20}[=.])/g,
    /(?<![\w.])(?:xit|xdescribe|xcontext|xspecify|xexample|xscenario|fit|fdescribe|fcontext|fspecify)\b/g,
    /\b(?:skip|pending|focus):(?!\s*false\b)/g,
    /,\s*:(?:skip|pending|focus)\b/g,
  ],
  php: [
    /\bmarkTest(?:Skipped|Incomplete)\s*\(/g,
    /->(?:skip|only|todo|skipOnWindows|skipOnPhp)\s*\(/g,
    /(?<![\w>$])(?:todo|xit|xtest|fit)\s*\(/g,
    /#\[\s*(?:Requires\w+|Group\(\s*'\s*skip)/g,
  ],
  c: [
    /\b(?:TEST_IGNORE\w*|GTEST_SKIP|SKIP|skip)\s*\(/g,
    /\bDISABLED_\w+/g,
    /\b\.disabled\s*=\s*(?:true|1)\b/g,
  ],
  cpp: [
    /\b(?:GTEST_SKIP\w*|SKIP|TEST_IGNORE\w*|QSKIP)\s*\(/g,
    /\bDISABLED_\w+/g,
    /\b(?:doctest::skip|boost::unit_test::disabled|utf::disabled)\s*\(/g,
  ],
  c_sharp: [/\bSkip\s*=/g, /\bAssert\.(?:Ignore|Inconclusive|Skip)\s*\(/g, /\bSkip\.(?:If|IfNot)\s*\(/g],
};

/** In the words of strings and comments. */
const STRING_SKIPS: Partial<Record<ProgramLanguage, readonly RegExp[]>> = {
  cpp: [/\bTEST_CASE\s*\([^)]{0,500}\[(?:\.|!hide|!mayfail|!shouldfail)/g],
  java: [/@EnabledIf\w*\s*\([^)]{0,500}"(?:false|never)/g],
};

const COMMENT_SKIPS: Partial<Record<ProgramLanguage, readonly RegExp[]>> = {
  go: [/\/\/(?:go:build|\s*\+build)[^\n]{0,300}\b(?:ignore|never|disabled)\b/g],
  python: [/#\s*(?:doctest:\s*\+SKIP)/g],
};

/** What keeps tests from running, each as the line that says so: what moves with its line is nothing new. */
export function findSkips(language: ProgramLanguage, source: SourceText): string[] {
  const found: string[] = [];
  const look = (text: string, patterns: readonly RegExp[]) => {
    for (const pattern of patterns)
      for (const { index } of text.matchAll(pattern)) found.push(lineAround(source.raw, index));
  };
  look(source.code, SKIPS[language]);
  if (language === 'c_sharp')
    for (const index of findIgnoreAttributes(source)) found.push(lineAround(source.raw, index));
  look(source.codeWithStrings, STRING_SKIPS[language] ?? []);
  look(source.comments, COMMENT_SKIPS[language] ?? []);
  return found;
}

const LONGEST_LINE = 300;

/** The line of a place; of a long one what stands around the place. */
function lineAround(text: string, at: number): string {
  const from = Math.max(0, at - LONGEST_LINE);
  const start = from + text.slice(from, at + 1).lastIndexOf('\n') + 1;
  const rest = text.slice(start, at + LONGEST_LINE);
  const end = rest.indexOf('\n', Math.max(0, at - start));
  return rest
    .slice(0, end < 0 ? undefined : end)
    .trim()
    .slice(0, LONGEST_LINE);
}

const IGNORED = /(?:\w+\.){0,10}(?:Ignore|Explicit)\b/y;

/** `[Test, Ignore("…")]`: the attributes between two brackets, each by its name. */
function* findIgnoreAttributes({ code, pairs }: SourceText): Generator<number> {
  for (let open = code.indexOf('['); open >= 0; open = code.indexOf('[', open + 1)) {
    const close = pairs[open]!;
    let isName = true;
    for (let at = open + 1; at < close; at += 1) {
      const sign = code[at]!;
      if (sign === ',') isName = true;
      else if ('([{'.includes(sign) && pairs[at]! > at) at = pairs[at]!;
      else if (isName && sign.trim() !== '') {
        IGNORED.lastIndex = at;
        if (IGNORED.test(code)) yield at;
        isName = false;
      }
    }
  }
}
