import { broken, misuse } from '../failure.js';

type Environment = Record<string, string | undefined>;
export type Progress = (issues: number) => void;

interface Host {
  name: string;
  /** The default API address, which an environment variable can replace. */
  api: string;
  apiVariable: string;
  tokenVariables: string[];
  authorize(token: string): Record<string, string>;
  issues(repository: string): string;
  /** The address of an issue's comments, or undefined if it has none. */
  comments(repository: string, issue: Issue): string | undefined;
}

type Issue = Record<string, unknown>;

const HOSTS: Record<'github' | 'gitlab', Host> = {
  github: {
    name: 'GitHub',
    api: 'https://api.github.com',
    apiVariable: 'GITHUB_API_URL',
    tokenVariables: ['GITHUB_TOKEN', 'GH_TOKEN'],
    authorize: (token) => ({
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    }),
    issues: (repository) => `/repos/${repository}/issues?state=all&sort=created&direction=asc&per_page=100`,
    comments: (repository, { number, comments }) =>
      comments === 0 ? undefined : `/repos/${repository}/issues/${Number(number)}/comments?per_page=100`,
  },
  gitlab: {
    name: 'GitLab',
    api: 'https://gitlab.com/api/v4',
    apiVariable: 'GITLAB_API_URL',
    tokenVariables: ['GITLAB_TOKEN'],
    authorize: (token) => ({ 'private-token': token }),
    issues: (repository) =>
      `/projects/${encodeURIComponent(repository)}/issues?scope=all&order_by=created_at&sort=asc&per_page=100`,
    comments: (repository, { iid, user_notes_count }) =>
      user_notes_count === 0
        ? undefined
        : `/projects/${encodeURIComponent(repository)}/issues/${Number(iid)}/notes?sort=asc&per_page=100`,
  },
};

const MOST_ISSUES = 100_000;
const LONGEST_WAIT_SECONDS = 120;

/** Fetches all issues of a repository with their comments, using a token from the environment. */
export async function fetchIssues(
  source: 'github' | 'gitlab',
  repository: string,
  { env, signal, progress }: { env: Environment; signal: AbortSignal; progress: Progress },
): Promise<File> {
  const host = HOSTS[source];
  const token = host.tokenVariables.map((name) => env[name]).find(Boolean);
  if (!token)
    throw misuse(
      `No project is connected to ${repository}, and there is no ${host.name} token`,
      `Pass --project, or set ${host.tokenVariables[0]} in the environment.`,
    );
  const api = (env[host.apiVariable] || host.api).replace(/\/+$/, '');
  const issues: Issue[] = [];
  const get = (address: string) => ask(host, address, api, token, signal);
  for await (const issue of pages(get, `${api}${host.issues(repository)}`)) {
    // GitHub lists pull requests among its issues.
    if (issue['pull_request']) continue;
    const where = host.comments(repository, issue);
    const comments: Issue[] = [];
    if (where) for await (const comment of pages(get, `${api}${where}`)) comments.push(comment);
    issues.push({ ...issue, comments });
    progress(issues.length);
    if (issues.length > MOST_ISSUES) throw broken(`${repository} has more than ${MOST_ISSUES} issues`);
  }
  return new File([JSON.stringify(issues)], `${repository}.json`);
}

async function* pages(get: (address: string) => Promise<Response>, first: string): AsyncGenerator<Issue> {
  for (let address: string | undefined = first; address; ) {
    const response: Response = await get(address);
    const items: unknown = await response.json();
    if (!Array.isArray(items)) throw broken('The host returned an unexpected response instead of a list');
    yield* items as Issue[];
    address = nextPage(response.headers.get('link'));
  }
}

export const nextPage = (link: string | null): string | undefined =>
  link
    ?.split(',')
    .map((part) => /<([^>]+)>\s*;\s*rel="?next"?/.exec(part)?.[1])
    .find(Boolean);

async function ask(
  host: Host,
  address: string,
  api: string,
  token: string,
  signal: AbortSignal,
): Promise<Response> {
  // The token is sent only to its own host, even if a link in an answer points elsewhere.
  if (new URL(address).origin !== new URL(api).origin)
    throw broken(`${host.name} returned a next page on another server`);
  for (;;) {
    const response = await fetch(address, {
      headers: { ...host.authorize(token), 'user-agent': 'guildhall' },
      redirect: 'error',
      signal,
    }).catch((cause) => {
      signal.throwIfAborted();
      throw broken(`Cannot reach ${host.name} at ${api}`, String((cause as Error).message));
    });
    if (response.ok) return response;
    await response.body?.cancel();
    const seconds = secondsToWait(response);
    if (seconds === undefined) throw refusal(host, response.status);
    if (seconds > LONGEST_WAIT_SECONDS)
      throw broken(
        `The rate limit of ${host.name} resets in ${Math.ceil(seconds / 60)} minutes`,
        'Try again then. No cards were created.',
      );
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, seconds * 1000);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  }
}

/** How long to wait after the host's rate limit was reached. */
function secondsToWait({ status, headers }: Response): number | undefined {
  if (status !== 429 && !(status === 403 && headers.get('x-ratelimit-remaining') === '0')) return undefined;
  const after = Number(headers.get('retry-after'));
  if (after > 0) return after;
  const reset = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset'));
  return reset > 0 ? Math.max(1, reset - Date.now() / 1000) : 60;
}

const refusal = ({ name, tokenVariables }: Host, status: number) =>
  status === 404
    ? broken(`Repository not found on ${name}, or the token has no access to it`)
    : status === 401 || status === 403
      ? broken(`${name} rejected the token`, `Check the token in ${tokenVariables[0]}.`)
      : broken(`${name} returned status ${status}`);
