import { webUrlOf } from './address.js';
import {
  type JsonObject,
  readAddressOrNull,
  readCount,
  readId,
  readLine,
  readList,
  readName,
  readObject,
  readRemark,
  readText,
  readTextOrNull,
} from './answer-values.js';
import type { Check, CheckState, ForgeAddress, LineComment, Review } from './forge.js';
import { type ForgeDialect, unlessMissing } from './forge-client.js';
import {
  authorOf,
  githubDialect,
  keepLastDecisions,
  readPull,
  readStanding,
  readSubmittedReview,
} from './github.js';

const MOST_COMMENTS = 500;
const MOST_RUNS = 50;
/** Comments take one request per review, so only those of the newest reviews are read. */
const MOST_COMMENTED_REVIEWS = 10;

const CHECK_STATES: Readonly<Record<string, CheckState>> = {
  success: 'passing',
  warning: 'passing',
  failure: 'failing',
  error: 'failing',
  skipped: 'none',
};

const REVIEW_STATES: Readonly<Record<string, Review['state']>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'changes_requested',
  COMMENT: 'commented',
};

/** Forgejo and Gitea follow GitHub's API except for the differences here. */
export function forgejoDialect(address: ForgeAddress): ForgeDialect {
  const { kind, apiUrl, repository, token } = address;
  const github = githubDialect(address);
  const root = github.repositoryPath;
  const pullsUrl = `${webUrlOf(kind, apiUrl)}/${repository}/pulls`;
  return {
    ...github,
    headers: { accept: 'application/json', authorization: `token ${token}` },
    // The largest page, unless the host's admin allows more.
    fullPage: { limit: 50 },
    longestTitle: 255,
    // Forgejo also reports a conflict while it is still checking, which takes at most this long.
    conflictRecheckMs: 3000,

    readStanding: (client, found) =>
      readStanding(client, root, found, repository, { state: 'open', limit: 1 }),

    /** Forgejo cannot filter by branch, so all pull requests are listed. */
    listPulls: (filter) =>
      filter?.ended
        ? { query: { state: 'all', sort: 'recentupdate' }, pages: 2 }
        : { query: { state: 'open' }, pages: 10 },

    readPull(found, isListed) {
      const pull = readPull(found, pullsUrl);
      // Forgejo reports every draft as not mergeable, regardless of its branches.
      return { ...pull, mergeable: pull.state === 'open' && !isListed ? pull.mergeable : null };
    },

    /** The host's own job results are among the statuses of a commit. */
    async readChecks(client, sha) {
      const path = `${root}/commits/${encodeURIComponent(sha)}/status`;
      const listIn = (content: unknown) => readObject(content)['statuses'] ?? [];
      const statuses = await client.readPages(path, {}, { pages: 4, listIn });
      return statuses.map((status) => readStatus(status, sha));
    },

    async readReviews(client, pullPath) {
      const found = await client.readPages(`${pullPath}/reviews`, {}, { pages: 4 });
      const reviews = found.flatMap(readReview).sort((one, other) => (one.at < other.at ? -1 : 1));
      const commented = found.filter((review) => readCount(review['comments_count']) > 0);
      const comments: LineComment[] = [];
      for (const { id } of commented.slice(-MOST_COMMENTED_REVIEWS)) {
        const answer = await unlessMissing(client.read(`${pullPath}/reviews/${readId(id)}/comments`));
        const open = readList(answer ?? [], MOST_COMMENTS).filter(({ resolver }) => resolver == null);
        comments.push(...open.map(readLineComment));
      }
      return { reviews: keepLastDecisions(reviews), comments };
    },

    /** Statuses show run and job numbers; the log has another number, which hosts return since Gitea 1.24. */
    async findLog(client, log) {
      const [, sha, run, job] = /^([0-9a-f]+) (\d+) (\d+)$/.exec(log) ?? [];
      if (sha === undefined) return undefined;
      const runs = readObject(await client.read(`${root}/actions/runs`, { head_sha: sha, limit: MOST_RUNS }));
      const found = readList(runs['workflow_runs'], MOST_RUNS).find((each) =>
        readText(each['html_url'], 2000).endsWith(`/actions/runs/${run}`),
      );
      if (!found) return undefined;
      const { jobs } = readObject(await client.read(`${root}/actions/runs/${readId(found['id'])}/jobs`));
      const wanted = readList(jobs, 100)[Number(job)];
      return wanted && `${root}/actions/jobs/${readId(wanted['id'])}/logs`;
    },

    findDeployment: async () => undefined,

    issuesQuery: ({ label, state, since }) => ({
      type: 'issues',
      state,
      labels: label,
      since: since?.toISOString(),
      sort: 'leastupdate',
    }),

    readComments: async (client, issue) =>
      readList(await client.read(github.commentsPath(issue)), MOST_COMMENTS),
  };
}

function readStatus(status: JsonObject, sha: string): Check {
  const target = readText(status['target_url'], 2000);
  const [, run, job] = /\/actions\/runs\/(\d{1,12})\/jobs\/(\d{1,6})$/.exec(target) ?? [];
  return {
    name: readName(status['context'], 'status'),
    state: CHECK_STATES[readText(status['status'] ?? status['state'])] ?? 'pending',
    url: readAddressOrNull(target),
    summary: readTextOrNull(status['description']),
    log: run === undefined ? null : `${sha} ${run} ${job}`,
  };
}

/** Requests for a review and unfinished reviews are in the same list. */
function readReview(review: JsonObject): Review[] {
  const state = REVIEW_STATES[readText(review['state'])];
  if (!state) return [];
  const isDismissed = review['dismissed'] === true && state !== 'commented';
  return [readSubmittedReview(review, isDismissed ? 'dismissed' : state)];
}

const readLineComment = (comment: JsonObject): LineComment => ({
  ...readRemark(comment, authorOf(comment)),
  path: readText(comment['path'], 1024),
  line: readLine(comment['position']) ?? readLine(comment['original_position']),
});
