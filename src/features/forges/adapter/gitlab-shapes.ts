import type { Issue, PullRequest } from './forge.js';
import { assigneesOf, labelsOf } from './github-shapes.js';
import {
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
  type Thing,
} from './reading.js';

/** While it says one of these, GitLab does not know yet. */
const UNKNOWN = ['unchecked', 'checking', 'preparing', 'cannot_be_merged_recheck', 'approvals_syncing'];
const CONFLICTING = ['conflict', 'cannot_be_merged', 'broken_status'];

export const gitlabAuthor = (thing: Thing): string =>
  readName(readPart(thing['author'])['username'], 'ghost');

export function mergeRequestOf(found: Thing, webUrl: string): PullRequest {
  const number = readNumber(found['iid']);
  const refs = readPart(found['diff_refs']);
  const { source_project_id: source, target_project_id: target, reviewers } = found;
  return {
    number,
    url: readAddressOrNull(found['web_url']) ?? `${webUrl}/-/merge_requests/${number}`,
    title: readName(found['title']),
    state: stateOf(found),
    head: { branch: readName(found['source_branch']), sha: readSha(found['sha'] ?? refs['head_sha']) },
    base: { branch: readName(found['target_branch']), sha: readShaOrNull(refs['start_sha']) },
    mergeable: mergeabilityOf(found),
    mergedAt: found['state'] === 'merged' ? readDateOrNull(found['merged_at'] ?? found['updated_at']) : null,
    reviewRequested: Array.isArray(reviewers) && reviewers.length > 0,
    foreign: source !== target,
  };
}

function stateOf(found: Thing): PullRequest['state'] {
  if (found['state'] === 'merged') return 'merged';
  if (found['state'] === 'closed') return 'closed';
  return found['draft'] === true || found['work_in_progress'] === true ? 'draft' : 'open';
}

/** Whether the branches go together; what else keeps it from being merged, an approval say, is told elsewhere. */
function mergeabilityOf(found: Thing): boolean | null {
  const detailed = readText(found['detailed_merge_status']);
  const plain = readText(found['merge_status']);
  if (found['state'] !== 'opened' || UNKNOWN.includes(detailed) || UNKNOWN.includes(plain)) return null;
  if (found['has_conflicts'] === true || CONFLICTING.includes(detailed)) return false;
  if (detailed === '' && plain === '') return null;
  return detailed !== '' || plain !== 'cannot_be_merged';
}

export function gitlabIssueOf(issue: Thing, webUrl: string, longest: number): Issue {
  const number = readNumber(issue['iid']);
  return {
    number,
    url: readAddressOrNull(issue['web_url']) ?? `${webUrl}/-/issues/${number}`,
    title: readName(issue['title']),
    body: readText(issue['description'], longest),
    author: gitlabAuthor(issue),
    labels: labelsOf(issue['labels']),
    open: issue['state'] === 'opened',
    isCanceled: false,
    assignees: assigneesOf(issue, 'username', 'public_email'),
    milestone: readName(readPart(issue['milestone'])['title']) || null,
    dueAt: readDateOrNull(issue['due_date'] ?? readPart(issue['milestone'])['due_date']),
    parent: null,
    createdAt: readDate(issue['created_at']),
    updatedAt: readDate(issue['updated_at']),
    closedAt: readDateOrNull(issue['closed_at']),
    commentCount: readCount(issue['user_notes_count']),
  };
}
