import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startSimulatedForge } from '../../src/demo/host/simulated-forge.js';
import { startTestApp, type TestBrand, type TestPerson } from '../support/app.js';
import { ScratchRepository } from '../support/scratch-repository.js';
import {
  askAs,
  describePages,
  findBarriers,
  leaveInSilence,
  NARROW,
  type Site,
  startSite,
  takePicture,
} from './browser.js';

/** Mocks the service's answers about hosts, except in one test; the hosts have their own tests. */

let site: Site;
let brand: TestBrand;
let admin: TestPerson;
let cookie: string;
let projectId: string;
let boardId: string;

const ask = askAs(() => ({ site, cookie }));
const address = () => `/dashboard/lessons/${projectId}?tab=repository`;
const section = (page: Page) => page.getByRole('region', { name: 'Repository host' });

const CONNECTED = {
  kind: 'github',
  api_url: 'https://api.github.com',
  repository: 'acme/robots',
  default_branch: 'main',
  issues: null as { label: string; board_id: string | null } | null,
  hook: {
    url: 'https://guildhall.example/api/v1/hooks/7',
    secret_set: false,
    last_at: null as string | null,
  },
  checked_at: '2026-11-16T10:00:00Z',
  error: null as string | null,
  connected_by: { user_id: 1, name: 'Ada Lindqvist', agent_id: null },
  connected_at: '2026-11-16T09:00:00Z',
};

interface Told {
  forge: typeof CONNECTED | null;
  refusal?: string;
  asked: { method: string; body: Record<string, unknown> | null }[];
}

/** Mocks a service that knows one host or none. */
async function tell(page: Page, told: Told): Promise<void> {
  await page.route('**/api/v1/projects/*/forge**', async (route) => {
    const method = route.request().method();
    if (method !== 'GET') told.asked.push({ method, body: route.request().postDataJSON() });
    if (route.request().url().endsWith('/hook-secret')) {
      told.forge = told.forge && { ...told.forge, hook: { ...told.forge.hook, secret_set: true } };
      return route.fulfill({ json: { secret: `secret-${told.asked.length}` } });
    }
    if (method === 'DELETE') {
      told.forge = null;
      return route.fulfill({ status: 204 });
    }
    if (method === 'PUT') {
      if (told.refusal) return route.fulfill({ status: 422, json: { detail: told.refusal } });
      const { issues } = route.request().postDataJSON();
      told.forge = { ...(told.forge ?? CONNECTED), issues };
    }
    return told.forge
      ? route.fulfill({ json: told.forge })
      : route.fulfill({ status: 404, json: { detail: 'This project has no repository host' } });
  });
}

async function open(told: Told, options: Parameters<Site['openPage']>[1] = {}, person = admin) {
  const page = await site.openPage('/dashboard/sign-in', {
    ...options,
    cookie: await site.world.signIn(person, brand),
  });
  await tell(page, told);
  await page.goto(site.address + address());
  return page;
}

