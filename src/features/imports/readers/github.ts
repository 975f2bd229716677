import type { JsonReader } from './json.js';
import type { RecordComment } from './record.js';
import { type JsonValue, personNamed, prefixLabels, readAssignees } from './values.js';

/** Issues as the host's REST interface lists them, and as its command line writes them. */
export const GITHUB_JSON: JsonReader = {
  lists: ['issues', 'items'],
  toDraft(issue) {
    if (issue.at('pull_request').raw) return 'It is a pull request';
    const url = issue.text('html_url', 'url');
    const parentNumber = /\/issues\/(\d{1,9})$/.exec(issue.text('parent_issue_url') ?? '')?.[1];
    const milestone = issue.at('milestone');
    return {
      keys: [url, issue.number('number')],
      parent: parentNumber ?? issue.at('parent').text('url', 'number'),
      url,
      title: issue.text('title'),
      body: issue.text('body'),
      state: readState(issue),
      labels: [
        ...issue.labels(),
        ...prefixLabels('milestone', milestone.text('title')),
        ...prefixLabels('type', issue.at('type').text('name')),
      ],
      ...readAssignees(issue, personOf),
      reporter: authorOf(issue),
      dueAt: milestone.time('due_on', 'dueOn'),
      createdAt: issue.time('created_at', 'createdAt'),
      completedAt: issue.time('closed_at', 'closedAt'),
      comments: issue.list('comments').map(readComment),
      losses: {
        commentTexts: issue.isPositive('comments'),
        projectBoards: [...issue.list('projectItems'), ...issue.list('projectCards')].length > 0,
      },
    };
  },
};

/** A closed issue is done, unless the host says that it is not planned. */
function readState(issue: JsonValue): string | null {
  const state = issue.text('state')?.toLowerCase() ?? null;
  const reason = issue.text('state_reason', 'stateReason')?.toLowerCase();
  return state === 'closed' && (reason === 'not_planned' || reason === 'duplicate') ? 'not planned' : state;
}

const personOf = (person: JsonValue) =>
  personNamed(person.text('name', 'login'), person.text('email'), person.text('login'));

const authorOf = (remark: JsonValue) => personOf(remark.at('user')) ?? personOf(remark.at('author'));

const readComment = (comment: JsonValue): RecordComment => ({
  author: authorOf(comment),
  at: comment.time('created_at', 'createdAt'),
  body: comment.text('body') ?? '',
});
