import { parseSync } from 'oxc-parser';

/** Phrases that make an English-speaking engineer stop, each with plain words to use instead. */
const PHRASES: readonly [phrase: RegExp, instead: string][] = [
  [/(?:^|[.!:] )(?:What|Who|Whom|Whoever|Whatever) [^?\n.!]*(?=[.!]|$)/gm, 'name the subject'],
  [/\bwhoever\b|\bwhomever\b|\bwhatever\b|\bwhosoever\b/gi, 'name the person or thing'],
  [
    /\bthat which\b|\bthose (?:of|that|who|which|with)\b|\bone that\b|\bthe one (?:that|who|of)\b/gi,
    'name it',
  ],
  [/\b(?:all|everything|nothing|something) (?:of it|that is|that was)\b/gi, 'name it'],
  [/\bso long(?:er)? (?:as|that)\b|\bfor so long\b|\bas long again\b|\bhere and there\b/gi, 'give the time'],
  [
    /\bhands? (?:it |them |over |back )?(?:in|over)\b|\bhand(?:s|ed|ing) in\b|\bhanded over\b/gi,
    'submit, pass',
  ],
  [/\bbrought\b|\bbrings?\b|\bbringing\b/gi, 'add, fetch, submit'],
  [/\bbegins?\b|\bbegan\b|\bbegun\b|\bbeginning\b/gi, 'start'],
  [/\banew\b/gi, 'again, new'],
  [/\bis none\b|\bare none\b|\bwas none\b|\bthere is none\b/gi, 'is not a …, there is no …'],
  [/\bheld against\b|\bhold(?:s|ing)? against\b/gi, 'compare'],
  [/\bin the hands of\b|\bin hand\b/gi, 'claimed by'],
  [/\bsomebody\b|\banybody\b|\bnobody\b|\beverybody\b/gi, 'name the person; no one'],
  [/\btells?\b|\btold\b|\btelling\b/gi, 'notify, report, show'],
  [/\bstands?\b|\bstood\b/gi, 'is, remains'],
  [/\bwish(?:es)?\b/gi, 'request'],
  [/\b(?:in turns?|take turns|its turn|their turn|by turns)\b/gi, 'queue, one after another'],
  [/\bway home\b|\bmoving house\b|\bsecond pair of eyes\b|\bstays on\b|\bred comes back\b/gi, 'plain term'],
  [/\bdoors?\b|\blanes?\b|\bbells?\b|\brooms?\b/gi, 'plain term'],
  [/\bremarks?\b/gi, 'comment'],
  [/\bdeeds?\b/gi, 'action'],
  [/\bletters?\b(?! (?:or|and) (?:digits?|numbers?)|s?,)/gi, 'mail, or letter of the alphabet'],
  [/\bby itself\b|\bof itself\b|\bby themselves\b/gi, 'automatically, alone'],
  [/\bcame of\b|\bcomes of\b|\bbecame of\b|\bbecomes of\b/gi, 'result'],
  [/\bgoes on\b|\bgo on\b|\bwent on\b/gi, 'continue'],
  [/\bends? up\b|\bat its end\b|\bto an end\b|\bat an end\b/gi, 'finish'],
  [/\bfor good\b|\bto be had\b|\bis to be\b|\bare to be\b|\bwas to be\b/gi, 'plain verb'],
  [/\bbeside\b/gi, 'next to, in addition to'],
  [/\bof now\b|\bas of old\b|\bof old\b/gi, 'current, earlier'],
  [/\bit is [a-z]+ that\b|\bis it that\b/gi, 'name the subject'],
  [/\bmust cost\b|\bshall\b/gi, 'must'],
  [/\bin vain\b|\blest\b|\bhence\b|\bthereof\b|\bthereby\b|\bthus\b/gi, 'plain word'],
];

/** Texts that the API specification fixes; `X` replaces an interpolated value. */
const QUOTED: readonly string[] = [
  'cursor is not one that this endpoint issued',
  'cursor is not one that this list gave out',
  '-----BEGIN OPENSSH PRIVATE KEY-----',
];

export interface Passage {
  line: number;
  text: string;
}

interface Hit {
  line: number;
  phrase: string;
  instead: string;
}

export interface Findings {
  words: number;
  hits: Hit[];
}

