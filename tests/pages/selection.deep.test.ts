import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TestBrand, TestPerson } from '../support/app.js';
import {
  askAs,
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
let ada: TestPerson;
let ben: TestPerson;
let cookie: string;
let boardId: string;
let page: Page;
let cards: Card[];

interface Card {
  id: string;
  ref: string;
}

const ask = askAs(() => ({ site, cookie }));
const read = ({ id }: Card) => ask<Record<string, unknown>>('GET', `/api/v1/board/tasks/${id}`);
const mark = (card: Card) => page.getByLabel(`Select ${card.ref}`, { exact: true });
const titleOf = (card: Card) => page.locator(`[data-card="${card.id}"] [data-title]`);
const bar = () => page.getByRole('region', { name: 'Selected cards' });
const says = (text: string | RegExp) => page.locator('.toast').getByText(text).waitFor();
const isFocused = (card: Card) =>
  expect
    .poll(() => titleOf(card).evaluate((title) => title === title.ownerDocument.activeElement))
    .toBe(true);

async function pick(what: string, option: string): Promise<void> {
  await bar().getByRole('button', { name: what }).click();
  const label = page.locator('.picker-label').getByText(option, { exact: true });
  await page.getByRole('option').filter({ has: label }).click();
}

async function makeBoard(name: string, titles: string[]): Promise<void> {
  boardId = (await ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name })).board_id;
  cards = [];
  for (const title of titles)
    cards.push(await ask<Card>('POST', `/api/v1/board/boards/${boardId}/tasks`, { title, labels: ['old'] }));
}

async function open(path: string): Promise<void> {
  await page.goto(site.address + path);
  await titleOf(cards[0]!).waitFor();
}

