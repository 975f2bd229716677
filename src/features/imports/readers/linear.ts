import { type NamedCells, readTable } from './csv-table.js';
import { type ReadRow, readPerson } from './record.js';
import { type Draft, labelsOf, readNumber, splitList, timeReader } from './values.js';

/** The CSV that Linear exports: people are mail addresses, parents are ids such as `ENG-12`. */
export const readLinear = (text: string): Generator<ReadRow> =>
  readTable(text, {
    titles: ['title'],
    // The key begins with the team, and the times of steps in between follow from the states.
    ignored: 'team|project id|updated|started|triaged|cycle start|cycle end|roadmaps|sla status'.split('|'),
    toRecord,
  });

function toRecord(cells: NamedCells): Draft {
  const notes = [
    ...cells.all('related to').map((keys) => `Related to: ${keys}`),
    ...cells.all('duplicate of').map((keys) => `Duplicate of: ${keys}`),
  ];
  const time = timeReader(notes);
  const id = cells.get('id');
  const uuid = cells.get('uuid');
  const priority = cells.get('priority');
  const status = cells.get('status');
  return {
    keys: [id, uuid].filter((key) => key !== null),
    parent: cells.get('parent issue', 'parent'),
    blockedBy: splitList(cells.all('blocked by')),
    url: cells.get('url'),
    title: cells.get('title') ?? '',
    body: cells.get('description') ?? '',
    // The time says so, whatever the team calls the state.
    state: cells.get('canceled') === null ? status : 'Canceled',
    archived: cells.get('archived') !== null,
    labels: [
      ...splitList(cells.all('labels')),
      ...labelsOf('project', cells.get('project')),
      ...labelsOf('milestone', cells.get('project milestone', 'milestone')),
      ...labelsOf('cycle', cells.get('cycle name', 'cycle number')),
    ],
    assignee: readPerson(cells.get('assignee')),
    reporter: readPerson(cells.get('creator')),
    priority: priority && /^no priority$/i.test(priority) ? null : priority,
    dueAt: time('Due', cells.get('due date')),
    createdAt: time('Created', cells.get('created')),
    completedAt: time('Completed', cells.get('completed')),
    estimate: readNumber(cells.get('estimate')),
    notes,
  };
}