export function inspectProse(passages: readonly Passage[]): Findings {
  let words = 0;
  const hits: Hit[] = [];
  for (const { line, text } of passages) {
    words += text.match(/[A-Za-z][A-Za-z'’-]*/g)?.length ?? 0;
    if (QUOTED.includes(text.trim())) continue;
    for (const [pattern, instead] of PHRASES) {
      for (const { 0: phrase, index } of text.matchAll(pattern)) {
        const before = text.slice(0, index).split('\n').length - 1;
        hits.push({ line: line + before, phrase: phrase.trim().slice(0, 60), instead });
      }
    }
  }
  return { words, hits };
}

/** Removes code blocks, inline code and link targets from Markdown. */
export function readMarkdown(text: string): Passage[] {
  const plain = text
    .replace(/^---\n[\s\S]*?\n---\n/, (all) => all.replace(/[^\n]/g, ''))
    .replace(/^( *)(```|~~~)[\s\S]*?^\1?\2.*$/gm, (all) => all.replace(/[^\n]/g, ''))
    .replace(/<!--[\s\S]*?-->/g, (all) => all.replace(/[^\n]/g, ''))
    .replace(/`[^`\n]*`/g, 'X')
    .replace(/\]\([^)\s]*\)/g, ']')
    .replace(/https?:\/\/\S+/g, 'X');
  return plain.split('\n').map((line, at) => ({ line: at + 1, text: line }));
}

interface SourceProse {
  comments: Passage[];
  testNames: Passage[];
  /** String literals and JSX texts that read like sentences. */
  texts: Passage[];
}

interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const TEST_CALL = /^(?:it|test|describe|suite)(?:[A-Z]|$)/;

export function readSource(path: string, source: string): SourceProse {
  const { program, comments } = parseSync(path, source);
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  const lineAt = (offset: number) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
  const prose: SourceProse = { comments: [], testNames: [], texts: [] };
  for (const { value, start } of comments) {
    const text = value.replace(/^\s*\*+ ?/gm, '').replace(/`[^`]*`/g, 'X');
    if (!/biome-ignore|@ts-|eslint/.test(text)) prose.comments.push({ line: lineAt(start), text });
  }
  const names = new Set<SyntaxNode>();
  visit(program as unknown as SyntaxNode, (node) => {
    if (node.type === 'CallExpression' && isTestCall(node.callee as SyntaxNode)) {
      const [name] = node.arguments as SyntaxNode[];
      const text = name && textOf(name);
      if (name && text) {
        names.add(name);
        prose.testNames.push({ line: lineAt(name.start), text });
      }
      return;
    }
    if (names.has(node)) return;
    const text = textOf(node);
    if (text && readsLikeProse(text)) prose.texts.push({ line: lineAt(node.start), text });
  });
  return prose;
}

function isTestCall(callee: SyntaxNode): boolean {
  if (callee.type === 'Identifier') return TEST_CALL.test(callee.name as string);
  if (callee.type === 'MemberExpression') return isTestCall(callee.object as SyntaxNode);
  if (callee.type !== 'CallExpression') return false;
  // `it.each(rows)(name)` and `deeply(it)(name)`.
  const [given] = callee.arguments as SyntaxNode[];
  return isTestCall(callee.callee as SyntaxNode) || (given !== undefined && isTestCall(given));
}

function textOf(node: SyntaxNode): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'JSXText') return (node.value as string).replace(/\s+/g, ' ').trim();
  if (node.type !== 'TemplateLiteral') return undefined;
  return (node.quasis as { value: { cooked: string | null } }[])
    .map(({ value }) => value.cooked ?? '')
    .join('X');
}

/** At least two words, and not SQL, a path, a class list or code. */
const readsLikeProse = (text: string): boolean =>
  /[A-Za-z]{2,} [A-Za-z]{2,}/.test(text) &&
  !/^\s*(?:select|insert|update|delete|with|create|alter|drop|from|where|and|or|on|set|values|order|left|inner|join|explain|lock|returning|case|not|exists|lateral|limit|analyze|vacuum|grant|copy)\b/i.test(
    text,
  ) &&
  !/^[a-z0-9]+(?:-[a-z0-9]+)+(?: [a-z0-9-]+)*$/.test(text) &&
  !/[{};]\s*$/m.test(text);

function visit(node: SyntaxNode, look: (node: SyntaxNode) => void): void {
  look(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child === 'object' && typeof (child as SyntaxNode).type === 'string') {
        visit(child as SyntaxNode, look);
      }
    }
  }
}
