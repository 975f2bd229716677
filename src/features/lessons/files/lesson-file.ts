import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import { isInvolvedYaml } from '../../../../packages/protocol/involved-yaml.js';
import { type Anchor, isStorable, parseAnchor } from './anchors.js';

/** The message explains the error to the file's author. */
class Unreadable extends Error {}

type Fields = ReadonlyMap<unknown, unknown>;

const MAX_CHARACTERS = 16 * 1024;

const TOO_LARGE = 'the front matter is larger than 16 KB';
const TOO_INVOLVED = 'the front matter has more keys, list items, levels or escapes than are read';

function splitFrontMatter(content: string): { head: string; body: string } {
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

/** The position after a line of `---` at this position, if there is one. */
function behindRule(text: string, at: number): number | undefined {
  if (!text.startsWith('---', at)) return undefined;
  let end = at + 3;
  while (text[end] === ' ' || text[end] === '\t') end++;
  if (end === text.length) return end;
  return text[end] === '\n' ? end + 1 : undefined;
}

function readFields(head: string): Fields {
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

export type LessonStatus = 'live' | 'retired' | 'superseded';

export interface LessonDraft {
  id: string;
  path: string;
  type: string;
  title: string;
  body: string;
  pinned: boolean;
  author: string | null;
  card: string | null;
  scope: string | null;
  status: LessonStatus;
  supersededBy: string | null;
  anchors: { written: string; anchor: Anchor }[];
  contentHash: string;
  /** The texts that duplicates are compared by. */
  texts: { hash: string; text: string }[];
}

export interface LessonReading {
  draft?: LessonDraft;
  warnings: string[];
}

const MAX_CONTENT = 1024 * 1024;
const MAX_PATH = 500;
/** One response contains up to 500 bodies. */
const MAX_BODY = 32 * 1024;
const MAX_ANCHORS = 200;
const MAX_COMPARED = 8000;
const STATUSES: readonly string[] = ['live', 'retired', 'superseded'];

/** The lesson's id, or undefined when the path is not `lessons/<area>/<slug>.md`. */
export function lessonIdOf(path: string): string | undefined {
  if (path.length > MAX_PATH || !path.endsWith('.md')) return undefined;
  const parts = path.split('/');
  if (parts.length < 3 || parts[0] !== 'lessons') return undefined;
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && part !== '.md');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
  return isPlain && !/[\u0000-\u001f\\]/.test(path)
    ? path.slice('lessons/'.length, -'.md'.length)
    : undefined;
}

export function readLessonFile(path: string, content: string): LessonReading {
  const id = lessonIdOf(path);
  if (id === undefined)
    return { warnings: [`${path.slice(0, MAX_PATH)}: a lesson file is lessons/<area>/<slug>.md`] };
  try {
    return readDraft(id, path, content);
  } catch (error) {
    if (error instanceof Unreadable) return { warnings: [`${path}: ${error.message}`] };
    throw error;
  }
}

function readDraft(id: string, path: string, content: string): LessonReading {
  if (content.length > MAX_CONTENT) throw new Unreadable('the file is larger than 1 MB');
  if (content.includes('\0')) throw new Unreadable('the file is not text');
  const { head, body } = splitFrontMatter(content);
  if (body.length > MAX_BODY) throw new Unreadable('the body is longer than 32 KB');
  const fields = readFields(head);
  const title =
    optionalText(fields, 'title') ??
    headingOf(body) ??
    id.slice(id.lastIndexOf('/') + 1).replaceAll('-', ' ');
  const supersededBy = optionalText(fields, 'superseded_by');
  const warnings: string[] = [];
  const anchors = readAnchors(fields).flatMap((written) => {
    const anchor = isStorable(written) ? parseAnchor(written) : undefined;
    if (!anchor) warnings.push(`${path}: the anchor ${JSON.stringify(written.slice(0, 200))} is invalid`);
    return anchor ? [{ written, anchor }] : [];
  });
  const draft: LessonDraft = {
    id,
    path,
    type: requiredType(fields),
    title,
    body,
    pinned: readPinned(fields),
    author: optionalText(fields, 'author'),
    card: optionalText(fields, 'card'),
    scope: optionalText(fields, 'scope'),
    status: readStatus(fields, supersededBy),
    supersededBy,
    anchors,
    contentHash: hashOf(content),
    texts: comparedTexts(optionalText(fields, 'title'), body, title),
  };
  return { draft, warnings };
}

function requiredType(fields: Fields): string {
  const type = optionalText(fields, 'type');
  if (type === null) throw new Unreadable('type is required');
  if (type.length > 100) throw new Unreadable('type is longer than 100 characters');
  return type;
}

function optionalText(fields: Fields, name: string): string | null {
  const value = fields.get(name);
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw new Unreadable(`${name} must be a text`);
  const text = String(value).trim();
  if (text.includes('\0') || !text.isWellFormed()) throw new Unreadable(`${name} must be a text`);
  if (text.length > 1000) throw new Unreadable(`${name} is longer than 1000 characters`);
  return text === '' ? null : text;
}

function readPinned(fields: Fields): boolean {
  const value = fields.get('pinned') ?? false;
  if (typeof value !== 'boolean') throw new Unreadable('pinned must be true or false');
  return value;
}

function readStatus(fields: Fields, supersededBy: string | null): LessonStatus {
  const value = fields.get('status') ?? (supersededBy === null ? 'live' : 'superseded');
  if (typeof value !== 'string' || !STATUSES.includes(value))
    throw new Unreadable(`status must be one of: ${STATUSES.join(', ')}`);
  return value as LessonStatus;
}

function readAnchors(fields: Fields): string[] {
  const value = fields.get('anchors') ?? [];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string' && item.isWellFormed()))
    throw new Unreadable('anchors must be a list of texts');
  if (value.length > MAX_ANCHORS) throw new Unreadable(`more than ${MAX_ANCHORS} anchors`);
  return [...new Set(value as string[])];
}

function headingOf(body: string): string | null {
  for (const line of body.split('\n')) {
    const mark = /^#{1,6}[ \t]/.exec(line);
    const heading = mark ? trimHeading(line.slice(mark[0].length)) : '';
    if (heading !== '') return heading.slice(0, 500);
  }
  return null;
}

function trimHeading(written: string): string {
  const text = written.trim();
  let end = text.length;
  while (text[end - 1] === '#') end--;
  const isClosed = end === 0 || text[end - 1] === ' ' || text[end - 1] === '\t';
  return isClosed ? text.slice(0, end).trimEnd() : text;
}

/** The body alone and with its title, because a duplicate may repeat either. */
function comparedTexts(written: string | null, body: string, title: string): LessonDraft['texts'] {
  return textsOf(written ?? '', body, title).map((text) => ({ hash: hashOf(text), text }));
}

export function textsOf(written: string, body: string, title: string): string[] {
  const texts = [body, written === '' ? '' : `${written}\n\n${body}`].map((text) =>
    text.trim().slice(0, MAX_COMPARED),
  );
  const distinct = [...new Set(texts)].filter((text) => text !== '');
  return distinct.length > 0 ? distinct : [title];
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
