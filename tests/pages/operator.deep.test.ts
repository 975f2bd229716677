import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ADMIN_KEY, type TestBrand } from '../support/app.js';
import {
  describePages,
  expectSilence,
  findBarriers,
  NARROW,
  pressKeysUntil,
  type Site,
  startSite,
  takePicture,
} from './browser.js';

let site: Site;
let brand: TestBrand;

async function unlock(page: Page, key = ADMIN_KEY): Promise<void> {
  await page.getByLabel("Operator's key").fill(key);
  await page.keyboard.press('Enter');
}

const openSection = async (section: string, options = {}): Promise<Page> => {
  const page = await site.openPage(`/dashboard/operator/${section}`, options);
  await unlock(page);
  await page.getByRole('navigation', { name: 'Operator' }).waitFor();
  return page;
};

describePages('Operator pages', () => {
  beforeAll(async () => {
    site = await startSite();
    brand = await site.world.brand({ name: 'Acme Robotics' });
    await site.world.member(brand, {
      role: 'admin',
      person: await site.world.person({ full_name: 'Ada Lindqvist', email: 'ada@acme.test' }),
    });
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(async () => {
    await site.closePages();
    expectSilence(site);
  });

  it("asks for the key, rejects a wrong one, and keeps it only in the tab's memory", async () => {
    const page = await site.openPage('/dashboard/operator');
    await unlock(page, 'not-the-key');
    await page.getByText('The service rejected this key.').waitFor();
    expect(await page.getByLabel("Operator's key").inputValue()).toBe('');
    await unlock(page);
    await page.getByText('Up for').waitFor();
    await page.getByRole('link', { name: 'Workspaces' }).click();
    await page.getByText('Acme Robotics').waitFor();

    const kept = await page.evaluate(
      'JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.cookie, history.state])',
    );
    expect(kept).not.toContain(ADMIN_KEY);
    expect(await page.content()).not.toContain(ADMIN_KEY);
    expect(site.world.logLines.join('\n')).not.toContain(ADMIN_KEY);
    await page.reload();
    await page.getByLabel("Operator's key").waitFor();
    await unlock(page);
    await page.getByText('Acme Robotics').waitFor();
    await page.getByRole('button', { name: 'Lock' }).click();
    await page.getByLabel("Operator's key").waitFor();
    expect(await page.getByText('Acme Robotics').count()).toBe(0);
  });

  it('creates a workspace and a person, adds the person, and issues a token that is shown once', async () => {
    const page = await openSection('people');
    await page.getByRole('button', { name: 'New person' }).click();
    await page.getByLabel('Name').fill('Cleo Marchetti');
    await page.getByLabel('E-mail').fill('cleo@birch.test');
    await page.getByRole('button', { name: 'Create person' }).click();
    await page.getByRole('cell', { name: 'cleo@birch.test' }).waitFor();

    await page.getByRole('link', { name: 'Workspaces' }).click();
    await page.getByRole('button', { name: 'New workspace' }).click();
    await page.getByLabel('Name').fill('Birch & Co');
    await page.getByLabel('Plan').selectOption('business');
    await page.getByRole('button', { name: 'Create workspace' }).click();
    const drawer = page.getByRole('dialog', { name: 'Birch & Co' });
    await drawer.getByRole('searchbox', { name: 'Find a person to add' }).fill('cleo');
    await drawer.getByRole('button', { name: 'Add Cleo Marchetti' }).click();
    await drawer.getByRole('combobox', { name: 'Role of Cleo Marchetti' }).waitFor();
    // The list must be gone by now; removing it later would move the page under the pointer.
    expect(await drawer.getByRole('list', { name: 'People found' }).count()).toBe(0);
    expect(await drawer.getByRole('combobox', { name: 'Role of Cleo Marchetti' }).inputValue()).toBe('admin');

    await drawer.getByRole('button', { name: 'Issue a token' }).click();
    const issue = page.getByRole('dialog', { name: 'Issue a token' });
    await issue.getByLabel('Name').fill('script');
    await issue.getByRole('button', { name: 'Issue token' }).click();
    await page.getByText(/^guild_pat_/).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByText(/^guild_pat_/).count()).toBe(1);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await drawer.getByRole('list', { name: 'Access tokens' }).getByText('script').first().waitFor();
    await drawer.getByRole('button', { name: 'Revoke script' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await drawer.getByRole('list', { name: 'Access tokens' }).waitFor({ state: 'detached' });
    await takePicture(page, 'operator-workspace');
  });

  it('offers its pages and actions in the palette and by shortcut, without requests that need a session', async () => {
    const page = await openSection('overview');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('go to jobs');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    await pressKeysUntil(page, 'g w', page.getByRole('heading', { name: 'Workspaces' }));
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'New workspace' }).waitFor();
    expect(asked.filter((path) => path.startsWith('/api/v1/board'))).toEqual([]);
  });

  it('erases a workspace only after its name was typed', async () => {
    const doomed = await site.world.brand({ name: 'Doomed Ltd' });
    const page = await openSection(`workspaces?workspace=${doomed.brand_id}`);
    await page.getByRole('button', { name: 'Erase workspace' }).click();
    const erase = page.getByRole('button', { name: 'Erase permanently' });
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel('Type Doomed Ltd to confirm').fill('Doomed Ltd');
    await erase.click();
    await page.getByText('Doomed Ltd is closed and being erased').waitFor();
  });

  it('creates, prices and publishes a catalog employee', async () => {
    const page = await openSection('catalog');
    await page.getByRole('button', { name: 'New employee' }).click();
    await page.getByLabel('Name').fill('Oren Tal');
    await page.getByLabel('Price of 30 days, in dollars').fill('25');
    await page.getByLabel('Packages').fill('web-research, mail');
    await page.getByRole('button', { name: 'Create employee' }).click();
    await page.getByText('$25.00 every 30 days').waitFor();
    const publish = page.getByRole('switch', { name: 'Publish Oren Tal' });
    expect(await publish.getAttribute('aria-checked')).toBe('false');
    await publish.click();
    await page.getByText('Oren Tal is published').waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Publish Oren Tal');
  });

  it('runs a job and shows its result, and filters the audit log by the URL', async () => {
    const page = await openSection('jobs');
    await page.getByRole('button', { name: 'Run now hire-provision' }).click();
    await page.getByText(/^hire-provision: \d+ processed/).waitFor();
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByLabel('Action').fill('brand.created');
    const others = page
      .getByRole('row')
      .filter({ has: page.getByRole('cell') })
      .filter({ hasNotText: 'brand.created' });
    await others.first().waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'brand.created' }).first().waitFor();
    expect(page.url()).toContain('action=brand.created');
  });

  it('has no accessibility violations in the dark theme or on a phone', async () => {
    const page = await openSection('overview', { theme: 'dark' });
    for (const section of ['Workspaces', 'People', 'Catalog', 'Jobs', 'Audit', 'Overview']) {
      await page.getByRole('link', { name: section }).click();
      await page.getByRole('heading', { name: section, level: 1 }).waitFor();
      expect(await findBarriers(page), section).toEqual([]);
    }
    await takePicture(page, 'operator-overview-dark');
    const phone = await openSection('workspaces', { size: NARROW });
    await phone.getByText('Acme Robotics').waitFor();
    expect(await findBarriers(phone)).toEqual([]);
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});
