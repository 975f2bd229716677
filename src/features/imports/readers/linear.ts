import type { TableReader } from './table.js';
import { prefixLabels } from './values.js';

/** The CSV that Linear exports: people are mail addresses, parents are ids such as `ENG-12`. */
export const LINEAR_TABLE: TableReader = {
  titles: ['title'],
  // The key begins with the team, and the times of intermediate steps follow from the states.
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
      // An issue with a time of cancelation is canceled, whatever the team calls its state.
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
