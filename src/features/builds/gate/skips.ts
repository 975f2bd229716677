import type { ProgramLanguage } from './program-language.js';
import type { SourceText } from './source-text.js';

/** In code without strings: the ways to keep a test from running, or to run it alone and with it no other. */
const SKIPS: Record<ProgramLanguage, readonly RegExp[]> = {
  javascript: [
    /(?<![\w.$])(?:it|test|describe|context|suite|specify|bench|Deno\.test)(?:\.\w+)*\.(?:skip|skipIf|todo|only|fixme|fails|failing|runIf|ignore)\b/g,
    /(?<![\w.$])(?:xit|xtest|xdescribe|xcontext|xspecify|fit|fdescribe|fcontext)\s*[(.]/g,
    /\b(?:t|this|ctx|context|test|task)\.(?:skip|todo|pending)\s*\(/g,
    /[{,]\s*(?:skip|todo|only|ignore)\s*:\s*(?!false\b)/g,
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
  rust: [/#!?\[\s*(?:ignore\b|cfg_attr\([^\]]*\bignore\b|cfg\(\s*(?:any\(\s*\)|never|disabled)[^\]]*)/g],
  java: [
    /@(?:\w+\.)*(?:Disabled|Ignore)\w*\b/g,
    /\benabled\s*=\s*false\b/g,
    /\b(?:Assume|Assumptions)\.\w+\s*\(/g,
    /(?<![\w.])assum(?:eTrue|eFalse|eThat|ingThat)\s*\(/g,
    /\bthrow\s+new\s+(?:SkipException|AssumptionViolatedException|TestAbortedException)\b/g,
  ],
  ruby: [
    /(?<![\w.:])(?:skip|pending)\b(?![\w?]*\s*[=.])/g,
    /(?<![\w.])(?:xit|xdescribe|xcontext|xspecify|xexample|xscenario|fit|fdescribe|fcontext|fspecify)\b/g,
    /\b(?:skip|pending|focus):\s*(?!false\b)/g,
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
  c_sharp: [
    /\[\s*(?:[\w.]+\s*(?:\([^\]]*\))?\s*,\s*)*(?:\w+\.)*(?:Ignore|Explicit)\b/g,
    /\bSkip\s*=/g,
    /\bAssert\.(?:Ignore|Inconclusive|Skip)\s*\(/g,
    /\bSkip\.(?:If|IfNot)\s*\(/g,
  ],
};

/** In the words of strings and comments. */
const SPOKEN_SKIPS: Partial<Record<ProgramLanguage, readonly RegExp[]>> = {
  cpp: [/\bTEST_CASE\s*\([^)]*\[(?:\.|!hide|!mayfail|!shouldfail)/g],
  java: [/@EnabledIf\w*\s*\([^)]*"(?:false|never)/g],
};

const COMMENTED_SKIPS: Partial<Record<ProgramLanguage, readonly RegExp[]>> = {
  go: [/\/\/(?:go:build|\s*\+build)[^\n]*\b(?:ignore|never|disabled)\b/g],
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
  look(source.spoken, SPOKEN_SKIPS[language] ?? []);
  look(source.comments, COMMENTED_SKIPS[language] ?? []);
  return found;
}

const LONGEST_LINE = 300;

function lineAround(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at) + 1;
  const end = text.indexOf('\n', Math.max(at, start));
  return text
    .slice(start, end < 0 ? undefined : end)
    .trim()
    .slice(0, LONGEST_LINE);
}
