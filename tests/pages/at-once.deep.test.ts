import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TestBrand, TestPerson } from '../support/app.js';
import { askAs, describePages, expectSilence, type Site, startSite } from './browser.js';

/** Changes by other users while a page reads or writes. */

let site: Site;
let brand: TestBrand;
let ada: TestPerson;
let ben: TestPerson;
let cookie: string;
let boardId: string;
let boardName: string;
let boards = 0;

interface Card {
  id: string;
  ref: string;
}

const ask = askAs(() => ({ site, cookie }));
const makeCard = (title: string, fields: object = {}) =>
  ask<Card>('POST', `/api/v1/board/boards/${boardId}/tasks`, { title, ...fields });
const changeCard = (card: Card, fields: object) => ask('PATCH', `/api/v1/board/tasks/${card.id}`, fields);
const readCard = (card: Card) => ask<Record<string, unknown>>('GET', `/api/v1/board/tasks/${card.id}`);
const cardOf = (page: Page, card: Card) => page.locator(`[data-card="${card.id}"]`);
const boardPath = () => `/dashboard/boards/${boardId}`;
const live = (page: Page) => page.getByText('Live', { exact: true }).first().waitFor();

/** Performs Ben's change after the page has sent its write and before the service receives it. */
async function beforeItsWrite(page: Page, card: Card, deed: () => Promise<unknown>): Promise<void> {
  await page.route(
    (url) => url.pathname === `/api/v1/board/tasks/${card.id}`,
    async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      await deed();
      await route.fallback();
    },
    // The page's own retry must pass.
    { times: 1 },
  );
}

/** Delays the response of a read until another user's change is complete. */
async function duringItsReading(page: Page, deed: () => Promise<unknown>): Promise<void> {
  await page.route(
    (url) => url.pathname === `/api/v1/board/boards/${boardId}/tasks`,
    async (route: Route) => {
      const response = await route.fetch();
      await deed();
      await route.fulfill({ response });
    },
    { times: 1 },
  );
}

const isFeed = (url: string) => url.includes(`/activity/boards/${boardId}/stream`);

/** An idle feed sends keep-alive messages of at most this many bytes. */
const SIGN_OF_LIFE = 60;

/** Resolves when the page has received an entry from the board's feed. */
async function watchFeed(page: Page): Promise<() => Promise<void>> {
  const line = await page.context().newCDPSession(page);
  await line.send('Network.enable');
  const feeds = new Set<string>();
  let heard = () => {};
  line.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (isFeed(request.url)) feeds.add(requestId);
  });
  line.on('Network.dataReceived', ({ requestId, dataLength }) => {
    if (feeds.has(requestId) && dataLength > SIGN_OF_LIFE) heard();
  });
  return () =>
    new Promise<void>((resolve) => {
      heard = resolve;
    });
}

describePages('Pages while others make changes', () => {
  beforeAll(async () => {
    site = await startSite();
    brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    ada = await site.world.person({ full_name: 'Ada Lindqvist' });
    ben = await site.world.person({ full_name: 'Ben Okafor' });
    await site.world.member(brand, { role: 'admin', person: ada });
    await site.world.member(brand, { person: ben });
    cookie = await site.world.signIn(ben, brand);
  });

  afterAll(async () => {
    await site?.close();
  });

  beforeEach(async () => {
    boards += 1;
    boardName = `Board ${boards}`;
    boardId = (await ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name: boardName })).board_id;
  });

  afterEach(async () => {
    await site.closePages();
    expectSilence(site);
  });

  it("keeps another user's change after a 412", async () => {
    const card = await makeCard('Ours');
    const page = await site.signIn(ada, `${boardPath()}?card=${card.id}`);
    await live(page);
    const title = page.getByRole('dialog').getByLabel('Title');
    await beforeItsWrite(page, card, () => changeCard(card, { title: 'Bens' }));
    await title.fill('Adas');
    await title.press('Enter');
    await page.getByText('it is now “Bens”. Your text was not saved.').waitFor();
    expect(await title.inputValue()).toBe('Adas');
    expect(await readCard(card)).toMatchObject({ title: 'Bens' });

    const priority = page.getByRole('dialog').getByLabel('Priority');
    await beforeItsWrite(page, card, () => changeCard(card, { priority: 'low' }));
    await priority.selectOption('high');
    await page.getByText(`${card.ref} was not changed`).waitFor();
    await expect.poll(() => priority.inputValue(), { timeout: 120_000 }).toBe('low');
    expect(await readCard(card)).toMatchObject({ priority: 'low' });
  });

  it('retries after a 412 about another field and keeps both changes', async () => {
    const card = await makeCard('Ours');
    const page = await site.signIn(ada, `${boardPath()}?card=${card.id}`);
    await live(page);
    const title = page.getByRole('dialog').getByLabel('Title');
    await beforeItsWrite(page, card, () => changeCard(card, { priority: 'high' }));
    await title.fill('Adas');
    await title.press('Enter');
    await expect
      .poll(() => readCard(card), { timeout: 120_000 })
      .toMatchObject({ title: 'Adas', priority: 'high' });
  });

  it('reverts a refused inbox change, even if the list cannot be reloaded', async () => {
    await makeCard('Sweep the hall', { assignee: ada.user_id });
    const page = await site.signIn(ada, '/dashboard/inbox');
    const row = page.locator('[data-item]').filter({ hasText: 'Sweep the hall' });
    await row.waitFor();
    await page.route('**/api/v1/me/inbox*', (route) => route.abort());
    await page.route('**/api/v1/me/inbox/*', (route) =>
      route.fulfill({ status: 409, json: { detail: 'Not now' } }),
    );
    await row.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Not now').waitFor();
    await row.waitFor();
    const others = site.complaints.splice(0).filter((text) => !/net::ERR_FAILED/.test(text));
    site.complaints.push(...others);
  });

  it('applies changes that arrive during the first read of a board', async () => {
    const card = await makeCard('Before');
    const page = await site.signIn(ada, '/dashboard/boards');
    const heard = await watchFeed(page);
    const listening = page.waitForResponse((response) => isFeed(response.url()));
    await duringItsReading(page, async () => {
      await listening;
      const arrival = heard();
      await changeCard(card, { title: 'After' });
      await arrival;
    });
    await page.getByRole('link', { name: boardName }).click();
    await cardOf(page, card).getByText('After').waitFor();
  });

  it('applies changes made while the board was closed or being reloaded', async () => {
    const [first, second] = [await makeCard('First'), await makeCard('Second')];
    const page = await site.signIn(ada, boardPath());
    await live(page);
    const heard = await watchFeed(page);
    await page.locator('.page-back').click();
    await page.getByRole('link', { name: boardName }).waitFor();
    await changeCard(first, { title: 'First, later' });
    const listening = page.waitForResponse((response) => isFeed(response.url()));
    await duringItsReading(page, async () => {
      await listening;
      const arrival = heard();
      await changeCard(second, { title: 'Second, now' });
      await arrival;
    });
    await page.getByRole('link', { name: boardName }).click();
    await cardOf(page, second).getByText('Second, now').waitFor();
    await cardOf(page, first).getByText('First, later').waitFor();
    await cardOf(page, second).getByText('Second, now').waitFor();
  });
});
