interface Range {
  start: number;
  end: number;
}

interface Token extends Range {
  word: string;
  /** The nesting depth of parentheses and `case … end`. */
  depth: number;
}

/** One condition or assignment of a statement, and the text without it. */
export interface SqlMutant extends Range {
  replacement: string;
  what: 'condition dropped' | 'assignment dropped';
}

const TOKEN = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|[A-Za-z_][\w.]*|[(),]/g;
const ENDS_CONDITION = new Set(
  'group order limit offset returning for union having window where on set join left right inner cross full values select from do'.split(
    ' ',
  ),
);
const ENDS_ASSIGNMENTS = new Set(['where', 'from', 'returning']);

/**
 * Lists the conditions and assignments of an SQL text that can be left out one by one. `holes` are the
 * positions of `${…}`. Conditions follow `where`, `on` and `and`; assignments follow `set`.
 */
export function listSqlMutants(text: string, holes: readonly Range[]): SqlMutant[] {
  const tokens = readTokens(text, holes);
  const found: SqlMutant[] = [];
  tokens.forEach((token, at) => {
    const next = tokens[at + 1];
    if (token.word === 'where' || (token.word === 'on' && next?.word !== 'conflict')) {
      for (const part of split(tokens, at, 'and', ENDS_CONDITION)) {
        found.push({ ...trim(text, part), replacement: 'true', what: 'condition dropped' });
      }
    }
    if (token.word !== 'set' || next?.word === 'local') return;
    const parts = split(tokens, at, ',', ENDS_ASSIGNMENTS);
    if (parts.length < 2) return;
    parts.forEach((part, index) => {
      // Includes the following comma, or the preceding one for the last part.
      const range =
        index < parts.length - 1
          ? { start: part.start, end: parts[index + 1]!.start }
          : { start: parts[index - 1]!.end, end: trim(text, part).end };
      found.push({ ...range, replacement: '', what: 'assignment dropped' });
    });
  });
  return found;

  /** Splits the text after a keyword into its parts, up to the end of the clause. */
  function split(all: Token[], at: number, separator: string, ends: ReadonlySet<string>): Range[] {
    const { depth, end } = all[at]!;
    const parts: Range[] = [];
    let start = end;
    let between = false;
    for (const token of all.slice(at + 1)) {
      if (
        token.depth < depth ||
        (token.depth === depth && ends.has(token.word) && token.word !== separator)
      ) {
        return finish(token.start);
      }
      if (token.depth !== depth) continue;
      if (token.word === 'between') between = true;
      else if (token.word === separator && between) between = false;
      else if (token.word === separator) {
        parts.push({ start, end: token.start });
        start = token.end;
      }
    }
    return finish(text.length);

    function finish(stop: number): Range[] {
      parts.push({ start, end: stop });
      return parts.filter((part) => text.slice(part.start, part.end).trim() !== '');
    }
  }
}

function readTokens(text: string, holes: readonly Range[]): Token[] {
  let plain = text;
  for (const { start, end } of holes) {
    plain = plain.slice(0, start) + ' '.repeat(end - start) + plain.slice(end);
  }
  const tokens: Token[] = [];
  let depth = 0;
  for (const { 0: raw, index } of plain.matchAll(TOKEN)) {
    if (/^['"-]/.test(raw)) continue;
    const word = raw.toLowerCase();
    if (word === ')' || word === 'end') depth -= 1;
    tokens.push({ word, depth, start: index, end: index + raw.length });
    if (word === '(' || word === 'case') depth += 1;
  }
  return tokens;
}

function trim(text: string, { start, end }: Range): Range {
  const inner = text.slice(start, end);
  return { start: start + inner.search(/\S/), end: start + inner.trimEnd().length };
}
