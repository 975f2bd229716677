import { type Draft, readPerson } from './record.js';
import type { TableReader } from './table.js';
import { prefixLabels } from './values.js';

const TITLES = ['title', 'name', 'summary', 'subject', 'task', 'task name', 'card name', 'issue'];

/** Any table with a title column, recognized by common column names. */
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

/** In `Ada <ada@acme.example>; Bo` Bo becomes a watcher. Names may contain commas. */
function readAssignees(cell: string | null): Pick<Draft, 'assignee' | 'others'> {
  const [first, ...others] = (cell ?? '').split(/[;\n]/).flatMap((part) => readPerson(part) ?? []);
  return { assignee: first ?? null, others };
}

/** The CSV that Linear exports: people are email addresses, parents are ids such as `ENG-12`. */
export const LINEAR_TABLE: TableReader = {
  titles: ['title'],
  // The key starts with the team, and the states imply the times of intermediate steps.
  ignored: 'team|project id|updated|started|triaged|cycle start|cycle end|roadmaps|sla status'.split('|'),
  toDraft(cells) {
    const priority = cells.get('priority');
    const status = cells.get('status');
    return {
      keys: [cells.get('id'), cells.get('uuid')],
      parent: cells.get('parent issue', 'parent'),
      blockedBy: cells.list('blocked by'),
      url: cells.get('url'),
      title: cells.get('title'),
      body: cells.get('description'),
      // A cancellation time means that the issue is canceled, regardless of the team's name for its state.
      state: cells.get('canceled') === null ? status : 'Canceled',
      archived: cells.get('archived') !== null,
      labels: [
        ...cells.list('labels'),
        ...prefixLabels('project', cells.get('project')),
        ...prefixLabels('milestone', cells.get('project milestone', 'milestone')),
        ...prefixLabels('cycle', cells.get('cycle name', 'cycle number')),
      ],
      assignee: cells.person('assignee'),
      reporter: cells.person('creator'),
      priority: priority && /^no priority$/i.test(priority) ? null : priority,
      dueAt: cells.time('Due', 'due date'),
      createdAt: cells.time('Created', 'created'),
      completedAt: cells.time('Completed', 'completed'),
      estimate: cells.number('estimate'),
      notes: [
        ...cells.all('related to').map((keys) => `Related to: ${keys}`),
        ...cells.all('duplicate of').map((keys) => `Duplicate of: ${keys}`),
      ],
    };
  },
};
