import { setTimeout as wait } from 'node:timers/promises';
import { webUrlOf } from './address.js';
import type { Check, CheckState, Forge, ForgeAddress } from './forge.js';
import type { ForgeCaller } from './forge-call.js';
import { readForgejoLog } from './forgejo-logs.js';
import { readForgejoOpinions } from './forgejo-reviews.js';
import { authorOf, carries, issueOf, pullRequestOf } from './github-shapes.js';
import { readHostTime } from './host-limits.js';
import { hasNext, isAllowed, openLine, unlessMissing } from './host-line.js';
import {
  cutText,
  isSameText,
  readAddressOrNull,
  readDate,
  readList,
  readName,
  readPart,
  readText,
  readTextOrNull,
  readThing,
  type Thing,
} from './reading.js';

const LONGEST_TITLE = 255;
const LONGEST_BODY = 65_536;
/** More it does not give at once, unless its admin says so. */
const FULL = { limit: 50 };
const MOST_CHECKS = 200;
const MOST_COMMENTS = 500;
/** A number that no pull request has. */
const NOBODYS = 0;
/** It says no also while it still looks, and takes no longer than this for it. */
const LOOKING_MS = 3000;

const STATES: Readonly<Record<string, CheckState>> = {
  success: 'passing',
  warning: 'passing',
  failure: 'failing',
  error: 'failing',
  skipped: 'none',
};

/** Forgejo and Gitea. Their things are shaped like GitHub's. */
export function openForgejo(caller: ForgeCaller, { apiUrl, repository, token }: ForgeAddress): Forge {
  const [owner = '', name = ''] = repository.split('/');
  const root = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  const webUrl = `${webUrlOf('forgejo', apiUrl)}/${repository}`;
  const line = openLine(caller, apiUrl, { accept: 'application/json', authorization: `token ${token}` });

  function readPull(value: unknown) {
    const pull = pullRequestOf(readThing(value), `${webUrl}/pulls`);
    // A draft it calls not mergeable, whatever its branches are like.
    const mergeable = pull.state === 'open' ? pull.mergeable : null;
    return { ...pull, mergeable };
  }

  const readComments = async (issue: number) =>
    readList(await line.read(`${root}/issues/${issue}/comments`), MOST_COMMENTS);

  const lookAt = (number: number) => unlessMissing(line.read(`${root}/pulls/${number}`));

  return {
    async tryOut() {
      const found = readThing(await line.read(root));
      const mayPush = readPart(found['permissions'])['push'] === true && found['archived'] !== true;
      // Who may see them may still not open any: only to try it tells, on one that is not there.
      const mayOpenPullRequests =
        mayPush &&
        found['has_pull_requests'] !== false &&
        (await isAllowed(line.read(`${root}/pulls`, { state: 'open', limit: 1 }))) &&
        (await isAllowed(line.send('PATCH', `${root}/pulls/${NOBODYS}`, { state: 'open' })));
      return {
        repository: readName(found['full_name'], repository),
        defaultBranch: readName(found['default_branch'], 'main'),
        mayPush,
        mayOpenPullRequests,
      };
    },

    async openPullRequest({ title, body, branch, base }) {
      return readPull(
        await line.send('POST', `${root}/pulls`, {
          title: cutText(title, LONGEST_TITLE),
          body: cutText(body, LONGEST_BODY),
          head: branch,
          base,
        }),
      );
    },

    async changePullRequest(number, { title, body, close }) {
      return readPull(
        await line.send('PATCH', `${root}/pulls/${number}`, {
          ...(title !== undefined && { title: cutText(title, LONGEST_TITLE) }),
          ...(body !== undefined && { body: cutText(body, LONGEST_BODY) }),
          ...(close && { state: 'closed' }),
        }),
      );
    },

    /** It does not look for branches: all are listed. */
    async listOpenPullRequests(of) {
      const query = of?.ended ? { state: 'all', sort: 'recentupdate' } : { state: 'open' };
      const found = await line.readPages(`${root}/pulls`, query, { size: FULL, pages: of?.ended ? 2 : 10 });
      return found
        .map(readPull)
        .map((pull) => ({ ...pull, mergeable: null }))
        .filter((pull) => !of || (pull.head.branch === of.branch && !pull.foreign));
    },

    async readPullRequest(number) {
      const found = await lookAt(number);
      const pull = found === undefined ? undefined : readPull(found);
      if (pull?.mergeable !== false) return pull;
      await wait(LOOKING_MS);
      const again = await lookAt(number);
      return again === undefined ? undefined : readPull(again);
    },

    /** What its own machines run is among the statuses of a commit. */
    async readChecks(sha) {
      const found = await line.readPages(
        `${root}/commits/${encodeURIComponent(sha)}/status`,
        {},
        { size: FULL, pages: 4, listIn: (content) => readThing(content)['statuses'] ?? [] },
      );
      return found.map((status) => checkOf(status, sha)).slice(0, MOST_CHECKS);
    },

    readReviews: (number) => readForgejoOpinions(line, `${root}/pulls/${number}`),

    readCheckLog: ({ log }, lines) => readForgejoLog(line, root, log, lines),

    /** It keeps none. */
    findDeployment: async () => undefined,

    async listIssues({ label, state, since, page = '1' }) {
      const answer = await line.get(`${root}/issues`, {
        type: 'issues',
        state,
        // With a comma it would be two of them.
        labels: label?.includes(',') ? undefined : label,
        since: since?.toISOString(),
        sort: 'leastupdate',
        ...FULL,
        page,
      });
      const found = readList(answer.content, FULL.limit);
      const issues = found
        .filter((one) => one['pull_request'] === undefined || one['pull_request'] === null)
        .map((one) => issueOf(one, webUrl))
        .filter(({ labels }) => label === undefined || carries(labels, label))
        .sort((one, other) => one.updatedAt.getTime() - other.updatedAt.getTime());
      const goesOn = found.length > 0 && hasNext(answer, found.length === FULL.limit);
      const next = goesOn ? String(Number(page) + 1) : undefined;
      return { issues, next, hostTime: readHostTime(answer.headers) };
    },

    async listComments(issue) {
      return (await readComments(issue)).map((comment) => ({
        author: authorOf(comment),
        body: readText(comment['body']),
        at: readDate(comment['created_at']),
      }));
    },

    async commentOnIssue(issue, body) {
      const text = cutText(body, LONGEST_BODY);
      const there = await readComments(issue);
      if (there.some((comment) => isSameText(readText(comment['body'], LONGEST_BODY), text))) return;
      await line.send('POST', `${root}/issues/${issue}/comments`, { body: text });
    },
  };
}

function checkOf(status: Thing, sha: string): Check {
  const target = readText(status['target_url'], 2000);
  const [, run, job] = /\/actions\/runs\/(\d{1,12})\/jobs\/(\d{1,6})$/.exec(target) ?? [];
  return {
    name: readName(status['context'], 'status'),
    state: STATES[readText(status['status'] ?? status['state'])] ?? 'pending',
    url: readAddressOrNull(target),
    summary: readTextOrNull(status['description']),
    log: run === undefined ? null : `${sha} ${run} ${job}`,
  };
}
