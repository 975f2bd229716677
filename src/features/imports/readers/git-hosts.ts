import { type RecordComment, readPerson, type Someone } from './record.js';
import type { TableReader } from './table.js';
import type { JsonReader } from './values.js';
import { type JsonValue, personNamed, prefixLabels, readAssignees } from './values.js';

/** Reads both the REST format and the output of the `gh` command line tool. */
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
      ...readAssignees(issue, githubPerson),
      reporter: authorOf(issue),
      dueAt: milestone.time('due_on', 'dueOn'),
      createdAt: issue.time('created_at', 'createdAt'),
      completedAt: issue.time('closed_at', 'closedAt'),
      comments: issue.list('comments').map(readGithubComment),
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

const githubPerson = (person: JsonValue) =>
  personNamed(person.text('name', 'login'), person.text('email'), person.text('login'));

const authorOf = (remark: JsonValue) => githubPerson(remark.at('user')) ?? githubPerson(remark.at('author'));

const readGithubComment = (comment: JsonValue): RecordComment => ({
  author: authorOf(comment),
  at: comment.time('created_at', 'createdAt'),
  body: comment.text('body') ?? '',
});

export const GITLAB_JSON: JsonReader = {
  lists: ['issues'],
  toDraft(issue) {
    const url = issue.text('web_url');
    const tasks = issue.at('task_completion_status');
    const total = tasks.number('count');
    const notes = [...issue.list('notes'), ...issue.list('comments')];
    return {
      keys: [url, issue.number('iid')],
      parent: issue.at('parent').text('web_url'),
      url,
      title: issue.text('title'),
      body: issue.text('description'),
      state: issue.text('state'),
      labels: [
        ...issue.labels(),
        ...['milestone', 'epic', 'iteration'].flatMap((name) =>
          prefixLabels(name, issue.at(name).text('title')),
        ),
      ],
      ...readAssignees(issue, gitlabPerson),
      reporter: gitlabPerson(issue.at('author')),
      dueAt: issue.time('due_date'),
      createdAt: issue.time('created_at'),
      completedAt: issue.time('closed_at'),
      estimate: issue.number('weight'),
      checklist: total ? { done: tasks.number('completed_count') ?? 0, total } : null,
      comments: notes.filter((note) => note.at('system').raw !== true).map(readGitlabComment),
      losses: {
        commentTexts: notes.length === 0 && issue.isPositive('user_notes_count'),
        confidential: issue.at('confidential').raw === true,
        timeSpent: issue.at('time_stats').isPositive('total_time_spent'),
      },
    };
  },
};

const gitlabPerson = (person: JsonValue) =>
  personNamed(person.text('name', 'username'), person.text('email', 'public_email'), person.text('username'));

const readGitlabComment = (comment: JsonValue): RecordComment => ({
  author: gitlabPerson(comment.at('author')),
  at: comment.time('created_at'),
  body: comment.text('body') ?? '',
});

/** The CSV export that GitLab sends by email. */
export const GITLAB_TABLE: TableReader = {
  titles: ['title'],
  ignored: ['updated at (utc)', 'locked'],
  toDraft(cells) {
    const url = cells.get('url');
    return {
      keys: [url, cells.get('issue id', 'iid'), cells.get('id')],
      parent: cells.get('parent url', 'parent iid'),
      url,
      title: cells.get('title'),
      body: cells.get('description'),
      state: cells.get('state'),
      labels: [...cells.list('labels'), ...prefixLabels('milestone', cells.get('milestone'))],
      assignee: readUser(
        cells.get('assignee email', 'assignee', 'assignee(s)'),
        cells.get('assignee username'),
      ),
      reporter: readUser(cells.get('author email', 'author'), cells.get('author username')),
      dueAt: cells.time('Due', 'due date'),
      createdAt: cells.time('Created', 'created at (utc)', 'created at'),
      completedAt: cells.time('Closed', 'closed at (utc)', 'closed at'),
      estimate: cells.number('weight'),
      losses: {
        confidential: /^yes$/i.test(cells.get('confidential') ?? ''),
        // An empty cell means zero.
        timeSpent: Number(cells.get('time spent') ?? 0) !== 0,
      },
    };
  },
};

function readUser(name: string | null, login: string | null): Someone | null {
  const person = readPerson(name ?? login);
  return person && { ...person, login };
}
