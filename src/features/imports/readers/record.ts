export const SOURCES = ['github', 'gitlab', 'linear', 'jira', 'trello', 'csv'] as const;
export type Source = (typeof SOURCES)[number];

export interface Someone {
  name: string;
  email: string | null;
  /** The sign-in name in the source; people are mapped by it. */
  login?: string | null;
}

export interface RecordComment {
  author: Someone | null;
  at: string | null;
  body: string;
}

/** Times are ISO texts, because records pass between threads and into JSON columns. */
export interface ImportRecord {
  /** The keys of the item in its source; the first one is shown to people. */
  keys: string[];
  parent: string | null;
  /** Keys of the blockers. */
  blockedBy: string[];
  url: string | null;
  title: string;
  body: string;
  state: string | null;
  archived: boolean;
  labels: string[];
  assignee: Someone | null;
  /** Further assignees; a card has one assignee, so they become watchers. */
  others: Someone[];
  watchers: Someone[];
  reporter: Someone | null;
  priority: string | null;
  dueAt: string | null;
  createdAt: string | null;
  completedAt: string | null;
  estimate: number | null;
  checklist: { done: number; total: number } | null;
  comments: RecordComment[];
  /** Lines for the card's text about values that have no field. */
  notes: string[];
  /** Readable descriptions of the data that is left out. */
  lost: string[];
}

export interface Draft extends Partial<Omit<ImportRecord, 'keys' | 'title' | 'body'>> {
  keys?: (string | number | null)[];
  title: string | null;
  body?: string | null;
  losses?: Partial<Record<keyof typeof LOSSES, boolean>>;
  unreadColumns?: string[];
}

export type DraftRow = { row: number; draft: Draft } | { row: number; reason: string };
export type ReadRow = { row: number; record: ImportRecord } | { row: number; reason: string };

export class UnreadableExport extends Error {
  override name = 'UnreadableExport';
}

const EMPTY: Omit<ImportRecord, 'title'> = {
  keys: [],
  parent: null,
  blockedBy: [],
  url: null,
  body: '',
  state: null,
  archived: false,
  labels: [],
  assignee: null,
  others: [],
  watchers: [],
  reporter: null,
  priority: null,
  dueAt: null,
  createdAt: null,
  completedAt: null,
  estimate: null,
  checklist: null,
  comments: [],
  notes: [],
  lost: [],
};

/** Adds the newer fields to a record that an older version stored. */
export const completeRecord = (stored: ImportRecord): ImportRecord => ({ ...EMPTY, ...stored });

/** Kinds of data that an import leaves out, each counted over the affected cards. */
export const LOSSES = {
  attachments: 'Attachments: linked in the text, not copied',
  commentTexts: 'Comments: the file has only their number',
  olderComments: 'Older comments: the file does not have them',
  moreComments: 'Comments beyond 1,000 or 1 MB a card',
  moreLabels: 'Labels beyond 100 a card',
  longText: 'Text beyond 1 MB a card',
  customFields: 'Custom fields',
  votes: 'Votes',
  workLog: 'Work log',
  timeSpent: 'Time tracking',
  projectBoards: 'Project boards and their fields',
  formerMembers: 'Members who have left the board',
  checklistDetails: 'Due dates and members of checklist items',
  links: 'Links to items that are not imported: named in the text',
  confidential: 'Confidentiality: everyone who can open the board sees the card',
} as const;

const LONGEST_COLUMN = 80;

export const lostColumn = (name: string): string =>
  `Column ${name.length > LONGEST_COLUMN ? `${name.slice(0, LONGEST_COLUMN)}…` : name}`;

export const lostField = (name: string): string => `Field ${name.slice(0, LONGEST_COLUMN)}`;

const listLosses = (losses: NonNullable<Draft['losses']>): string[] =>
  Object.entries(losses).flatMap(([name, isLost]) => (isLost ? LOSSES[name as keyof typeof LOSSES] : []));

const LONGEST_TITLE = 500;
const LARGEST_BODY = 1_000_000;
const LONGEST_COMMENT = 60_000;
const LONGEST_LABEL = 100;
const MOST_LABELS = 100;
const MOST_COMMENTS = 1000;
const MOST_BLOCKERS = 50;
const MOST_PEOPLE = 50;
const MOST_LOSSES = 100;
const LONGEST_WORD = 50;
const LONGEST_STATE = 100;
const LONGEST_NAME = 200;
const LONGEST_URL = 2000;
const LONGEST_KEY = 500;
const LARGEST_ESTIMATE = 1e15;