describePages('Selection of several cards', () => {
  beforeAll(async () => {
    site = await startSite();
    brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    ada = await site.world.person({ full_name: 'Ada Lindqvist' });
    ben = await site.world.person({ full_name: 'Ben Okafor' });
    await site.world.member(brand, { role: 'admin', person: ada });
    await site.world.member(brand, { person: ben });
    cookie = await site.world.signIn(ada, brand);
    page = await site.signIn(ada, '/dashboard/boards');
  });
  afterAll(async () => {
    await site?.close();
  });
  afterEach(() => expectSilence(site));

  it('selects cards by checkbox and range, changes all of them, and reverts every field with one undo', async () => {
    await makeBoard('Selection', ['One', 'Two', 'Three', 'Four']);
    await open(`/dashboard/boards/${boardId}`);
    await mark(cards[0]!).click();
    await mark(cards[2]!).click({ modifiers: ['Shift'] });
    await bar().getByText('3 cards selected').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'selection');
    await pick('Priority', 'High');
    await says('3 cards: priority high.');
    await pick('Labels', 'old');
    await says('3 cards: label old removed.');
    await pick('Assignee', 'Ben Okafor');
    await says('3 cards: assigned to Ben Okafor.');
    await pick('Status', 'In review');
    await says('3 cards: status in review.');
    for (const card of cards.slice(0, 3))
      expect(await read(card)).toMatchObject({
        priority: 'high',
        labels: [],
        assignee: { name: 'Ben Okafor' },
        column: { name: 'Review' },
      });
    expect(await read(cards[3]!)).toMatchObject({ priority: 'normal', labels: ['old'], assignee: null });
    await page.locator('[data-column="Review"] .card-title').nth(2).waitFor();
    // Another user moves one of the cards; undo skips it and reverts the others.
    await ask('PATCH', `/api/v1/board/tasks/${cards[1]!.id}`, { status: 'blocked' });
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await says('2 cards are as before.');
    await says(new RegExp(`${cards[1]!.ref} not: someone changed`));
    expect(await read(cards[0]!)).toMatchObject({ column: { name: 'Backlog' }, priority: 'high' });
    expect(await read(cards[1]!)).toMatchObject({ column: { name: 'Blocked' } });
    await page.locator('[data-column="Backlog"] .card-title').nth(2).waitFor();
  });

  it('selects and changes cards by keyboard: x, Shift with arrows, Ctrl A, e and Escape', async () => {
    await makeBoard('Keys', ['One', 'Two', 'Three']);
    await open(`/dashboard/boards/${boardId}`);
    await titleOf(cards[0]!).focus();
    await page.keyboard.press('x');
    await bar().getByText('1 card selected').waitFor();
    await page.keyboard.press('Shift+ArrowDown');
    await bar().getByText('2 cards selected').waitFor();
    await isFocused(cards[1]!);
    await page.keyboard.press('Control+a');
    await bar().getByText('3 cards selected').waitFor();
    await page.keyboard.press('e');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Search: Status of the selected cards' }).fill('blocked');
    await page.keyboard.press('Enter');
    await says('3 cards: status blocked.');
    await page.keyboard.press('Escape');
    await bar().waitFor({ state: 'detached' });
    // In a text field Ctrl+A selects its text.
    await page.getByPlaceholder('Filter cards').fill('One');
    await page.keyboard.press('Control+a');
    expect(await bar().count()).toBe(0);
  });

  it('shows which cards failed and why, and keeps the other changes', async () => {
    await makeBoard('Failing', ['One', 'Two']);
    await open(`/dashboard/boards/${boardId}?view=list`);
    await page.route('**/tasks:batch', async (route) => {
      const { tasks } = route.request().postDataJSON();
      tasks[1].set = { column: 'Nowhere' };
      tasks[1].seen = {};
      await route.continue({ postData: JSON.stringify({ tasks }) });
    });
    await mark(cards[0]!).click();
    await mark(cards[1]!).click();
    await pick('Priority', 'Urgent');
    await says(`${cards[0]!.ref}: priority urgent. ${cards[1]!.ref} not: column must be one of`);
    await page.unroute('**/tasks:batch');
    expect(await read(cards[0]!)).toMatchObject({ priority: 'urgent' });
    await expect
      .poll(() => page.getByLabel(`Priority of ${cards[1]!.ref}`, { exact: true }).inputValue())
      .toBe('normal');
  });

  it('works across boards on Work, and archives cards', async () => {
    await makeBoard('First', ['Across one']);
    const [first] = cards;
    await makeBoard('Second', ['Across two']);
    cards = [first!, cards[0]!];
    await open('/dashboard/work?q=across&group=board');
    await mark(cards[0]!).click();
    await mark(cards[1]!).click();
    await bar().getByRole('button', { name: 'Archive' }).click();
    await says('2 cards: archived.');
    for (const card of cards) expect(await read(card)).toMatchObject({ archived: true });
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await says('2 cards are as before.');
    for (const card of cards) expect(await read(card)).toMatchObject({ archived: false });
  });

  it('offers guests no actions on cards that they may not change', async () => {
    await makeBoard('Guests', ['Only read']);
    const guest = await site.world.person({ full_name: 'Gus Guest' });
    await ask('PUT', `/api/v1/board/boards/${boardId}/guests/${guest.user_id}`, { role: 'commenter' });
    const theirs = await site.openPage(`/dashboard/boards/${boardId}`, {
      cookie: await site.world.signIn(guest, brand),
    });
    for (const path of [`/dashboard/boards/${boardId}?view=list`, '/dashboard/work?group=board']) {
      await theirs.goto(site.address + path);
      const title = theirs.locator(`[data-card="${cards[0]!.id}"] [data-title]`);
      await title.focus();
      await theirs.keyboard.press('x');
      await theirs.keyboard.press('Control+a');
      await title.click({ modifiers: ['Shift'], trial: true });
      expect(await theirs.getByRole('checkbox').count()).toBe(0);
      expect(await theirs.getByRole('region', { name: 'Selected cards' }).count()).toBe(0);
    }
    await theirs.close();
  });

  it('has no accessibility violations and fits a phone in the dark theme', async () => {
    await makeBoard('Phone', ['A card with a title of some length that takes two lines', 'Two']);
    const phone = await site.signIn(ada, `/dashboard/boards/${boardId}?view=list`, {
      size: NARROW,
      theme: 'dark',
    });
    await phone.getByLabel(`Select ${cards[0]!.ref}`, { exact: true }).click();
    await phone.getByText('1 card selected').waitFor();
    expect(await findBarriers(phone)).toEqual([]);
    expect(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await takePicture(phone, 'selection-narrow-dark');
    await phone.close();
  });
});
