import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type FakeSidecar, startFakeSidecar } from '../desk-end-to-end/fake-sidecar.js';
import type { TestBrand, TestPerson } from '../support/app.js';
import {
  askAs,
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
let member: TestPerson;
let cookie: string;
let readyDesk: Ordered;
const sidecars: FakeSidecar[] = [];

interface Ordered {
  workstation_id: string;
  pat: string;
  onboarding_url: string;
}

const ask = askAs(() => ({ site, cookie }));

const order = (name: string) => ask<Ordered>('POST', '/api/v1/workstations', { name });

async function report(desk: Ordered, path: string, payload: object): Promise<void> {
  const headers = { authorization: `Bearer ${desk.pat}` };
  const answer = await site.world.inject({ method: 'POST', url: `/api/v1/desk/${path}`, headers, payload });
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${answer.body}`);
}

/** Completes the installation: the sidecar registers and answers its first health check. */
async function finishInstallation(desk: Ordered): Promise<void> {
  await report(desk, 'mesh', { public_key: Buffer.alloc(32, desk.workstation_id).toString('base64') });
  const sidecar = await startFakeSidecar(desk);
  sidecars.push(sidecar);
  await report(desk, 'sidecar', { sidecar_url: sidecar.url, version: '0.2.11', code_digest: 'a'.repeat(64) });
  await site.world.runJob('desk-poll');
}

const sayHello = (desk: Ordered) =>
  report(desk, 'hello', {
    env_id: desk.workstation_id,
    hostname: 'box',
    installation_id: `machine-${desk.workstation_id}`,
  });

const focused = (page: Page) => page.evaluate('document.activeElement.textContent');

describePages('Desk pages', () => {
  beforeAll(async () => {
    site = await startSite();
    brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    admin = await site.world.person({ full_name: 'Ada Lindqvist' });
    member = await site.world.person({ full_name: 'Ben Okafor' });
    await site.world.member(brand, { role: 'admin', person: admin });
    await site.world.member(brand, { person: member });
    cookie = await site.world.signIn(admin, brand);
    readyDesk = await order('South hall');
    await sayHello(readyDesk);
    await finishInstallation(readyDesk);
  });

  afterAll(async () => {
    await Promise.all(sidecars.map((sidecar) => sidecar.stop()));
    await site?.close();
  });

  afterEach(async () => {
    await site.closePages();
    expectSilence(site);
  });

  it('orders a desk by keyboard, and keeps the command despite Escape or an outside click', async () => {
    const page = await site.signIn(admin, '/dashboard/machines');
    await page.getByRole('list', { name: 'Desks' }).waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Name').fill('North hall');
    await page.keyboard.press('Enter');
    await page.getByText(/^curl -sSL .*\| bash$/).waitFor();
    await page.getByText(/\| sudo bash$/).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await page.getByText(/^curl -sSL .*\| bash$/).count()).toBe(1);
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Close' }).count()).toBe(0);

    await page.getByRole('button', { name: 'I have stored it' }).focus();
    await page.keyboard.press('Enter');
    const steps = page.getByRole('list', { name: 'Onboarding' }).getByRole('listitem');
    await steps.first().waitFor();
    expect(await steps.first().textContent()).toContain('awaiting callback');
    await page.locator('h1:focus').waitFor();
    expect(await focused(page)).toBe('North hall');
    expect(await page.title()).toBe('North hall · Acme Robotics');
    await page.reload();
    await steps.first().waitFor();
    expect(await page.content()).not.toContain('curl -sSL');
  });

  it('shows an installation live with its log, its problem and its completion', async () => {
    const desk = await order('West hall');
    const page = await site.signIn(member, desk.onboarding_url);
    const log = page.getByRole('log', { name: 'Installer log' });
    await log.getByText('Ordered').waitFor();
    await page.getByRole('region', { name: 'Next step' }).getByText('waits for its installer').waitFor();

    await report(desk, 'step', { step: 'download', exit_code: 11, message: 'no route' });
    await log.getByText('download: failed with code 11').waitFor();
    await page.getByRole('region', { name: 'Next step' }).getByText('installation failed').waitFor();
    await sayHello(desk);
    await log.getByText('The installer called back').waitFor();
    await finishInstallation(desk);
    await page.getByText('setup failed').waitFor({ state: 'detached' });
    await page.locator('.desk-facts').getByText('ready', { exact: true }).waitFor();
    expect(await page.getByRole('region', { name: 'Next step' }).count()).toBe(0);
    await page.getByRole('list', { name: 'Changes' }).getByText('Ready').waitFor();
  });

  it('creates a new install command after confirmation', async () => {
    const desk = await order('East hall');
    const page = await site.signIn(admin, desk.onboarding_url);
    await page.getByRole('button', { name: 'Get an install command' }).click();
    await page.getByText('the earlier command stops working').waitFor();
    await page.getByRole('button', { name: 'Create command' }).click();
    await page.getByText(/^curl -sSL .*\| bash$/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Get an install command');
    await page.getByRole('log').getByText('New token created').waitFor();
  });

  it("draws the desk's states over 24 hours or 14 days and lists the changes", async () => {
    const page = await site.signIn(admin, `/dashboard/machines/${readyDesk.workstation_id}`);
    await page.getByRole('img', { name: /^The last 24 hours: ready .*being set up/ }).waitFor();
    await page.getByRole('button', { name: '14 days' }).click();
    await page.getByRole('img', { name: /^The last 14 days/ }).waitFor();
    expect(page.url()).toContain('span=14d');
    await page.reload();
    await page.getByRole('img', { name: /^The last 14 days/ }).waitFor();
    await page.getByText('1 health check').click();
    await page.getByText(/answered, \d+ ms/).waitFor();
    await takePicture(page, 'machines-desk');
  });

  it('suspends a desk with undo, keeps the focus, and hides updates from members', async () => {
    const page = await site.signIn(member, `/dashboard/machines/${readyDesk.workstation_id}`);
    await page.getByRole('button', { name: 'Suspend' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(await focused(page)).toBe('Resume');
    expect(await page.getByRole('button', { name: 'Update', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
    await site.world.runJob('desk-poll');
    await page.locator('.desk-facts').getByText('ready', { exact: true }).waitFor();
  });

  it('removes the photo and moves the focus to the remaining button', async () => {
    const page = await site.signIn(admin, `/dashboard/machines/${readyDesk.workstation_id}`);
    const pixel = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await page.getByRole('button', { name: 'Add photo' }).waitFor();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: pixel });
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Add photo' }).waitFor();
    expect(await focused(page)).toBe('Add photo');
  });

  it('releases a desk after confirmation and returns to the list', async () => {
    const desk = await order('Passing');
    const page = await site.signIn(admin, '/dashboard/machines');
    await page.getByRole('link', { name: 'Passing' }).click();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Release desk' }).click();
    await page.getByText('You cannot undo this').waitFor();
    await page.getByRole('button', { name: 'Release desk' }).click();
    await page.getByText('Passing is released').waitFor();
    await page.locator('h1:focus').waitFor();
    expect(await focused(page)).toBe('Machines');
    expect(await page.locator(`[data-desk="${desk.workstation_id}"]`).count()).toBe(0);
  });

  it('lists state, last seen, version and builds, and filters by word and state in the URL', async () => {
    const page = await site.signIn(admin, '/dashboard/machines');
    const row = page.locator(`[data-desk="${readyDesk.workstation_id}"]`);
    await row.waitFor();
    const words = await row.textContent();
    for (const part of ['South hall', 'ready', 'Last seen', '0.2.11', 'idle']) expect(words).toContain(part);
    await page.getByRole('searchbox', { name: 'Find a desk' }).fill('south');
    await page.locator('[data-desk]').nth(1).waitFor({ state: 'detached' });
    expect(page.url()).toContain('q=south');
    await page.getByRole('button', { name: /^being set up/ }).click();
    await page.getByText('No desks match').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.locator('[data-desk]').nth(1).waitFor();
  });

  it('keeps the last known state, with a note, while the service is unreachable', async () => {
    const page = await site.signIn(admin, '/dashboard/machines');
    await page.getByRole('link', { name: 'South hall' }).waitFor();
    const comeBack = await cutLine(page);
    await page.getByText('This may be out of date').waitFor();
    expect(await page.getByRole('link', { name: 'South hall' }).count()).toBe(1);
    await comeBack();
    await page.getByText('This may be out of date').waitFor({ state: 'detached' });
  });

  it('hides machines and all links to them when the feature is disabled', async () => {
    const page = await site.signIn(admin, `/dashboard/machines/${readyDesk.workstation_id}`);
    await page.getByRole('heading', { name: 'South hall' }).waitFor();
    await ask('PUT', `/api/v1/brands/${brand.brand_id}/features/machines`, { on: false });
    await page.reload();
    await page.getByText('Machines are switched off in this workspace').waitFor();
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Machines' }).count()).toBe(0);
    await ask('PUT', `/api/v1/brands/${brand.brand_id}/features/machines`, { on: true });
  });

  it('has no accessibility violations in the dark theme or on a phone', async () => {
    const list = await site.signIn(admin, '/dashboard/machines', { theme: 'dark' });
    await list.locator('[data-desk]').first().waitFor();
    expect(await findBarriers(list)).toEqual([]);
    await takePicture(list, 'machines-dark');
    await list.getByRole('link', { name: 'South hall' }).click();
    await list.getByRole('img', { name: /^The last 24 hours/ }).waitFor();
    expect(await findBarriers(list)).toEqual([]);

    const phone = await site.signIn(admin, '/dashboard/machines', { size: NARROW });
    await phone.locator('[data-desk]').first().waitFor();
    expect(await findBarriers(phone)).toEqual([]);
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await takePicture(phone, 'machines-phone');
    await phone.getByRole('link', { name: 'North hall' }).click();
    await phone.getByRole('list', { name: 'Onboarding' }).waitFor();
    expect(await findBarriers(phone)).toEqual([]);
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});
