import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import { type Anchor, isStorable, parseAnchor } from './anchors.js';

export type LessonStatus = 'live' | 'retired' | 'superseded';

/** What a lesson file says. */
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
  /** Hashes of the texts it is compared by, and the texts themselves. */
  texts: { hash: string; text: string }[];
}

export interface LessonReading {
  /** Absent when the file cannot be read. */
  draft?: LessonDraft;
  warnings: string[];
}

const MAX_CONTENT = 1024 * 1024;
const MAX_ANCHORS = 200;
const MAX_COMPARED = 8000;
const STATUSES: readonly string[] = ['live', 'retired', 'superseded'];

/** The lesson's id, or undefined when the path is not `lessons/<area>/<slug>.md`. */
export function lessonIdOf(path: string): string | undefined {
  const parts = path.split('/');
  if (parts.length < 3 || parts[0] !== 'lessons' || !path.endsWith('.md') || path.length > 500)
    return undefined;
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && part !== '.md');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
  return isPlain && !/[\u0000-\u001f\\]/.test(path)
    ? path.slice('lessons/'.length, -'.md'.length)
    : undefined;
}

class Unreadable extends Error {}

export function readLessonFile(path: string, content: string): LessonReading {
  const id = lessonIdOf(path);
  if (id === undefined) return { warnings: [`${path}: a lesson file is lessons/<area>/<slug>.md`] };
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
  const fields = readFields(head);
  const title =
    optionalText(fields, 'title') ??
    headingOf(body) ??
    id.slice(id.lastIndexOf('/') + 1).replaceAll('-', ' ');
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
    status: readStatus(fields),
    supersededBy: optionalText(fields, 'superseded_by'),
    anchors,
    contentHash: hashOf(content),
    texts: comparedTexts(optionalText(fields, 'title'), body, title),
  };
  return { draft, warnings };
}

function splitFrontMatter(content: string): { head: string; body: string } {
  const text = content.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const match = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(text);
  if (!match) throw new Unreadable('the front matter is missing');
  return { head: match[1]!, body: text.slice(match[0].length).trim() };
}

function readFields(head: string): Map<unknown, unknown> {
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

function requiredType(fields: Map<unknown, unknown>): string {
  const type = optionalText(fields, 'type');
  if (type === null) throw new Unreadable('type is required');
  if (type.length > 100) throw new Unreadable('type is longer than 100 characters');
  return type;
}

function optionalText(fields: Map<unknown, unknown>, name: string): string | null {
  const value = fields.get(name);
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw new Unreadable(`${name} must be a text`);
  const text = String(value).trim();
  if (text.includes('\0') || !text.isWellFormed()) throw new Unreadable(`${name} must be a text`);
  if (text.length > 1000) throw new Unreadable(`${name} is longer than 1000 characters`);
  return text === '' ? null : text;
}

function readPinned(fields: Map<unknown, unknown>): boolean {
  const value = fields.get('pinned') ?? false;
  if (typeof value !== 'boolean') throw new Unreadable('pinned must be true or false');
  return value;
}

function readStatus(fields: Map<unknown, unknown>): LessonStatus {
  const value = fields.get('status') ?? 'live';
  if (typeof value !== 'string' || !STATUSES.includes(value))
    throw new Unreadable(`status must be one of: ${STATUSES.join(', ')}`);
  return value as LessonStatus;
}

function readAnchors(fields: Map<unknown, unknown>): string[] {
  const value = fields.get('anchors') ?? [];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string' && item.isWellFormed()))
    throw new Unreadable('anchors must be a list of texts');
  if (value.length > MAX_ANCHORS) throw new Unreadable(`more than ${MAX_ANCHORS} anchors`);
  return [...new Set(value as string[])];
}

function headingOf(body: string): string | null {
  const heading = /^#{1,6}[ \t]+(.+?)[ \t]*#*$/m.exec(body)?.[1]?.trim();
  return heading ? heading.slice(0, 500) : null;
}

/** The body alone, and under its title: a text that repeats either one is found. */
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
