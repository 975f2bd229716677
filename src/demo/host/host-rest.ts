import { isObject } from '../../kernel/is-object.js';
import type { HostActs } from './host-acts.js';
import { NotPossible, NotThere } from './host-acts.js';
import type { HostFaults } from './host-hooks.js';
import type { Shapes } from './host-shapes.js';
import type { HostedIssue, HostedPull, HostedRepository } from './host-state.js';

export interface RestCall {
  method: string;
  /** Path below the API address. */
  path: string;
  query: URLSearchParams;
  body: unknown;
}

export interface RestAnswer {
  status: number;
  content?: unknown;
  hasNext?: boolean;
  location?: string;
}

interface Matched {
  one: HostedRepository;
  /** The rest of the path after the repository. */
  named: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
}

type Answering = (matched: Matched) => RestAnswer | Promise<RestAnswer>;

const LONGEST_TITLE = 256;
const LONGEST_BODY = 65_536;

const refused = (status: number, message: string): RestAnswer => ({
  status,
  content: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
});

const invalid = (resource: string, message: string): RestAnswer => ({
  status: 422,
  content: {
    message: 'Validation Failed',
    errors: [{ resource, code: 'custom', message }],
    documentation_url: 'https://docs.github.com/rest',
    status: '422',
  },
});

