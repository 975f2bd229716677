import { afterEach, describe, expect, it } from 'vitest';
import { type HostStub, type StubAnswer, startHostStub } from '../../../../tests/support/host-stub.js';
import { systemClock } from '../../../kernel/clock.js';
import type { Forge } from './forge.js';
import { createForgeOpener } from './forge-adapter.js';

const ROOT = '/api/v1/repos/acme/web';
const SHA = 'a'.repeat(40);
const opener = createForgeOpener({ networks: ['127.0.0.0/8'], clock: systemClock, version: '1' });
let host: HostStub;

async function against(answers: Record<string, StubAnswer>): Promise<Forge> {
  const under = Object.entries(answers).map(([key, answer]) => {
    const [method, path] = key.split(' ');
    return [`${method} ${ROOT}${path}`, answer];
  });
  host = await startHostStub(Object.fromEntries(under));
  const apiUrl = `${host.origin}/api/v1`;
  return opener.open({ kind: 'forgejo', apiUrl, repository: 'acme/web', token: 'secret' });
}

afterEach(() => {
  host.close();
  opener.close();
});

const questionOf = (call = host.calls.at(-1)!) =>
  Object.fromEntries(new URL(call.path, host.origin).searchParams);

const user = (login: string) => ({ id: 1, login, email: `${login}@example.test` });

const repository = {
  id: 7,
  full_name: 'acme/web',
  default_branch: 'main',
  archived: false,
  has_pull_requests: true,
  permissions: { admin: false, push: true, pull: true },
};

const pull = {
  id: 1,
  number: 12,
  html_url: 'https://code.example.test/acme/web/pulls/12',
  title: 'A title',
  body: 'A body',
  state: 'open',
  draft: false,
  merged: false,
  merged_at: null,
  mergeable: true,
  user: user('bot'),
  requested_reviewers: null,
  head: { label: 'work', ref: 'work', sha: SHA, repo_id: 7, repo: repository },
  base: { label: 'main', ref: 'main', sha: 'b'.repeat(40), repo_id: 7, repo: repository },
  created_at: '2026-01-02T03:04:05Z',
  updated_at: '2026-01-02T03:04:05Z',
};

describe('Forgejo: checking a token', () => {
  it('a token with write access may do everything', async () => {
    const forge = await against({ 'GET ': { content: repository }, 'GET /pulls': { content: [] } });
    expect(await forge.tryOut()).toEqual({
      repository: 'acme/web',
      defaultBranch: 'main',
      mayPush: true,
      mayOpenPullRequests: true,
    });
    expect(host.calls[0]!.headers.authorization).toBe('token secret');
    expect(host.calls.every(({ method }) => method !== 'POST')).toBe(true);
  });

  it.each([
    [{ permissions: { push: false, pull: true } }, {}, { mayPush: false, mayOpenPullRequests: false }],
    [{ archived: true }, {}, { mayPush: false, mayOpenPullRequests: false }],
    [{ has_pull_requests: false }, {}, { mayPush: true, mayOpenPullRequests: false }],
    [{}, { 'PATCH /pulls/0': { status: 403, content: {} } }, { mayPush: true, mayOpenPullRequests: false }],
  ])('%j and %j: returns %j', async (told, answers, standing) => {
    const forge = await against({
      'GET ': { content: { ...repository, ...told } },
      'GET /pulls': { content: [] },
      ...answers,
    });
    expect(await forge.tryOut()).toMatchObject(standing);
  });
});

describe('Forgejo: pull requests', () => {
  it('opens and closes a pull request', async () => {
    const forge = await against({
      'POST /pulls': { status: 201, content: pull },
      'PATCH /pulls/12': { status: 201, content: { ...pull, state: 'closed' } },
    });
    const draft = { title: 't'.repeat(300), body: 'A body', branch: 'work', base: 'main' };
    expect(await forge.openPullRequest(draft)).toEqual({
      number: 12,
      url: 'https://code.example.test/acme/web/pulls/12',
      title: 'A title',
      state: 'open',
      head: { branch: 'work', sha: SHA },
      base: { branch: 'main', sha: 'b'.repeat(40) },
      mergeable: true,
      mergedAt: null,
      reviewRequested: false,
      foreign: false,
    });
    expect((host.calls[0]!.body as { title: string }).title).toHaveLength(255);
    expect(await forge.changePullRequest(12, { close: true })).toMatchObject({ state: 'closed' });
  });

  it('finds a pull request by its branch among all open ones', async () => {
    const fork = { ...pull.head, repo_id: 9, repo: { ...repository, id: 9, full_name: 'eve/web' } };
    const other = { ...pull, number: 13, head: { ...pull.head, ref: 'other' } };
    const content = [other, { ...pull, number: 14, head: fork }, pull];
    const forge = await against({ 'GET /pulls': { content } });
    expect((await forge.listOpenPullRequests({ branch: 'work' })).map(({ number }) => number)).toEqual([12]);
    expect(await forge.listOpenPullRequests()).toHaveLength(3);
    expect(questionOf()).toEqual({ state: 'open', limit: '50', page: '1' });
  });

  it.each([
    [
      { draft: true, mergeable: false },
      { state: 'draft', mergeable: null },
    ],
    [
      { state: 'closed', merged: true, merged_at: '2026-02-03T04:05:06Z' },
      { state: 'merged', mergedAt: new Date('2026-02-03T04:05:06Z') },
    ],
    [{ requested_reviewers: [user('ada')] }, { reviewRequested: true }],
  ])('%j is read as %j', async (told, read) => {
    const forge = await against({ 'GET /pulls/12': { content: { ...pull, ...told } } });
    expect(await forge.readPullRequest(12)).toMatchObject(read);
  });

  it('reports a conflict only when the host reports it twice', async () => {
    const answers = [{ ...pull, mergeable: false }, pull];
    const forge = await against({
      'GET /pulls/12': (_call, response) => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answers.shift()));
      },
    });
    expect(await forge.readPullRequest(12)).toMatchObject({ mergeable: true });
  });
});

