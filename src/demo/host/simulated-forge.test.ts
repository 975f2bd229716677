import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostedRepository } from '../../../tests/support/hosted-repository.js';
import { startForgeProcess } from '../../../tests/support/simulated-forge-process.js';
import { type Receiver, startReceiver } from '../../../tests/support/webhooks.js';
import { type SimulatedForge, type SimulatedForgeOptions, startSimulatedForge } from './simulated-forge.js';

const TOKEN = 'token-of-the-host';
const SECRET = 'secret-of-the-hook';
let repository: HostedRepository;
const closing: (() => unknown)[] = [];

beforeEach(() => {
  repository = new HostedRepository({ 'a.txt': 'one\n' });
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  repository.remove();
});

const places = () => [{ name: 'acme/web', path: repository.path, defaultBranch: 'main' }];

async function hosting(options: Partial<SimulatedForgeOptions> = {}): Promise<SimulatedForge> {
  const host = await startSimulatedForge({ repositories: places(), token: TOKEN, ...options });
  closing.push(() => host.close());
  return host;
}

async function listening(): Promise<Receiver> {
  const receiver = await startReceiver();
  closing.push(() => receiver.close());
  return receiver;
}

async function opened(host: { apiUrl: string }, body = 'A body', branch = 'work'): Promise<string> {
  const sha = repository.branch(branch, { 'b.txt': `${branch}\n` });
  const response = await fetch(`${host.apiUrl}/repos/acme/web/pulls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ title: 'A <b>title</b>', body, head: branch, base: 'main' }),
  });
  expect(response.status).toBe(201);
  return sha;
}

describe('Webhooks of the simulated host', () => {
  it("report events, signed like GitHub's", async () => {
    const receiver = await listening();
    const host = await hosting({ hook: { url: receiver.url, secret: SECRET } });
    const sha = await opened(host);
    host.setCheck(sha, { name: 'tests', conclusion: 'failure' });
    host.review(1, { author: 'ada', state: 'CHANGES_REQUESTED' });
    host.openIssue({ title: 'An issue' });
    host.deploy(sha, 'https://preview.example.test/');
    await host.merge(1);
    await host.settleHooks();
    const told = receiver.received.map(({ headers, body }) => {
      const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
      expect(headers['x-hub-signature-256']).toBe(signature);
      const payload = JSON.parse(body);
      expect(payload.repository.full_name).toBe('acme/web');
      return `${headers['x-github-event']} ${payload.action}`;
    });
    expect(told.sort()).toEqual([
      'check_run completed',
      'deployment_status created',
      'issues opened',
      'pull_request closed',
      'pull_request opened',
      'pull_request_review submitted',
    ]);
    const ids = receiver.received.map(({ headers }) => headers['x-github-delivery']);
    expect(new Set(ids).size).toBe(6);
  });

  it('are lost, duplicated and forged when a test enables it', async () => {
    const receiver = await listening();
    const host = await hosting({ hook: { url: receiver.url, secret: SECRET } });
    const counting = async (faults: SimulatedForge['faults']) => {
      host.setFaults(faults);
      const before = receiver.received.length;
      host.openIssue({ title: 'An issue' });
      await host.settleHooks();
      return receiver.received.slice(before);
    };
    expect(await counting({ dropHooks: true })).toHaveLength(0);
    const [one, two] = await counting({ doubleHooks: true });
    expect(one!.headers['x-github-delivery']).toBe(two!.headers['x-github-delivery']);
    const [forged, real] = await counting({ forgeHooks: true });
    expect(forged!.headers['x-hub-signature-256']).not.toBe(real!.headers['x-hub-signature-256']);
    expect(await counting({ reorderHooks: 1 })).toHaveLength(1);
  });
});

describe('Repository on the simulated host', () => {
  const addressOf = (host: SimulatedForge, token: string) =>
    host.origin.replace('http://', `http://x-access-token:${token}@`).concat('/acme/web.git');

  it('accepts a push with the token and updates the pull request', async () => {
    const receiver = await listening();
    const host = await hosting({ hook: { url: receiver.url, secret: SECRET } });
    await opened(host);
    repository.checkout.git('checkout', '--quiet', 'work');
    const sha = repository.checkout.write({ 'c.txt': 'three\n' }).commit();
    await repository.reach('push', '--quiet', addressOf(host, TOKEN), 'work:work');
    expect(repository.headOf('work')).toBe(sha);
    await expect
      .poll(() => receiver.received.map(({ body }) => JSON.parse(body).action))
      .toContain('synchronize');
    expect((await host.pullRequests())[0]!.headSha).toBe(sha);
    expect(await repository.reach('ls-remote', addressOf(host, TOKEN), 'refs/heads/work')).toContain(sha);
  });

  it('refuses a push without the token or without permission', async () => {
    const host = await hosting();
    repository.checkout.git('checkout', '--quiet', '-b', 'other');
    const push = (token: string) => repository.reach('push', addressOf(host, token), 'other:other');
    await expect(push('wrong')).rejects.toThrow();
    host.setFaults({ mayNotPush: true });
    await expect(push(TOKEN)).rejects.toThrow();
    expect(() => repository.headOf('other')).toThrow();
  });
});

