import type { ProgramLanguage } from '../languages/languages.js';

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

/** How often a body of a test says what has to hold; strings in it are out of the way. */
export const countAssertions = (language: ProgramLanguage, body: string): number =>
  [...body.matchAll(ASSERTIONS[language])].length;

const SAME = `(?:true|True|TRUE|1|'[^']*'|"[^"]*")`;

/** Assertions that hold whatever the code does. */
const HOLLOW: readonly RegExp[] = [
  // One side only, and it is a constant.
  /\bexpect\s*\(\s*(?:true|1|"[^"\n]*"|'[^'\n]*'|!0|!false)\s*\)\s*[.-]/g,
  /\bexpect\s*\(\s*(?:false|0|null|undefined|nil)\s*\)\s*(?:(?:\.|->)\s*)?(?:toBe\(\s*(?:false|0|null|undefined)|toBeFalsy|toBeNull|toEqual\(\s*(?:false|0|null|undefined)|to\.be\.false|toBeFalse|to\s+(?:be|eq))/g,
  /\b(?:assert|ok|assert\.ok|assert\.isTrue|assertTrue|assert_true|assert!|debug_assert!|ck_assert|TEST_ASSERT|TEST_ASSERT_TRUE|ASSERT_TRUE|EXPECT_TRUE|REQUIRE|CHECK|BOOST_CHECK|BOOST_TEST|BOOST_REQUIRE|Assert\.True|Assert\.IsTrue|Assert\.That|assertThat|t\.true|t\.truthy|t\.ok|t\.pass)\s*\(\s*(?:true|True|TRUE|1|!false|not False)\s*(?:[,)])/g,
  /\bassert\s+(?:True|1|not\s+False)\b/g,
  /\b(?:assert|require)\.True\s*\(\s*\w+\s*,\s*true\b/g,
  /\b(?:assertFalse|assert_false|Assert\.False|Assert\.IsFalse|ASSERT_FALSE|EXPECT_FALSE|assert\.isFalse|refute)\s*(?:\(\s*)?(?:false|False)\s*[,)\n]/g,
  /\bassert\s*\(\s*true\s*[,)]|^\s*assert\s+true\s*$/gm,
  // Both sides are the same constant.
  new RegExp(
    String.raw`\b(?:assert_eq!|assertEquals?|assertSame|assert_equal|assert\.\w*[eE]qual|assertEqual|ASSERT_EQ|EXPECT_EQ|Assert\.(?:Equal|AreEqual)|TEST_ASSERT_EQUAL\w*|ck_assert_int_eq|t\.is)\s*(?:\(\s*)?(${SAME}|\d+)\s*,\s*\1\s*[,)\n]`,
    'g',
  ),
  /\b(?:assert|require)\.Equal\s*\(\s*\w+\s*,\s*(\d+|true|"[^"\n]*")\s*,\s*\1\s*[,)]/g,
  new RegExp(String.raw`\b(?:assert|REQUIRE|CHECK|expect)\s*(?:\(\s*)?(${SAME}|\d+)\s*===?\s*\1\b`, 'g'),
  /\bassert\s+(\w+(?:\.\w+)*)\s*==\s*\1\s*(?:$|,)/gm,
  /\bexpect\s*\(\s*([\w.]+)\s*\)\s*\.?(?:toBe|toEqual|toStrictEqual|to\.equal|to\.eql|to\s+eq)\s*\(\s*\1\s*\)/g,
  // Whatever comes before it.
  /\b(?:expect|assert\w*|ok|REQUIRE|CHECK|EXPECT_TRUE|ASSERT_TRUE)!?\s*\([^\n;]{1,200}(?:\|\|\s*true|\bor\s+True|\|\|\s*1)\s*[,)]/g,
  /\bassert\s+[^\n]{1,200}\bor\s+True\b/g,
  // Nothing is asked.
  /\bexpect\.assertions\s*\(\s*0\s*\)|\bexpectNotToPerformAssertions\b|\bdoesNotPerformAssertions\b/g,
];

/** How many of them are hollow. */
export function countHollow(body: string): number {
  let count = 0;
  for (const pattern of HOLLOW) count += [...body.matchAll(pattern)].length;
  return count;
}

/** A body that is left before anything is asked. */
export const leavesEarly = (language: ProgramLanguage, body: string): boolean =>
  language === 'javascript'
    ? /^\s*,\s*(?:\{[^{}]*\}\s*,\s*)?(?:async\s*)?(?:function(?:\s+\w+)?\s*)?\([^)]*\)\s*(?:=>\s*)?\{\s*return\s*;/.test(
        body,
      )
    : /^\s*(?:return\b\s*(?:;|$|\n)|return\s+nil\s*;?\s*\n|exit\s*\(\s*0\s*\))/m.test(firstStatement(body));

const firstStatement = (body: string): string => body.trimStart().split('\n', 1)[0]!;

/** A failure that is caught and forgotten. */
const FORGETS =
  /\bcatch\s*(?:\([^)]{0,300}\)\s*)?\{\s*\}|\bexcept\b[^:\n]{0,300}:\s*pass\b|\brescue\b[^\n]{0,300}\n\s*(?:nil\s*)?\bend\b|\.catch\s*\(\s*\(\s*(?:\w+\s*)?\)\s*=>\s*(?:\{\s*\}|undefined|null|\(\s*\))\s*\)|\bcontextlib\.suppress\s*\(|\bsuppress\s*\(\s*(?:Base)?Exception\b|\bif\s+err\s*!=\s*nil\s*\{\s*\}|\b_\s*=\s*err\b/g;

export const countForgotten = (code: string): number => [...code.matchAll(FORGETS)].length;