it('reads the statuses of a commit as checks, and their logs if the host lists jobs', async () => {
  const status = (context: string, state: string, target = '') => ({
    id: 1,
    context,
    status: state,
    target_url: target,
    description: 'Said',
  });
  const forge = await against({
    [`GET /commits/${SHA}/status`]: {
      content: {
        state: 'failure',
        total_count: 4,
        statuses: [
          status('ci / tests', 'failure', '/acme/web/actions/runs/3/jobs/1'),
          status('outside', 'success', 'https://ci.example.test/1'),
          status('later', 'pending'),
          status('not', 'skipped'),
        ],
      },
    },
    'GET /actions/runs': {
      content: {
        total_count: 1,
        workflow_runs: [{ id: 33, html_url: 'https://code.example.test/acme/web/actions/runs/3' }],
      },
    },
    'GET /actions/runs/33/jobs': { content: { total_count: 2, jobs: [{ id: 330 }, { id: 331 }] } },
    'GET /actions/jobs/331/logs': { text: 'one\ntwo\n' },
  });
  const checks = await forge.readChecks(SHA);
  expect(checks.map(({ name, state, url }) => [name, state, url])).toEqual([
    ['ci / tests', 'failing', null],
    ['outside', 'passing', 'https://ci.example.test/1'],
    ['later', 'pending', null],
    ['not', 'none', null],
  ]);
  expect(await forge.readCheckLog(checks[0]!, 1)).toBe('two');
  expect(await forge.readCheckLog(checks[1]!, 1)).toBeUndefined();
});

it('returns no checks for a commit without statuses', async () => {
  const content = { state: '', total_count: 0, statuses: null };
  const forge = await against({ [`GET /commits/${SHA}/status`]: { content } });
  expect(await forge.readChecks(SHA)).toEqual([]);
});

it('returns the reviews that still count with their unresolved comments', async () => {
  const review = (id: number, author: string, state: string, at: string, more = {}) => ({
    id,
    user: user(author),
    state,
    body: '',
    commit_id: SHA,
    dismissed: false,
    comments_count: 0,
    submitted_at: at,
    ...more,
  });
  const comment = (body: string, resolver: object | null) => ({
    id: 1,
    body,
    user: user('ada'),
    path: 'b.txt',
    position: 4,
    original_position: 0,
    resolver,
    created_at: '2026-01-02T00:00:00Z',
  });
  const forge = await against({
    'GET /pulls/12/reviews': {
      content: [
        review(1, 'ada', 'REQUEST_CHANGES', '2026-01-02T00:00:00Z', { comments_count: 2 }),
        review(2, 'bob', 'REQUEST_CHANGES', '2026-01-02T00:00:00Z'),
        review(3, 'bob', 'APPROVED', '2026-01-03T00:00:00Z'),
        review(4, 'eve', 'APPROVED', '2026-01-03T00:00:00Z', { dismissed: true }),
        review(5, 'joe', 'REQUEST_REVIEW', '2026-01-03T00:00:00Z'),
      ],
    },
    'GET /pulls/12/reviews/1/comments': { content: [comment('Why?', null), comment('Over', user('ada'))] },
  });
  const { reviews, comments } = await forge.readReviews(12);
  expect(reviews.map(({ author, state }) => [author, state])).toEqual([
    ['ada', 'changes_requested'],
    ['bob', 'approved'],
    ['eve', 'dismissed'],
  ]);
  expect(comments).toEqual([
    { path: 'b.txt', line: 4, author: 'ada', body: 'Why?', at: '2026-01-02T00:00:00.000Z' },
  ]);
});

describe('Forgejo: issues', () => {
  const issue = (number: number, updated: string) => ({
    id: number,
    number,
    html_url: `https://code.example.test/acme/web/issues/${number}`,
    title: 'It breaks',
    body: 'Text',
    user: user('ada'),
    labels: [{ id: 1, name: 'guild' }],
    state: 'open',
    assignee: user('bob'),
    comments: 0,
    pull_request: null,
    created_at: '2026-01-02T03:04:05Z',
    updated_at: updated,
  });

  it('lists issues by label with the most recently changed last', async () => {
    const content = [issue(2, '2026-03-01T00:00:00Z'), issue(1, '2026-02-01T00:00:00Z')];
    const forge = await against({ 'GET /issues': { content } });
    const { issues, next, hostTime } = await forge.listIssues({ state: 'open', label: 'guild' });
    expect(hostTime).toBeInstanceOf(Date);
    expect(issues.map(({ number }) => number)).toEqual([1, 2]);
    expect(issues[0]!.assignees).toEqual([{ name: 'bob', login: 'bob', email: 'bob@example.test' }]);
    expect(next).toBeUndefined();
    expect(questionOf()).toMatchObject({ type: 'issues', state: 'open', labels: 'guild', limit: '50' });
  });

  it('adds the same comment only once', async () => {
    const comment = {
      id: 1,
      body: 'The card is here',
      user: user('bot'),
      created_at: '2026-01-02T03:04:05Z',
    };
    const forge = await against({
      'GET /issues/5/comments': { content: [comment] },
      'POST /issues/5/comments': { status: 201, content: comment },
    });
    await forge.commentOnIssue(5, 'The card is here');
    expect(host.calls.filter(({ method }) => method === 'POST')).toEqual([]);
    await forge.commentOnIssue(5, 'Another');
    expect(host.calls.at(-1)!.body).toEqual({ body: 'Another' });
  });
});
