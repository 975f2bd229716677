import { readJsonItems } from './json-items.js';
import { LOSSES } from './losses.js';
import { type ReadRow, type RecordComment, type Someone, tidyRecord } from './record.js';
import { asList, asNumber, asObject, asText, asTime, type Draft, labelsOf } from './values.js';

/** Issues as the host's REST lists them, and as its command line writes them. */
export function* readGithub(text: string): Generator<ReadRow> {
  for (const item of readJsonItems(text, ({ issues, items }) => listOf(issues) ?? listOf(items))) {
    if ('reason' in item) {
      yield item;
      continue;
    }
    const issue = asObject(item.value);
    const { row } = item;
    if (issue['pull_request']) yield { row, reason: 'It is a pull request' };
    else {
      const record = tidyRecord(toDraft(issue));
      yield typeof record === 'string' ? { row, reason: record } : { row, record };
    }
  }
}

const listOf = (value: unknown): unknown[] | undefined => (Array.isArray(value) ? value : undefined);

function toDraft(issue: Record<string, unknown>): Draft {
  const url = asText(issue['html_url']) ?? asText(issue['url']);
  const number = asNumber(issue['number']);
  const parentNumber = /\/issues\/(\d{1,9})$/.exec(asText(issue['parent_issue_url']) ?? '')?.[1];
  const parent = asObject(issue['parent']);
  const milestone = asObject(issue['milestone']);
  const [assignee, ...others] = asList(issue['assignees']).flatMap((each) => personOf(each) ?? []);
  return {
    keys: [url, number === null ? null : String(number)].filter((key) => key !== null),
    parent: parentNumber ?? asText(parent['url']) ?? asText(parent['number']),
    url,
    title: asText(issue['title']) ?? '',
    body: asText(issue['body']) ?? '',
    state: stateOf(issue),
    labels: [
      ...asList(issue['labels']).map((label) => asText(label) ?? asText(asObject(label)['name']) ?? ''),
      ...labelsOf('milestone', asText(milestone['title'])),
      ...labelsOf('type', asText(asObject(issue['type'])['name'])),
    ],
    assignee: assignee ?? personOf(issue['assignee']),
    others,
    reporter: personOf(issue['user']) ?? personOf(issue['author']),
    dueAt: asTime(milestone['due_on']) ?? asTime(milestone['dueOn']),
    createdAt: asTime(issue['created_at']) ?? asTime(issue['createdAt']),
    completedAt: asTime(issue['closed_at']) ?? asTime(issue['closedAt']),
    comments: asList(issue['comments']).map(commentOf),
    lost: [
      ...((asNumber(issue['comments']) ?? 0) > 0 ? [LOSSES.commentTexts] : []),
      ...([...asList(issue['projectItems']), ...asList(issue['projectCards'])].length > 0
        ? [LOSSES.projectBoards]
        : []),
    ],
  };
}

/** Closed issues were done, unless the host says that they are not planned. */
function stateOf(issue: Record<string, unknown>): string | null {
  const state = asText(issue['state'])?.toLowerCase() ?? null;
  const reason = (asText(issue['state_reason']) ?? asText(issue['stateReason']))?.toLowerCase();
  return state === 'closed' && (reason === 'not_planned' || reason === 'duplicate') ? 'not planned' : state;
}

function personOf(value: unknown): Someone | null {
  const { login, name, email } = asObject(value);
  const called = asText(name) ?? asText(login);
  return called === null ? null : { name: called, email: asText(email), login: asText(login) };
}

function commentOf(value: unknown): RecordComment {
  const comment = asObject(value);
  return {
    author: personOf(comment['user']) ?? personOf(comment['author']),
    at: asTime(comment['created_at']) ?? asTime(comment['createdAt']),
    body: asText(comment['body']) ?? '',
  };
}
