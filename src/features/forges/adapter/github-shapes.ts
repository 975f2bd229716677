import type { Issue, IssuePerson, PullRequest } from './forge.js';
import {
  LONGEST_ISSUE,
  readAddressOrNull,
  readCount,
  readDate,
  readDateOrNull,
  readName,
  readNumber,
  readPart,
  readSha,
  readShaOrNull,
  readText,
  readThing,
  type Thing,
} from './reading.js';

/** GitHub tells no labels apart that differ in upper and lower case alone. */
export const carries = (labels: readonly string[], label: string): boolean =>
  labels.some((one) => one.toLowerCase() === label.toLowerCase());

/** Who has left is called like this on GitHub's own pages. */
export const authorOf = (thing: Thing): string => readName(readPart(thing['user'])['login'], 'ghost');

/** `pages` is where the pages of pull requests are, should the host not say it. */
export function pullRequestOf(pull: Thing, pages: string): PullRequest {
  const number = readNumber(pull['number']);
  const head = readThing(pull['head']);
  const base = readThing(pull['base']);
  const mergedAt = readDateOrNull(pull['merged_at']);
  const asked = [pull['requested_reviewers'], pull['requested_teams']];
  return {
    number,
    url: readAddressOrNull(pull['html_url']) ?? `${pages}/${number}`,
    title: readName(pull['title']),
    state: stateOf(pull, mergedAt),
    head: { branch: readName(head['ref']), sha: readSha(head['sha']) },
    base: { branch: readName(base['ref']), sha: readShaOrNull(base['sha']) },
    mergeable: typeof pull['mergeable'] === 'boolean' ? pull['mergeable'] : null,
    mergedAt,
    reviewRequested: asked.some((people) => Array.isArray(people) && people.length > 0),
    foreign: isForeign(head['repo'], base['repo']),
  };
}

/** A fork that is gone is told as nothing at all. */
function isForeign(head: unknown, base: unknown): boolean {
  const [one, other] = [readPart(head), readPart(base)];
  return head === null || one['id'] !== other['id'] || one['full_name'] !== other['full_name'];
}

function stateOf(pull: Thing, mergedAt: Date | null): PullRequest['state'] {
  if (mergedAt) return 'merged';
  if (pull['state'] === 'closed') return 'closed';
  return pull['draft'] === true ? 'draft' : 'open';
}

export function issueOf(issue: Thing, webUrl: string): Issue {
  const number = readNumber(issue['number']);
  const milestone = readPart(issue['milestone']);
  return {
    number,
    url: readAddressOrNull(issue['html_url']) ?? `${webUrl}/issues/${number}`,
    title: readName(issue['title']),
    body: readText(issue['body'], LONGEST_ISSUE),
    author: authorOf(issue),
    labels: labelsOf(issue['labels']),
    open: issue['state'] === 'open',
    isCanceled: issue['state_reason'] === 'not_planned' || issue['state_reason'] === 'duplicate',
    assignees: assigneesOf(issue, 'login', 'email'),
    milestone: readName(milestone['title']) || null,
    dueAt: readDateOrNull(milestone['due_on']),
    parent: parentOf(issue['parent_issue_url'], webUrl),
    createdAt: readDate(issue['created_at']),
    updatedAt: readDate(issue['updated_at']),
    closedAt: readDateOrNull(issue['closed_at']),
    commentCount: readCount(issue['comments']),
  };
}

/** The interface names the parent by its own address; pages have another one. */
function parentOf(address: unknown, webUrl: string): string | null {
  const number = /\/issues\/(\d{1,9})$/.exec(readText(address, 2000))?.[1];
  return number === undefined ? null : `${webUrl}/issues/${number}`;
}

const MOST_ASSIGNEES = 50;

/** All of them; older hosts name one. */
export function assigneesOf(issue: Thing, login: string, email: string): IssuePerson[] {
  const { assignees, assignee } = issue;
  const named = Array.isArray(assignees) && assignees.length > 0 ? assignees : [assignee];
  return named.slice(0, MOST_ASSIGNEES).flatMap((someone) => {
    const found = readPart(someone);
    const name = readName(found[login]);
    return name === '' ? [] : { name, login: name, email: readName(found[email]) || null };
  });
}

/** Each a name, or a thing with one. */
export function labelsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, 100)
    .map((label) => readName(typeof label === 'string' ? label : readPart(label)['name']))
    .filter((name) => name !== '');
}
