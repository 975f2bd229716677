import { webUrlOf } from './address.js';
import type { Forge, ForgeAddress } from './forge.js';
import type { ForgeCaller } from './forge-call.js';
import { readGithubChecks } from './github-checks.js';
import { readGithubOpinions } from './github-reviews.js';
import { authorOf, carries, issueOf, pullRequestOf } from './github-shapes.js';
import { readHostTime } from './host-limits.js';
import { hasNext, isAllowed, openLine, unlessKeptBack, unlessMissing } from './host-line.js';
import {
  cutText,
  isSameText,
  readAddressOrNull,
  readDate,
  readId,
  readList,
  readName,
  readPart,
  readText,
  readThing,
} from './reading.js';

const LONGEST_TITLE = 256;
const LONGEST_BODY = 65_536;
const FULL = { per_page: 100 };
/** Deployments of one commit that are looked at, newest first. */
const MOST_DEPLOYMENTS = 5;
/** A number that no pull request has. */
const NOBODYS = 0;

/** GitHub, in the cloud and as Enterprise Server. */
export function openGithub(caller: ForgeCaller, { apiUrl, repository, token }: ForgeAddress): Forge {
  const [owner = '', name = ''] = repository.split('/');
  const root = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  const webUrl = `${webUrlOf('github', apiUrl)}/${repository}`;
  const line = openLine(caller, apiUrl, {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'x-github-api-version': '2022-11-28',
  });

  const readPull = (value: unknown) => pullRequestOf(readThing(value), `${webUrl}/pull`);

  const readComments = (issue: number) =>
    line.readPages(`${root}/issues/${issue}/comments`, {}, { size: FULL, pages: 5 });

  return {
    async tryOut() {
      const found = readThing(await line.read(root));
      const permissions = readPart(found['permissions']);
      const mayPush = permissions['push'] === true && found['archived'] !== true;
      // Who may see them may still not open any: only to try it tells, on one that is not there.
      const mayOpenPullRequests =
        mayPush &&
        found['has_pull_requests'] !== false &&
        (await isAllowed(line.read(`${root}/pulls`, { per_page: 1 }))) &&
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

    async listOpenPullRequests(of) {
      const query = { state: of?.ended ? 'all' : 'open', sort: 'created', direction: 'desc' };
      const head = of && `${owner}:${of.branch}`;
      const found = await line.readPages(`${root}/pulls`, { ...query, head }, { size: FULL, pages: 5 });
      return found.map(readPull).filter((pull) => !of || (pull.head.branch === of.branch && !pull.foreign));
    },

    async readPullRequest(number) {
      const found = await unlessMissing(line.read(`${root}/pulls/${number}`));
      return found === undefined ? undefined : readPull(found);
    },

    readChecks: (sha) => readGithubChecks(line, root, sha),

    readReviews: (number) => readGithubOpinions(line, `${root}/pulls/${number}`),

    async readCheckLog({ log }, lines) {
      if (log === null || !/^\d+$/.test(log)) return undefined;
      return unlessKeptBack(line.readTail(`${root}/actions/jobs/${log}/logs`, lines));
    },

    async findDeployment(sha) {
      const found = await unlessMissing(
        line.read(`${root}/deployments`, { sha, per_page: MOST_DEPLOYMENTS }),
      );
      for (const { id } of readList(found ?? [], MOST_DEPLOYMENTS)) {
        const told = await line.read(`${root}/deployments/${readId(id)}/statuses`, { per_page: 1 });
        const [newest] = readList(told, 1);
        const url = readAddressOrNull(newest?.['environment_url']);
        if (newest?.['state'] === 'success' && url) return url;
      }
      return undefined;
    },

    async listIssues({ label, state, since, page = '1' }) {
      const answer = await line.get(`${root}/issues`, {
        state,
        // With a comma it would be two of them.
        labels: label?.includes(',') ? undefined : label,
        since: since?.toISOString(),
        sort: 'updated',
        direction: 'asc',
        ...FULL,
        page,
      });
      const found = readList(answer.content, FULL.per_page);
      const issues = found
        .filter((one) => one['pull_request'] === undefined || one['pull_request'] === null)
        .map((one) => issueOf(one, webUrl))
        .filter(({ labels }) => label === undefined || carries(labels, label));
      const goesOn = found.length > 0 && hasNext(answer, found.length === FULL.per_page);
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
