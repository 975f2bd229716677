import { setTimeout as wait } from 'node:timers/promises';
import { readHostTime } from './answer-limits.js';
import { cutText, isSameText, readDate, readName, readObject, readText } from './answer-values.js';
import type { Forge, ForgeAddress, ForgeKind, Issue, OpenForge, PullRequest } from './forge.js';
import { createForgeCaller, type ForgeCaller, type ForgeCallOptions } from './forge-call.js';
import { type CreateDialect, createForgeClient, unlessFault, unlessMissing } from './forge-client.js';
import { forgejoDialect } from './forgejo.js';
import { githubDialect } from './github.js';
import { gitlabDialect } from './gitlab.js';

const MOST_CHECKS = 200;
const MOST_REVIEWS = 200;
const MOST_LINE_COMMENTS = 500;

const DIALECTS: Record<ForgeKind, CreateDialect> = {
  github: githubDialect,
  gitlab: gitlabDialect,
  forgejo: forgejoDialect,
};

/** All opened hosts share connections, which `close` ends. */
export function createForgeOpener(options: ForgeCallOptions): { open: OpenForge; close(): void } {
  const caller = createForgeCaller(options);
  return { open: (address) => openForge(caller, address), close: () => caller.close() };
}

/** Implements the flow of each call; a dialect per host describes paths, bodies and answers. */
export function openForge(caller: ForgeCaller, address: ForgeAddress): Forge {
  const dialect = DIALECTS[address.kind](address);
  const { repositoryPath, pullsPath, longestBody } = dialect;
  const client = createForgeClient(caller, address.apiUrl, dialect.headers, dialect.fullPage);

  const readPull = (answer: unknown): PullRequest => dialect.readPull(readObject(answer), false);

  async function findPull(number: number): Promise<PullRequest | undefined> {
    const answer = await unlessMissing(client.read(`${pullsPath}/${number}`));
    return answer === undefined ? undefined : readPull(answer);
  }

  /** Logs are optional, so every error except a rate limit means that there is no log. */
  const readLog = (log: string, lines: number): Promise<string | undefined> =>
    unlessFault(
      ['unreachable', 'refused', 'missing', 'invalid'],
      dialect.findLog(client, log).then((path) => (path === undefined ? '' : client.readTail(path, lines))),
    );

  return {
    async tryOut() {
      const repository = readObject(await client.read(repositoryPath));
      const defaultBranch = readName(repository['default_branch'], 'main');
      return { defaultBranch, ...(await dialect.readStanding(client, repository, defaultBranch)) };
    },

    async openPullRequest({ title, body, ...branches }) {
      const draft = {
        title: cutText(title, dialect.longestTitle),
        body: cutText(body, longestBody),
        ...branches,
      };
      return readPull(await client.send('POST', pullsPath, dialect.draftBody(draft)));
    },

    async changePullRequest(number, { title, body, close }) {
      const change = {
        ...(title !== undefined && { title: cutText(title, dialect.longestTitle) }),
        ...(body !== undefined && { body: cutText(body, longestBody) }),
        ...(close && { close }),
      };
      const path = `${pullsPath}/${number}`;
      return readPull(await client.send(dialect.changeMethod, path, dialect.changeBody(change)));
    },

    async listOpenPullRequests(filter) {
      const { query, pages } = dialect.listPulls(filter);
      const found = await client.readPages(pullsPath, query, { pages });
      return found
        .map((pull) => dialect.readPull(pull, true))
        .filter((pull) => !filter || (pull.head.branch === filter.branch && !pull.foreign));
    },

    async readPullRequest(number) {
      const pull = await findPull(number);
      if (pull?.mergeable !== false || dialect.conflictRecheckMs === undefined) return pull;
      await wait(dialect.conflictRecheckMs);
      return findPull(number);
    },

    async readChecks(sha) {
      return (await dialect.readChecks(client, sha)).slice(0, MOST_CHECKS);
    },

    async readReviews(number) {
      const { reviews, comments } = await dialect.readReviews(client, `${pullsPath}/${number}`);
      return { reviews: reviews.slice(-MOST_REVIEWS), comments: comments.slice(-MOST_LINE_COMMENTS) };
    },

    async readCheckLog({ log }, lines) {
      return log === null ? undefined : (await readLog(log, lines)) || undefined;
    },

    findDeployment: (sha) => dialect.findDeployment(client, sha),

    async listIssues(query) {
      const { label, page = '1' } = query;
      // Hosts read a label that contains a comma as two labels.
      const asked = { ...query, label: label?.includes(',') ? undefined : label };
      const path = `${repositoryPath}/issues`;
      const { items, hasNext, headers } = await client.readPage(path, dialect.issuesQuery(asked), page);
      const issues = items
        .map(dialect.readIssue)
        .filter((issue): issue is Issue => issue !== undefined)
        .filter(({ labels }) => label === undefined || dialect.hasLabel(labels, label))
        .sort((one, other) => one.updatedAt.getTime() - other.updatedAt.getTime());
      return {
        issues,
        next: hasNext ? String(Number(page) + 1) : undefined,
        hostTime: readHostTime(headers),
      };
    },

    async listComments(issue) {
      return (await dialect.readComments(client, issue)).map((comment) => ({
        author: dialect.authorOf(comment),
        body: readText(comment['body']),
        at: readDate(comment['created_at']),
      }));
    },

    async commentOnIssue(issue, body) {
      const text = cutText(body, longestBody);
      const comments = await dialect.readComments(client, issue);
      if (comments.some((comment) => isSameText(readText(comment['body'], longestBody), text))) return;
      await client.send('POST', dialect.commentsPath(issue), { body: text });
    },
  };
}
