import { parse } from 'yaml';
import { isInvolvedYaml } from '../../../../packages/protocol/involved-yaml.js';

/** A file that is no lesson, in words for its author. */
export class Unreadable extends Error {}

export type Fields = ReadonlyMap<unknown, unknown>;

const MAX_CHARACTERS = 16 * 1024;

const TOO_LARGE = 'the front matter is larger than 16 KB';
const TOO_INVOLVED = 'the front matter has more keys, list items, levels or escapes than are read';

export function splitFrontMatter(content: string): { head: string; body: string } {
  const text = content.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const start = behindRule(text, 0);
  if (start === undefined) throw new Unreadable('the front matter is missing');
  for (let line = start; line - start <= MAX_CHARACTERS; ) {
    const end = behindRule(text, line);
    if (end !== undefined) return { head: text.slice(start, line), body: text.slice(end).trim() };
    const next = text.indexOf('\n', line);
    if (next < 0) throw new Unreadable('the front matter is missing');
    line = next + 1;
  }
  throw new Unreadable(TOO_LARGE);
}

/** Where the text behind a line of `---` begins, when there is one at this place. */
function behindRule(text: string, at: number): number | undefined {
  if (!text.startsWith('---', at)) return undefined;
  let end = at + 3;
  while (text[end] === ' ' || text[end] === '\t') end++;
  if (end === text.length) return end;
  return text[end] === '\n' ? end + 1 : undefined;
}

export function readFields(head: string): Fields {
  if (head.length > MAX_CHARACTERS) throw new Unreadable(TOO_LARGE);
  if (isInvolvedYaml(head)) throw new Unreadable(TOO_INVOLVED);
  let fields: unknown;
  try {
    fields = parse(head, {
      mapAsMap: true,
      schema: 'core',
      maxAliasCount: 50,
      prettyErrors: false,
      logLevel: 'error',
    });
  } catch {
    throw new Unreadable('the front matter is not valid YAML');
  }
  if (!(fields instanceof Map))
    throw new Unreadable(fields === null ? 'type is required' : 'the front matter is not a mapping');
  return fields;
}
