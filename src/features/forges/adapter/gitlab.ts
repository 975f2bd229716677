import { webUrlOf } from './address.js';
import { type Check, type CheckState, type Forge, type ForgeAddress, ForgeFailed } from './forge.js';
import type { ForgeCaller } from './forge-call.js';
import { readGitlabOpinions } from './gitlab-reviews.js';
import { gitlabAuthor, gitlabIssueOf, mergeRequestOf } from './gitlab-shapes.js';
import { readHostTime } from './host-limits.js';
import { hasNext, openLine, unlessKeptBack, unlessMissing } from './host-line.js';
import {
  cutText,
  isSameText,
  LONGEST_ISSUE,
  readAddressOrNull,
  readCount,
  readDate,
  readId,
  readList,
  readName,
  readPart,
  readText,
  readTextOrNull,
  readThing,
  type Thing,
} from './reading.js';

const LONGEST_TITLE = 255;
const LONGEST_BODY = 1_048_576;
const FULL = { per_page: 100 };
const MOST_CHECKS = 200;
/** Deployments that are looked through for one of a commit, newest first: GitLab does not look for it. */
const MOST_DEPLOYMENTS = 50;
/** From here on somebody may push to branches that are not protected. */
const DEVELOPER = 30;

const STATES: Readonly<Record<string, CheckState>> = {
  success: 'passing',
  failed: 'failing',
  canceled: 'failing',
  skipped: 'none',
  // Waits for a person to start it, and nobody waits for that.
  manual: 'none',
};