describePages('Repository host settings of a project', () => {
  beforeAll(async () => {
    site = await startSite((env) => startTestApp({ env: { ...env, FORGE_NETWORKS: '127.0.0.0/8' } }));
    brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    admin = await site.world.person({ full_name: 'Ada Lindqvist', mail_name: 'ada' });
    await site.world.member(brand, { role: 'admin', person: admin });
    cookie = await site.world.signIn(admin, brand);
    const repository = { url: 'git@github.com:acme/robots.git' };
    const project = await ask<{ project_id: string }>('POST', '/api/v1/projects', {
      name: 'Robots',
      repository,
    });
    projectId = project.project_id;
    boardId = (await ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name: 'Robots board' }))
      .board_id;
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(async () => {
    await leaveInSilence(site);
  });

  it('explains its benefit when unconnected, and connects with only a token', async () => {
    const told: Told = { forge: null, asked: [] };
    const page = await open(told);
    await section(page).getByText('accepting a build opens its pull request').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'forge-none');
    await section(page).getByRole('button', { name: 'Connect the host' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Host').inputValue()).toBe('github');
    expect(await dialog.getByLabel('Repository').inputValue()).toBe('acme/robots');
    expect(await dialog.getByLabel('API address').inputValue()).toBe('https://api.github.com');
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'forge-connect');
    await dialog.getByLabel('Token').fill('ghp_secret');
    await dialog.getByLabel('Issues with this label become cards').fill('guildhall');
    await dialog.getByLabel('On the board').selectOption({ label: 'Robots board' });
    await dialog.getByRole('button', { name: 'Test and connect' }).click();
    await page.getByText('acme/robots is connected').waitFor();
    expect(told.asked).toEqual([
      {
        method: 'PUT',
        body: {
          kind: 'github',
          api_url: 'https://api.github.com',
          repository: 'acme/robots',
          token: 'ghp_secret',
          issues: { label: 'guildhall', board_id: boardId },
        },
      },
    ]);
    const link = section(page).getByRole('link', { name: 'acme/robots' });
    expect(await link.getAttribute('href')).toBe('https://github.com/acme/robots');
    expect(await link.getAttribute('rel')).toContain('noopener');
    await section(page).getByText('become cards of Robots board').waitFor();
    expect(await page.content()).not.toContain('ghp_secret');
  });

  it('shows an error at its field, focuses the field and keeps the input', async () => {
    const told: Told = { forge: null, asked: [] };
    const page = await open(told);
    await section(page).getByRole('button', { name: 'Connect the host' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Token').fill('wrong');
    for (const [refusal, field] of [
      ['The repository does not exist on this host, or the token cannot see it', 'Repository'],
      ['The token is not allowed to push to this repository', 'Token'],
      ['The host does not respond like the given kind of host', 'Host'],
      ['The repository host rejected this token', 'Token'],
      ['The repository host cannot be reached at this api_url', 'API address'],
    ] as const) {
      told.refusal = refusal;
      await dialog.getByRole('button', { name: 'Test and connect' }).click();
      await dialog.getByRole('alert').getByText(refusal).waitFor();
      expect(await dialog.getByRole('alert').count(), refusal).toBe(1);
      expect(await dialog.getByLabel(field).getAttribute('aria-invalid'), refusal).toBe('true');
      await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe(field);
      expect(await dialog.getByLabel('Token').inputValue()).toBe('wrong');
    }
  });

  it('creates a secret shown once, renews it after a warning, and shows the last delivery', async () => {
    const told: Told = { forge: CONNECTED, asked: [] };
    const page = await open(told);
    await section(page).getByText('Guildhall rejects deliveries until you create one').waitFor();
    await section(page).getByText(CONNECTED.hook.url).waitFor();
    await section(page).getByRole('button', { name: 'Make a secret' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('secret-1').waitFor();
    await dialog.getByText('The secret is shown only once.', { exact: true }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain('secret-1');
    await section(page).getByText('No deliveries yet.').waitFor();

    told.forge = {
      ...CONNECTED,
      hook: { ...CONNECTED.hook, secret_set: true, last_at: new Date().toISOString() },
    };
    await page.reload();
    await section(page)
      .getByText(/^Last delivery/)
      .waitFor();
    await section(page).getByRole('button', { name: 'Renew the secret' }).click();
    await dialog.getByText('within 24 hours').waitFor();
    await dialog.getByRole('button', { name: 'Renew secret' }).click();
    await dialog.getByText('secret-2').waitFor();
    await dialog.getByText('The previous one works for 24 hours.').waitFor();
  });

  it("shows the host's error, changes the token, and disconnects after confirmation", async () => {
    const told: Told = {
      forge: {
        ...CONNECTED,
        error: 'The host says 401: the token does not do',
        issues: { label: 'bug', board_id: null },
      },
      asked: [],
    };
    const page = await open(told);
    await section(page).getByText('The host says 401: the token does not do').waitFor();
    await section(page).getByText('of a board of the project’s name').waitFor();
    await takePicture(page, 'forge-error');
    await section(page).getByRole('button', { name: 'Change token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Token').fill('ghp_new');
    await dialog.getByRole('button', { name: 'Test and save' }).click();
    await page.getByText('The connection works and is saved').waitFor();
    expect(told.asked.at(-1)?.body).toMatchObject({
      token: 'ghp_new',
      issues: { label: 'bug', board_id: null },
    });
    await section(page).getByRole('button', { name: 'Disconnect' }).click();
    await dialog.getByText('Open pull requests stay open').waitFor();
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await section(page).getByText('No host is connected').waitFor();
    expect(told.asked.at(-1)?.method).toBe('DELETE');
  });

  it('is read-only for members', async () => {
    const ben = await site.world.person({ full_name: 'Ben Okafor', mail_name: 'ben' });
    await site.world.member(brand, { role: 'member', person: ben });
    const page = await open({ forge: CONNECTED, asked: [] }, {}, ben);
    await section(page).getByText('by Ada Lindqvist').waitFor();
    expect(await section(page).getByRole('button').allTextContents()).toEqual(['Copy']);
  });

  it('tests the connection with the entered values, and shows the first webhook delivery', async () => {
    const repository = new ScratchRepository();
    repository.write({ 'README.md': 'Robots.\n' }).commit('Begin');
    const place = { name: 'acme/robots', path: `${repository.folder}/.git`, defaultBranch: 'main' };
    const host = await startSimulatedForge({ repositories: [place], token: 'right' });
    try {
      const page = await site.signIn(admin, address());
      await section(page).getByRole('button', { name: 'Connect the host' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('API address').fill(host.apiUrl);
      const attempt = async (token: string, name: string) => {
        await dialog.getByLabel('Token').fill(token);
        await dialog.getByLabel('Repository').fill(name);
        await dialog.getByRole('button', { name: 'Test and connect' }).click();
      };
      await attempt('wrong', 'acme/robots');
      await expect.poll(() => dialog.getByLabel('Token').getAttribute('aria-invalid')).toBe('true');
      await attempt('right', 'acme/cranes');
      await expect.poll(() => dialog.getByLabel('Repository').getAttribute('aria-invalid')).toBe('true');
      await attempt('right', 'not a name');
      await dialog.getByText(/^Repository must be written/).waitFor();
      await attempt('right', 'acme/robots');
      await page.getByText('acme/robots is connected').waitFor();
      await section(page).getByRole('button', { name: 'Make a secret' }).click();
      await dialog.getByText('The secret is shown only once.', { exact: true }).waitFor();
      const [url, secret] = await dialog.locator('pre code').allTextContents();
      await dialog.getByRole('button', { name: 'I have stored it' }).click();
      host.setHook({ url: url!, secret: secret! });
      await host.openIssue({ title: 'It squeaks' });
      await host.settleHooks();
      await page.reload();
      await section(page)
        .getByText(/^Last delivery/)
        .waitFor();
      await section(page).getByRole('button', { name: 'Disconnect' }).click();
      await dialog.getByRole('button', { name: 'Disconnect' }).click();
      await section(page).getByText('No host is connected').waitFor();
    } finally {
      await host.close();
    }
  });

  it('saves which problems start another attempt automatically', async () => {
    const page = await site.signIn(admin, '/dashboard/settings/builds');
    const part = page.getByRole('region', { name: 'Pull requests' });
    await part.getByLabel(/^Failed checks/).check();
    await part.getByLabel(/^Conflicts/).check();
    expect(await part.getByRole('checkbox', { checked: true }).count()).toBe(2);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('Saved for new builds. Running builds do not change.').waitFor();
    expect(await ask('GET', '/api/v1/factory/builds/policy')).toMatchObject({
      rework: { on_gate: false, on_checks: true, on_changes_requested: false, on_conflict: true },
    });
    await part.scrollIntoViewIfNeeded();
    await takePicture(page, 'policy-pull-requests');
  });

  it.each([
    ['light', undefined],
    ['dark', undefined],
    ['dark', NARROW],
    ['light', NARROW],
  ] as const)('has no accessibility violations, %s %j', async (theme, size) => {
    const hook = { ...CONNECTED.hook, secret_set: true, last_at: new Date().toISOString() };
    const page = await open(
      { forge: { ...CONNECTED, hook, error: 'The host gave no answer' }, asked: [] },
      { theme, size },
    );
    await section(page).getByRole('heading', { name: 'Webhook' }).waitFor();
    await section(page).scrollIntoViewIfNeeded();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
      size?.width ?? 1280,
    );
    await takePicture(page, `forge-${theme}-${size ? 'narrow' : 'wide'}`);
  });
});