/** Removes NULs and lone surrogates, which PostgreSQL rejects, and normalizes line ends. */
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

/** Cuts by bytes, like the database constraint, and never inside a character. */
function cutBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, bytes), {
    stream: true,
  });
}

const textOrNull = (text: string | null, length: number): string | null => {
  if (text === null) return null;
  const tidy = cut(oneLine(text), length);
  return tidy === '' ? null : tidy;
};

/** Cuts the record to the limits of a card, or returns the reason why it cannot become one. */
export function tidyRecord(draft: Draft): ImportRecord | string {
  const { losses = {}, unreadColumns = [], ...given } = draft;
  const record = { ...EMPTY, ...given };
  const whole = oneLine(record.title ?? '');
  if (whole === '') return 'It has no title';
  const title = whole.length <= LONGEST_TITLE ? whole : `${cut(whole, LONGEST_TITLE - 1)}…`;
  const text = clean(record.body ?? '').trim();
  const body = title === whole ? text : `${whole}\n\n${text}`;
  const kept = cutBytes(body, LARGEST_BODY);
  const said = record.comments.filter((comment) => comment.body.trim() !== '');
  const comments = tidyComments(said);
  const labels = new Set(record.labels.map((label) => cut(oneLine(label), LONGEST_LABEL)));
  labels.delete('');
  return {
    keys: [...new Set(record.keys.map((key) => oneLine(String(key ?? ''))).filter((key) => key !== ''))]
      .map((key) => cut(key, LONGEST_KEY))
      .slice(0, 5),
    parent: textOrNull(record.parent, LONGEST_KEY),
    blockedBy: [...new Set(record.blockedBy.flatMap((key) => textOrNull(key, LONGEST_KEY) ?? []))].slice(
      0,
      MOST_BLOCKERS,
    ),
    url: readUrl(record.url),
    title,
    body: kept,
    state: textOrNull(record.state, LONGEST_STATE),
    archived: record.archived,
    labels: [...labels].slice(0, MOST_LABELS),
    assignee: tidyPerson(record.assignee),
    others: tidyPeople(record.others),
    watchers: tidyPeople(record.watchers),
    reporter: tidyPerson(record.reporter),
    priority: readPriority(textOrNull(record.priority, LONGEST_WORD)),
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
    lost: [
      ...[...record.lost, ...listLosses(losses), ...unreadColumns].slice(0, MOST_LOSSES),
      ...(kept.length < body.length ? [LOSSES.longText] : []),
      ...(labels.size > MOST_LABELS ? [LOSSES.moreLabels] : []),
      ...(comments.length < said.length ? [LOSSES.moreComments] : []),
    ],
  };
}

const tidyPeople = (people: readonly Someone[]): Someone[] =>
  people.slice(0, MOST_PEOPLE).flatMap((someone) => tidyPerson(someone) ?? []);

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
  const tidy = (text: string | null | undefined) => cut(oneLine(text ?? ''), LONGEST_NAME);
  const [name, email, login] = [
    tidy(someone.name),
    tidy(someone.email).toLowerCase() || null,
    tidy(someone.login) || null,
  ];
  const called = name || login || email;
  return called === null ? null : { name: called, email, ...(login !== null && { login }) };
};

export const personKey = ({ login, name }: Someone): string => (login ?? name).toLowerCase();

const ADDRESS = /^[^\s<>@]{1,100}@[^\s<>@]{1,150}$/;

/** Accepts `Ada Lindqvist <ada@acme.example>`, an address alone, or a name alone. */
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

/** Maps the priority names of other products to ours; unknown names are kept. */
const PRIORITIES: Record<string, string | null> = {
  highest: 'urgent',
  blocker: 'urgent',
  critical: 'urgent',
  major: 'high',
  medium: 'normal',
  minor: 'low',
  lowest: 'low',
  trivial: 'low',
  none: null,
  'no priority': null,
};

function readPriority(word: string | null): string | null {
  const key = word?.toLowerCase() ?? null;
  return key !== null && Object.hasOwn(PRIORITIES, key) ? PRIORITIES[key]! : key;
}
