export const SOURCES = ['github', 'gitlab', 'linear', 'jira', 'trello', 'csv'] as const;
export type Source = (typeof SOURCES)[number];

export interface Someone {
  name: string;
  email: string | null;
}

export interface RecordComment {
  author: Someone | null;
  at: string | null;
  body: string;
}

/** One card to be, as its source tells of it. Times are ISO texts: records travel between threads and into the database. */
export interface ImportRecord {
  /** What it is called there; the first is the one that people say. */
  keys: string[];
  /** The key of what it stands below. */
  parent: string | null;
  url: string | null;
  title: string;
  body: string;
  state: string | null;
  archived: boolean;
  labels: string[];
  assignee: Someone | null;
  reporter: Someone | null;
  priority: string | null;
  dueAt: string | null;
  createdAt: string | null;
  completedAt: string | null;
  estimate: number | null;
  checklist: { done: number; total: number } | null;
  comments: RecordComment[];
  /** What is told in the card's text because no field could take it. */
  notes: string[];
}

/** A row of the source: a record, or why there is none. */
export type ReadRow = { row: number; record: ImportRecord } | { row: number; reason: string };

/** What is wrong with the whole of a file. */
export class UnreadableExport extends Error {
  override name = 'UnreadableExport';
}

const NOTHING: Omit<ImportRecord, 'title'> = {
  keys: [],
  parent: null,
  url: null,
  body: '',
  state: null,
  archived: false,
  labels: [],
  assignee: null,
  reporter: null,
  priority: null,
  dueAt: null,
  createdAt: null,
  completedAt: null,
  estimate: null,
  checklist: null,
  comments: [],
  notes: [],
};

const LONGEST_TITLE = 500;
const LARGEST_BODY = 1_000_000;
const LONGEST_COMMENT = 60_000;
const LONGEST_LABEL = 100;
const MOST_LABELS = 100;
const MOST_COMMENTS = 1000;
const LONGEST_WORD = 50;
const LONGEST_STATE = 100;
const LONGEST_NAME = 200;
const LONGEST_URL = 2000;
const LONGEST_KEY = 500;
const LARGEST_ESTIMATE = 1e15;

/** Text that the database can keep: without NULs and halves of characters, lines ended in one way. */
export function clean(text: string): string {
  const lines = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  return (lines.includes('\0') ? lines.replaceAll('\0', '') : lines).toWellFormed();
}

const oneLine = (text: string): string => clean(text).replace(/\s+/g, ' ').trim();
const cut = (text: string, length: number): string =>
  text.length <= length
    ? text
    : text
        .slice(0, length)
        .toWellFormed()
        .replace(/\uFFFD$/, '');

/** By bytes, as the database's own bound is. */
function cutBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\uFFFD+$/, '');
}

const textOrNull = (text: string | null, length: number): string | null => {
  if (text === null) return null;
  const tidy = cut(oneLine(text), length);
  return tidy === '' ? null : tidy;
};

/** The record within all bounds of a card, or why it can be none. */
export function tidyRecord(given: Partial<ImportRecord>): ImportRecord | string {
  const record = { ...NOTHING, ...given };
  const whole = oneLine(record.title ?? '');
  if (whole === '') return 'It has no title';
  const title = whole.length <= LONGEST_TITLE ? whole : `${cut(whole, LONGEST_TITLE - 1)}…`;
  const text = clean(record.body).trim();
  const body = title === whole ? text : `${whole}\n\n${text}`;
  const said = record.comments.filter((comment) => comment.body.trim() !== '');
  const comments = tidyComments(said);
  return {
    keys: [...new Set(record.keys.map((key) => oneLine(key)).filter((key) => key !== ''))]
      .map((key) => cut(key, LONGEST_KEY))
      .slice(0, 5),
    parent: textOrNull(record.parent, LONGEST_KEY),
    url: readUrl(record.url),
    title,
    body: cutBytes(body, LARGEST_BODY),
    state: textOrNull(record.state, LONGEST_STATE),
    archived: record.archived,
    labels: [...new Set(record.labels.map((label) => cut(oneLine(label), LONGEST_LABEL)))]
      .filter((label) => label !== '')
      .slice(0, MOST_LABELS),
    assignee: tidyPerson(record.assignee),
    reporter: tidyPerson(record.reporter),
    priority: textOrNull(record.priority, LONGEST_WORD)?.toLowerCase() ?? null,
    dueAt: record.dueAt,
    createdAt: record.createdAt,
    completedAt: record.completedAt,
    estimate: isEstimate(record.estimate) ? record.estimate : null,
    checklist: record.checklist,
    comments,
    notes: [
      ...record.notes.map((note) => cut(oneLine(note), 300)).slice(0, 20),
      ...(comments.length < said.length
        ? [`${said.length - comments.length} more comments were left behind`]
        : []),
    ],
  };
}

/** As many as one card can be expected to hold. */
function tidyComments(said: readonly RecordComment[]): RecordComment[] {
  const comments: RecordComment[] = [];
  let characters = 0;
  for (const { author, at, body } of said) {
    const comment = { author: tidyPerson(author), at, body: cut(clean(body).trim(), LONGEST_COMMENT) };
    characters += comment.body.length;
    if (comments.length === MOST_COMMENTS || characters > LARGEST_BODY) break;
    comments.push(comment);
  }
  return comments;
}

const isEstimate = (value: number | null): value is number =>
  value !== null && Number.isFinite(value) && value >= 0 && value <= LARGEST_ESTIMATE;

function readUrl(text: string | null): string | null {
  const url = text === null ? '' : clean(text).trim();
  return url.length <= LONGEST_URL && /^https?:\/\/[^\s]+$/i.test(url) && URL.canParse(url) ? url : null;
}

const tidyPerson = (someone: Someone | null): Someone | null => {
  if (!someone) return null;
  const name = cut(oneLine(someone.name), LONGEST_NAME);
  const email = someone.email === null ? null : cut(oneLine(someone.email), LONGEST_NAME).toLowerCase();
  return name === '' && !email ? null : { name: name || (email as string), email: email || null };
};

const ADDRESS = /^[^\s<>@]{1,100}@[^\s<>@]{1,150}$/;

/** `Ada Lindqvist <ada@acme.example>`, an address alone, or a name alone. */
export function readPerson(text: string | null | undefined): Someone | null {
  const given = oneLine((text ?? '').slice(0, 1000));
  if (given === '') return null;
  const open = given.lastIndexOf('<');
  if (open >= 0 && given.endsWith('>')) {
    const email = given.slice(open + 1, -1).trim();
    if (ADDRESS.test(email)) return { name: given.slice(0, open).trim() || email, email };
  }
  return ADDRESS.test(given) ? { name: given, email: given } : { name: given, email: null };
}
