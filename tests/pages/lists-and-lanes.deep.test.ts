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

interface Card {
  id: string;
  ref: string;
}

const ask = askAs(() => ({ site, cookie }));
const makeCard = (title: string, fields: object = {}) =>
  ask<Card>('POST', `/api/v1/board/boards/${boardId}/tasks`, { title, ...fields });
const read = ({ id }: Card) => ask<Record<string, unknown>>('GET', `/api/v1/board/tasks/${id}`);
const rowOf = (card: Card) => page.locator(`[data-card="${card.id}"]`);
const titleOf = (card: Card) => rowOf(card).locator('[data-title]');
const titles = () => page.locator('[data-title]').allTextContents();
const eventually = <T>(find: () => Promise<T>) => expect.poll(find, { timeout: 120_000 });
const hasFocus = (card: Card) =>
  eventually(() => titleOf(card).evaluate((title) => title === title.ownerDocument.activeElement)).toBe(true);
const cellOf = (lane: string, column: string) =>
  page.getByRole('group', { name: new RegExp(`^${column} of ${lane},`) });

async function makeBoard(name: string): Promise<void> {
  boardId = (await ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name })).board_id;
}

async function open(query = ''): Promise<void> {
  await page.goto(`${site.address}/dashboard/boards/${boardId}${query}`);
  await page.getByText('Live', { exact: true }).first().waitFor();
}

