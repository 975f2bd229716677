import type { ProgramLanguage } from '../languages.js';
import { type FoundFunction, findFunctions } from './functions.js';
import { moreOf, type SourceText } from './source-text.js';

const ATOM = String.raw`(?:-?\d[\w.]*|[rbf]?"[^"]*"|'[^']*'|${'`'}[^${'`'}]*${'`'}|true|false|True|False|null|None|nil|NULL|nullptr|undefined|void 0|default|\[\s*\]|\{\s*\}|\(\s*\)|vec!\[\s*\]|Vec::new\(\)|String::new\(\)|Default::default\(\)|array\(\s*\)|std::nullopt|\w+\{\s*\}|(?:Optional|Stream|Option)\.(?:empty|none)\(\)|(?:Collections|Enumerable|Array|List|Map|Set)(?:\.\w+)?(?:<[^<>]*>)?\.?\w*\(\s*\)|Task\.CompletedTask)`;
const CONSTANT = String.raw`(?:${ATOM}|(?:Ok|Err|Some|Promise\.resolve|Task\.FromResult|Optional\.of|Result\.ok)\s*(?:<[^<>]*>)?\(\s*(?:${ATOM})?\s*\)|\(\s*${ATOM}(?:\s*,\s*${ATOM})+\s*\))`;
const RETURNS = new RegExp(
  String.raw`^(?:return\b\s*)?\(?\s*${CONSTANT}(?:\s*,\s*${CONSTANT})*\s*(?:as\s+\w+)?\s*\)?\s*;?$`,
);
const NOTHING = /^(?:return\s*;?|pass|\.\.\.|;)?$/;
/** Matches a body that is exactly one statement. */
const REFUSES =
  /^(?:throw\b[^;]*;?|raise\b[^\n;]*|panic!?\s*\([^;]*\)\s*;?|todo!\s*\([^;]*\)\s*;?|unimplemented!\s*\([^;]*\)\s*;?|unreachable!\s*\([^;]*\)\s*;?|(?:std::)?abort\s*\(\s*\)\s*;?|Assert\.Fail\([^;]*\)\s*;?)$/;
const NOT_DONE =
  /not[\s_-]*(?:yet[\s_-]*)?(?:implemented|supported|done)|unimplemented|todo|NotImplemented|implement me|stub/i;

/** A string with placeholders is not a constant. */
const FILLED = /\bf["']|\$@?"|\$\{|#\{|"[^"\n]*\{[^"\n]*"|"[^"\n]*\$\w/;
const isConstant = ({ body, bodyWithStrings }: FoundFunction): boolean =>
  RETURNS.test(body) && !FILLED.test(bodyWithStrings);
/** Longer bodies are not trivial. */
const LONGEST_TRIVIAL = 400;
const isTrivial = (one: FoundFunction): boolean =>
  one.body.length <= LONGEST_TRIVIAL &&
  one.bodyWithStrings.length <= LONGEST_TRIVIAL &&
  isOneTrivialStatement(withOneBlank(one));
const isOneTrivialStatement = (one: FoundFunction): boolean =>
  NOTHING.test(one.body) || isConstant(one) || REFUSES.test(one.body);
/** Collapses runs of blanks, which would cause heavy backtracking in the patterns. */
const withOneBlank = (one: FoundFunction): FoundFunction => ({ ...one, body: shortenBlanks(one.body) });
const shortenBlanks = (text: string): string =>
  text.replace(/\s+/g, (blanks) => (blanks.includes('\n') ? '\n' : ' '));
const tokens = (body: string): number => body.slice(0, LONGEST_TRIVIAL).match(/\w+/g)?.length ?? 0;
const LEAST_TOKENS = 5;

const isAbstract = ({ above }: FoundFunction): boolean =>
  /@(?:abc\.)?abstractmethod|@overload|\babstract\b|@Override|\boverride\b/.test(
    above.split('\n').slice(-3).join('\n'),
  );

export interface FoundStub {
  name: string;
  emptied: boolean;
}

/** Finds functions that lost their body and new functions without one. */
export function findStubs(
  language: ProgramLanguage,
  before: SourceText | undefined,
  after: SourceText,
): FoundStub[] {
  const old = before ? findFunctions(language, before) : [];
  const now = findFunctions(language, after);
  const left = new Map<string, FoundFunction[]>();
  for (const one of moreOf(old, now, nameAndBody)) {
    const alike = left.get(one.name);
    if (alike) alike.push(one);
    else left.set(one.name, [one]);
  }
  const stubs: FoundStub[] = [];
  for (const changed of moreOf(now, old, nameAndBody)) {
    const known = left.get(changed.name)?.shift();
    if (!isTrivial(changed)) continue;
    const one = withOneBlank(changed);
    if (known) {
      if (!isTrivial(known) && tokens(known.body) >= LEAST_TOKENS)
        stubs.push({ name: one.name, emptied: true });
    } else if (
      !isAbstract(one) &&
      (REFUSES.test(one.body) ? NOT_DONE.test(one.bodyWithStrings) : returnsSameAlways(one))
    )
      stubs.push({ name: one.name, emptied: false });
  }
  return stubs;
}

/** Whether the function ignores its parameters and returns a constant. */
function returnsSameAlways(one: FoundFunction): boolean {
  const { parameters, body, name } = one;
  const given = parameters
    .split(',')
    .filter((one) => one.trim() !== '' && !/^\s*(?:_|&?(?:mut\s+)?self\b|void\s*$|\.\.\.)/.test(one));
  return (
    given.length > 0 && isConstant(one) && /^return\b/.test(body) && !/^(?:_|noop|stub|fake|mock)/i.test(name)
  );
}

const nameAndBody = ({ name, body }: FoundFunction): string => `${name}\0${body}`;

const UNDONE =
  /\b(?:TODO|FIXME|XXX|HACK)\b|\bnot (?:yet )?implemented\b|\bunimplemented\b|\bplaceholder\b|\bstub(?:bed)?\b|\bdummy (?:implementation|value|data)\b|\bhard-?coded\b|\bimplement(?:ed)? (?:this )?later\b|\bfake (?:implementation|result|answer)\b|\bpretend\b/i;

export const findUndone = ({ comments }: SourceText): string[] =>
  comments
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && UNDONE.test(line));
