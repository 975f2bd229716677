import { webUrlOf } from './address.js';
import {
  type JsonObject,
  LONGEST_ISSUE,
  readAddressOrNull,
  readAssignees,
  readCount,
  readDateOrNull,
  readId,
  readIssueBasics,
  readLine,
  readList,
  readName,
  readNumber,
  readObject,
  readObjectOrEmpty,
  readRemark,
  readSha,
  readShaOrNull,
  readText,
  readTextOrNull,
} from './answer-values.js';
import {
  type Check,
  type CheckState,
  type ForgeAddress,
  ForgeFailed,
  type Issue,
  type LineComment,
  type PullRequest,
  type Review,
  type Standing,
} from './forge.js';
import {
  type ForgeClient,
  type ForgeDialect,
  type Query,
  unlessFault,
  unlessMissing,
} from './forge-client.js';

const FULL_PAGE = { per_page: 100 };
/** Deployments and workflow runs to check for one commit, newest first. */
const MOST_DEPLOYMENTS = 5;
const MOST_RUNS = 20;
/** No pull request has this number. */
const NO_PULL_REQUEST = 0;

/** Same meaning as on GitHub; a skipped check has no influence. */
const CONCLUSIONS: Readonly<Record<string, CheckState>> = {
  success: 'passing',
  neutral: 'passing',
  skipped: 'none',
  failure: 'failing',
  cancelled: 'failing',
  timed_out: 'failing',
  action_required: 'failing',
  startup_failure: 'failing',
  stale: 'pending',
};

const STATUSES: Readonly<Record<string, CheckState>> = {
  success: 'passing',
  failure: 'failing',
  error: 'failing',
  pending: 'pending',
};

const REVIEW_STATES: Readonly<Record<string, Review['state']>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
  DISMISSED: 'dismissed',
};

export function githubDialect({ kind, apiUrl, repository, token }: ForgeAddress): ForgeDialect {
  const [owner = '', name = ''] = repository.split('/');
  const root = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  const webUrl = `${webUrlOf(kind, apiUrl)}/${repository}`;
  const commentsPath = (issue: number) => `${root}/issues/${issue}/comments`;
  return {
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    },
    fullPage: FULL_PAGE,
    longestTitle: 256,
    longestBody: 65_536,
    repositoryPath: root,
    pullsPath: `${root}/pulls`,
    commentsPath,
    changeMethod: 'PATCH',

    readStanding: (client, found) => readStanding(client, root, found, repository, { per_page: 1 }),
    draftBody: ({ title, body, branch, base }) => ({ title, body, head: branch, base }),
    changeBody: ({ close, ...texts }) => ({ ...texts, ...(close && { state: 'closed' }) }),
    listPulls: (filter) => ({
      query: {
        state: filter?.ended ? 'all' : 'open',
        sort: 'created',
        direction: 'desc',
        head: filter && `${owner}:${filter.branch}`,
      },
      pages: 5,
    }),
    readPull: (pull) => readPull(pull, `${webUrl}/pull`),

    /** Combines check runs and commit statuses, because programs report one or the other. */
    async readChecks(client, sha) {
      const commit = `${root}/commits/${encodeURIComponent(sha)}`;
      const runs =
        (await unlessFault(['refused'], readRuns(client, commit))) ?? (await readJobs(client, root, sha));
      const combined = await requireAllowed(
        'the statuses of commits',
        client.read(`${commit}/status`, FULL_PAGE),
      );
      const statuses = readList(readObject(combined)['statuses'], FULL_PAGE.per_page);
      return [...runs, ...statuses.map(readStatus)];
    },

    async readReviews(client, pullPath) {
      const reviews = await client.readPages(`${pullPath}/reviews`, {}, { pages: 10 });
      const newestFirst = { sort: 'created', direction: 'desc' };
      const comments = await client.readPages(`${pullPath}/comments`, newestFirst, { pages: 5 });
      return {
        reviews: keepLastDecisions(reviews.flatMap(readReview)),
        comments: comments.map(readLineComment).reverse(),
      };
    },

    findLog: async (_client, log) => (/^\d+$/.test(log) ? `${root}/actions/jobs/${log}/logs` : undefined),

    async findDeployment(client, sha) {
      const query = { sha, per_page: MOST_DEPLOYMENTS };
      const deployments = await unlessMissing(client.read(`${root}/deployments`, query));
      for (const { id } of readList(deployments ?? [], MOST_DEPLOYMENTS)) {
        const answer = await client.read(`${root}/deployments/${readId(id)}/statuses`, { per_page: 1 });
        const [newest] = readList(answer, 1);
        const url = readAddressOrNull(newest?.['environment_url']);
        if (newest?.['state'] === 'success' && url) return url;
      }
      return undefined;
    },

    issuesQuery: ({ label, state, since }) => ({
      state,
      labels: label,
      since: since?.toISOString(),
      sort: 'updated',
      direction: 'asc',
    }),
    readIssue: (issue) => (issue['pull_request'] == null ? readIssue(issue, webUrl) : undefined),
    hasLabel: (labels, label) => labels.some((each) => each.toLowerCase() === label.toLowerCase()),
    readComments: (client, issue) => client.readPages(commentsPath(issue), {}, { pages: 5 }),
    authorOf,
  };
}

