import { afterEach, describe, expect, it } from 'vitest';
import { type HostStub, type StubAnswer, startHostStub } from '../../../../tests/support/host-stub.js';
import { systemClock } from '../../../kernel/clock.js';
import type { Forge } from './forge.js';
import { createForgeOpener } from './forge-adapter.js';

const PROJECT = '/api/v4/projects/acme%2Fteam%2Fweb';
const SHA = 'a'.repeat(40);
const opener = createForgeOpener({ networks: ['127.0.0.0/8'], clock: systemClock, version: '1' });
let host: HostStub;

async function against(answers: Record<string, StubAnswer>): Promise<Forge> {
  const under = Object.entries(answers).map(([key, answer]) => {
    const [method, path] = key.split(' ');
    return [`${method} ${path!.startsWith('/api') ? path : PROJECT + path}`, answer];
  });
  host = await startHostStub(Object.fromEntries(under));
  return opener.open({
    kind: 'gitlab',
    apiUrl: `${host.origin}/api/v4`,
    repository: 'acme/team/web',
    token: 'glpat-secret',
  });
}

afterEach(() => {
  host.close();
  opener.close();
});

const questionOf = (call = host.calls.at(-1)!) =>
  Object.fromEntries(new URL(call.path, host.origin).searchParams);

const user = (username: string) => ({ id: 1, username, name: username, state: 'active' });

const project = {
  id: 7,
  path_with_namespace: 'acme/team/web',
  default_branch: 'trunk',
  archived: false,
  merge_requests_enabled: true,
  can_create_merge_request_in: true,
  permissions: { project_access: null, group_access: { access_level: 30, notification_level: 3 } },
};

const request = {
  id: 155_016_530,
  iid: 133,
  project_id: 7,
  title: 'A title',
  description: 'A body',
  state: 'opened',
  created_at: '2026-01-02T03:04:05.000Z',
  updated_at: '2026-01-02T03:04:05.000Z',
  merged_at: null,
  target_branch: 'trunk',
  source_branch: 'work',
  source_project_id: 7,
  target_project_id: 7,
  author: user('bot'),
  reviewers: [],
  draft: false,
  work_in_progress: false,
  merge_status: 'can_be_merged',
  detailed_merge_status: 'not_approved',
  has_conflicts: false,
  sha: SHA,
  web_url: 'https://gitlab.example.test/acme/team/web/-/merge_requests/133',
  diff_refs: { base_sha: 'b'.repeat(40), head_sha: SHA, start_sha: 'c'.repeat(40) },
};

describe('GitLab: checking a token', () => {
  const trying = async (changes: object, scopes?: string[]) =>
    (
      await against({
        'GET ': { content: { ...project, ...changes } },
        ...(scopes && { 'GET /api/v4/personal_access_tokens/self': { content: { id: 1, scopes } } }),
      })
    ).tryOut();

  it('a developer may do everything', async () => {
    expect(await trying({}, ['api'])).toEqual({
      repository: 'acme/team/web',
      defaultBranch: 'trunk',
      mayPush: true,
      mayOpenPullRequests: true,
    });
    expect(host.calls[0]!.headers['private-token']).toBe('glpat-secret');
  });

  it('a reporter may not push', async () => {
    expect(await trying({ permissions: { project_access: { access_level: 20 } } })).toMatchObject({
      mayPush: false,
    });
  });

  it.each([
    [{}, ['read_api', 'write_repository']],
    [{ merge_requests_enabled: false }, undefined],
    [{ can_create_merge_request_in: false }, undefined],
  ])('%j with the scopes %j may push but not open merge requests', async (changes, scopes) => {
    expect(await trying(changes, scopes)).toMatchObject({ mayPush: true, mayOpenPullRequests: false });
  });

  it('a token without an access level may push if the branch allows it', async () => {
    const forge = await against({
      'GET ': { content: { ...project, permissions: { project_access: null, group_access: null } } },
      'GET /repository/branches/trunk': { content: { name: 'trunk', can_push: true } },
    });
    expect(await forge.tryOut()).toMatchObject({ mayPush: true, mayOpenPullRequests: true });
  });

  it('reports an unknown project as missing', async () => {
    await expect((await against({})).tryOut()).rejects.toMatchObject({ fault: 'missing' });
  });
});

