import type { Issue, IssueComment } from '../../forges/index.js';
import { type ImportRecord, type Someone, tidyRecord } from '../readers/record.js';
import { prefixLabels } from '../readers/values.js';

/** An issue of a host as a record, or why it is none; its number is its row. */
export const recordOfIssue = (issue: Issue, comments: readonly IssueComment[]): ImportRecord | string =>
  tidyRecord({
    keys: [issue.url, String(issue.number)],
    parent: issue.parent,
    url: issue.url,
    title: issue.title,
    body: issue.body,
    state: issue.open ? 'open' : issue.isCanceled ? 'not planned' : 'closed',
    labels: [...issue.labels, ...prefixLabels('milestone', issue.milestone)],
    assignee: issue.assignees[0] ?? null,
    others: issue.assignees.slice(1),
    reporter: someoneOf(issue.author),
    dueAt: issue.dueAt?.toISOString() ?? null,
    createdAt: issue.createdAt.toISOString(),
    completedAt: issue.closedAt?.toISOString() ?? null,
    comments: comments.map(({ author, body, at }) => ({
      author: someoneOf(author),
      at: at.toISOString(),
      body,
    })),
  });

const someoneOf = (login: string): Someone => ({ name: login, email: null, login });
