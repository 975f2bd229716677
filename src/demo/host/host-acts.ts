import type { Clock } from '../../kernel/clock.js';
import { countChanges, findBranch, isIncluded, mayBeMerged, mergeBranch } from './host-git.js';
import type { createHookSender } from './host-hooks.js';
import type { PullFacts, Shapes } from './host-shapes.js';
import type {
  HostedCheck,
  HostedIssue,
  HostedPull,
  HostedRepository,
  HostedReview,
  HostState,
} from './host-state.js';

export type HostActs = ReturnType<typeof createHostActs>;

/** Checks that start on every new head and pass after this many seconds unless set otherwise. */
export interface OwnChecks {
  names: readonly string[];
  seconds: number;
}

export interface CheckWords {
  name: string;
  status?: HostedCheck['status'];
  conclusion?: string | null;
  summary?: string | null;
  log?: string;
}

export interface ReviewWords {
  author: string;
  state: HostedReview['state'];
  body?: string;
  comments?: readonly { path: string; line?: number | null; body: string }[];
}

export interface IssueWords {
  title: string;
  body?: string;
  labels?: readonly string[];
  author?: string;
}

export class NotThere extends Error {}
export class NotPossible extends Error {}

/** Keywords that close an issue, except inside code. */
const CLOSING = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d{1,9})\b/gi;
const CODE = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*\s*$|$(?![\s\S]))|`[^`\n]*`/gm;

/** All changes on the host, made by API calls and by people. Each change is saved and sent to webhooks. */
export function createHostActs({
  state,
  keep,
  clock,
  hooks,
  shapes,
  ownChecks,
}: {
  state: HostState;
  keep(): void;
  clock: Clock;
  hooks: ReturnType<typeof createHookSender>;
  shapes: Shapes;
  ownChecks: OwnChecks | undefined;
}) {
  const now = () => clock.now().toISOString();
  const nextId = () => ++state.lastId;
  const timers = new Set<NodeJS.Timeout>();

  function find(name?: string): HostedRepository {
    const [first] = state.repositories;
    const found = name === undefined ? first : state.repositories.find((one) => sameName(one.name, name));
    if (!found) throw new NotThere();
    return found;
  }

  function findIn<T extends { number: number }>(list: readonly T[], number: number): T {
    const found = list.find((one) => one.number === number);
    if (!found) throw new NotThere();
    return found;
  }

  function sendEvent(one: HostedRepository, event: string, sender: string, payload: object): void {
    keep();
    hooks.send(event, { ...payload, repository: shapes.repository(one), sender: shapes.user(sender) });
  }

  async function factsOf(one: HostedRepository, pull: HostedPull): Promise<PullFacts> {
    const counts = await countChanges(one.path, pull.baseSha, pull.headSha);
    const base = (await findBranch(one.path, pull.base)) ?? pull.baseSha;
    const mergeable = pull.state === 'open' ? await mayBeMerged(one.path, base, pull.headSha) : null;
    return { ...counts, mergeable };
  }

  async function sendPullRequest(
    one: HostedRepository,
    pull: HostedPull,
    action: string,
    { sender = pull.author, ...more }: { sender?: string; [name: string]: unknown } = {},
  ): Promise<void> {
    const pullRequest = shapes.pullRequest(one, pull, await factsOf(one, pull));
    sendEvent(one, 'pull_request', sender, {
      action,
      number: pull.number,
      pull_request: pullRequest,
      ...more,
    });
  }

  function sendCheck(one: HostedRepository, check: HostedCheck): void {
    const action = check.status === 'completed' ? 'completed' : 'created';
    sendEvent(one, 'check_run', 'github', { action, check_run: shapes.checkRun(one, check) });
  }

  function setCheck(sha: string, words: CheckWords, name?: string): HostedCheck {
    const one = find(name);
    const { status = 'completed', conclusion = null, summary = null, log = '' } = words;
    const known = one.checks.find((check) => check.sha === sha && check.name === words.name);
    const check: HostedCheck = {
      id: known?.id ?? nextId(),
      sha,
      name: words.name,
      status,
      conclusion: status === 'completed' ? (conclusion ?? 'success') : null,
      summary,
      log,
      startedAt: known?.startedAt ?? now(),
      completedAt: status === 'completed' ? now() : null,
    };
    if (known) Object.assign(known, check);
    else one.checks.push(check);
    sendCheck(one, check);
    return check;
  }

  function endLater(one: HostedRepository, { sha, name }: HostedCheck): void {
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        const standing = one.checks.find((check) => check.sha === sha && check.name === name);
        if (standing && standing.status !== 'completed')
          setCheck(
            sha,
            { name, summary: 'Everything went well.', log: `${name}: everything went well\n` },
            one.name,
          );
      },
      (ownChecks?.seconds ?? 0) * 1000,
    );
    timer.unref();
    timers.add(timer);
  }

  function beginChecks(one: HostedRepository, sha: string): void {
    for (const name of ownChecks?.names ?? []) {
      if (one.checks.some((check) => check.sha === sha && check.name === name)) continue;
      endLater(one, setCheck(sha, { name, status: 'in_progress' }, one.name));
    }
  }

  /** A push in the meantime moves the heads of open pull requests. */
  async function refresh(one: HostedRepository): Promise<void> {
    for (const pull of one.pulls.filter(({ state }) => state === 'open')) {
      const head = await findBranch(one.path, pull.branch);
      if (head === undefined || head === pull.headSha || pull.state !== 'open') continue;
      const before = pull.headSha;
      pull.headSha = head;
      pull.updatedAt = now();
      await sendPullRequest(one, pull, 'synchronize', { before, after: head });
      beginChecks(one, head);
    }
  }

  function closeIssue(number: number, name?: string): void {
    const one = find(name);
    const issue = findIn(one.issues, number);
    if (issue.state === 'closed') return;
    Object.assign(issue, { state: 'closed', closedAt: now(), updatedAt: now() });
    sendEvent(one, 'issues', issue.author, { action: 'closed', issue: shapes.issue(one, issue) });
  }

  return {
    find,
    findPull: (one: HostedRepository, number: number) => findIn(one.pulls, number),
    findIssue: (one: HostedRepository, number: number) => findIn(one.issues, number),
    factsOf,
    refresh,
    setCheck,
    closeIssue,

    async openPull(
      one: HostedRepository,
      words: { title: string; body: string; branch: string; base: string; draft: boolean },
      author: string,
    ): Promise<HostedPull> {
      const [headSha, baseSha] = await Promise.all([
        findBranch(one.path, words.branch),
        findBranch(one.path, words.base),
      ]);
      if (headSha === undefined || baseSha === undefined)
        throw new NotPossible('head or base does not exist');
      if (await isIncluded(one.path, headSha, baseSha))
        throw new NotPossible(`No commits between ${words.base} and ${words.branch}`);
      const isThere = one.pulls.some(
        ({ state, branch, base }) => state === 'open' && branch === words.branch && base === words.base,
      );
      if (isThere) throw new NotPossible(`A pull request already exists for ${words.branch}`);
      const pull: HostedPull = {
        id: nextId(),
        number: ++one.lastNumber,
        ...words,
        author,
        headSha,
        baseSha,
        state: 'open',
        createdAt: now(),
        updatedAt: now(),
        closedAt: null,
        mergedAt: null,
        mergeSha: null,
        requested: [],
        reviews: [],
        comments: [],
      };
      one.pulls.push(pull);
      await sendPullRequest(one, pull, 'opened');
      beginChecks(one, headSha);
      return pull;
    },

    async changePull(
      one: HostedRepository,
      pull: HostedPull,
      change: { title?: string; body?: string; state?: 'open' | 'closed' },
    ): Promise<void> {
      if (change.state === 'open' && pull.mergedAt) throw new NotPossible('It is merged');
      const closes = change.state === 'closed' && pull.state === 'open';
      const opens = change.state === 'open' && pull.state === 'closed';
      const { title, body } = pull;
      Object.assign(pull, change, { updatedAt: now() });
      if (closes) pull.closedAt = now();
      if (opens) pull.closedAt = null;
      if (closes || opens) return sendPullRequest(one, pull, closes ? 'closed' : 'reopened');
      const changes = { title: { from: title }, body: { from: body } };
      await sendPullRequest(one, pull, 'edited', { changes });
    },

    async closePullRequest(number: number, name?: string): Promise<void> {
      const one = find(name);
      const pull = findIn(one.pulls, number);
      if (pull.state === 'closed') throw new NotPossible('It is closed');
      Object.assign(pull, { state: 'closed', closedAt: now(), updatedAt: now() });
      await sendPullRequest(one, pull, 'closed', { sender: 'octocat' });
    },

    /** Merges in the git repository too. Like GitHub, closes the issues that the description names. */
    async merge(number: number, name?: string): Promise<void> {
      const one = find(name);
      await refresh(one);
      const pull = findIn(one.pulls, number);
      if (pull.state === 'closed') throw new NotPossible('It is closed');
      const base = await findBranch(one.path, pull.base);
      const message = `Merge pull request #${number} from ${pull.branch}\n\n${pull.title}`;
      const commit =
        base && (await mergeBranch(one.path, pull.base, [base, pull.headSha], message, clock.now()));
      if (!commit) throw new NotPossible('The branches conflict');
      const at = now();
      Object.assign(pull, { state: 'closed', closedAt: at, mergedAt: at, updatedAt: at, mergeSha: commit });
      await sendPullRequest(one, pull, 'closed', { sender: 'octocat' });
      if (pull.base !== one.defaultBranch) return;
      for (const [, issue] of pull.body.replace(CODE, '').matchAll(CLOSING))
        if (one.issues.some((each) => each.number === Number(issue))) closeIssue(Number(issue), one.name);
    },

    review(number: number, words: ReviewWords, name?: string): HostedReview {
      const one = find(name);
      const pull = findIn(one.pulls, number);
      const { author, state, body = '', comments = [] } = words;
      const review = { id: nextId(), author, state, body, sha: pull.headSha, at: now() };
      pull.reviews.push(review);
      pull.requested = pull.requested.filter((login) => login !== author);
      pull.updatedAt = now();
      for (const { path, line = null, body: text } of comments)
        pull.comments.push({
          id: nextId(),
          reviewId: review.id,
          author,
          path,
          line,
          body: text,
          sha: pull.headSha,
          at: review.at,
        });
      sendEvent(one, 'pull_request_review', author, {
        action: 'submitted',
        review: { ...shapes.review(one, pull, review), state: state.toLowerCase() },
        pull_request: shapes.pullInList(one, pull),
      });
      return review;
    },

    async requestReview(number: number, login: string, name?: string): Promise<void> {
      const one = find(name);
      const pull = findIn(one.pulls, number);
      if (!pull.requested.includes(login)) pull.requested.push(login);
      await sendPullRequest(one, pull, 'review_requested', { requested_reviewer: shapes.user(login) });
    },

    async setDraft(number: number, draft: boolean, name?: string): Promise<void> {
      const one = find(name);
      const pull = findIn(one.pulls, number);
      pull.draft = draft;
      await sendPullRequest(one, pull, draft ? 'converted_to_draft' : 'ready_for_review');
    },

    deploy(sha: string, url: string, name?: string): void {
      const one = find(name);
      const deployment = { id: nextId(), sha, url, at: now() };
      one.deployments.push(deployment);
      sendEvent(one, 'deployment_status', 'octocat', {
        action: 'created',
        deployment_status: shapes.deploymentStatus(one, deployment),
        deployment: shapes.deployment(one, deployment),
      });
    },

    openIssue({ title, body = '', labels = [], author = 'octocat' }: IssueWords, name?: string): HostedIssue {
      const one = find(name);
      const issue: HostedIssue = {
        id: nextId(),
        number: ++one.lastNumber,
        title,
        body,
        author,
        labels: [...labels],
        state: 'open',
        createdAt: now(),
        updatedAt: now(),
        closedAt: null,
        comments: [],
      };
      one.issues.push(issue);
      sendEvent(one, 'issues', author, { action: 'opened', issue: shapes.issue(one, issue) });
      return issue;
    },

    relabel(number: number, labels: readonly string[], name?: string): void {
      const one = find(name);
      const issue = findIn(one.issues, number);
      const action = labels.length < issue.labels.length ? 'unlabeled' : 'labeled';
      const changed = [...labels, ...issue.labels].find(
        (label) => !(labels.includes(label) && issue.labels.includes(label)),
      );
      Object.assign(issue, { labels: [...labels], updatedAt: now() });
      sendEvent(one, 'issues', issue.author, {
        action,
        issue: shapes.issue(one, issue),
        ...(changed !== undefined && { label: shapes.label(one, changed) }),
      });
    },

    renameIssue(number: number, title: string, name?: string): void {
      const one = find(name);
      const issue = findIn(one.issues, number);
      const from = issue.title;
      Object.assign(issue, { title, updatedAt: now() });
      sendEvent(one, 'issues', issue.author, {
        action: 'edited',
        changes: { title: { from } },
        issue: shapes.issue(one, issue),
      });
    },

    comment(number: number, author: string, body: string, name?: string) {
      const one = find(name);
      const issue = findIn(one.issues, number);
      const comment = { id: nextId(), author, body, at: now() };
      issue.comments.push(comment);
      issue.updatedAt = now();
      sendEvent(one, 'issue_comment', author, {
        action: 'created',
        issue: shapes.issue(one, issue),
        comment: shapes.comment(one, number, comment),
      });
      return comment;
    },

    resume() {
      if (!ownChecks) return;
      for (const one of state.repositories)
        for (const check of one.checks)
          if (check.status !== 'completed' && ownChecks.names.includes(check.name)) endLater(one, check);
    },

    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Like GitHub, ignores case. */
const sameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
