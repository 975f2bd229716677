import { readTable } from './csv-table.js';
import { type ReadRow, readPerson } from './record.js';
import { readNumber, splitList, timeReader } from './values.js';

/** The CSV that Linear exports: people are mail addresses, parents are ids such as `ENG-12`. */
export const readLinear = (text: string): Generator<ReadRow> =>
  readTable(text, ['title'], (cells) => {
    const notes: string[] = [];
    const time = timeReader(notes);
    const id = cells.get('id');
    const uuid = cells.get('uuid');
    const priority = cells.get('priority');
    return {
      keys: [id, uuid].filter((key) => key !== null),
      parent: cells.get('parent issue', 'parent'),
      url: cells.get('url'),
      title: cells.get('title') ?? '',
      body: cells.get('description') ?? '',
      state: cells.get('status'),
      archived: cells.get('archived') !== null,
      labels: splitList(cells.all('labels')),
      assignee: readPerson(cells.get('assignee')),
      reporter: readPerson(cells.get('creator')),
      priority: priority && /^no priority$/i.test(priority) ? null : priority,
      dueAt: time('Due', cells.get('due date')),
      createdAt: time('Created', cells.get('created')),
      completedAt: time('Completed', cells.get('completed')),
      estimate: readNumber(cells.get('estimate')),
      notes,
    };
  });
