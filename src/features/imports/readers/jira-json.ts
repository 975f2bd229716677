import { documentText } from './jira-document.js';
import { canceledState, linksOf, writeFiles } from './jira-links.js';
import { readJsonItems } from './json-items.js';
import { LOSSES, lostField } from './losses.js';
import { type ReadRow, type RecordComment, type Someone, tidyRecord } from './record.js';
import { asList, asNumber, asObject, asText, asTime, type Draft, labelsOf } from './values.js';

type Names = Readonly<Record<string, unknown>>;

/** What a search answers; with `expand=names` it says what its custom fields are called. */
export function* readJiraSearch(text: string): Generator<ReadRow> {
  let names: Names = {};
  const issuesOf = (answer: Record<string, unknown>): unknown[] | undefined => {
    names = asObject(answer['names']);
    return Array.isArray(answer['issues']) ? answer['issues'] : undefined;
  };
  for (const item of readJsonItems(text, issuesOf)) {
    if ('reason' in item) {
      yield item;
      continue;
    }
    const record = tidyRecord(toDraft(asObject(item.value), names));
    yield typeof record === 'string' ? { row: item.row, reason: record } : { row: item.row, record };
  }
}

const EPIC_LINK = 'customfield_10014';
const STORY_POINTS = 'customfield_10016';

function toDraft(issue: Record<string, unknown>, names: Names): Draft {
  const fields = asObject(issue['fields']);
  const key = asText(issue['key']);
  const nameOf = (value: unknown) => asText(asObject(value)['name']);
  const namesOf = (value: unknown) => asList(value).map(nameOf);
  const { blockedBy, notes } = linksOf(readLinks(fields['issuelinks']));
  const custom = readCustomFields(fields, names);
  const environment = documentText(fields['environment']);
  const comments = asObject(fields['comment']);
  const listed = asList(comments['comments']);
  const files = asList(fields['attachment']).map((file) => {
    const { filename, content } = asObject(file);
    return { name: asText(filename), url: asText(content) };
  });
  return {
    keys: [key, asText(issue['id'])].filter((each) => each !== null),
    parent: asText(asObject(fields['parent'])['key']) ?? asText(fields[EPIC_LINK]),
    blockedBy,
    url: addressOf(asText(issue['self']), key),
    title: asText(fields['summary']) ?? '',
    body: [
      documentText(fields['description']),
      environment === '' ? '' : `### Environment\n\n${environment}`,
      writeFiles(files),
    ]
      .filter(Boolean)
      .join('\n\n'),
    state: canceledState(nameOf(fields['resolution'])) ?? nameOf(fields['status']),
    labels: [
      ...asList(fields['labels']).map((label) => asText(label) ?? ''),
      ...labelsOf('type', nameOf(fields['issuetype'])),
      ...labelsOf('component', ...namesOf(fields['components'])),
      ...labelsOf('version', ...namesOf(fields['fixVersions'])),
      ...labelsOf('sprint', ...custom.sprints),
    ],
    assignee: personOf(fields['assignee']),
    reporter: personOf(fields['reporter']) ?? personOf(fields['creator']),
    priority: nameOf(fields['priority']),
    dueAt: asTime(fields['duedate']),
    createdAt: asTime(fields['created']),
    completedAt: asTime(fields['resolutiondate']),
    estimate: custom.estimate,
    comments: listed.map(commentOf),
    notes: [
      ...notes,
      ...namesOf(fields['versions']).flatMap((name) => (name === null ? [] : `Affects version: ${name}`)),
    ],
    lost: [
      ...custom.lost,
      ...(files.length > 0 ? [LOSSES.attachments] : []),
      ...((asNumber(comments['total']) ?? 0) > listed.length ? [LOSSES.olderComments] : []),
      ...((asNumber(asObject(fields['votes'])['votes']) ?? 0) > 0 ? [LOSSES.votes] : []),
      ...((asNumber(asObject(fields['worklog'])['total']) ?? 0) > 0 ? [LOSSES.workLog] : []),
      ...((asNumber(fields['timespent']) ?? 0) > 0 ? [LOSSES.timeSpent] : []),
      ...(nameOf(fields['security']) === null ? [] : [LOSSES.confidential]),
    ],
  };
}

const commentOf = (value: unknown): RecordComment => {
  const comment = asObject(value);
  return {
    author: personOf(comment['author']),
    at: asTime(comment['created']),
    body: documentText(comment['body']),
  };
};

const readLinks = (value: unknown) =>
  asList(value).flatMap((each) => {
    const { type, inwardIssue, outwardIssue } = asObject(each);
    const { name, inward, outward } = asObject(type);
    const [from, to] = [asText(asObject(inwardIssue)['key']), asText(asObject(outwardIssue)['key'])];
    const kind = asText(name) ?? 'Relates';
    return [
      ...(from === null ? [] : [{ kind, isInward: true, words: asText(inward) ?? kind, key: from }]),
      ...(to === null ? [] : [{ kind, isInward: false, words: asText(outward) ?? kind, key: to }]),
    ];
  });

/** Where a card stands in its backlog, and other things that mean nothing elsewhere. */
const MEANINGLESS = /^(?:\d\|[\w:]*|\{\}|)$/;

function readCustomFields(fields: Record<string, unknown>, names: Names) {
  const sprints: string[] = [];
  const lost: string[] = [];
  let estimate = asNumber(fields[STORY_POINTS]);
  for (const [id, value] of Object.entries(fields)) {
    if (!id.startsWith('customfield_') || value === null || id === EPIC_LINK) continue;
    const called = asText(names[id]) ?? id;
    const found = sprintsIn(value);
    if (found) sprints.push(...found);
    else if (/^story points?(?: estimate)?$/i.test(called)) estimate = asNumber(value) ?? estimate;
    else if (id !== STORY_POINTS && !/^epic /i.test(called) && saysSomething(value))
      lost.push(lostField(called));
  }
  return { sprints, lost, estimate };
}

const saysSomething = (value: unknown): boolean =>
  typeof value === 'string' ? !MEANINGLESS.test(value) : !Array.isArray(value) || value.length > 0;

/** The names of sprints, as things with a board or as a text of the server. */
function sprintsIn(value: unknown): string[] | undefined {
  const list = asList(value);
  const found = list.flatMap((each) => {
    if (typeof each === 'string')
      return /\[(?:.{0,500},)?name=([^,\]]{1,200})/.exec(each.slice(0, 1000))?.[1] ?? [];
    const { name, boardId, state } = asObject(each);
    return boardId !== undefined && state !== undefined ? (asText(name) ?? []) : [];
  });
  return list.length > 0 && found.length === list.length ? found : undefined;
}

/** Where people see it: the address of the interface leads to the site. */
function addressOf(self: string | null, key: string | null): string | null {
  if (self === null || key === null || !URL.canParse(self)) return null;
  const { origin, pathname } = new URL(self);
  return `${origin}${pathname.split('/rest/', 1)[0]}/browse/${encodeURIComponent(key)}`.replace(
    /([^:])\/\/browse/,
    '$1/browse',
  );
}

function personOf(value: unknown): Someone | null {
  const { displayName, name, emailAddress } = asObject(value);
  const called = asText(displayName) ?? asText(name) ?? asText(emailAddress);
  return called === null ? null : { name: called, email: asText(emailAddress), login: asText(name) };
}
