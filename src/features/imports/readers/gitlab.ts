import { type NamedCells, readTable } from './csv-table.js';
import { readJsonItems } from './json-items.js';
import { LOSSES } from './losses.js';
import { type ReadRow, type RecordComment, readPerson, type Someone, tidyRecord } from './record.js';
import {
  asList,
  asNumber,
  asObject,
  asText,
  asTime,
  type Draft,
  labelsOf,
  readNumber,
  splitList,
  timeReader,
} from './values.js';

/** Issues as the host's REST lists them, or the CSV that it mails. */
export const readGitlab = (text: string): Generator<ReadRow> =>
  /^\s*[[{]/.test(text) ? readIssues(text) : readExport(text);

function* readIssues(text: string): Generator<ReadRow> {
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
  const url = asText(issue['web_url']);
  const iid = asNumber(issue['iid']);
  const tasks = asObject(issue['task_completion_status']);
  const total = asNumber(tasks['count']);
  const [assignee, ...others] = asList(issue['assignees']).flatMap((each) => personOf(each) ?? []);
  const said = [...asList(issue['notes']), ...asList(issue['comments'])].map(asObject);
  const titleOf = (value: unknown) => asText(asObject(value)['title']);
  return {
    keys: [url, iid === null ? null : String(iid)].filter((key) => key !== null),
    parent: asText(asObject(issue['parent'])['web_url']),
    url,
    title: asText(issue['title']) ?? '',
    body: asText(issue['description']) ?? '',
    state: asText(issue['state']),
    labels: [
      ...asList(issue['labels']).map((label) => asText(label) ?? asText(asObject(label)['name']) ?? ''),
      ...labelsOf('milestone', titleOf(issue['milestone'])),
      ...labelsOf('epic', titleOf(issue['epic'])),
      ...labelsOf('iteration', titleOf(issue['iteration'])),
    ],
    assignee: assignee ?? personOf(issue['assignee']),
    others,
    reporter: personOf(issue['author']),
    dueAt: asTime(issue['due_date']),
    createdAt: asTime(issue['created_at']),
    completedAt: asTime(issue['closed_at']),
    estimate: asNumber(issue['weight']),
    checklist: total ? { done: asNumber(tasks['completed_count']) ?? 0, total } : null,
    comments: said.filter(({ system }) => system !== true).map(commentOf),
    lost: [
      ...(said.length === 0 && (asNumber(issue['user_notes_count']) ?? 0) > 0 ? [LOSSES.commentTexts] : []),
      ...(issue['confidential'] === true ? [LOSSES.confidential] : []),
      ...((asNumber(asObject(issue['time_stats'])['total_time_spent']) ?? 0) > 0 ? [LOSSES.timeSpent] : []),
    ],
  };
}

function personOf(value: unknown): Someone | null {
  const { name, username, email, public_email } = asObject(value);
  const called = asText(name) ?? asText(username);
  return called === null
    ? null
    : { name: called, email: asText(email) ?? asText(public_email), login: asText(username) };
}

const commentOf = (comment: Record<string, unknown>): RecordComment => ({
  author: personOf(comment['author']),
  at: asTime(comment['created_at']),
  body: asText(comment['body']) ?? '',
});

const readExport = (text: string): Generator<ReadRow> =>
  readTable(text, { titles: ['title'], ignored: ['updated at (utc)', 'locked'], toRecord });

function toRecord(cells: NamedCells): Draft {
  const notes: string[] = [];
  const time = timeReader(notes);
  const url = cells.get('url');
  return {
    keys: [url, cells.get('issue id', 'iid'), cells.get('id')].filter((key) => key !== null),
    parent: cells.get('parent url', 'parent iid'),
    url,
    title: cells.get('title') ?? '',
    body: cells.get('description') ?? '',
    state: cells.get('state'),
    labels: [...splitList(cells.all('labels')), ...labelsOf('milestone', cells.get('milestone'))],
    assignee: personIn(
      cells.get('assignee email', 'assignee', 'assignee(s)'),
      cells.get('assignee username'),
    ),
    reporter: personIn(cells.get('author email', 'author'), cells.get('author username')),
    dueAt: time('Due', cells.get('due date')),
    createdAt: time('Created', cells.get('created at (utc)', 'created at')),
    completedAt: time('Closed', cells.get('closed at (utc)', 'closed at')),
    estimate: readNumber(cells.get('weight')),
    notes,
    lost: [
      ...(/^yes$/i.test(cells.get('confidential') ?? '') ? [LOSSES.confidential] : []),
      // Blanks stand for zero, and so does 0.
      ...(Number(cells.get('time spent') ?? 0) === 0 ? [] : [LOSSES.timeSpent]),
    ],
  };
}

function personIn(name: string | null, login: string | null): Someone | null {
  const someone = readPerson(name ?? login);
  return someone && { ...someone, login };
}
