import { describe, expect, it } from 'vitest';
import { githubHooks } from '../../../../tests/support/github-hooks.js';
import { findEvent, HOOK_READERS, type HookNews } from './hook-readers.js';

const read = (kind: keyof typeof HOOK_READERS, event: string, body: unknown): HookNews | null =>
  findEvent(HOOK_READERS[kind], event)?.(body) ?? null;

const SHA = '0123456789abcdef0123456789abcdef01234567';
const OTHER = 'fedcba9876543210fedcba9876543210fedcba98';
const news = (more: Partial<HookNews>): HookNews => ({ pulls: [], shas: [], issues: false, ...more });

describe("GitHub's published webhook examples", () => {
  const of = (event: string) => githubHooks(event).map(({ body }) => body);
  // biome-ignore lint/suspicious/noExplicitAny: what GitHub published, as it is
  const each = (event: string, find: (body: any) => unknown) => {
    expect(of(event).length).toBeGreaterThan(0);
    for (const body of of(event)) expect(find(body)).toBeTruthy();
  };

  it.each([
    'pull_request',
    'pull_request_review',
    'pull_request_review_comment',
    'pull_request_review_thread',
  ])('%s: each example names its pull request', (event) =>
    each(event, (body) => {
      expect(read('github', event, body)).toEqual(news({ pulls: [body.pull_request.number] }));
      return true;
    }),
  );

  it.each(['check_run', 'check_suite', 'workflow_run', 'workflow_job'])(
    '%s: each example names its commit and its pull requests',
    (event) =>
      each(event, (body) => {
        const { head_sha, pull_requests = [] } = body[event];
        const pulls = pull_requests.map(({ number }: { number: number }) => number);
        expect(read('github', event, body)).toEqual(news({ shas: [head_sha], pulls }));
        return true;
      }),
  );

  it('status, deployment and deployment_status: each example names its commit', () => {
    each('status', (body) => {
      expect(read('github', 'status', body)).toEqual(news({ shas: [body.sha] }));
      return true;
    });
    for (const event of ['deployment', 'deployment_status'])
      each(event, (body) => {
        expect(read('github', event, body)).toEqual(news({ shas: [body.deployment.sha] }));
        return true;
      });
  });

  it('push: each example names the commits before and after, if they exist', () =>
    each('push', (body) => {
      const shas = [body.before, body.after].filter((sha) => !/^0+$/.test(sha));
      expect(read('github', 'push', body)).toEqual(news({ shas }));
      return true;
    }));

  it('issues: each example reports that issues changed', () =>
    each('issues', (body) => {
      expect(read('github', 'issues', body)).toEqual(news({ issues: true }));
      return true;
    }));

  it('issue_comment: names a pull request and ignores issues', () => {
    each('issue_comment', (body) => {
      const wanted = body.issue.pull_request ? news({ pulls: [body.issue.number] }) : null;
      expect(read('github', 'issue_comment', body)).toEqual(wanted);
      return true;
    });
    const onPull = { issue: { number: 3, pull_request: { url: 'https://api.example' } } };
    expect(read('github', 'issue_comment', onPull)).toEqual(news({ pulls: [3] }));
  });

  it('all other events are ignored', () => {
    const needed =
      /^(pull_request.*|check_run|check_suite|workflow_run|workflow_job|status|deployment|deployment_status|issues|issue_comment|push)$/;
    const events = [...new Set(githubHooks().map(({ event }) => event))];
    const others = events.filter((event) => !needed.test(event));
    expect(others.length).toBeGreaterThan(30);
    for (const event of others)
      for (const body of of(event)) expect([event, read('github', event, body)]).toEqual([event, null]);
  });
});

