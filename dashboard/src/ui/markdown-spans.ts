export type Span =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'break' }
  | { kind: 'strong' | 'emphasis' | 'struck'; spans: Span[] }
  | { kind: 'link'; address: string; spans: Span[] }
  | { kind: 'picture'; address: string; text: string };

/** Maximum nesting of inline formatting, such as bold text in a link. */
const DEEPEST = 6;

/** Sticky expressions match only at the current position, so a long text is scanned once. */
const CODE = /(`+)([^`][\s\S]*?)\1(?!`)/y;
const LINK =
  /\[([^\][]{1,1000})\]\(<?(https?:\/\/[^\s<>()]{1,2000}|\/[^\s<>()]{0,2000})>?(?: "[^"]{0,200}")?\)/y;
const PICTURE = new RegExp(`!${LINK.source}`, 'y');
const ATTACHMENT = /^\/api\/v1\/board\/tasks\/[0-9a-f-]{36}\/attachments\/[0-9a-f-]{36}$/;
const PLAIN_ADDRESS = /https?:\/\/[^\s<>"'`]{1,2000}/y;
const STRONG = /(\*\*|__)(?=\S)([^\n]{1,2000}?\S)\1/y;
const EMPHASIS = /(\*|_)(?=[^\s*_])([^\n*]{0,2000}?[^\s*_])\1(?![\w*])/y;
const STRUCK = /~~(?=\S)([^\n]{1,2000}?\S)~~/y;
const ESCAPED = /\\([!-/:-@[-`{-~])/y;
const SPECIAL = /[`[!*_~\\\nh]/g;

export function parseSpans(text: string, depth = 0): Span[] {
  const spans: Span[] = [];
  let plain = '';
  let at = 0;
  const push = (span: Span) => {
    if (plain) spans.push({ kind: 'text', text: plain });
    plain = '';
    spans.push(span);
  };
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const next = SPECIAL.exec(text)?.index ?? text.length;
    plain += text.slice(at, next);
    if (next === text.length) break;
    const found = depth < DEEPEST ? readSpan(text, next, depth) : undefined;
    if (found?.span) push(found.span);
    else plain += found ? found.text : text[next];
    at = next + (found?.length ?? 1);
  }
  if (plain) spans.push({ kind: 'text', text: plain });
  return spans;
}

interface Found {
  length: number;
  span?: Span;
  text?: string;
}

function readSpan(text: string, at: number, depth: number): Found | undefined {
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const inner = (words: string) => parseSpans(words, depth + 1);
  let found: RegExpExecArray | null;
  switch (text[at]) {
    case '\n':
      return { length: 1, span: { kind: 'break' } };
    case '\\':
      found = match(ESCAPED);
      return found ? { length: 2, text: found[1] } : undefined;
    case '`':
      found = match(CODE);
      return found ? { length: found[0].length, span: { kind: 'code', text: found[2]!.trim() } } : undefined;
    // External pictures become links, so that reading a text never contacts another server.
    case '!':
    case '[':
      found = match(text[at] === '!' ? PICTURE : LINK);
      if (found && text[at] === '!' && ATTACHMENT.test(found[2]!))
        return {
          length: found[0].length,
          span: { kind: 'picture', address: found[2]!, text: found[1]! },
        };
      return found
        ? { length: found[0].length, span: { kind: 'link', address: found[2]!, spans: inner(found[1]!) } }
        : undefined;
    case 'h':
      return startsWord(text, at) ? readAddress(match(PLAIN_ADDRESS)) : undefined;
    case '~':
      found = match(STRUCK);
      return found
        ? { length: found[0].length, span: { kind: 'struck', spans: inner(found[1]!) } }
        : undefined;
    default:
      return readStress(text, at, match, inner);
  }
}

function readStress(
  text: string,
  at: number,
  match: (pattern: RegExp) => RegExpExecArray | null,
  inner: (words: string) => Span[],
): Found | undefined {
  // Underscores inside words, as in snake_case_names, are not emphasis.
  if (text[at] === '_' && !startsWord(text, at)) return undefined;
  const strong = match(STRONG);
  if (strong) return { length: strong[0].length, span: { kind: 'strong', spans: inner(strong[2]!) } };
  const emphasis = match(EMPHASIS);
  if (emphasis) return { length: emphasis[0].length, span: { kind: 'emphasis', spans: inner(emphasis[2]!) } };
  return undefined;
}

const startsWord = (text: string, at: number): boolean => at === 0 || !/\w/.test(text[at - 1]!);

/** Trailing punctuation is not part of a URL. */
function readAddress(found: RegExpExecArray | null): Found | undefined {
  if (!found) return undefined;
  const address = found[0].replace(/[.,;:!?)\]]+$/, '');
  return {
    length: address.length,
    span: { kind: 'link', address, spans: [{ kind: 'text', text: address }] },
  };
}
