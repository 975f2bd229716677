import { readTable } from './csv-table.js';
import { readTime } from './dates.js';
import { documentText } from './jira-document.js';
import { readJsonItems } from './json-items.js';
import { type ReadRow, type RecordComment, readPerson, type Someone, tidyRecord } from './record.js';
import { asList, asNumber, asObject, asText, asTime, type Draft, readNumber, timeReader } from './values.js';

/** The CSV export, in which columns come again and again, or the JSON that a search answers. */
export const readJira = (text: string): Generator<ReadRow> =>
  /^\s*[[{]/.test(text) ? readSearch(text) : readExport(text);

function* readSearch(text: string): Generator<ReadRow> {
  for (const item of readJsonItems(text, ({ issues }) => (Array.isArray(issues) ? issues : undefined))) {
    if ('reason' in item) {
      yield item;
      continue;
    }
    const record = tidyRecord(toDraft(asObject(item.value)));
    yield typeof record === 'string' ? { row: item.row, reason: record } : { row: item.row, record };
  }
}

function toDraft(issue: Record<string, unknown>): Draft {
  const fields = asObject(issue['fields']);
  const key = asText(issue['key']);
  return {
    keys: [key, asText(issue['id'])].filter((each) => each !== null),
    parent: asText(asObject(fields['parent'])['key']) ?? asText(fields['customfield_10014']),
    url: addressOf(asText(issue['self']), key),
    title: asText(fields['summary']) ?? '',
    body: documentText(fields['description']),
    state: asText(asObject(fields['status'])['name']),
    labels: asList(fields['labels']).map((label) => asText(label) ?? ''),
    assignee: personOf(fields['assignee']),
    reporter: personOf(fields['reporter']) ?? personOf(fields['creator']),
    priority: asText(asObject(fields['priority'])['name']),
    dueAt: asTime(fields['duedate']),
    createdAt: asTime(fields['created']),
    completedAt: asTime(fields['resolutiondate']),
    estimate: asNumber(fields['customfield_10016']),
    comments: asList(asObject(fields['comment'])['comments']).map((each): RecordComment => {
      const comment = asObject(each);
      return {
        author: personOf(comment['author']),
        at: asTime(comment['created']),
        body: documentText(comment['body']),
      };
    }),
  };
}

/** Where people see it: the address of the interface leads to the site. */
function addressOf(self: string | null, key: string | null): string | null {
  if (self === null || key === null || !URL.canParse(self)) return null;
  const { origin, pathname } = new URL(self);
  return `${origin}${pathname.split('/rest/', 1)[0]}/browse/${encodeURIComponent(key)}`.replace(
    /([^:])\/\/browse/,
    '$1/browse',
  );
}

function personOf(value: unknown): Someone | null {
  const { displayName, name, emailAddress } = asObject(value);
  const called = asText(displayName) ?? asText(name) ?? asText(emailAddress);
  return called === null ? null : { name: called, email: asText(emailAddress) };
}

const readExport = (text: string): Generator<ReadRow> =>
  readTable(text, ['summary'], (cells) => {
    const notes: string[] = [];
    const time = timeReader(notes);
    return {
      keys: [cells.get('issue key', 'key'), cells.get('issue id')].filter((key) => key !== null),
      parent: cells.get('parent key', 'parent id', 'parent', 'custom field (epic link)'),
      url: cells.get('url', 'issue url'),
      title: cells.get('summary') ?? '',
      body: cells.get('description') ?? '',
      state: cells.get('status'),
      labels: cells.all('labels', 'label').flatMap((cell) => cell.split(/[\s,]+/)),
      assignee: readPerson(cells.get('assignee email', 'assignee')),
      reporter: readPerson(cells.get('reporter email', 'reporter', 'creator')),
      priority: cells.get('priority'),
      dueAt: time('Due', cells.get('due date')),
      createdAt: time('Created', cells.get('created')),
      completedAt: time('Resolved', cells.get('resolved')),
      estimate: readNumber(cells.get('custom field (story points)', 'custom field (story point estimate)')),
      comments: cells.all('comment', 'comments').map(readComment),
      notes,
    };
  });

/** `12/Mar/24 9:15 AM;ada@acme.example;What was said; with marks of its own` */
function readComment(cell: string): RecordComment {
  const [first = '', second = ''] = cell.split(';', 2);
  const at = readTime(first);
  if (at === undefined || cell.indexOf(';', first.length + 1) < 0)
    return { author: null, at: null, body: cell };
  return { author: readPerson(second), at, body: cell.slice(first.length + second.length + 2) };
}
