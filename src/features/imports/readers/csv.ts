import { type NamedCells, readTable } from './csv-table.js';
import { type ReadRow, readPerson } from './record.js';
import { type Draft, readNumber, splitList, timeReader } from './values.js';

const TITLES = ['title', 'name', 'summary', 'subject', 'task', 'task name', 'card name', 'issue'];

/** Any table with a title: columns are known by the names that people give them. */
export const readCsv = (text: string): Generator<ReadRow> =>
  readTable(text, {
    titles: TITLES,
    ignored: ['updated', 'updated at', 'updated date', 'last updated', 'last modified'],
    toRecord,
  });

function toRecord(cells: NamedCells): Draft {
  const notes: string[] = [];
  const time = timeReader(notes);
  const id = cells.get('id', 'key', 'issue id', 'issue key', 'ref', 'number', 'task id');
  const url = cells.get('url', 'link', 'external url', 'issue url', 'permalink', 'web url');
  const estimate = cells.get('estimate', 'points', 'story points', 'estimate points');
  return {
    keys: [id, url].filter((key) => key !== null),
    parent: cells.get('parent', 'parent id', 'parent key', 'parent task', 'parent issue', 'parent url'),
    blockedBy: splitList(cells.all('blocked by', 'depends on')),
    url,
    title: cells.get(...TITLES) ?? '',
    body: cells.get('description', 'instructions', 'body', 'details', 'notes', 'content', 'text') ?? '',
    state: cells.get('status', 'state', 'column', 'list', 'stage', 'section'),
    archived: /^(true|yes|1)$/i.test(cells.get('archived') ?? ''),
    labels: splitList(cells.all('labels', 'label', 'tags', 'tag')),
    ...readAssignees(cells.get('assignee', 'assignee email', 'assignees', 'assigned to', 'owner')),
    reporter: readPerson(cells.get('reporter', 'reporter email', 'author', 'creator', 'created by')),
    priority: cells.get('priority'),
    dueAt: time('Due', cells.get('due', 'due date', 'due at', 'deadline')),
    createdAt: time('Created', cells.get('created', 'created at', 'created date', 'date created')),
    completedAt: time('Completed', cells.get('completed', 'completed at', 'closed at', 'resolved')),
    estimate: readNumber(estimate),
    comments: cells.all('comment', 'comments').map((body) => ({ author: null, at: null, body })),
    notes,
  };
}

/** `Ada <ada@acme.example>; Bo`: the first is assigned, the others watch. A comma may be part of a name. */
function readAssignees(cell: string | null): Pick<Draft, 'assignee' | 'others'> {
  const [first, ...others] = (cell ?? '').split(/[;\n]/).flatMap((part) => readPerson(part) ?? []);
  return { assignee: first ?? null, others };
}