describe('GitLab webhooks', () => {
  it.each([
    ['Merge Request Hook', { object_attributes: { iid: 4, id: 99 } }, news({ pulls: [4] })],
    [
      'Pipeline Hook',
      { object_attributes: { id: 31, sha: SHA }, merge_request: { id: 1, iid: 7 } },
      news({ shas: [SHA], pulls: [7] }),
    ],
    ['Pipeline Hook', { object_attributes: { sha: SHA }, merge_request: null }, news({ shas: [SHA] })],
    ['Job Hook', { object_kind: 'build', sha: SHA, commit: { id: 2293, sha: SHA } }, news({ shas: [SHA] })],
    [
      'Note Hook',
      { object_attributes: { noteable_type: 'MergeRequest' }, merge_request: { iid: 1 } },
      news({ pulls: [1] }),
    ],
    ['Note Hook', { object_attributes: { noteable_type: 'Issue' }, issue: { iid: 17 } }, null],
    ['Issue Hook', { object_attributes: { iid: 23 } }, news({ issues: true })],
    [
      'Deployment Hook',
      {
        status: 'success',
        short_sha: SHA.slice(0, 8),
        commit_url: `https://gitlab.example/a/b/-/commit/${SHA}`,
      },
      news({ shas: [SHA] }),
    ],
    ['Push Hook', { before: SHA, after: OTHER }, news({ shas: [SHA, OTHER] })],
    ['Wiki Page Hook', { object_attributes: { iid: 1 } }, null],
    ['constructor', {}, null],
  ])('%s', (event, body, wanted) => expect(read('gitlab', event, body)).toEqual(wanted));
});

describe('Forgejo and Gitea webhooks', () => {
  it.each([
    [
      'pull_request',
      { action: 'opened', number: 5, pull_request: { id: 70, number: 5 } },
      news({ pulls: [5] }),
    ],
    ['pull_request_sync', { number: 6 }, news({ pulls: [6] })],
    ['pull_request_approved', { pull_request: { number: 8 } }, news({ pulls: [8] })],
    ['pull_request_rejected', { pull_request: { number: 8 } }, news({ pulls: [8] })],
    ['issues', { action: 'opened', issue: { number: 1 } }, news({ issues: true })],
    ['issue_label', { action: 'label_updated', issue: { number: 1 } }, news({ issues: true })],
    ['issue_comment', { is_pull: true, issue: { number: 2 } }, news({ pulls: [2] })],
    ['issue_comment', { is_pull: false, issue: { number: 2 } }, null],
    ['push', { before: SHA, after: OTHER }, news({ shas: [SHA, OTHER] })],
    ['status', { sha: SHA, state: 'success' }, news({ shas: [SHA] })],
    ['workflow_run', { workflow_run: { head_sha: SHA } }, news({ shas: [SHA] })],
    ['action_run_failure', { run: { commit_sha: SHA } }, news({ shas: [SHA] })],
    ['release', { release: {} }, null],
  ])('%s', (event, body, wanted) => expect(read('forgejo', event, body)).toEqual(wanted));
});

describe('Values in a webhook body', () => {
  it('are ignored unless they are valid numbers and commit ids', () => {
    const pull = (number: unknown) => read('github', 'pull_request', { pull_request: { number } });
    for (const wrong of ['1', 0, -1, 1.5, 2 ** 31, null, {}, [], Number.NaN]) expect(pull(wrong)).toBeNull();
    expect(pull(2 ** 31 - 1)).toEqual(news({ pulls: [2 ** 31 - 1] }));
    for (const sha of ['', 'main', `${SHA}0`, '0'.repeat(40), 7, `' or 1=1 --`])
      expect(read('github', 'status', { sha })).toBeNull();
    for (const body of [null, [], 'text', 7, { pull_request: null }, { __proto__: { pull_request: 1 } }])
      expect(read('github', 'pull_request', body)).toBeNull();
  });

  it('are limited to 100 pull requests', () => {
    const pull_requests = Array.from({ length: 5000 }, (_, at) => ({ number: at + 1 }));
    const { pulls } = read('github', 'check_run', { check_run: { head_sha: SHA, pull_requests } })!;
    expect(pulls).toHaveLength(100);
  });
});