describe('GitLab: merge requests', () => {
  it('opens a merge request and cuts title and body to the limits of GitLab', async () => {
    const forge = await against({ 'POST /merge_requests': { status: 201, content: request } });
    const draft = { title: 't'.repeat(300), body: 'b'.repeat(1_100_000), branch: 'work', base: 'trunk' };
    expect(await forge.openPullRequest(draft)).toEqual({
      number: 133,
      url: 'https://gitlab.example.test/acme/team/web/-/merge_requests/133',
      title: 'A title',
      state: 'open',
      head: { branch: 'work', sha: SHA },
      base: { branch: 'trunk', sha: 'c'.repeat(40) },
      mergeable: true,
      mergedAt: null,
      reviewRequested: false,
      foreign: false,
    });
    const sent = host.calls[0]!.body as Record<string, string>;
    expect(sent).toMatchObject({ source_branch: 'work', target_branch: 'trunk' });
    expect([sent['title']!.length, sent['description']!.length]).toEqual([255, 1_048_576]);
  });

  it('closes a merge request with a state event', async () => {
    const content = { ...request, state: 'closed' };
    const forge = await against({ 'PUT /merge_requests/133': { content } });
    expect(await forge.changePullRequest(133, { close: true })).toMatchObject({ state: 'closed' });
    expect(host.calls[0]!.body).toEqual({ state_event: 'close' });
  });

  it('lists merge requests of a branch without those from forks', async () => {
    const content = [request, { ...request, iid: 134, source_project_id: 99 }];
    const forge = await against({ 'GET /merge_requests': { content } });
    expect((await forge.listOpenPullRequests({ branch: 'work' })).map(({ number }) => number)).toEqual([133]);
    expect(questionOf()).toMatchObject({ state: 'opened', source_branch: 'work', per_page: '100' });
    expect((await forge.listOpenPullRequests()).map(({ foreign }) => foreign)).toEqual([false, true]);
  });

  it.each([
    [{ detailed_merge_status: 'checking' }, { mergeable: null }],
    [{ detailed_merge_status: 'conflict', has_conflicts: true }, { mergeable: false }],
    [{ detailed_merge_status: undefined, merge_status: 'cannot_be_merged' }, { mergeable: false }],
    [{ detailed_merge_status: 'ci_must_pass' }, { mergeable: true }],
    [{ draft: true }, { state: 'draft' }],
    [{ reviewers: [user('ada')] }, { reviewRequested: true }],
    [{ state: 'locked' }, { state: 'open', mergeable: null }],
    [
      { state: 'merged', merged_at: '2026-02-03T04:05:06.000Z' },
      { state: 'merged', mergedAt: new Date('2026-02-03T04:05:06Z'), mergeable: null },
    ],
    [
      { web_url: 'javascript:alert(1)' },
      { url: expect.stringMatching(/^http:.*acme\/team\/web\/-\/merge_requests\/133$/) },
    ],
  ])('%j is read as %j', async (told, read) => {
    const forge = await against({ 'GET /merge_requests/133': { content: { ...request, ...told } } });
    expect(await forge.readPullRequest(133)).toMatchObject(read);
  });

  it('returns undefined for an unknown merge request', async () => {
    expect(await (await against({})).readPullRequest(1)).toBeUndefined();
  });
});