export async function readStanding(
  client: ForgeClient,
  root: string,
  found: JsonObject,
  repository: string,
  onePull: Query,
): Promise<Omit<Standing, 'defaultBranch'>> {
  const mayPush = readObjectOrEmpty(found['permissions'])['push'] === true && found['archived'] !== true;
  // A token that can list pull requests may be unable to open any; changing a nonexistent one reveals that.
  const mayOpenPullRequests =
    mayPush &&
    found['has_pull_requests'] !== false &&
    (await isAllowed(client.read(`${root}/pulls`, onePull))) &&
    (await isAllowed(client.send('PATCH', `${root}/pulls/${NO_PULL_REQUEST}`, { state: 'open' })));
  return { repository: readName(found['full_name'], repository), mayPush, mayOpenPullRequests };
}

/** Other failures are expected here and mean that the call is allowed, except a rate limit. */
async function isAllowed(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (!(error instanceof ForgeFailed) || error.fault === 'limited') throw error;
    return error.fault !== 'refused';
  }
}

/** GitHub shows a deleted account under this name. */
export const authorOf = (remark: JsonObject): string =>
  readName(readObjectOrEmpty(remark['user'])['login'], 'ghost');

/** `pullsUrl` is the web address of pull requests, for hosts that do not send it. */
export function readPull(pull: JsonObject, pullsUrl: string): PullRequest {
  const number = readNumber(pull['number']);
  const head = readObject(pull['head']);
  const base = readObject(pull['base']);
  const mergedAt = readDateOrNull(pull['merged_at']);
  const requested = [pull['requested_reviewers'], pull['requested_teams']];
  return {
    number,
    url: readAddressOrNull(pull['html_url']) ?? `${pullsUrl}/${number}`,
    title: readName(pull['title']),
    state: readPullState(pull, mergedAt),
    head: { branch: readName(head['ref']), sha: readSha(head['sha']) },
    base: { branch: readName(base['ref']), sha: readShaOrNull(base['sha']) },
    mergeable: typeof pull['mergeable'] === 'boolean' ? pull['mergeable'] : null,
    mergedAt,
    reviewRequested: requested.some((people) => Array.isArray(people) && people.length > 0),
    foreign: isForeign(head['repo'], base['repo']),
  };
}

/** The repository of a deleted fork is null. */
function isForeign(headRepository: unknown, baseRepository: unknown): boolean {
  const [head, base] = [readObjectOrEmpty(headRepository), readObjectOrEmpty(baseRepository)];
  return headRepository === null || head['id'] !== base['id'] || head['full_name'] !== base['full_name'];
}

function readPullState(pull: JsonObject, mergedAt: Date | null): PullRequest['state'] {
  if (mergedAt) return 'merged';
  if (pull['state'] === 'closed') return 'closed';
  return pull['draft'] === true ? 'draft' : 'open';
}