describePages('Board as a list and in groups', () => {
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

  it('sorts the list by the URL, so that a shared link has the same order', async () => {
    await makeBoard('Sorted');
    await makeCard('Charlie', { priority: 'low', estimate_points: 5 });
    await makeCard('alpha', { due_at: '2027-01-05T10:00:00Z', estimate_points: 1 });
    await makeCard('Bravo', { due_at: '2027-01-02T10:00:00Z', priority: 'urgent', status: 'done' });
    await open();
    await page.getByRole('button', { name: 'List', exact: true }).click();
    await eventually(titles).toEqual(['Charlie', 'alpha', 'Bravo']);
    await page.getByRole('button', { name: /Sort by Title/ }).click();
    await eventually(titles).toEqual(['alpha', 'Bravo', 'Charlie']);
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'board-list');
    await page.getByRole('button', { name: /Sort by Due/ }).click();
    await eventually(titles).toEqual(['Bravo', 'alpha', 'Charlie']);
    await page.getByRole('button', { name: /Sort by Due/ }).click();
    await eventually(titles).toEqual(['alpha', 'Bravo', 'Charlie']);
    expect(new URL(page.url()).search).toBe('?view=list&sort=-due');
    await page.reload();
    await eventually(titles).toEqual(['alpha', 'Bravo', 'Charlie']);
    await open('?view=list&sort=-estimate');
    await eventually(titles).toEqual(['Charlie', 'alpha', 'Bravo']);
  });

  it('edits title, status, assignee, priority and due date in the row by keyboard', async () => {
    await makeBoard('In place');
    const card = await makeCard('Tpyo');
    await open('?view=list');
    await titleOf(card).focus();
    await page.keyboard.press('F2');
    await page.getByLabel(`Title of ${card.ref}`).fill('Typo');
    await page.keyboard.press('Enter');
    await page.getByText(`${card.ref}: called “Typo”.`).waitFor();
    await hasFocus(card);
    await page.keyboard.press('F2');
    await page.getByLabel(`Title of ${card.ref}`).fill('Never mind');
    await page.keyboard.press('Escape');
    await hasFocus(card);
    await page.keyboard.press('a');
    await page.getByRole('combobox', { name: `Search: Assignee of ${card.ref}` }).fill('ben');
    await page.keyboard.press('Enter');
    await page.getByText(`${card.ref}: assigned to Ben Okafor.`).waitFor();
    await titleOf(card).focus();
    await page.keyboard.press('d');
    await page.getByRole('combobox', { name: `Search: Due date of ${card.ref}` }).fill('2031-05-06');
    await page.keyboard.press('Enter');
    await page.getByText(new RegExp(`^${card.ref}: due `)).waitFor();
    await page.getByLabel(`Priority of ${card.ref}`).selectOption('urgent');
    await page.getByText(`${card.ref}: priority urgent.`).waitFor();
    await page.getByLabel(`Status of ${card.ref}`).selectOption({ label: 'Review' });
    await page.getByText(`${card.ref}: moved to Review.`).waitFor();
    expect(await read(card)).toMatchObject({
      title: 'Typo',
      assignee: { name: 'Ben Okafor' },
      priority: 'urgent',
      status: 'in_review',
    });
    expect(String((await read(card))['due_at'])).toMatch(/^2031-05-0[67]/);
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await eventually(async () => (await read(card))['status']).toBe('pending');
  });

  it('restores position, focus and scroll after a card was opened, in long lists and on Work', async () => {
    await makeBoard('Many');
    const cards: Card[] = [];
    for (let n = 1; n <= 90; n++) cards.push(await makeCard(`Row ${n}`, { labels: ['many'] }));
    const far = cards[88]!;
    await open('?view=list');
    await titleOf(cards[0]!).focus();
    await page.keyboard.press('End');
    await hasFocus(cards[89]!);
    await page.keyboard.press('ArrowUp');
    await hasFocus(far);
    const top = await page.locator('.card-list').evaluate((list) => list.scrollTop);
    expect(top).toBeGreaterThan(0);
    expect(await page.locator('.list-row').count()).toBeLessThan(60);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await hasFocus(far);
    expect(await page.locator('.card-list').evaluate((list) => list.scrollTop)).toBe(top);

    await page.goto(`${site.address}/dashboard/work?labels=many&sort=title`);
    await page.getByRole('heading', { name: 'Pending 90' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'work-list');
    const main = page.locator('.main');
    await titleOf(cards[0]!).focus();
    await page.keyboard.press('End');
    await eventually(() => main.evaluate((each) => each.scrollTop)).toBeGreaterThan(1000);
    await eventually(() => page.evaluate('document.activeElement.textContent')).toContain('Row');
    const title = String(await page.evaluate('document.activeElement.textContent'));
    const before = await main.evaluate((each) => each.scrollTop);
    await page.keyboard.press('o');
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await eventually(() => page.evaluate('document.activeElement.textContent')).toBe(title);
    expect(Math.abs((await main.evaluate((each) => each.scrollTop)) - before)).toBeLessThan(60);
  });

  it('shows and removes each filter, and names the filters of an empty list', async () => {
    await makeBoard('Filtered');
    await makeCard('Findable', { labels: ['radar'], priority: 'high' });
    await open('?label=radar&priority=low');
    await page.getByText('No cards match the filter').waitFor();
    await page.getByText('Label: radar · Priority: low').waitFor();
    await page.getByRole('button', { name: 'Remove filter: Priority: low' }).click();
    await page.getByText('Findable').waitFor();
    await page.goto(`${site.address}/dashboard/work?labels=radar&q=nothing&group=board`);
    await page.getByText('No cards match Label: radar · Words: nothing.').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByText('Findable').waitFor();
  });

  it('counts all cards of a group on Work, including those not loaded yet', async () => {
    await makeBoard('Counted');
    const label = { labels: ['counted'] };
    for (let n = 1; n <= 101; n++) await makeCard(`Counted ${n}`, label);
    await page.goto(`${site.address}/dashboard/work?labels=counted`);
    await page.getByRole('heading', { name: 'Pending 101' }).waitFor();
    await page.getByText('100 of 101 cards').waitFor();
  });

  it('collapses Done with the latest cards first, and remembers who expanded it', async () => {
    await makeBoard('Done');
    const [first, second] = [await makeCard('Done first'), await makeCard('Done second')];
    await makeCard('Open');
    for (const card of [second, first])
      await ask('PATCH', `/api/v1/board/tasks/${card.id}`, { status: 'done' });
    await open();
    const done = page.locator('[data-column="Done"]');
    await done.getByRole('button', { name: 'Unfold Done, 2 cards' }).waitFor();
    expect(await done.locator('[data-title]').count()).toBe(0);
    await done.getByRole('button', { name: /Unfold/ }).click();
    await eventually(() => done.locator('[data-title]').allTextContents()).toEqual([
      'Done first',
      'Done second',
    ]);
    await page.reload();
    await eventually(() => done.locator('[data-title]').allTextContents()).toEqual([
      'Done first',
      'Done second',
    ]);
    await done.getByRole('button', { name: 'Fold Done away' }).click();
    await done.getByRole('button', { name: 'Unfold Done, 2 cards' }).waitFor();
  });

  it('shows the share of completed sub-tasks, and the estimate', async () => {
    await makeBoard('Parts');
    const parent = await makeCard('The whole', { estimate_points: 8 });
    await makeCard('Part one', { parent_id: parent.id, status: 'done' });
    const part = await makeCard('Part two', { parent_id: parent.id });
    await makeCard('Left out', { parent_id: parent.id, status: 'canceled' });
    await open();
    await rowOf(parent).getByText('1/2').waitFor();
    await rowOf(parent).getByText('8 pt').waitFor();
    await ask('PATCH', `/api/v1/board/tasks/${part.id}`, { status: 'done' });
    await rowOf(parent).getByText('2/2').waitFor();
  });

  it("assigns a card dragged or moved by keyboard into a person's swimlane", async () => {
    await makeBoard('Lanes');
    const mine = await makeCard('Mine', { assignee: ada.user_id });
    const bens = await makeCard('Of Ben', { assignee: ben.user_id, status: 'in_progress' });
    const free = await makeCard('Free');
    await open('?lanes=assignee');
    await cellOf('Ben Okafor', 'In Progress').getByText('Of Ben').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'board-lanes');
    await rowOf(free).dragTo(cellOf('Ben Okafor', 'Review'));
    await page.getByText(`${free.ref}: assigned to Ben Okafor, moved to Review`).waitFor();
    expect(await read(free)).toMatchObject({ assignee: { name: 'Ben Okafor' }, status: 'in_review' });
    await titleOf(mine).focus();
    await page.keyboard.press('Alt+Shift+ArrowDown');
    await page.getByText(`${mine.ref}: assigned to Ben Okafor`).waitFor();
    await cellOf('Ben Okafor', 'Backlog').getByText('Mine').waitFor();
    await hasFocus(mine);
    await page.keyboard.press('ArrowRight');
    await hasFocus(bens);
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await cellOf('Ada Lindqvist', 'Backlog').getByText('Mine').waitFor();
  });

  it('groups cards by parent, stored in the URL', async () => {
    await makeBoard('Families');
    const parent = await makeCard('The whole');
    await makeCard('Part one', { parent_id: parent.id });
    const loose = await makeCard('Loose');
    await open('?lanes=parent');
    await cellOf('The whole', 'Backlog').getByText('Part one').waitFor();
    await rowOf(loose).dragTo(cellOf('The whole', 'Backlog'));
    await page.getByText(`${loose.ref}: below ${parent.ref}`).waitFor();
    expect(await read(loose)).toMatchObject({ parent_id: parent.id });
    const phone = await site.signIn(ada, `/dashboard/boards/${boardId}?lanes=parent`, {
      size: NARROW,
      theme: 'dark',
    });
    await phone.getByText('Part one').first().waitFor();
    expect(await findBarriers(phone)).toEqual([]);
    expect(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await takePicture(phone, 'board-lanes-narrow-dark');
    await phone.close();
  });
});
