import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type StubAnswer, startHostStub } from '../../../../tests/support/host-stub.js';
import { HostedRepository } from '../../../../tests/support/hosted-repository.js';
import { type SimulatedForge, startSimulatedForge } from '../../../demo/host/simulated-forge.js';
import { systemClock } from '../../../kernel/clock.js';
import type { Forge, ForgeFailed } from './forge.js';
import { createForgeOpener } from './forge-adapter.js';

const TOKEN = 'ghp_secretOfTheTest';
const REPOSITORY = 'acme/web';

let repository: HostedRepository;
let host: SimulatedForge;
let forge: Forge;
const opener = createForgeOpener({
  networks: [],
  clock: systemClock,
  version: '1.2.3',
  trustedOrigins: () => [host.origin],
});
const open = (token = TOKEN, name = REPOSITORY) =>
  opener.open({ kind: 'github', apiUrl: host.apiUrl, repository: name, token });

beforeEach(async () => {
  repository = new HostedRepository({ 'a.txt': 'one\n' });
  host = await startSimulatedForge({
    repositories: [{ name: REPOSITORY, path: repository.path, defaultBranch: 'main' }],
    token: TOKEN,
  });
  forge = open();
});

afterEach(async () => {
  await host.close();
  repository.remove();
});

afterAll(() => opener.close());

async function opened(branch = 'work', files: Record<string, string> = { 'b.txt': 'two\n' }) {
  const sha = repository.branch(branch, files);
  return {
    sha,
    pull: await forge.openPullRequest({ title: 'A title', body: 'A body', branch, base: 'main' }),
  };
}

const failing = (work: Promise<unknown>): Promise<ForgeFailed> =>
  work.then(
    () => expect.fail('it went well'),
    (error: ForgeFailed) => error,
  );

describe('GitHub: checking a token', () => {
  it('returns the repository and its default branch', async () => {
    expect(await open(TOKEN, 'ACME/Web').tryOut()).toEqual({
      repository: 'acme/web',
      defaultBranch: 'main',
      mayPush: true,
      mayOpenPullRequests: true,
    });
  });

  it('reports an unknown repository as missing', async () => {
    expect(await failing(open(TOKEN, 'acme/other').tryOut())).toMatchObject({ fault: 'missing' });
  });

  it('distinguishes tokens that cannot push from tokens that cannot open pull requests', async () => {
    host.setFaults({ mayNotPush: true });
    expect(await forge.tryOut()).toMatchObject({ mayPush: false });
    host.setFaults({ mayNotOpen: true });
    expect(await forge.tryOut()).toMatchObject({ mayPush: true, mayOpenPullRequests: false });
  });

  it('rejects a wrong token without repeating it in the error', async () => {
    const failure = await failing(open('wrong-token').tryOut());
    expect(failure).toMatchObject({ fault: 'refused' });
    expect(`${failure.stack}${JSON.stringify(failure)}`).not.toContain('wrong-token');
  });
});

describe('GitHub: pull requests', () => {
  it('opens, lists by branch, reads and closes a pull request', async () => {
    const { sha, pull } = await opened();
    expect(pull).toMatchObject({
      number: 1,
      url: `${host.origin}/acme/web/pull/1`,
      title: 'A title',
      state: 'open',
      head: { branch: 'work', sha },
      base: { branch: 'main', sha: repository.headOf('main') },
      mergeable: true,
      mergedAt: null,
      reviewRequested: false,
      foreign: false,
    });
    await opened('other', { 'c.txt': 'three\n' });
    expect((await forge.listOpenPullRequests()).map(({ number }) => number)).toEqual([2, 1]);
    expect(await forge.listOpenPullRequests({ branch: 'work' })).toEqual([{ ...pull, mergeable: null }]);
    expect(await forge.listOpenPullRequests({ branch: 'none' })).toEqual([]);
    expect(await forge.changePullRequest(1, { close: true, title: 'Another' })).toMatchObject({
      state: 'closed',
      title: 'Another',
    });
    expect(await forge.listOpenPullRequests({ branch: 'work' })).toEqual([]);
    expect(await forge.readPullRequest(1)).toMatchObject({ state: 'closed', mergedAt: null });
    expect(await forge.readPullRequest(99)).toBeUndefined();
  });

  it('fails to open a second pull request for a branch', async () => {
    await opened();
    const again = forge.openPullRequest({ title: 'A', body: '', branch: 'work', base: 'main' });
    expect(await failing(again)).toMatchObject({ fault: 'invalid' });
  });

  it('reads new commits, the draft state and the merge of a pull request', async () => {
    await opened();
    await host.setDraft(1, true);
    await host.requestReview(1, 'ada');
    const sha = repository.branch('work', { 'b.txt': 'three\n' }, 'work');
    expect(await forge.readPullRequest(1)).toMatchObject({
      state: 'draft',
      head: { sha },
      reviewRequested: true,
    });
    await host.merge(1);
    const merged = await forge.readPullRequest(1);
    expect(merged).toMatchObject({ state: 'merged', mergedAt: expect.any(Date) });
    expect(repository.read('main', 'b.txt')).toBe('three');
  });

  it('reports a conflict', async () => {
    await opened('work', { 'a.txt': 'mine\n' });
    repository.branch('main', { 'a.txt': 'theirs\n' });
    expect(await forge.readPullRequest(1)).toMatchObject({ mergeable: false });
  });

  it('cuts title and body to the limits of the host', async () => {
    repository.branch('work', { 'b.txt': 'two\n' });
    const pull = await forge.openPullRequest({
      title: '🧰'.repeat(200),
      body: 'b'.repeat(70_000),
      branch: 'work',
      base: 'main',
    });
    expect(pull.title).toBe(`${'🧰'.repeat(127)}…`);
    const [kept] = await host.pullRequests();
    expect(kept!.body).toHaveLength(65_536);
  });
});

