import type { Draft } from './record.js';
import { readPerson } from './record.js';
import type { TableReader } from './table.js';

const TITLES = ['title', 'name', 'summary', 'subject', 'task', 'task name', 'card name', 'issue'];

/** Any table with a title: columns are known by the names that people give them. */
export const CSV_TABLE: TableReader = {
  titles: TITLES,
  ignored: ['updated', 'updated at', 'updated date', 'last updated', 'last modified'],
  toDraft(cells) {
    const url = cells.get('url', 'link', 'external url', 'issue url', 'permalink', 'web url');
    return {
      keys: [cells.get('id', 'key', 'issue id', 'issue key', 'ref', 'number', 'task id'), url],
      parent: cells.get('parent', 'parent id', 'parent key', 'parent task', 'parent issue', 'parent url'),
      blockedBy: cells.list('blocked by', 'depends on'),
      url,
      title: cells.get(...TITLES),
      body: cells.get('description', 'instructions', 'body', 'details', 'notes', 'content', 'text'),
      state: cells.get('status', 'state', 'column', 'list', 'stage', 'section'),
      archived: /^(true|yes|1)$/i.test(cells.get('archived') ?? ''),
      labels: cells.list('labels', 'label', 'tags', 'tag'),
      ...readAssignees(cells.get('assignee', 'assignee email', 'assignees', 'assigned to', 'owner')),
      reporter: cells.person('reporter', 'reporter email', 'author', 'creator', 'created by'),
      priority: cells.get('priority'),
      dueAt: cells.time('Due', 'due', 'due date', 'due at', 'deadline'),
      createdAt: cells.time('Created', 'created', 'created at', 'created date', 'date created'),
      completedAt: cells.time('Completed', 'completed', 'completed at', 'closed at', 'resolved'),
      estimate: cells.number('estimate', 'points', 'story points', 'estimate points'),
      comments: cells.all('comment', 'comments').map((body) => ({ author: null, at: null, body })),
    };
  },
};

/** `Ada <ada@acme.example>; Bo`: the first is assigned, the others watch. A comma may be part of a name. */
function readAssignees(cell: string | null): Pick<Draft, 'assignee' | 'others'> {
  const [first, ...others] = (cell ?? '').split(/[;\n]/).flatMap((part) => readPerson(part) ?? []);
  return { assignee: first ?? null, others };
}
