import { webUrlOf } from './address.js';
import {
  type JsonObject,
  LONGEST_ISSUE,
  readAddressOrNull,
  readAssignees,
  readCount,
  readDate,
  readDateOrNull,
  readId,
  readIssueBasics,
  readLine,
  readList,
  readName,
  readNumber,
  readObjectOrEmpty,
  readRemark,
  readSha,
  readShaOrNull,
  readText,
  readTextOrNull,
} from './answer-values.js';
import type {
  Check,
  CheckState,
  ForgeAddress,
  Issue,
  LineComment,
  Opinions,
  PullRequest,
  Review,
} from './forge.js';
import { type ForgeClient, type ForgeDialect, unlessFault, unlessMissing } from './forge-client.js';

const FULL_PAGE = { per_page: 100 };
/** Deployments to search for one of a commit, newest first, because GitLab cannot filter by commit. */
const MOST_DEPLOYMENTS = 50;
/** From this access level on, members may push to unprotected branches. */
const DEVELOPER = 30;
/** GitLab may create the note with the summary a moment after the decision. */
const SUMMARY_MS = 10_000;

const CHECK_STATES: Readonly<Record<string, CheckState>> = {
  success: 'passing',
  failed: 'failing',
  canceled: 'failing',
  skipped: 'none',
  // Waits for a person to start it, so its result is not awaited.
  manual: 'none',
};

/** In these states GitLab does not know yet whether it can merge. */
const UNKNOWN = ['unchecked', 'checking', 'preparing', 'cannot_be_merged_recheck', 'approvals_syncing'];
const CONFLICTING = ['conflict', 'cannot_be_merged', 'broken_status'];

/** The notes that GitLab writes when a reviewer decides, dated at the decision. */
const DECISION_NOTES = {
  changes_requested: /^requested changes\b/,
  approved: /^approved this merge request\b/,
};

/** Accepts a personal, project or group token. */
export function gitlabDialect({ apiUrl, repository, token }: ForgeAddress): ForgeDialect {
  const root = `/projects/${encodeURIComponent(repository)}`;
  const webUrl = `${webUrlOf('gitlab', apiUrl)}/${repository}`;
  const notesPath = (issue: number) => `${root}/issues/${issue}/notes`;
  return {
    headers: { accept: 'application/json', 'private-token': token },
    fullPage: FULL_PAGE,
    longestTitle: 255,
    longestBody: 1_048_576,
    repositoryPath: root,
    pullsPath: `${root}/merge_requests`,
    commentsPath: notesPath,
    changeMethod: 'PUT',

    async readStanding(client, project, defaultBranch) {
      const scopes = await readScopes(client);
      const mayCall = scopes === undefined || scopes.includes('api');
      const mayPush =
        (mayCall || scopes.includes('write_repository')) &&
        (await mayPushTo(client, root, project, defaultBranch));
      return {
        repository: readText(project['path_with_namespace'], 500) || repository,
        mayPush,
        mayOpenPullRequests:
          mayPush &&
          mayCall &&
          project['merge_requests_enabled'] !== false &&
          project['merge_requests_access_level'] !== 'disabled' &&
          project['can_create_merge_request_in'] !== false,
      };
    },

    draftBody: ({ title, body, branch, base }) => ({
      title,
      description: body,
      source_branch: branch,
      target_branch: base,
    }),
    changeBody: ({ title, body, close }) => ({
      ...(title !== undefined && { title }),
      ...(body !== undefined && { description: body }),
      ...(close && { state_event: 'close' }),
    }),
    listPulls: (filter) => ({
      query: {
        state: filter?.ended ? 'all' : 'opened',
        order_by: 'created_at',
        sort: 'desc',
        source_branch: filter?.branch,
      },
      pages: 5,
    }),
    readPull: (request) => readMergeRequest(request, webUrl),

    /** The statuses of a commit include the jobs of its pipelines. */
    async readChecks(client, sha) {
      const path = `${root}/repository/commits/${encodeURIComponent(sha)}/statuses`;
      return (await client.readPages(path, {}, { pages: 2 })).map(readStatus);
    },

    readReviews,

    findLog: async (_client, log) => (/^\d+$/.test(log) ? `${root}/jobs/${log}/trace` : undefined),

    async findDeployment(client, sha) {
      const query = { status: 'success', order_by: 'id', sort: 'desc', per_page: MOST_DEPLOYMENTS };
      const found = await unlessMissing(client.read(`${root}/deployments`, query));
      return (
        readList(found ?? [], MOST_DEPLOYMENTS)
          .filter((deployment) => deployment['sha'] === sha)
          .map(({ environment }) => readAddressOrNull(readObjectOrEmpty(environment)['external_url']))
          .find((url) => url !== null) ?? undefined
      );
    },

    issuesQuery: ({ label, state, since }) => ({
      state: state === 'open' ? 'opened' : 'all',
      labels: label,
      updated_after: since?.toISOString(),
      order_by: 'updated_at',
      sort: 'asc',
    }),
    readIssue: (issue) => readIssue(issue, webUrl),
    hasLabel: (labels, label) => labels.includes(label),

    async readComments(client, issue) {
      const query = { sort: 'asc', order_by: 'created_at' };
      const notes = await client.readPages(notesPath(issue), query, { pages: 5 });
      return notes.filter(isWritten);
    },
    authorOf,
  };
}

