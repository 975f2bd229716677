import { documentText, markdownOfJira } from './jira-text.js';
import { lostField, type RecordComment, readPerson } from './record.js';
import type { NamedCells, TableReader } from './table.js';
import type { JsonReader } from './values.js';
import { asNumber, type JsonValue, personNamed, prefixLabels, readTime, writeAttachments } from './values.js';

const EPIC_LINK = 'customfield_10014';
const STORY_POINTS = 'customfield_10016';

/** A search response; with `expand=names` it contains the names of custom fields. */
export const JIRA_JSON: JsonReader = {
  lists: ['issues'],
  toDraft(issue, whole) {
    const fields = issue.at('fields');
    const key = issue.text('key');
    const nameOf = (field: string) => fields.at(field).text('name');
    const namesOf = (field: string) => fields.list(field).map((each) => each.text('name'));
    const { blockedBy, notes } = sortLinks(fields.list('issuelinks').flatMap(readIssueLinks));
    const custom = readCustomFields(fields, whole.at('names'));
    const comments = fields.at('comment');
    const listed = comments.list('comments');
    const files = fields
      .list('attachment')
      .map((file) => ({ name: file.text('filename'), url: file.text('content') }));
    return {
      keys: [key, issue.text('id')],
      parent: fields.at('parent').text('key') ?? fields.text(EPIC_LINK),
      blockedBy,
      url: pageOf(issue.text('self'), key),
      title: fields.text('summary'),
      body: writeBody(
        documentText(fields.at('description').raw),
        documentText(fields.at('environment').raw),
        files,
      ),
      state: canceledState(nameOf('resolution')) ?? nameOf('status'),
      labels: [
        ...fields.list('labels').map((label) => label.text() ?? ''),
        ...prefixLabels('type', nameOf('issuetype')),
        ...prefixLabels('component', ...namesOf('components')),
        ...prefixLabels('version', ...namesOf('fixVersions')),
        ...prefixLabels('sprint', ...custom.sprints),
      ],
      assignee: personOf(fields.at('assignee')),
      reporter: personOf(fields.at('reporter')) ?? personOf(fields.at('creator')),
      priority: nameOf('priority'),
      dueAt: fields.time('duedate'),
      createdAt: fields.time('created'),
      completedAt: fields.time('resolutiondate'),
      estimate: custom.estimate,
      comments: listed.map(readIssueComment),
      notes: [...notes, ...writeAffected(namesOf('versions'))],
      lost: custom.lost,
      losses: {
        attachments: files.length > 0,
        olderComments: (comments.number('total') ?? 0) > listed.length,
        votes: fields.at('votes').isPositive('votes'),
        workLog: fields.at('worklog').isPositive('total'),
        timeSpent: fields.isPositive('timespent'),
        confidential: nameOf('security') !== null,
      },
    };
  },
};