function readIssue(issue: JsonObject, webUrl: string): Issue {
  const number = readNumber(issue['number']);
  // The parent comes with its API address, but people need the web page.
  const parent = /\/issues\/(\d{1,9})$/.exec(readText(issue['parent_issue_url'], 2000))?.[1];
  return {
    ...readIssueBasics(issue),
    number,
    url: readAddressOrNull(issue['html_url']) ?? `${webUrl}/issues/${number}`,
    body: readText(issue['body'], LONGEST_ISSUE),
    author: authorOf(issue),
    open: issue['state'] === 'open',
    isCanceled: issue['state_reason'] === 'not_planned' || issue['state_reason'] === 'duplicate',
    assignees: readAssignees(issue, 'login', 'email'),
    dueAt: readDateOrNull(readObjectOrEmpty(issue['milestone'])['due_on']),
    parent: parent === undefined ? null : `${webUrl}/issues/${parent}`,
    commentCount: readCount(issue['comments']),
  };
}

async function requireAllowed<T>(what: string, work: Promise<T>): Promise<T> {
  const found = await unlessFault(['refused'], work);
  if (found === undefined) throw new ForgeFailed('refused', `The token may not read ${what}`);
  return found;
}

async function readRuns(client: ForgeClient, commit: string): Promise<Check[]> {
  const listIn = (content: unknown) => readObject(content)['check_runs'];
  const runs = await client.readPages(`${commit}/check-runs`, { filter: 'latest' }, { pages: 2, listIn });
  return runs.map(readRun);
}

/** Some kinds of tokens cannot read checks, only the jobs of GitHub Actions. */
const readJobs = (client: ForgeClient, root: string, sha: string): Promise<Check[]> =>
  requireAllowed(
    'checks',
    (async () => {
      const answer = readObject(
        await client.read(`${root}/actions/runs`, { head_sha: sha, per_page: MOST_RUNS }),
      );
      const checks: Check[] = [];
      for (const { id } of readList(answer['workflow_runs'], MOST_RUNS)) {
        const { jobs } = readObject(await client.read(`${root}/actions/runs/${readId(id)}/jobs`, FULL_PAGE));
        checks.push(...readList(jobs, FULL_PAGE.per_page).map(readJob));
      }
      return checks;
    })(),
  );

const readCheckState = ({ status, conclusion }: JsonObject): CheckState =>
  status === 'completed' ? (CONCLUSIONS[readText(conclusion)] ?? 'failing') : 'pending';

const readJob = (job: JsonObject): Check => ({
  name: readName(job['name'], 'job'),
  state: readCheckState(job),
  url: readAddressOrNull(job['html_url']),
  summary: null,
  log: readId(job['id']),
});

function readRun(run: JsonObject): Check {
  const output = readObjectOrEmpty(run['output']);
  const summary = [output['title'], output['summary'], output['text']]
    .map((part) => readText(part))
    .filter((part) => part !== '')
    .join('\n\n');
  // A check run of GitHub Actions has the number of its job, and only jobs have logs.
  const isJob = readObjectOrEmpty(run['app'])['slug'] === 'github-actions';
  return {
    name: readName(run['name'], 'check'),
    state: readCheckState(run),
    url: readAddressOrNull(run['details_url']) ?? readAddressOrNull(run['html_url']),
    summary: readTextOrNull(summary),
    log: isJob ? readId(run['id']) : null,
  };
}

const readStatus = (status: JsonObject): Check => ({
  name: readName(status['context'], 'status'),
  state: STATUSES[readText(status['state'])] ?? 'pending',
  url: readAddressOrNull(status['target_url']),
  summary: readTextOrNull(status['description']),
  log: null,
});

/** Keeps the last decision of each author and every comment, since comments decide nothing. */
export function keepLastDecisions(reviews: readonly Review[]): Review[] {
  const decisions = new Map<string, Review>();
  for (const review of reviews) if (review.state !== 'commented') decisions.set(review.author, review);
  return reviews.filter(
    (review) =>
      decisions.get(review.author) === review || (review.state === 'commented' && review.body !== ''),
  );
}

/** A review without a date is still being written. */
function readReview(review: JsonObject): Review[] {
  const state = REVIEW_STATES[readText(review['state'])];
  return state && review['submitted_at'] ? [readSubmittedReview(review, state)] : [];
}

export const readSubmittedReview = (review: JsonObject, state: Review['state']): Review => ({
  ...readRemark(review, authorOf(review), review['submitted_at']),
  state,
  sha: readShaOrNull(review['commit_id']),
});

const readLineComment = (comment: JsonObject): LineComment => ({
  ...readRemark(comment, authorOf(comment)),
  path: readText(comment['path'], 1024),
  line: readLine(comment['line'] ?? comment['original_line']),
});