describe('GitHub: checks', () => {
  it('returns checks with our states and the end of their logs', async () => {
    const { sha } = await opened();
    host.setCheck(sha, { name: 'lint', status: 'in_progress' });
    host.setCheck(sha, { name: 'docs', conclusion: 'skipped' });
    host.setCheck(sha, { name: 'build', conclusion: 'success' });
    host.setCheck(sha, {
      name: 'tests',
      conclusion: 'failure',
      summary: 'Two failed',
      log: Array.from({ length: 500 }, (_, n) => `\u001b[31mline ${n}\u001b[0m\r\n`).join(''),
    });
    const checks = await forge.readChecks(sha);
    expect(checks.map(({ name, state, summary }) => ({ name, state, summary }))).toEqual([
      { name: 'lint', state: 'pending', summary: null },
      { name: 'docs', state: 'none', summary: null },
      { name: 'build', state: 'passing', summary: null },
      { name: 'tests', state: 'failing', summary: 'Two failed' },
    ]);
    expect(await forge.readCheckLog(checks[3]!, 200)).toBe(
      Array.from({ length: 200 }, (_, n) => `line ${n + 300}`).join('\n'),
    );
    expect(await forge.readCheckLog({ ...checks[3]!, log: '12345' }, 200)).toBeUndefined();
    expect(await forge.readCheckLog({ ...checks[3]!, log: null }, 200)).toBeUndefined();
  });

  it('returns all checks of several pages', async () => {
    const { sha } = await opened();
    for (let n = 0; n < 130; n += 1) host.setCheck(sha, { name: `check ${n}` });
    expect(await forge.readChecks(sha)).toHaveLength(130);
  });
});

describe('GitHub: token without access to checks', () => {
  const root = '/repos/acme/web';
  const sha = 'a'.repeat(40);
  const refused = { status: 403, content: { message: 'Resource not accessible by personal access token' } };

  async function reading(answers: Record<string, StubAnswer>) {
    const stub = await startHostStub({ [`GET ${root}/commits/${sha}/check-runs`]: refused, ...answers });
    try {
      const near = createForgeOpener({ networks: ['127.0.0.0/8'], clock: systemClock, version: '1' });
      const address = { kind: 'github', apiUrl: stub.origin, repository: REPOSITORY, token: TOKEN } as const;
      return await near.open(address).readChecks(sha).finally(near.close);
    } finally {
      stub.close();
    }
  }

  it('reads the jobs of workflows instead', async () => {
    const job = { id: 7, name: 'tests', status: 'completed', conclusion: 'failure', html_url: null };
    const checks = await reading({
      [`GET ${root}/actions/runs`]: { content: { total_count: 1, workflow_runs: [{ id: 3 }] } },
      [`GET ${root}/actions/runs/3/jobs`]: { content: { total_count: 1, jobs: [job] } },
      [`GET ${root}/commits/${sha}/status`]: { content: { statuses: [{ context: 'ci', state: 'success' }] } },
    });
    expect(checks.map(({ name, state, log }) => [name, state, log])).toEqual([
      ['tests', 'failing', '7'],
      ['ci', 'passing', null],
    ]);
  });

  it('fails when the jobs are not accessible either', async () => {
    const failure = await failing(reading({ [`GET ${root}/actions/runs`]: refused }));
    expect(failure).toMatchObject({ fault: 'refused', message: 'The token may not read checks' });
  });
});

