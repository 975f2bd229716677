import type { ProgramLanguage } from '../languages.js';
import type { SourceText } from './source-text.js';

/** Patterns that skip a test or run it exclusively, applied to code without strings. */
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

const STRING_SKIPS: Partial<Record<ProgramLanguage, readonly RegExp[]>> = {
  cpp: [/\bTEST_CASE\s*\([^)]{0,500}\[(?:\.|!hide|!mayfail|!shouldfail)/g],
  java: [/@EnabledIf\w*\s*\([^)]{0,500}"(?:false|never)/g],
};

const COMMENT_SKIPS: Partial<Record<ProgramLanguage, readonly RegExp[]>> = {
  go: [/\/\/(?:go:build|\s*\+build)[^\n]{0,300}\b(?:ignore|never|disabled)\b/g],
  python: [/#\s*(?:doctest:\s*\+SKIP)/g],
};

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

/** Finds attributes that share one pair of brackets, as in `[Test, Ignore("…")]`. */
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

const ASSERTIONS: Record<ProgramLanguage, RegExp> = {
  javascript:
    /\bexpect\w*\s*[(.]|\bassert\w*\s*[(.]|\bshould\b|\b(?:t|tap|test)\.(?:is|not|equal|deepEqual|strictEqual|same|true|false|truthy|falsy|throws|notThrows|rejects|resolves|ok|match|snapshot|like|fail)\w*\s*\(|\bverify\w*\s*\(|\.(?:toBe|toEqual|toHave|toThrow|toMatch)\w*\s*\(|\bcy\.\w+|\bfail\s*\(/g,
  python:
    /\bassert\b|\.assert\w*\s*\(|\bpytest\.(?:raises|warns|approx|fail)\b|\.fail\s*\(|\bassert_\w+\s*\(|\bexpect\w*\s*\(|\bverify\w*\s*\(/g,
  go: /\b\w+\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\b(?:assert|require|is|qt|check|must|td|autogold|golden|snaps)\.\w+\s*\(|\b(?:Expect|Eventually|Consistently)\s*\(|\b(?:assert|require|check|expect|verify|must)\w*\s*\(|\/\/\s*Output:/gi,
  rust: /\b(?:debug_)?assert\w*!\s*[([{]|\bpanic!\s*\(|\bprop_assert\w*!|\binsta::\w+!|\bassert_\w+\s*\(|\bexpect\w*\s*\(|\bverify\w*\s*\(/g,
  java: /\bassert\w*\b|\bverify\w*\s*\(|\bexpect\w*\s*\(|\bfail\s*\(|\bshould\w*\b|\bThrows\w*\b|\.isEqualTo\s*\(|\.andExpect\s*\(/g,
  ruby: /\bexpect\w*\b|\bassert\w*\b|\brefute\w*\b|\bshould\w*\b|\.must_\w+|\.wont_\w+|\bis_expected\b|\bflunk\b|\braise_error\b/g,
  php: /\bassert\w*\s*\(|\bexpect\w*\s*\(|->should\w*\s*\(|\bfail\s*\(|\bverify\w*\s*\(|->see\w*\s*\(/gi,
  c: /\b\w{0,60}(?:ASSERT|assert|EXPECT|REQUIRE|CHECK)\w{0,60}\s*\(|\bck_\w+\s*\(|\bcr_\w+\s*\(|\bFAIL\w*\s*\(/g,
  cpp: /\b\w{0,60}(?:ASSERT|assert|EXPECT|REQUIRE|CHECK|BOOST_TEST|BOOST_CHECK|QCOMPARE|QVERIFY|STATIC_REQUIRE|FAIL|SUCCEED_IF)\w{0,60}\s*\(/g,
  c_sharp: /\bAssert\w*\b|\.Should\w*\b|\bVerify\w*\b|\bExpect\w*\b|\bThrows\w*\b|\bfail\s*\(/gi,
};

export const countAssertions = (language: ProgramLanguage, body: string): number =>
  [...body.matchAll(ASSERTIONS[language])].length;

const SAME = `(?:true|True|TRUE|1|'[^']*'|"[^"]*")`;

/** Assertions that can never fail. */
const HOLLOW: readonly RegExp[] = [
  // Only a constant.
  /\bexpect\s*\(\s*(?:true|1|"[^"\n]*"|'[^'\n]*'|!0|!false)\s*\)\s*[.-]/g,
  /\bexpect\s*\(\s*(?:false|0|null|undefined|nil)\s*\)\s*(?:(?:\.|->)\s*)?(?:toBe\(\s*(?:false|0|null|undefined)|toBeFalsy|toBeNull|toEqual\(\s*(?:false|0|null|undefined)|to\.be\.false|toBeFalse|to\s+(?:be|eq))/g,
  /\b(?:assert|ok|assert\.ok|assert\.isTrue|assertTrue|assert_true|assert!|debug_assert!|ck_assert|TEST_ASSERT|TEST_ASSERT_TRUE|ASSERT_TRUE|EXPECT_TRUE|REQUIRE|CHECK|BOOST_CHECK|BOOST_TEST|BOOST_REQUIRE|Assert\.True|Assert\.IsTrue|Assert\.That|assertThat|t\.true|t\.truthy|t\.ok|t\.pass)\s*\(\s*(?:true|True|TRUE|1|!false|not False)\s*(?:[,)])/g,
  /\bassert\s+(?:True|1|not\s+False)\b/g,
  /\b(?:assert|require)\.True\s*\(\s*\w+\s*,\s*true\b/g,
  /\b(?:assertFalse|assert_false|Assert\.False|Assert\.IsFalse|ASSERT_FALSE|EXPECT_FALSE|assert\.isFalse|refute)\s*(?:\(\s*)?(?:false|False)\s*[,)\n]/g,
  /\bassert\s*\(\s*true\s*[,)]|^\s*assert\s+true\s*$/gm,
  // The same constant on both sides.
  new RegExp(
    String.raw`\b(?:assert_eq!|assertEquals?|assertSame|assert_equal|assert\.\w*[eE]qual|assertEqual|ASSERT_EQ|EXPECT_EQ|Assert\.(?:Equal|AreEqual)|TEST_ASSERT_EQUAL\w*|ck_assert_int_eq|t\.is)\s*(?:\(\s*)?(${SAME}|\d+)\s*,\s*\1\s*[,)\n]`,
    'g',
  ),
  /\b(?:assert|require)\.Equal\s*\(\s*\w+\s*,\s*(\d+|true|"[^"\n]*")\s*,\s*\1\s*[,)]/g,
  new RegExp(String.raw`\b(?:assert|REQUIRE|CHECK|expect)\s*(?:\(\s*)?(${SAME}|\d+)\s*===?\s*\1\b`, 'g'),
  /\bassert\s+(\w+(?:\.\w+)*)\s*==\s*\1\s*(?:$|,)/gm,
  /\bexpect\s*\(\s*([\w.]+)\s*\)\s*\.?(?:toBe|toEqual|toStrictEqual|to\.equal|to\.eql|to\s+eq)\s*\(\s*\1\s*\)/g,
  // Always true because of `|| true` at the end.
  /\b(?:expect|assert\w*|ok|REQUIRE|CHECK|EXPECT_TRUE|ASSERT_TRUE)!?\s*\([^\n;]{1,200}(?:\|\|\s*true|\bor\s+True|\|\|\s*1)\s*[,)]/g,
  /\bassert\s+[^\n]{1,200}\bor\s+True\b/g,
  // Declares that there are no assertions.
  /\bexpect\.assertions\s*\(\s*0\s*\)|\bexpectNotToPerformAssertions\b|\bdoesNotPerformAssertions\b/g,
];

export function countHollow(body: string): number {
  let count = 0;
  for (const pattern of HOLLOW) count += [...body.matchAll(pattern)].length;
  return count;
}

export const leavesEarly = (language: ProgramLanguage, body: string): boolean =>
  language === 'javascript'
    ? /^\s*,\s*(?:\{[^{}]*\}\s*,\s*)?(?:async\s*)?(?:function(?:\s+\w+)?\s*)?\([^)]*\)\s*(?:=>\s*)?\{\s*return\s*;/.test(
        body,
      )
    : /^\s*(?:return\b\s*(?:;|$|\n)|return\s+nil\s*;?\s*\n|exit\s*\(\s*0\s*\))/m.test(firstStatement(body));

const firstStatement = (body: string): string => body.trimStart().split('\n', 1)[0]!;

const FORGETS =
  /\bcatch\s*(?:\([^)]{0,300}\)\s*)?\{\s*\}|\bexcept\b[^:\n]{0,300}:\s*pass\b|\brescue\b[^\n]{0,300}\n\s*(?:nil\s*)?\bend\b|\.catch\s*\(\s*\(\s*(?:\w+\s*)?\)\s*=>\s*(?:\{\s*\}|undefined|null|\(\s*\))\s*\)|\bcontextlib\.suppress\s*\(|\bsuppress\s*\(\s*(?:Base)?Exception\b|\bif\s+err\s*!=\s*nil\s*\{\s*\}|\b_\s*=\s*err\b/g;

export const countForgotten = (code: string): number => [...code.matchAll(FORGETS)].length;