it('GitLab: reads the statuses of a commit as checks, and logs of jobs', async () => {
  const status = (id: number, name: string, state: string, more = {}) => ({
    id,
    sha: SHA,
    name,
    status: state,
    allow_failure: false,
    description: null,
    target_url: `https://gitlab.example.test/acme/team/web/-/jobs/${id}`,
    author: user('bot'),
    ...more,
  });
  const forge = await against({
    [`GET /repository/commits/${SHA}/statuses`]: {
      content: [
        status(1, 'build', 'success'),
        status(2, 'tests', 'failed', { description: 'Two failed' }),
        status(3, 'flaky', 'failed', { allow_failure: true }),
        status(4, 'deploy', 'manual'),
        status(5, 'pages', 'running'),
        status(6, 'outside', 'canceled', { target_url: 'https://ci.example.test/6' }),
      ],
    },
    'GET /jobs/2/trace': { text: 'one\ntwo\nthree\n' },
  });
  const checks = await forge.readChecks(SHA);
  expect(checks.map(({ name, state, log }) => [name, state, log])).toEqual([
    ['build', 'passing', '1'],
    ['tests', 'failing', '2'],
    ['flaky', 'none', '3'],
    ['deploy', 'none', '4'],
    ['pages', 'pending', '5'],
    ['outside', 'failing', null],
  ]);
  expect(checks[1]!.summary).toBe('Two failed');
  expect(await forge.readCheckLog(checks[1]!, 2)).toBe('two\nthree');
  expect(await forge.readCheckLog(checks[0]!, 2)).toBeUndefined();
});

it('GitLab: requested changes outweigh an approval; open threads are comments, resolved ones are left out', async () => {
  const note = (author: string, body: string, at: string, more = {}) => ({
    notes: [{ id: 1, body, author: user(author), created_at: at, system: false, resolvable: false, ...more }],
  });
  const forge = await against({
    'GET /merge_requests/133/approvals': {
      content: { approved_by: [{ user: user('bob') }, { user: user('ada') }] },
    },
    'GET /merge_requests/133/reviewers': {
      content: [
        { user: user('ada'), state: 'requested_changes', created_at: '2026-01-01T00:00:00.000Z' },
        { user: user('eve'), state: 'unreviewed', created_at: '2026-01-01T00:00:00.000Z' },
      ],
    },
    'GET /merge_requests/133/discussions': {
      content: [
        note('bob', 'approved this merge request', '2026-01-02T00:00:00.000Z', { system: true }),
        note('ada', 'requested changes', '2026-01-03T00:00:00.000Z', { system: true }),
        note('ada', 'Why two?', '2026-01-03T00:00:01.000Z', {
          resolvable: true,
          resolved: false,
          position: { new_path: 'b.txt', new_line: 4, old_path: 'b.txt', old_line: null },
        }),
        note('ada', 'Over', '2026-01-03T00:00:02.000Z', {
          resolvable: true,
          resolved: true,
          position: { new_path: 'b.txt', new_line: 5 },
        }),
        note('eve', 'By the way', '2026-01-04T00:00:00.000Z'),
      ],
    },
  });
  expect(await forge.readReviews(133)).toEqual({
    reviews: [
      { author: 'bob', state: 'approved', body: '', at: '2026-01-02T00:00:00.000Z' },
      { author: 'ada', state: 'changes_requested', body: '', at: '2026-01-03T00:00:00.000Z' },
      { author: 'eve', state: 'commented', body: 'By the way', at: '2026-01-04T00:00:00.000Z' },
    ],
    comments: [{ path: 'b.txt', line: 4, author: 'ada', body: 'Why two?', at: '2026-01-03T00:00:01.000Z' }],
  });
});

it("GitLab: the text of a change request is the reviewer's general comments since their previous decision", async () => {
  const note = (author: string, body: string, minute: number, more = {}) => ({
    notes: [
      {
        id: 1,
        body,
        author: user(author),
        created_at: `2026-01-03T00:0${minute}:00.000Z`,
        system: false,
        resolvable: true,
        resolved: false,
        ...more,
      },
    ],
  });
  const forge = await against({
    'GET /merge_requests/133/reviewers': { content: [{ user: user('ada'), state: 'requested_changes' }] },
    'GET /merge_requests/133/discussions': {
      content: [
        note('ada', 'Of the first round', 1),
        note('ada', 'requested changes', 2, { system: true }),
        note('ada', 'Its summary', 2, { created_at: '2026-01-03T00:02:01.000Z' }),
        note('ada', 'The names are unclear', 4),
        note('ada', 'Done with', 4, { resolved: true }),
        note('bob', 'I like it', 4),
        note('ada', 'requested changes', 5, { system: true }),
        note('ada', 'And the tests are missing', 5),
      ],
    },
  });
  expect((await forge.readReviews(133)).reviews).toEqual([
    { author: 'ada', state: 'commented', body: 'Of the first round', at: '2026-01-03T00:01:00.000Z' },
    { author: 'ada', state: 'commented', body: 'Its summary', at: '2026-01-03T00:02:01.000Z' },
    { author: 'bob', state: 'commented', body: 'I like it', at: '2026-01-03T00:04:00.000Z' },
    {
      author: 'ada',
      state: 'changes_requested',
      body: 'The names are unclear\n\nAnd the tests are missing',
      at: '2026-01-03T00:05:00.000Z',
    },
  ]);
});