/** Undefined for kinds of tokens whose scopes GitLab does not return. */
async function readScopes(client: ForgeClient): Promise<string[] | undefined> {
  const answer = client.read('/personal_access_tokens/self');
  const { scopes } = readObjectOrEmpty(await unlessFault(['missing', 'refused', 'invalid'], answer));
  return Array.isArray(scopes) ? scopes.map((scope) => readName(scope)) : undefined;
}

/** Uses the access level of the token's owner; administrators can have none, then the branch decides. */
async function mayPushTo(
  client: ForgeClient,
  root: string,
  project: JsonObject,
  defaultBranch: string,
): Promise<boolean> {
  if (project['archived'] === true) return false;
  const permissions = readObjectOrEmpty(project['permissions']);
  const levels = [permissions['project_access'], permissions['group_access']].map((access) =>
    readCount(readObjectOrEmpty(access)['access_level']),
  );
  if (Math.max(...levels) >= DEVELOPER) return true;
  if (Math.max(...levels) > 0) return false;
  const path = `${root}/repository/branches/${encodeURIComponent(defaultBranch)}`;
  return readObjectOrEmpty(await unlessMissing(client.read(path)))['can_push'] === true;
}

const authorOf = (remark: JsonObject): string => usernameOf(remark['author']);

const usernameOf = (user: unknown): string => readName(readObjectOrEmpty(user)['username'], 'ghost');

const isWritten = (note: JsonObject): boolean => note['system'] !== true;

function readMergeRequest(request: JsonObject, webUrl: string): PullRequest {
  const number = readNumber(request['iid']);
  const refs = readObjectOrEmpty(request['diff_refs']);
  const { source_project_id: source, target_project_id: target, reviewers } = request;
  const isMerged = request['state'] === 'merged';
  return {
    number,
    url: readAddressOrNull(request['web_url']) ?? `${webUrl}/-/merge_requests/${number}`,
    title: readName(request['title']),
    state: readPullState(request),
    head: { branch: readName(request['source_branch']), sha: readSha(request['sha'] ?? refs['head_sha']) },
    base: { branch: readName(request['target_branch']), sha: readShaOrNull(refs['start_sha']) },
    mergeable: readMergeable(request),
    mergedAt: isMerged ? readDateOrNull(request['merged_at'] ?? request['updated_at']) : null,
    reviewRequested: Array.isArray(reviewers) && reviewers.length > 0,
    foreign: source !== target,
  };
}

function readPullState(request: JsonObject): PullRequest['state'] {
  if (request['state'] === 'merged') return 'merged';
  if (request['state'] === 'closed') return 'closed';
  return request['draft'] === true || request['work_in_progress'] === true ? 'draft' : 'open';
}

/** Considers only conflicts; other obstacles such as a missing approval do not count. */
function readMergeable(request: JsonObject): boolean | null {
  const detailed = readText(request['detailed_merge_status']);
  const plain = readText(request['merge_status']);
  if (request['state'] !== 'opened' || UNKNOWN.includes(detailed) || UNKNOWN.includes(plain)) return null;
  if (request['has_conflicts'] === true || CONFLICTING.includes(detailed)) return false;
  if (detailed === '' && plain === '') return null;
  return detailed !== '' || plain !== 'cannot_be_merged';
}

function readIssue(issue: JsonObject, webUrl: string): Issue {
  const number = readNumber(issue['iid']);
  return {
    ...readIssueBasics(issue),
    number,
    url: readAddressOrNull(issue['web_url']) ?? `${webUrl}/-/issues/${number}`,
    body: readText(issue['description'], LONGEST_ISSUE),
    author: authorOf(issue),
    open: issue['state'] === 'opened',
    isCanceled: false,
    assignees: readAssignees(issue, 'username', 'public_email'),
    dueAt: readDateOrNull(issue['due_date'] ?? readObjectOrEmpty(issue['milestone'])['due_date']),
    parent: null,
    commentCount: readCount(issue['user_notes_count']),
  };
}