describe('GitHub: reviews', () => {
  it('returns the last decision of each author and every comment', async () => {
    const { sha } = await opened();
    host.review(1, { author: 'ada', state: 'CHANGES_REQUESTED', body: 'No' });
    host.review(1, { author: 'bob', state: 'APPROVED' });
    host.review(1, {
      author: 'bob',
      state: 'COMMENTED',
      body: 'By the way',
      comments: [
        { path: 'b.txt', line: 1, body: 'Two?' },
        { path: 'a.txt', body: 'The whole file' },
      ],
    });
    host.review(1, { author: 'ada', state: 'APPROVED', body: 'Yes' });
    const { reviews, comments } = await forge.readReviews(1);
    expect(reviews.map(({ author, state, body, sha: of }) => [author, state, body, of])).toEqual([
      ['bob', 'approved', '', sha],
      ['bob', 'commented', 'By the way', sha],
      ['ada', 'approved', 'Yes', sha],
    ]);
    expect(comments.map(({ path, line, author, body }) => [path, line, author, body])).toEqual([
      ['b.txt', 1, 'bob', 'Two?'],
      ['a.txt', null, 'bob', 'The whole file'],
    ]);
  });
});

it('GitHub: returns the newest successful deployment of a commit', async () => {
  const { sha } = await opened();
  expect(await forge.findDeployment(sha)).toBeUndefined();
  host.deploy(sha, 'https://one.example.test/');
  host.deploy(sha, 'https://two.example.test/');
  expect(await forge.findDeployment(sha)).toBe('https://two.example.test/');
});

describe('GitHub: issues', () => {
  it('lists issues by label and state, most recently changed last, without pull requests', async () => {
    host.openIssue({ title: 'First', body: 'Text', labels: ['Guild', 'bug'], author: 'ada' });
    host.openIssue({ title: 'Second', labels: ['bug'] });
    host.openIssue({ title: 'Third', labels: ['guild'] });
    await opened();
    host.closeIssue(3);
    const { issues, next } = await forge.listIssues({ state: 'open', label: 'guild' });
    expect(next).toBeUndefined();
    expect(issues).toEqual([
      {
        number: 1,
        url: `${host.origin}/acme/web/issues/1`,
        title: 'First',
        body: 'Text',
        author: 'ada',
        labels: ['Guild', 'bug'],
        open: true,
        isCanceled: false,
        assignees: [],
        milestone: null,
        dueAt: null,
        parent: null,
        closedAt: null,
        createdAt: expect.any(Date),
        updatedAt: expect.any(Date),
        commentCount: 0,
      },
    ]);
    expect((await forge.listIssues({ state: 'all' })).issues.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect((await forge.listIssues({ state: 'all', label: 'guild,bug' })).issues).toEqual([]);
    const later = new Date(Date.now() + 60_000);
    expect((await forge.listIssues({ state: 'all', since: later })).issues).toEqual([]);
  });

  it('returns the next page', async () => {
    for (let n = 0; n < 101; n += 1) host.openIssue({ title: `Issue ${n}` });
    const first = await forge.listIssues({ state: 'open' });
    expect([first.issues.length, first.next]).toEqual([100, '2']);
    const second = await forge.listIssues({ state: 'open', page: first.next! });
    expect([second.issues.length, second.next]).toEqual([1, undefined]);
  });

  it('adds the same comment only once', async () => {
    host.openIssue({ title: 'First' });
    await forge.commentOnIssue(1, 'The card is here\n');
    await forge.commentOnIssue(1, 'The card is here\n');
    await forge.commentOnIssue(1, 'Another');
    const comments = await forge.listComments(1);
    expect(comments.map(({ author, body }) => [author, body])).toEqual([
      ['guildhall-bot', 'The card is here\n'],
      ['guildhall-bot', 'Another'],
    ]);
  });
});

describe('GitHub: failures', () => {
  it.each([
    [{ status: 500 }, 'unreachable'],
    [{ status: 403 }, 'refused'],
    [{ status: 404 }, 'missing'],
    [{ status: 422 }, 'invalid'],
    [{ loseAnswers: true }, 'unreachable'],
  ])('%j is reported as %s', async (faults, fault) => {
    host.setFaults(faults);
    expect(await failing(forge.listOpenPullRequests())).toMatchObject({ fault });
  });

  it('a rate limit returns the time at which the host accepts calls again', async () => {
    host.setFaults({ rateLimited: { retryAfter: 90 } });
    const before = Date.now();
    const { fault, retryAt } = await failing(forge.readChecks('a'.repeat(40)));
    expect(fault).toBe('limited');
    expect(retryAt!.getTime() - before).toBeGreaterThanOrEqual(90_000);
    expect(retryAt!.getTime() - before).toBeLessThan(120_000);
  });

  it('a lost answer leaves a pull request that is found by its branch', async () => {
    repository.branch('work', { 'b.txt': 'two\n' });
    host.setFaults({ loseAnswers: true });
    const draft = { title: 'A', body: '', branch: 'work', base: 'main' };
    expect(await failing(forge.openPullRequest(draft))).toMatchObject({ fault: 'unreachable' });
    host.setFaults({});
    expect(await forge.listOpenPullRequests({ branch: 'work' })).toHaveLength(1);
  });
});