describe('Merge on the simulated host', () => {
  it('closes the issues that the description names, except in code', async () => {
    const host = await hosting();
    for (const title of ['One', 'Two', 'Three']) host.openIssue({ title });
    await opened(host, 'Fixes #1\n\n```\nFixes #2\n```\n\nand `closes #3`');
    await host.merge(4);
    expect((await host.issues()).map(({ state }) => state)).toEqual(['closed', 'open', 'open']);
    expect(
      repository.checkout.git(`--git-dir=${repository.path}`, 'log', '-1', '--format=%s %P', 'main'),
    ).toBe(`Merge pull request #4 from work ${repository.headOf('main^1')} ${repository.headOf('work')}`);
  });

  it('is refused for conflicting branches', async () => {
    const host = await hosting();
    await opened(host);
    repository.branch('main', { 'b.txt': 'other\n' });
    await expect(host.merge(1)).rejects.toThrow('The branches conflict');
    expect((await host.pullRequests())[0]).toMatchObject({ state: 'open', mergedAt: null });
  });
});

describe('Pages of the simulated host', () => {
  it('state that the host is simulated, and can merge a pull request', async () => {
    const host = await hosting();
    const sha = await opened(host, '<script>alert(1)</script>');
    const url = `${host.origin}/acme/web/pull/1`;
    const shown = await fetch(url);
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await shown.text();
    expect(html).toMatch(/<title>.*Simulated host<\/title>/);
    expect(html).toContain('Merge pull request</button>');
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toMatch(/<script|<b>title/);

    const post = (path: string, fields = {}, headers = {}) =>
      fetch(`${url}/${path}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers,
        redirect: 'manual',
      });
    expect((await post('checks', { conclusion: 'failure' })).status).toBe(303);
    expect(await host.checks()).toMatchObject([{ sha, name: 'tests', conclusion: 'failure' }]);
    expect((await post('review', { state: 'APPROVED' })).headers.get('location')).toBe('/acme/web/pull/1');
    expect((await post('merge', {}, { origin: 'https://elsewhere.test' })).status).toBe(403);
    expect((await post('merge')).status).toBe(303);
    expect((await post('merge')).status).toBe(409);
    expect(await (await fetch(url)).text()).toContain('<b>merged</b>');
    expect(repository.read('main', 'b.txt')).toBe('work');
  });

  it.each(['/', '/acme/web', '/acme/web/issues/1'])('exist at %s', async (path) => {
    const host = await hosting();
    host.openIssue({ title: 'An issue', labels: ['guild'] });
    const page = await fetch(host.origin + path);
    expect([page.status, (await page.text()).includes('Simulated host')]).toEqual([200, true]);
  });

  it.each(['/acme/none', '/acme/web/pull/9', '/../../etc/passwd', '/acme/web/pull/1/merge', '/_control'])(
    'do not exist at %s',
    async (path) => {
      expect((await fetch((await hosting()).origin + path)).status).toBe(404);
    },
  );
});

it('starts checks on every new head and passes them after a while', async () => {
  const receiver = await listening();
  const host = await hosting({
    ownChecks: { names: ['build', 'tests'], seconds: 0.2 },
    hook: { url: receiver.url, secret: SECRET },
  });
  const sha = await opened(host);
  const states = async () =>
    (await host.checks()).map(({ sha: of, name, conclusion }) => [of, name, conclusion]);
  await expect.poll(states).toEqual([
    [sha, 'build', 'success'],
    [sha, 'tests', 'success'],
  ]);
});

it('restores its saved state after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-simulated-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const ownChecks = { names: ['tests'], seconds: 3600 };
  const first = await hosting({ folder, ownChecks });
  first.openIssue({ title: 'An issue' });
  await opened(first);
  await first.close();
  const second = await hosting({ folder, ownChecks: { ...ownChecks, seconds: 0.1 } });
  expect(await second.issues()).toMatchObject([{ number: 1, title: 'An issue' }]);
  expect(await second.pullRequests()).toMatchObject([{ number: 2, state: 'open' }]);
  await expect.poll(async () => (await second.checks())[0]!.conclusion).toBe('success');
});

it('runs in a separate process that a test can control', async () => {
  const host = await startForgeProcess({ repositories: places(), token: TOKEN });
  closing.push(() => host.close());
  const sha = await opened(host);
  expect(await host.pullRequests()).toMatchObject([{ number: 1, headSha: sha }]);
  await host.setFaults({ status: 500 });
  const asked = () =>
    fetch(`${host.apiUrl}/repos/acme/web`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect((await asked()).status).toBe(500);
  await host.setFaults({});
  expect((await asked()).status).toBe(200);
  await host.merge(1);
  await expect(host.merge(1)).rejects.toThrow('It is closed');
  expect(repository.read('main', 'b.txt')).toBe('work');
  const strangers = await fetch(`${host.origin}/_control`, { method: 'POST', body: '{}' });
  expect(strangers.status).toBe(404);
});