function readStatus(status: JsonObject): Check {
  const url = readAddressOrNull(status['target_url']);
  const id = readId(status['id']);
  const state = CHECK_STATES[readText(status['status'])] ?? 'pending';
  return {
    name: readName(status['name'], 'check'),
    state: state === 'failing' && status['allow_failure'] === true ? 'none' : state,
    url,
    summary: readTextOrNull(status['description']),
    // Only jobs of a pipeline have a log, under the same number.
    log: url?.endsWith(`/jobs/${id}`) || url?.endsWith(`/builds/${id}`) ? id : null,
  };
}

/**
 * A reviewer in the state `requested_changes` requests changes, and their general comments since the previous
 * decision are the text of the review. Every other open thread is a comment; resolved threads are left out.
 */
async function readReviews(client: ForgeClient, requestPath: string): Promise<Opinions> {
  const approvals = readObjectOrEmpty(await unlessMissing(client.read(`${requestPath}/approvals`)));
  const reviewers = readList(
    (await unlessMissing(client.read(`${requestPath}/reviewers`, FULL_PAGE))) ?? [],
    100,
  );
  const discussions = await client.readPages(`${requestPath}/discussions`, {}, { pages: 5 });
  const notes = discussions.flatMap((discussion) => readList(discussion['notes'] ?? [], 100));
  const written = notes.filter((note) => isWritten(note) && note['resolved'] !== true);
  const general = written.filter((note) => note['position'] == null);

  const requesting = reviewers
    .filter(({ state }) => state === 'requested_changes')
    .map(({ user }) => usernameOf(user));
  const approving = readList(approvals['approved_by'] ?? [], 100)
    .map(({ user }) => usernameOf(user))
    .filter((author) => !requesting.includes(author));
  const summaries = new Map(requesting.map((author) => [author, findSummary(author, notes, general)]));
  const decisions = [
    ...requesting.map((author) => ({
      ...readDecision(author, 'changes_requested', notes, reviewers),
      body: summaries
        .get(author)!
        .map(({ body }) => readText(body))
        .join('\n\n'),
    })),
    ...approving.map((author) => readDecision(author, 'approved', notes, reviewers)),
  ];
  const used = new Set([...summaries.values()].flat());
  const comments = general
    .filter((note) => !used.has(note))
    .map((note): Review => ({ ...readRemark(note, authorOf(note)), state: 'commented' }));
  return {
    reviews: [...decisions, ...comments].sort((one, other) => (one.at < other.at ? -1 : 1)),
    comments: written.filter((note) => note['position'] != null).map(readLineComment),
  };
}

/** Joins a reviewer's general comments since their previous decision, because GitLab does not link them to it. */
function findSummary(
  author: string,
  notes: readonly JsonObject[],
  general: readonly JsonObject[],
): JsonObject[] {
  const decidedAt = notes
    .filter((note) => isDecision(note, ...Object.values(DECISION_NOTES)) && authorOf(note) === author)
    .map(momentOf)
    .sort((one, other) => one - other);
  const since = (decidedAt.at(-2) ?? Number.NEGATIVE_INFINITY) + SUMMARY_MS;
  return general
    .filter((note) => authorOf(note) === author && momentOf(note) > since)
    .sort((one, other) => momentOf(one) - momentOf(other));
}

const isDecision = (note: JsonObject, ...texts: RegExp[]): boolean =>
  !isWritten(note) && texts.some((text) => text.test(readText(note['body'])));

const momentOf = (note: JsonObject): number => readDate(note['created_at']).getTime();

/** Dated by GitLab's note on the decision, else by the author's last note, else by the request for the review. */
function readDecision(
  author: string,
  state: keyof typeof DECISION_NOTES,
  notes: readonly JsonObject[],
  reviewers: readonly JsonObject[],
): Review {
  const own = notes.filter((note) => authorOf(note) === author);
  const dated =
    own.findLast((note) => isDecision(note, DECISION_NOTES[state])) ??
    own.at(-1) ??
    reviewers.find((reviewer) => readObjectOrEmpty(reviewer['user'])['username'] === author);
  const at = dated?.['created_at'] ?? new Date(0).toISOString();
  return { author, state, body: '', at: readDate(at).toISOString() };
}

function readLineComment(note: JsonObject): LineComment {
  const position = readObjectOrEmpty(note['position']);
  return {
    ...readRemark(note, authorOf(note)),
    path: readText(position['new_path'] ?? position['old_path'], 1024),
    line: readLine(position['new_line'] ?? position['old_line']),
  };
}