/** Implements only the calls of GitHub's API that Guildhall makes. */
export function createRest({
  acts,
  shapes,
  faults,
  botName,
  logAddress,
}: {
  acts: HostActs;
  shapes: Shapes;
  faults: HostFaults;
  /** Owner of the token. */
  botName: string;
  /** Returns a short-lived log address that needs no token. */
  logAddress(id: number): string;
}) {
  const routes: [method: string, path: RegExp, answer: Answering][] = [
    ['GET', /^$/, ({ one }) => ({ status: 200, content: shapes.repository(one, !faults.mayNotPush) })],
    ['GET', /^\/pulls$/, listPulls],
    ['POST', /^\/pulls$/, openPull],
    ['GET', /^\/pulls\/(\d+)$/, async ({ one, named }) => answerPull(one, acts.findPull(one, Number(named)))],
    ['PATCH', /^\/pulls\/(\d+)$/, changePull],
    ['GET', /^\/pulls\/(\d+)\/reviews$/, listReviews],
    ['GET', /^\/pulls\/(\d+)\/comments$/, listLineComments],
    ['GET', /^\/commits\/([^/]+)\/check-runs$/, listChecks],
    [
      'GET',
      /^\/commits\/([^/]+)\/status$/,
      ({ one, named }) => ({ status: 200, content: shapes.combinedStatus(one, named) }),
    ],
    ['GET', /^\/actions\/jobs\/(\d+)\/logs$/, findLog],
    ['GET', /^\/deployments$/, listDeployments],
    ['GET', /^\/deployments\/(\d+)\/statuses$/, listDeploymentStatuses],
    ['GET', /^\/issues$/, listIssues],
    ['GET', /^\/issues\/(\d+)\/comments$/, listComments],
    ['POST', /^\/issues\/(\d+)\/comments$/, addComment],
  ];

  async function answerPull(one: HostedRepository, pull: HostedPull, status = 200): Promise<RestAnswer> {
    return { status, content: shapes.pullRequest(one, pull, await acts.factsOf(one, pull)) };
  }

  function listPulls({ one, query }: Matched): RestAnswer {
    if (faults.mayNotOpen) return refused(403, 'Resource not accessible by personal access token');
    const state = query.get('state') ?? 'open';
    const head = query.get('head');
    const owner = one.name.split('/')[0];
    const found = one.pulls
      .filter((pull) => state === 'all' || pull.state === state)
      .filter((pull) => head === null || head === `${owner}:${pull.branch}`)
      .filter((pull) => [null, pull.base].includes(query.get('base')))
      .sort((a, b) => a.number - b.number);
    if ((query.get('direction') ?? 'desc') === 'desc') found.reverse();
    return inPages(found, query, (pull) => shapes.pullInList(one, pull));
  }

  async function openPull({ one, body }: Matched): Promise<RestAnswer> {
    if (faults.mayNotPush || faults.mayNotOpen)
      return refused(403, 'Resource not accessible by personal access token');
    const { title, body: text = '', head, base, draft = false } = body;
    if (typeof title !== 'string' || title === '' || typeof head !== 'string' || typeof base !== 'string')
      return invalid('PullRequest', 'title, head and base are needed');
    const flaw = flawIn(title, text);
    if (flaw) return invalid('PullRequest', flaw);
    const branch = head.includes(':') ? head.slice(head.indexOf(':') + 1) : head;
    const words = { title, body: String(text ?? ''), branch, base, draft: draft === true };
    return answerPull(one, await acts.openPull(one, words, botName), 201);
  }

  async function changePull({ one, named, body }: Matched): Promise<RestAnswer> {
    if (faults.mayNotPush || faults.mayNotOpen)
      return refused(403, 'Resource not accessible by personal access token');
    const pull = acts.findPull(one, Number(named));
    const flaw = flawIn(body['title'], body['body']);
    if (flaw) return invalid('PullRequest', flaw);
    await acts.changePull(one, pull, {
      ...(typeof body['title'] === 'string' && { title: body['title'] }),
      ...(typeof body['body'] === 'string' && { body: body['body'] }),
      ...((body['state'] === 'open' || body['state'] === 'closed') && { state: body['state'] }),
    });
    return answerPull(one, pull);
  }

  function listReviews({ one, named, query }: Matched): RestAnswer {
    const pull = acts.findPull(one, Number(named));
    return inPages(pull.reviews, query, (review) => shapes.review(one, pull, review));
  }

  function listLineComments({ one, named, query }: Matched): RestAnswer {
    const pull = acts.findPull(one, Number(named));
    const found = [...pull.comments];
    if (query.get('direction') === 'desc') found.reverse();
    return inPages(found, query, (comment) => shapes.lineComment(one, pull, comment));
  }

  function listChecks({ one, named, query }: Matched): RestAnswer {
    const found = one.checks.filter(({ sha }) => sha === named);
    const { content, ...page } = inPages(found, query, (check) => shapes.checkRun(one, check));
    return { ...page, content: { total_count: found.length, check_runs: content } };
  }

  function findLog({ one, named }: Matched): RestAnswer {
    const check = one.checks.find(({ id }) => id === Number(named));
    if (!check) throw new NotThere();
    return { status: 302, location: logAddress(check.id) };
  }

  function listDeployments({ one, query }: Matched): RestAnswer {
    const found = one.deployments.filter(({ sha }) => [null, sha].includes(query.get('sha'))).reverse();
    return inPages(found, query, (deployment) => shapes.deployment(one, deployment));
  }

  function listDeploymentStatuses({ one, named, query }: Matched): RestAnswer {
    const found = one.deployments.filter(({ id }) => id === Number(named));
    if (found.length === 0) throw new NotThere();
    return inPages(found, query, (deployment) => shapes.deploymentStatus(one, deployment));
  }

  /** Includes pull requests, marked as such. */
  function listIssues({ one, query }: Matched): RestAnswer {
    const state = query.get('state') ?? 'open';
    const labels = (query.get('labels') ?? '').split(',').filter((label) => label !== '');
    const since = query.get('since');
    const found = [...one.issues.map((issue) => ({ issue, pull: undefined })), ...one.pulls.map(asIssue)]
      .filter(({ issue }) => state === 'all' || issue.state === state)
      .filter(({ issue }) => labels.every((label) => carries(issue, label)))
      .filter(({ issue }) => since === null || Date.parse(issue.updatedAt) >= Date.parse(since))
      .sort((a, b) => (a.issue[sortKey(query)] < b.issue[sortKey(query)] ? -1 : 1));
    if ((query.get('direction') ?? 'desc') === 'desc') found.reverse();
    return inPages(found, query, ({ issue, pull }) => ({
      ...shapes.issue(one, issue),
      ...(pull && { pull_request: pullMark(one, pull) }),
    }));
  }

  function pullMark(one: HostedRepository, pull: HostedPull) {
    const { url, html_url, diff_url, patch_url, merged_at } = shapes.pullInList(one, pull);
    return { url, html_url, diff_url, patch_url, merged_at };
  }

  function listComments({ one, named, query }: Matched): RestAnswer {
    const issue = acts.findIssue(one, Number(named));
    return inPages(issue.comments, query, (comment) => shapes.comment(one, issue.number, comment));
  }

  function addComment({ one, named, body }: Matched): RestAnswer {
    const { body: text } = body;
    if (typeof text !== 'string' || text === '' || text.length > LONGEST_BODY)
      return invalid('IssueComment', 'body is needed, and no longer than 65536 characters');
    const comment = acts.comment(Number(named), botName, text, one.name);
    return { status: 201, content: shapes.comment(one, Number(named), comment) };
  }

  return async function answer({ method, path, query, body }: RestCall): Promise<RestAnswer> {
    const [, name, rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(path) ?? [];
    const found = routes.find(([verb, shape]) => verb === method && shape.test(rest));
    if (name === undefined || !found) return refused(404, 'Not Found');
    try {
      const one = acts.find(name);
      await acts.refresh(one);
      const named = decodeURIComponent(found[1].exec(rest)?.[1] ?? '');
      return await found[2]({ one, named, query, body: isObject(body) ? body : {} });
    } catch (error) {
      if (error instanceof NotThere) return refused(404, 'Not Found');
      if (error instanceof NotPossible) return invalid('PullRequest', error.message);
      throw error;
    }
  };
}

function inPages<T>(list: readonly T[], query: URLSearchParams, show: (one: T) => unknown): RestAnswer {
  const size = Math.min(Math.max(Number(query.get('per_page') ?? 30) || 30, 1), 100);
  const begin = (Math.max(Number(query.get('page') ?? 1) || 1, 1) - 1) * size;
  return {
    status: 200,
    content: list.slice(begin, begin + size).map(show),
    hasNext: list.length > begin + size,
  };
}

function flawIn(title: unknown, body: unknown): string | undefined {
  if (typeof title === 'string' && title.length > LONGEST_TITLE) return 'title is too long (maximum is 256)';
  if (typeof body === 'string' && body.length > LONGEST_BODY) return 'body is too long (maximum is 65536)';
  return undefined;
}

const sortKey = (query: URLSearchParams) => (query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt');

const carries = ({ labels }: HostedIssue, label: string) =>
  labels.some((one) => one.toLowerCase() === label.toLowerCase());

const asIssue = (pull: HostedPull): { issue: HostedIssue; pull: HostedPull } => ({
  issue: { ...pull, labels: [], comments: [] },
  pull,
});