/** GitLab, in the cloud and of one's own; by a personal, project or group token. */
export function openGitlab(caller: ForgeCaller, { apiUrl, repository, token }: ForgeAddress): Forge {
  const root = `/projects/${encodeURIComponent(repository)}`;
  const webUrl = `${webUrlOf('gitlab', apiUrl)}/${repository}`;
  const line = openLine(caller, apiUrl, { accept: 'application/json', 'private-token': token });
  const readPull = (value: unknown) => mergeRequestOf(readThing(value), webUrl);

  /** What a host says of its own tokens; those it says nothing of are only tried. */
  async function readScopes(): Promise<string[] | undefined> {
    try {
      const { scopes } = readPart(await line.read('/personal_access_tokens/self'));
      return Array.isArray(scopes) ? scopes.map((scope) => readName(scope)) : undefined;
    } catch (error) {
      if (error instanceof ForgeFailed && ['missing', 'refused', 'invalid'].includes(error.fault))
        return undefined;
      throw error;
    }
  }

  /** By the rank of who the token belongs to; who has none here, an administrator say, may all the same. */
  async function mayPushTo(project: Thing, defaultBranch: string): Promise<boolean> {
    if (project['archived'] === true) return false;
    const permissions = readPart(project['permissions']);
    const ranks = [permissions['project_access'], permissions['group_access']].map((access) =>
      readCount(readPart(access)['access_level']),
    );
    if (Math.max(...ranks) >= DEVELOPER) return true;
    if (Math.max(...ranks) > 0) return false;
    const branch = await unlessMissing(
      line.read(`${root}/repository/branches/${encodeURIComponent(defaultBranch)}`),
    );
    return readPart(branch)['can_push'] === true;
  }

  const readNotes = (issue: number) =>
    line.readPages(
      `${root}/issues/${issue}/notes`,
      { sort: 'asc', order_by: 'created_at' },
      { size: FULL, pages: 5 },
    );

  return {
    async tryOut() {
      const project = readThing(await line.read(root));
      const defaultBranch = readName(project['default_branch'], 'main');
      const scopes = await readScopes();
      const mayCall = scopes === undefined || scopes.includes('api');
      const mayPush =
        (mayCall || scopes.includes('write_repository')) && (await mayPushTo(project, defaultBranch));
      return {
        repository: readText(project['path_with_namespace'], 500) || repository,
        defaultBranch,
        mayPush,
        mayOpenPullRequests:
          mayPush &&
          mayCall &&
          project['merge_requests_enabled'] !== false &&
          project['merge_requests_access_level'] !== 'disabled' &&
          project['can_create_merge_request_in'] !== false,
      };
    },

    async openPullRequest({ title, body, branch, base }) {
      return readPull(
        await line.send('POST', `${root}/merge_requests`, {
          title: cutText(title, LONGEST_TITLE),
          description: cutText(body, LONGEST_BODY),
          source_branch: branch,
          target_branch: base,
        }),
      );
    },

    async changePullRequest(number, { title, body, close }) {
      return readPull(
        await line.send('PUT', `${root}/merge_requests/${number}`, {
          ...(title !== undefined && { title: cutText(title, LONGEST_TITLE) }),
          ...(body !== undefined && { description: cutText(body, LONGEST_BODY) }),
          ...(close && { state_event: 'close' }),
        }),
      );
    },

    async listOpenPullRequests(of) {
      const state = of?.ended ? 'all' : 'opened';
      const query = { state, order_by: 'created_at', sort: 'desc', source_branch: of?.branch };
      const found = await line.readPages(`${root}/merge_requests`, query, { size: FULL, pages: 5 });
      return found.map(readPull).filter((pull) => !of || (pull.head.branch === of.branch && !pull.foreign));
    },

    async readPullRequest(number) {
      const found = await unlessMissing(line.read(`${root}/merge_requests/${number}`));
      return found === undefined ? undefined : readPull(found);
    },

    /** Jobs of pipelines are among the statuses of a commit. */
    async readChecks(sha) {
      const path = `${root}/repository/commits/${encodeURIComponent(sha)}/statuses`;
      const found = await line.readPages(path, {}, { size: FULL, pages: 2 });
      return found.map(checkOf).slice(0, MOST_CHECKS);
    },

    readReviews: (number) => readGitlabOpinions(line, `${root}/merge_requests/${number}`),

    async readCheckLog({ log }, lines) {
      if (log === null || !/^\d+$/.test(log)) return undefined;
      return unlessKeptBack(line.readTail(`${root}/jobs/${log}/trace`, lines));
    },

    async findDeployment(sha) {
      const query = { status: 'success', order_by: 'id', sort: 'desc', per_page: MOST_DEPLOYMENTS };
      const found = await unlessMissing(line.read(`${root}/deployments`, query));
      return (
        readList(found ?? [], MOST_DEPLOYMENTS)
          .filter((deployment) => deployment['sha'] === sha)
          .map(({ environment }) => readAddressOrNull(readPart(environment)['external_url']))
          .find((url) => url !== null) ?? undefined
      );
    },

    async listIssues({ label, state, since, page = '1' }) {
      const answer = await line.get(`${root}/issues`, {
        state: state === 'open' ? 'opened' : 'all',
        // With a comma it would be two of them.
        labels: label?.includes(',') ? undefined : label,
        updated_after: since?.toISOString(),
        order_by: 'updated_at',
        sort: 'asc',
        ...FULL,
        page,
      });
      const found = readList(answer.content, FULL.per_page);
      const issues = found
        .map((one) => gitlabIssueOf(one, webUrl, LONGEST_ISSUE))
        .filter(({ labels }) => label === undefined || labels.includes(label));
      const goesOn = found.length > 0 && hasNext(answer, found.length === FULL.per_page);
      const next = goesOn ? String(Number(page) + 1) : undefined;
      return { issues, next, hostTime: readHostTime(answer.headers) };
    },

    async listComments(issue) {
      return (await readNotes(issue)).filter(isSaid).map((note) => ({
        author: gitlabAuthor(note),
        body: readText(note['body']),
        at: readDate(note['created_at']),
      }));
    },

    async commentOnIssue(issue, body) {
      const text = cutText(body, LONGEST_BODY);
      const there = await readNotes(issue);
      if (there.some((note) => isSameText(readText(note['body'], LONGEST_BODY), text))) return;
      await line.send('POST', `${root}/issues/${issue}/notes`, { body: text });
    },
  };
}

/** What GitLab itself notes of a change is no comment. */
const isSaid = (note: Thing) => note['system'] !== true;

function checkOf(status: Thing): Check {
  const url = readAddressOrNull(status['target_url']);
  const id = readId(status['id']);
  const state = STATES[readText(status['status'])] ?? 'pending';
  return {
    name: readName(status['name'], 'check'),
    state: state === 'failing' && status['allow_failure'] === true ? 'none' : state,
    url,
    summary: readTextOrNull(status['description']),
    // Only what a pipeline ran has a log, by the same number.
    log: url?.endsWith(`/jobs/${id}`) || url?.endsWith(`/builds/${id}`) ? id : null,
  };
}