it('GitLab: finds the newest successful deployment of the commit among all deployments', async () => {
  const deployment = (sha: string, url: string | null) => ({
    id: 1,
    sha,
    status: 'success',
    environment: { id: 1, name: 'preview', external_url: url },
  });
  const forge = await against({
    'GET /deployments': {
      content: [
        deployment('b'.repeat(40), 'https://other.example.test'),
        deployment(SHA, null),
        deployment(SHA, 'https://preview.example.test/1'),
      ],
    },
  });
  expect(await forge.findDeployment(SHA)).toBe('https://preview.example.test/1');
  expect(questionOf()).toMatchObject({ status: 'success', sort: 'desc' });
});

describe('GitLab: issues', () => {
  const issue = {
    iid: 5,
    title: 'It breaks',
    description: null,
    author: user('ada'),
    labels: ['Guild', 'bug'],
    state: 'opened',
    assignee: null,
    created_at: '2026-01-02T03:04:05.000Z',
    updated_at: '2026-01-02T03:04:05.000Z',
    user_notes_count: 2,
    web_url: 'https://gitlab.example.test/acme/team/web/-/issues/5',
  };

  it('lists issues by label and time of change, page by page', async () => {
    const link =
      '<https://gitlab.example.test/next>; rel="next", <https://gitlab.example.test/>; rel="first"';
    const forge = await against({ 'GET /issues': { content: [issue], headers: { link } } });
    const since = new Date('2026-01-01T00:00:00Z');
    const { issues, next, hostTime } = await forge.listIssues({ state: 'open', label: 'Guild', since });
    expect(hostTime).toBeInstanceOf(Date);
    expect(issues).toEqual([
      {
        number: 5,
        url: issue.web_url,
        title: 'It breaks',
        body: '',
        author: 'ada',
        labels: ['Guild', 'bug'],
        open: true,
        isCanceled: false,
        assignees: [],
        milestone: null,
        dueAt: null,
        parent: null,
        closedAt: null,
        createdAt: new Date(issue.created_at),
        updatedAt: new Date(issue.updated_at),
        commentCount: 2,
      },
    ]);
    expect(next).toBe('2');
    expect(questionOf()).toMatchObject({
      state: 'opened',
      labels: 'Guild',
      updated_after: '2026-01-01T00:00:00.000Z',
      order_by: 'updated_at',
      sort: 'asc',
      page: '1',
    });
    await forge.listIssues({ state: 'all', page: '2' });
    expect(questionOf()).toMatchObject({ state: 'all', page: '2' });
  });

  it('adds the same comment only once', async () => {
    const notes = [
      { id: 1, body: 'changed the title', author: user('ada'), system: true, created_at: issue.created_at },
      { id: 2, body: 'The card is here', author: user('bot'), system: false, created_at: issue.created_at },
    ];
    const forge = await against({
      'GET /issues/5/notes': { content: notes },
      'POST /issues/5/notes': { status: 201, content: notes[1] },
    });
    await forge.commentOnIssue(5, 'The card is here\n');
    expect(host.calls.filter(({ method }) => method === 'POST')).toEqual([]);
    await forge.commentOnIssue(5, 'Another');
    expect(host.calls.at(-1)).toMatchObject({ method: 'POST', body: { body: 'Another' } });
    expect((await forge.listComments(5)).map(({ author, body }) => [author, body])).toEqual([
      ['bot', 'The card is here'],
    ]);
  });
});