/** The CSV export, in which several columns can have the same name. */
export const JIRA_TABLE: TableReader = {
  titles: ['summary'],
  ignored: [
    ...['project key', 'project name', 'project type', 'project lead', 'project lead id', 'project url'],
    ...['project description', 'updated', 'last viewed', 'status category', 'status category changed'],
    ...['creator id', 'assignee id', 'reporter id', 'watchers id', 'parent summary', 'work ratio'],
    ...['custom field (epic name)', 'custom field (epic color)', 'custom field (epic status)'],
    ...[
      'custom field (rank)',
      'custom field (development)',
      'custom field (issue color)',
      'epic link summary',
    ],
    ...['custom field ([chart] time in status)', 'custom field ([chart] date of first response)'],
    ...['σ original estimate', 'σ remaining estimate', 'σ time spent', 'σ progress', 'progress'],
  ],
  toDraft(cells) {
    const { blockedBy, notes } = sortLinks(readCellLinks(cells));
    const files = cells.all('attachment', 'attachments').map(readFile);
    const status = cells.get('status');
    const times = cells.all('time spent', 'original estimate', 'remaining estimate');
    return {
      keys: [cells.get('issue key', 'key'), cells.get('issue id')],
      parent: cells.get('parent key', 'parent id', 'parent', 'custom field (epic link)', 'epic link'),
      blockedBy,
      url: cells.get('url', 'issue url'),
      title: cells.get('summary'),
      body: writeBody(
        markdownOfJira(cells.get('description') ?? ''),
        markdownOfJira(cells.get('environment') ?? ''),
        files,
      ),
      state: canceledState(cells.get('resolution')) ?? status,
      labels: [
        ...cells.all('labels', 'label').flatMap((cell) => cell.split(/[\s,]+/)),
        ...prefixLabels('type', cells.get('issue type')),
        ...prefixLabels('component', ...cells.all('component/s', 'components', 'component')),
        ...prefixLabels('version', ...cells.all('fix version/s', 'fix versions', 'fix version')),
        ...prefixLabels('sprint', ...cells.all('sprint', 'custom field (sprint)')),
      ],
      assignee: cells.person('assignee email', 'assignee'),
      watchers: cells.all('watchers').flatMap((cell) => readPerson(cell) ?? []),
      reporter: cells.person('reporter email', 'reporter', 'creator'),
      priority: cells.get('priority'),
      dueAt: cells.time('Due', 'due date'),
      createdAt: cells.time('Created', 'created'),
      completedAt: cells.time('Resolved', 'resolved'),
      estimate: cells.number('custom field (story points)', 'custom field (story point estimate)'),
      comments: cells.all('comment', 'comments').map(readCellComment),
      notes: [
        ...notes,
        ...writeAffected(cells.all('affects version/s', 'affects versions', 'affected versions')),
      ],
      losses: {
        attachments: files.length > 0,
        workLog: cells.all('log work').length > 0,
        timeSpent: times.some((cell) => cell !== '0'),
        votes: (cells.number('votes') ?? 0) > 0,
        confidential: cells.get('security level') !== null,
      },
    };
  },
};

interface JiraFile {
  name: string | null;
  url: string | null;
}

const writeBody = (description: string, environment: string, files: readonly JiraFile[]): string =>
  [description, environment === '' ? '' : `### Environment\n\n${environment}`, writeAttachments(files)]
    .filter(Boolean)
    .join('\n\n');

const writeAffected = (versions: readonly (string | null)[]): string[] =>
  versions.flatMap((name) => (name === null ? [] : `Affects version: ${name}`));

const CANCELED =
  /^(?:won.?t (?:do|fix)|canceled|cancelled|duplicate|declined|rejected|invalid|incomplete|cannot reproduce|not a bug|abandoned)$/i;

/** Jira records only in the resolution that an issue was closed without being done. */
const canceledState = (resolution: string | null): string | null =>
  resolution !== null && CANCELED.test(resolution.trim()) ? 'Canceled' : null;

interface JiraLink {
  /** For example Blocks, Relates, Duplicate. */
  kind: string;
  isInward: boolean;
  words: string;
  key: string;
}

/** Cards have a field for blockers; other links are added to the text. */
function sortLinks(links: readonly JiraLink[]): { blockedBy: string[]; notes: string[] } {
  const blockedBy: string[] = [];
  const others = new Map<string, string[]>();
  for (const { kind, isInward, words, key } of links) {
    if (isInward && /^block(?:s|er)?$/i.test(kind)) blockedBy.push(key);
    else others.set(words, [...(others.get(words) ?? []), key]);
  }
  return { blockedBy, notes: [...others].map(([words, keys]) => `${words}: ${keys.join(', ')}`) };
}

function readIssueLinks(link: JsonValue): JiraLink[] {
  const kind = link.at('type').text('name') ?? 'Relates';
  return (['inward', 'outward'] as const).flatMap((direction) => {
    const key = link.at(`${direction}Issue`).text('key');
    const words = link.at('type').text(direction) ?? kind;
    return key === null ? [] : { kind, isInward: direction === 'inward', words, key };
  });
}

