import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TestBrand, TestPerson } from '../support/app.js';
import {
  cutLine,
  describePages,
  expectSilence,
  findBarriers,
  NARROW,
  type Site,
  startSite,
  takePicture,
} from './browser.js';

let site: Site;
let brand: TestBrand;
let admin: TestPerson;
let cookie: string;

interface Hire {
  hire_id: string;
  status: string;
}

const listHires = async (): Promise<Hire[]> =>
  (await site.world.inject({ url: '/api/v1/employees/hires', headers: { cookie } })).json().hires;

const focused = (page: Page) => page.evaluate('document.activeElement.textContent');
const tileOf = (page: Page, name: string) => page.getByRole('article', { name });

describePages('Agent pages', () => {
  beforeAll(async () => {
    site = await startSite();
    brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    admin = await site.world.person({ full_name: 'Ada Lindqvist' });
    await site.world.member(brand, { role: 'admin', person: admin });
    cookie = await site.world.signIn(admin, brand);
    await site.world.operator('POST', '/catalog', {
      name: 'Mira Stonehand',
      description: 'Answers the mail.',
      template: { runtime: 'claude_code', instructions: 'Answer.', packages: ['mail', 'calendar'] },
      price_usd: 49,
    });
    await site.world.operator('POST', '/catalog', {
      name: 'Ilse Brandt',
      description: 'Builds in small steps.',
      builder: true,
      repository: { url: 'https://git.example.com/acme/shop.git' },
      template: { runtime: 'claude_code', instructions: 'Build.', packages: ['boards'] },
    });
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(async () => {
    await site.closePages();
    expectSilence(site);
  });

  it('shows the price and contents of a hire before it starts', async () => {
    const page = await site.signIn(admin, '/dashboard/agents');
    await page.getByText('No hires yet').waitFor();
    await tileOf(page, 'Mira Stonehand').getByText('$49.00 every 30 days').waitFor();
    await tileOf(page, 'Ilse Brandt').getByText('Included in the subscription').waitFor();

    await page.getByRole('button', { name: 'Hire Mira' }).click();
    const dialog = page.getByRole('dialog', { name: 'Hire Mira Stonehand?' });
    const words = await dialog.textContent();
    for (const part of ['$49.00 every 30 days', 'renewed until you cancel', '2 tools', 'calendar'])
      expect(words).toContain(part);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await listHires()).toEqual([]);
    expect(await focused(page)).toBe('Hire Mira');
  });

  it('hires by keyboard only, then shows the setup progress, tools and memory', async () => {
    const page = await site.signIn(admin, '/dashboard/agents');
    await page.getByRole('button', { name: 'Hire Mira' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Hire Mira' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Mira Stonehand is being set up').waitFor();
    expect(page.url()).toMatch(/\/dashboard\/agents\/onboarding\?hire=[0-9a-f-]{36}$/);
    await site.world.runJob('hire-provision');
    await page.getByText('Mira Stonehand is at work').waitFor();
    const tools = page.getByRole('list', { name: 'Tools' });
    await tools.getByText('mail').waitFor();
    expect(await tools.getByText('on', { exact: true }).count()).toBe(2);
    expect(await page.getByRole('main').getByRole('link', { name: 'Memory' }).getAttribute('href')).toMatch(
      /^\/dashboard\/memory\/mira-stonehand-/,
    );
  });

  it("shows the desk's next step and command instead of calling the hire at work", async () => {
    const page = await site.signIn(admin, '/dashboard/agents');
    await page.getByRole('button', { name: 'Hire Ilse' }).click();
    await page.getByRole('dialog').getByText('counts towards your plan’s desks').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Hire Ilse' }).click();
    await page.getByText('Ilse Brandt is being set up').waitFor();
    await site.world.runJob('hire-provision');
    await page.getByText('Ilse Brandt is hired and starts when the desk is ready').waitFor();
    expect(await page.getByText('is at work').count()).toBe(0);
    await page.getByRole('region', { name: 'Next step' }).getByText('waits for its installer').waitFor();
    await page.getByRole('button', { name: 'Get an install command' }).click();
    await page.getByRole('button', { name: 'Create command' }).click();
    await page.getByText(/^curl -sSL .*\| bash$/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('list', { name: 'Steps of the desk' }).waitFor();
    await takePicture(page, 'agents-waiting-desk');

    await page.getByRole('link', { name: 'Agents', exact: true }).first().click();
    await page.getByRole('list', { name: 'Hired' }).getByText('desk not ready').waitFor();
  });

  it('shows how long a canceled hire still works and what each kind of cancellation means', async () => {
    const page = await site.signIn(admin, '/dashboard/agents');
    await page.getByRole('button', { name: 'Cancel Mira Stonehand' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel Mira Stonehand?' });
    await dialog.getByText('and is not renewed then').waitFor();
    await dialog.getByText('turned off within a minute').waitFor();
    await dialog.getByRole('button', { name: 'Cancel at period end' }).click();
    const row = page.getByRole('list', { name: 'Hired' }).getByRole('listitem').filter({ hasText: 'Mira' });
    await row.getByText(/^works until /).waitFor();
    expect(await row.textContent()).not.toMatch(/canceled/i);

    await row.getByRole('button', { name: 'End now Mira Stonehand' }).click();
    await dialog.getByRole('button', { name: 'Cancel now' }).click();
    await page.getByText(/^Canceled: 2 tools turned off/).waitFor();
    await page.getByRole('button', { name: 'Show 1 ended hire' }).click();
    await page.getByText(/^ended /).waitFor();
  });

  it('hides all links to machines when the feature is disabled', async () => {
    const put = (on: boolean) =>
      site.world.inject({
        method: 'PUT',
        url: `/api/v1/brands/${brand.brand_id}/features/machines`,
        headers: { cookie },
        payload: { on },
      });
    const page = await site.signIn(admin, '/dashboard/agents');
    await page.getByRole('link', { name: 'Desk', exact: true }).waitFor();
    await put(false);
    await page.reload();
    await page.getByRole('list', { name: 'Hired' }).waitFor();
    await page.getByRole('link', { name: 'Desk', exact: true }).waitFor({ state: 'detached' });
    expect(await page.locator('a[href^="/dashboard/machines"]').count()).toBe(0);
    await put(true);
  });

  it("shows the service's reason for a refused hire and keeps the dialog open", async () => {
    await site.world.operator('PATCH', `/brands/${brand.brand_id}`, { subscription_active: false });
    const page = await site.signIn(admin, '/dashboard/agents');
    await page.getByRole('button', { name: 'Hire Mira' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Hire Mira' }).click();
    await page
      .getByRole('dialog')
      .getByRole('alert')
      .getByText(/subscription/)
      .waitFor();
    await site.world.operator('PATCH', `/brands/${brand.brand_id}`, { subscription_active: true });
    const comeBack = await cutLine(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Hire Mira' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await comeBack();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Hire Mira' }).waitFor();
  });

  it('has no accessibility violations in the dark theme or on a phone', async () => {
    const page = await site.signIn(admin, '/dashboard/agents', { theme: 'dark' });
    await tileOf(page, 'Ilse Brandt').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Ilse Brandt' }).click();
    await page.getByRole('list', { name: 'Steps of the desk' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);

    const phone = await site.signIn(admin, '/dashboard/agents', { size: NARROW });
    await tileOf(phone, 'Ilse Brandt').waitFor();
    expect(await findBarriers(phone)).toEqual([]);
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await takePicture(phone, 'agents-phone');
  });
});
