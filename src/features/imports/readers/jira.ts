import { type NamedCells, readTable } from './csv-table.js';
import { readTime } from './dates.js';
import { readJiraSearch } from './jira-json.js';
import { canceledState, type JiraLink, linksOf, writeFiles } from './jira-links.js';
import { markdownOfJira } from './jira-markup.js';
import { LOSSES } from './losses.js';
import { type ReadRow, type RecordComment, readPerson } from './record.js';
import { type Draft, labelsOf, readNumber, timeReader } from './values.js';

/** The CSV export, in which columns come again and again, or the JSON that a search answers. */
export const readJira = (text: string): Generator<ReadRow> =>
  /^\s*[[{]/.test(text)
    ? readJiraSearch(text)
    : readTable(text, { titles: ['summary'], ignored: IGNORED, toRecord });

const IGNORED = [
  ...['project key', 'project name', 'project type', 'project lead', 'project lead id', 'project url'],
  ...['project description', 'updated', 'last viewed', 'status category', 'status category changed'],
  ...['creator id', 'assignee id', 'reporter id', 'watchers id', 'parent summary', 'work ratio'],
  ...['custom field (epic name)', 'custom field (epic color)', 'custom field (epic status)'],
  ...['custom field (rank)', 'custom field (development)', 'custom field (issue color)', 'epic link summary'],
  ...['custom field ([chart] time in status)', 'custom field ([chart] date of first response)'],
  ...['σ original estimate', 'σ remaining estimate', 'σ time spent', 'σ progress', 'progress'],
];

function toRecord(cells: NamedCells): Draft {
  const { blockedBy, notes } = linksOf(readLinks(cells));
  const time = timeReader(notes);
  const files = cells.all('attachment', 'attachments').map(readFile);
  const environment = cells.get('environment');
  const status = cells.get('status');
  const hasTimes = cells
    .all('time spent', 'original estimate', 'remaining estimate')
    .some((cell) => cell !== '0');
  notes.push(
    ...cells
      .all('affects version/s', 'affects versions', 'affected versions')
      .map((name) => `Affects version: ${name}`),
  );
  return {
    keys: [cells.get('issue key', 'key'), cells.get('issue id')].filter((key) => key !== null),
    parent: cells.get('parent key', 'parent id', 'parent', 'custom field (epic link)', 'epic link'),
    blockedBy,
    url: cells.get('url', 'issue url'),
    title: cells.get('summary') ?? '',
    body: [
      markdownOfJira(cells.get('description') ?? ''),
      environment === null ? '' : `### Environment\n\n${markdownOfJira(environment)}`,
      writeFiles(files),
    ]
      .filter(Boolean)
      .join('\n\n'),
    state: canceledState(cells.get('resolution')) ?? status,
    labels: [
      ...cells.all('labels', 'label').flatMap((cell) => cell.split(/[\s,]+/)),
      ...labelsOf('type', cells.get('issue type')),
      ...labelsOf('component', ...cells.all('component/s', 'components', 'component')),
      ...labelsOf('version', ...cells.all('fix version/s', 'fix versions', 'fix version')),
      ...labelsOf('sprint', ...cells.all('sprint', 'custom field (sprint)')),
    ],
    assignee: readPerson(cells.get('assignee email', 'assignee')),
    watchers: cells.all('watchers').flatMap((cell) => readPerson(cell) ?? []),
    reporter: readPerson(cells.get('reporter email', 'reporter', 'creator')),
    priority: cells.get('priority'),
    dueAt: time('Due', cells.get('due date')),
    createdAt: time('Created', cells.get('created')),
    completedAt: time('Resolved', cells.get('resolved')),
    estimate: readNumber(cells.get('custom field (story points)', 'custom field (story point estimate)')),
    comments: cells.all('comment', 'comments').map(readComment),
    notes,
    lost: [
      ...(files.length > 0 ? [LOSSES.attachments] : []),
      ...(cells.all('log work').length > 0 ? [LOSSES.workLog] : []),
      ...(hasTimes ? [LOSSES.timeSpent] : []),
      ...((readNumber(cells.get('votes')) ?? 0) > 0 ? [LOSSES.votes] : []),
      ...(cells.get('security level') === null ? [] : [LOSSES.confidential]),
    ],
  };
}

/** `Inward issue link (Blocks)` heads the keys of what blocks a card, `Outward …` those of what it blocks. */
function readLinks(cells: NamedCells): JiraLink[] {
  return ['inward', 'outward'].flatMap((direction) =>
    cells.beginning(`${direction} issue link (`).flatMap(({ name, values }) => {
      const kind = name.slice(name.indexOf('(') + 1).replace(/\)$/, '');
      const isInward = direction === 'inward';
      const words = isInward ? `${kind} (from)` : kind;
      return values.map((key) => ({ kind, isInward, words, key }));
    }),
  );
}

/** `12/Mar/24 9:15 AM;ada;shot.png;https://…` */
function readFile(cell: string): { name: string | null; url: string | null } {
  const [, , name, ...address] = cell.split(';');
  return name === undefined ? { name: cell, url: null } : { name, url: address.join(';') || null };
}

/** `12/Mar/24 9:15 AM;ada@acme.example;What was said; with marks of its own` */
function readComment(cell: string): RecordComment {
  const [first = '', second = ''] = cell.split(';', 2);
  const at = readTime(first);
  if (at === undefined || cell.indexOf(';', first.length + 1) < 0)
    return { author: null, at: null, body: markdownOfJira(cell) };
  const body = markdownOfJira(cell.slice(first.length + second.length + 2));
  return { author: readPerson(second), at, body };
}
