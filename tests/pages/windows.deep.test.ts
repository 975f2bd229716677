import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, type TestBrand, type TestPerson } from '../support/app.js';
import { askAs, cutLine, describePages, expectSilence, type Site, startSite } from './browser.js';

let site: Site;
let brand: TestBrand;
let admin: TestPerson;
let cookie: string;
let boardId: string;

const ask = askAs(() => ({ site, cookie }));
const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 120_000 });
const again = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });
const workspaceOf = (page: Page) => page.locator('.sidebar-brand strong').textContent();

/** Opens a second window of the same browser. */
async function openBeside(page: Page, path: string): Promise<Page> {
  const second = await page.context().newPage();
  await second.goto(site.address + path);
  await second.locator('h1').waitFor();
  return second;
}

describePages('Several windows and a broken connection', () => {
  beforeAll(async () => {
    site = await startSite();
    brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    admin = await site.world.person({ full_name: 'Ada Lindqvist' });
    await site.world.member(brand, { role: 'admin', person: admin });
    cookie = await site.world.signIn(admin, brand);
    boardId = (await ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name: 'Navigator' }))
      .board_id;
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(async () => {
    await site.closePages();
    expectSilence(site);
  });

  describe('Windows of one browser', () => {
    it('follow a switch to another workspace and show nothing of the previous one', async () => {
      const second = await site.world.brand({ name: 'Second House' });
      const person = await site.world.member(brand);
      await site.world.member(second, { person });
      const first = await site.signIn(person, `/dashboard/boards/${boardId}`);
      await first.getByRole('heading', { name: 'Navigator' }).waitFor();
      const before = await workspaceOf(first);
      const other = await openBeside(first, '/dashboard');
      await other.getByRole('button', { name: 'Switch workspace' }).click();
      await other.getByRole('menuitem').first().click();
      await eventually(() => workspaceOf(first)).not.toBe(before);
      await first.getByText('Another window has opened').waitFor();
      await eventually(async () => new URL(first.url()).pathname).toBe('/dashboard');
      expect(await first.content()).not.toContain('Navigator');
    });

    it('ask for sign-in after one of them signs out, and continue after one signs in', async () => {
      const person = await site.world.member(brand);
      const first = await site.signIn(person, '/dashboard/settings/profile');
      await first.getByLabel('Full name').waitFor();
      const other = await openBeside(first, '/dashboard');
      await other.getByRole('button', { name: 'Sign out' }).click();
      await again(first).waitFor();
      await other.getByLabel('E-mail').fill(person.email);
      await other.getByLabel('Password').fill(PASSWORD);
      await other.getByRole('button', { name: 'Sign in' }).click();
      await again(first).waitFor({ state: 'detached' });
      await first.getByLabel('Full name').waitFor();
    });

    it('update to the current role after a refusal', async () => {
      const person = await site.world.member(brand, { role: 'admin' });
      const page = await site.signIn(person, '/dashboard/settings/webhooks');
      await page.getByRole('button', { name: 'New webhook' }).waitFor();
      await ask('PATCH', `/api/v1/brands/${brand.brand_id}/members/${person.user_id}`, { role: 'member' });
      await page.getByRole('link', { name: 'Guests', exact: true }).click();
      await page.getByText('Only admins of the workspace can open this page.').waitFor();
      expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    });
  });

  describe('Lost connection', () => {
    it('reloads failed reads when the connection is back', async () => {
      const page = await site.signIn(admin, '/dashboard/work');
      await page.getByText('No cards here').waitFor();
      const mend = await cutLine(page);
      await page.getByRole('link', { name: 'Blocked' }).click();
      await page.getByRole('alert').first().waitFor();
      await mend();
      await eventually(() => page.getByRole('alert').count()).toBe(0);
      await page.getByText('No cards here').waitFor();
    });

    it('opens a page that was not loaded before once the connection is back', async () => {
      const page = await site.signIn(admin, '/dashboard/boards');
      await page.getByRole('link', { name: /Navigator/ }).waitFor();
      const mend = await cutLine(page);
      await page.getByRole('link', { name: 'Coder profiles' }).click();
      await page.getByText('This page opens as soon as it is back').waitFor();
      await mend();
      await page.getByRole('heading', { name: 'Coder profiles' }).waitFor();
    });

    it('reports that the user is still signed in when signing out fails', async () => {
      const page = await site.signIn(await site.world.member(brand), '/dashboard');
      await page.locator('h1').waitFor();
      const mend = await cutLine(page);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You are still signed in').waitFor();
      await mend();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });

    it("connects a board's feed after the first attempt failed", async () => {
      const feed = '**/api/v1/board/activity/boards/**';
      const page = await site.signIn(admin, '/dashboard/boards');
      await page.route(feed, (route) => route.fulfill({ status: 429, json: { detail: 'Slow down' } }));
      await page.getByRole('link', { name: /Navigator/ }).click();
      await page.getByText('Connecting').first().waitFor();
      await page.unroute(feed);
      await page.getByText('Live', { exact: true }).first().waitFor();
    });
  });

  it('keeps a notification with Undo while the pointer is over it', async () => {
    await ask('POST', `/api/v1/board/boards/${boardId}/tasks`, { title: 'Grease the wheels' });
    const page = await site.signIn(admin, `/dashboard/boards/${boardId}`);
    await page.getByText('Grease the wheels').waitFor();
    await page.clock.install();
    await page.getByRole('button', { name: 'Grease the wheels' }).focus();
    await page.keyboard.press(']');
    const note = page.locator('.toast');
    await note.getByRole('button', { name: 'Undo' }).hover();
    await page.clock.runFor(20_000);
    expect(await note.count()).toBe(1);
    await page.mouse.move(5, 5);
    await page.clock.runFor(8000);
    expect(await note.count()).toBe(0);
  });
});
