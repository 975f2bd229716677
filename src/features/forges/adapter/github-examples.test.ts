import { describe, expect, it } from 'vitest';
import { githubHooks } from '../../../../tests/support/github-hooks.js';
import type { JsonObject } from './answer-values.js';
import { PULL_STATES } from './forge.js';
import { githubDialect } from './github.js';

const { readPull, readIssue } = githubDialect({
  kind: 'github',
  apiUrl: 'https://api.github.com',
  repository: 'acme/web',
  token: '',
});

describe("GitHub's published webhook examples", () => {
  const pulls = githubHooks('pull_request').map(({ action, body }) => ({
    action,
    pull: body['pull_request'],
  }));

  it.each(pulls)('reads a pull request that was $action', ({ action, pull }) => {
    const told = pull as JsonObject & {
      head: { ref: string; sha: string };
      number: number;
      html_url: string;
    };
    const read = readPull(told, false);
    expect(read).toMatchObject({
      number: told.number,
      url: told.html_url,
      head: { branch: told.head.ref, sha: told.head.sha },
    });
    expect(PULL_STATES).toContain(read.state);
    if (action === 'closed') expect(['closed', 'merged']).toContain(read.state);
    if (action === 'converted_to_draft') expect(read.state).toBe('draft');
    if (action === 'review_requested') expect(read.reviewRequested).toBe(true);
  });

  const issues = githubHooks('issues')
    .map(({ action, body }) => ({ action, issue: body['issue'] as JsonObject }))
    .filter(({ issue }) => issue['pull_request'] === undefined);

  it.each(issues)('reads an issue that was $action', ({ action, issue }) => {
    const told = issue as JsonObject & { number: number; title: string; html_url: string };
    const read = readIssue(told);
    expect(read).toMatchObject({ number: told.number, title: told.title, url: told.html_url });
    if (action === 'closed') expect(read?.open).toBe(false);
  });
});

describe('Unexpected values from a host', () => {
  const told = githubHooks('pull_request')[0]!.body['pull_request'] as JsonObject;

  it.each([
    { number: '7' },
    { number: -1 },
    { number: 2 ** 40 },
    { head: null },
    { head: { ref: 'work', sha: '../../etc' } },
    { merged_at: 'yesterday' },
    { merged_at: '+275760-09-13T00:00:00.000Z' },
  ])('throws for %j', (odd) => {
    expect(() => readPull({ ...told, ...odd }, false)).toThrow('an unexpected answer');
  });

  it('cuts and cleans texts so that PostgreSQL accepts them', () => {
    const title = `\u0000a\nb\ud800${'x'.repeat(300)}`;
    const read = readPull({ ...told, title, html_url: 'javascript:alert(1)' }, false);
    expect(read.title).toMatch(/^a b\ufffdx+…$/);
    expect(read.title.length).toBeLessThanOrEqual(255);
    expect(read.url).toBe(`https://github.com/acme/web/pull/${read.number}`);
  });
});
