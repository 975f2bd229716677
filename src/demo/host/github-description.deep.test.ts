import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createExchangeJudge,
  type Exchange,
  fetchGithubDescription,
} from '../../../tests/support/github-description.js';
import { HostedRepository } from '../../../tests/support/hosted-repository.js';
import { type Receiver, startReceiver } from '../../../tests/support/webhooks.js';
import { createForgeOpener } from '../../features/forges/adapter/forge-adapter.js';
import { systemClock } from '../../kernel/clock.js';
import { type SimulatedForge, startSimulatedForge } from './simulated-forge.js';

const TOKEN = 'token';
const repository = new HostedRepository({ 'a.txt': 'one\n' });
const exchanges: Exchange[] = [];
let judging: ReturnType<typeof createExchangeJudge> | undefined;
let host: SimulatedForge;
let receiver: Receiver;
let proxy: http.Server;

/** A proxy that forwards and records each request. */
async function startNoting(): Promise<string> {
  proxy = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method = '', url = '' } = request;
    const answer = await fetch(host.origin + url, {
      method,
      headers: { authorization: request.headers.authorization ?? '' },
      redirect: 'manual',
      ...(body !== '' && { body }),
    });
    const text = await answer.text();
    if (url.startsWith('/api/v3'))
      exchanges.push({
        method,
        path: url.slice('/api/v3'.length),
        sent: body === '' ? undefined : JSON.parse(body),
        status: answer.status,
        answered: text === '' ? undefined : JSON.parse(text),
      });
    const location = answer.headers.get('location');
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'text/plain',
      ...(location && { location }),
    });
    response.end(text);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api/v3`;
}

beforeAll(async () => {
  const description = await fetchGithubDescription();
  judging = description && createExchangeJudge(description);
  receiver = await startReceiver();
  host = await startSimulatedForge({
    repositories: [{ name: 'acme/web', path: repository.path, defaultBranch: 'main' }],
    token: TOKEN,
    hook: { url: receiver.url, secret: 'secret' },
  });
  const opener = createForgeOpener({ networks: ['127.0.0.0/8'], clock: systemClock, version: '1' });
  const apiUrl = await startNoting();
  const open = (token: string, name: string) =>
    opener.open({ kind: 'github', apiUrl, repository: name, token });
  const forge = open(TOKEN, 'acme/web');

  // Exercises every call of the adapter and every event that can happen meanwhile.
  await forge.tryOut();
  await open('wrong', 'acme/web')
    .tryOut()
    .catch(() => {});
  await open(TOKEN, 'acme/none')
    .tryOut()
    .catch(() => {});
  const issue = host.openIssue({ title: 'An issue', body: 'Text', labels: ['guild'], author: 'ada' });
  host.relabel(issue.number, ['guild', 'bug']);
  host.relabel(issue.number, ['guild']);
  host.renameIssue(issue.number, 'Another name');
  await forge.commentOnIssue(issue.number, 'The card');
  await forge.listComments(issue.number);
  const sha = repository.branch('work', { 'b.txt': 'two\n' });
  const draft = { title: 'A title', body: `Fixes #${issue.number}`, branch: 'work', base: 'main' };
  const pull = await forge.openPullRequest(draft);
  await forge.openPullRequest(draft).catch(() => {});
  await host.requestReview(pull.number, 'ada');
  await host.setDraft(pull.number, true);
  await host.setDraft(pull.number, false);
  host.setCheck(sha, { name: 'lint', status: 'in_progress' });
  host.setCheck(sha, { name: 'tests', conclusion: 'failure', summary: 'No', log: 'one\ntwo\n' });
  host.review(pull.number, {
    author: 'ada',
    state: 'CHANGES_REQUESTED',
    body: 'No',
    comments: [
      { path: 'b.txt', line: 1, body: 'Why?' },
      { path: 'b.txt', body: 'All of it' },
    ],
  });
  host.deploy(sha, 'https://preview.example.test/');
  await forge.listOpenPullRequests({ branch: 'work' });
  await forge.listIssues({ state: 'all', label: 'guild', since: new Date(0) });
  const checks = await forge.readChecks(sha);
  expect(await forge.readCheckLog(checks[1]!, 10)).toBe('one\ntwo');
  await forge.readReviews(pull.number);
  await forge.findDeployment(sha);
  repository.branch('work', { 'b.txt': 'three\n' }, 'work');
  await forge.changePullRequest(pull.number, { title: 'Another title', body: draft.body });
  await forge.readPullRequest(pull.number);
  await forge.readPullRequest(999);
  await host.merge(pull.number);
  await forge.readPullRequest(pull.number);
  repository.branch('other', { 'c.txt': 'three\n' });
  const other = await forge.openPullRequest({ ...draft, branch: 'other' });
  await forge.changePullRequest(other.number, { close: true });
  await host.settleHooks();
  opener.close();
});

afterAll(async () => {
  await host.close();
  await receiver.close();
  proxy.closeAllConnections();
  proxy.close();
  repository.remove();
});

describe("GitHub's OpenAPI description", () => {
  const described = (context: { skip(why: string): never }) =>
    judging ?? context.skip('The registry of npm cannot be reached');

  it('matches every call of the adapter and every answer of the simulated host', (context) => {
    const { judge } = described(context);
    const judged = exchanges.map((exchange) => ({ ...judge(exchange), status: exchange.status }));
    expect(judged.filter(({ flaws }) => flaws.length > 0)).toEqual([]);
    expect([...new Set(judged.map(({ operation }) => operation))].sort()).toEqual([
      'GET /repos/{owner}/{repo}',
      'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
      'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
      'GET /repos/{owner}/{repo}/commits/{ref}/status',
      'GET /repos/{owner}/{repo}/deployments',
      'GET /repos/{owner}/{repo}/deployments/{deployment_id}/statuses',
      'GET /repos/{owner}/{repo}/issues',
      'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
      'GET /repos/{owner}/{repo}/pulls',
      'GET /repos/{owner}/{repo}/pulls/{pull_number}',
      'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments',
      'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
      'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
      'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
      'POST /repos/{owner}/{repo}/pulls',
    ]);
  });

  it('matches every webhook of the simulated host', (context) => {
    const { judgeHook } = described(context);
    const told = receiver.received.map(({ headers, body }) => {
      const payload = JSON.parse(body) as { action: string };
      const event = String(headers['x-github-event']);
      return { hook: `${event} ${payload.action}`, flaws: judgeHook(event, payload.action, payload) };
    });
    expect(told.filter(({ flaws }) => flaws.length > 0)).toEqual([]);
    expect(told.length).toBeGreaterThan(12);
  });

  it('detects a deviation', (context) => {
    const { judge } = described(context);
    const [first] = exchanges;
    const { default_branch: _, ...less } = first!.answered as Record<string, unknown>;
    expect(judge({ ...first!, answered: less }).flaws).toEqual([
      "200:  must have required property 'default_branch'",
    ]);
    expect(judge({ ...first!, path: `${first!.path}?what=1` }).flaws).toHaveLength(1);
    expect(judge({ ...first!, path: '/repos/a/b/nothing' }).flaws).toEqual(['is not described']);
  });
});