/** `Inward issue link (Blocks)` holds the keys of issues that block this one, `Outward …` those it blocks. */
function readCellLinks(cells: NamedCells): JiraLink[] {
  return ['inward', 'outward'].flatMap((direction) =>
    cells.beginning(`${direction} issue link (`).flatMap(({ name, values }) => {
      const kind = name.slice(name.indexOf('(') + 1).replace(/\)$/, '');
      const isInward = direction === 'inward';
      const words = isInward ? `${kind} (from)` : kind;
      return values.map((key) => ({ kind, isInward, words, key }));
    }),
  );
}

/** Backlog ranks and empty values. */
const MEANINGLESS = /^(?:\d\|[\w:]*|\{\}|)$/;

function readCustomFields(fields: JsonValue, names: JsonValue) {
  const sprints: string[] = [];
  const lost: string[] = [];
  let estimate = fields.number(STORY_POINTS);
  for (const [id, value] of Object.entries(fields.raw ?? {})) {
    if (!id.startsWith('customfield_') || value === null || id === EPIC_LINK) continue;
    const name = names.text(id) ?? id;
    const found = findSprints(fields.list(id));
    if (found) sprints.push(...found);
    else if (/^story points?(?: estimate)?$/i.test(name)) estimate = asNumber(value) ?? estimate;
    else if (id !== STORY_POINTS && !/^epic /i.test(name) && hasMeaning(value)) lost.push(lostField(name));
  }
  return { sprints, lost, estimate };
}

const hasMeaning = (value: unknown): boolean =>
  typeof value === 'string' ? !MEANINGLESS.test(value) : !Array.isArray(value) || value.length > 0;

/** Reads sprint names from objects with a board, or from the text format of older Jira servers. */
function findSprints(list: readonly JsonValue[]): string[] | undefined {
  const found = list.flatMap((each) => {
    if (typeof each.raw === 'string')
      return /\[(?:.{0,500},)?name=([^,\]]{1,200})/.exec(each.raw.slice(0, 1000))?.[1] ?? [];
    const isSprint = each.at('boardId').raw !== undefined && each.at('state').raw !== undefined;
    return isSprint ? (each.text('name') ?? []) : [];
  });
  return list.length > 0 && found.length === list.length ? found : undefined;
}

function pageOf(self: string | null, key: string | null): string | null {
  if (self === null || key === null || !URL.canParse(self)) return null;
  const { origin, pathname } = new URL(self);
  return `${origin}${pathname.split('/rest/', 1)[0]}/browse/${encodeURIComponent(key)}`.replace(
    /([^:])\/\/browse/,
    '$1/browse',
  );
}

const personOf = (person: JsonValue) =>
  personNamed(
    person.text('displayName', 'name', 'emailAddress'),
    person.text('emailAddress'),
    person.text('name'),
  );

const readIssueComment = (comment: JsonValue): RecordComment => ({
  author: personOf(comment.at('author')),
  at: comment.time('created'),
  body: documentText(comment.at('body').raw),
});

/** `12/Mar/24 9:15 AM;ada;shot.png;https://…` */
function readFile(cell: string): JiraFile {
  const [, , name, ...address] = cell.split(';');
  return name === undefined ? { name: cell, url: null } : { name, url: address.join(';') || null };
}

/** `12/Mar/24 9:15 AM;ada@acme.example;Text of the comment; it may contain semicolons` */
function readCellComment(cell: string): RecordComment {
  const [first = '', second = ''] = cell.split(';', 2);
  const at = readTime(first);
  if (at === undefined || cell.indexOf(';', first.length + 1) < 0)
    return { author: null, at: null, body: markdownOfJira(cell) };
  const body = markdownOfJira(cell.slice(first.length + second.length + 2));
  return { author: readPerson(second), at, body };
}
