import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TestBrand, TestPerson } from '../support/app.js';
import {
  askAs,
  describePages,
  expectSilence,
  findBarriers,
  type Site,
  startSite,
  takePicture,
} from './browser.js';

let site: Site;
let brand: TestBrand;
let ada: TestPerson;
let cookie: string;
let boards: Record<'nav' | 'ops', string>;
let page: Page;

const ask = askAs(() => ({ site, cookie }));
const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 120_000 });
const composer = () => page.getByRole('dialog', { name: 'New card' });

interface Card {
  id: string;
  ref: string;
}

describePages('Creating and renaming cards', () => {
  beforeAll(async () => {
    site = await startSite();
    brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    ada = await site.world.person({ full_name: 'Ada Lindqvist' });
    await site.world.member(brand, { role: 'admin', person: ada });
    cookie = await site.world.signIn(ada, brand);
    const make = (name: string) => ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name });
    boards = { nav: (await make('Navigator')).board_id, ops: (await make('Operations')).board_id };
    page = await site.openPage('/dashboard/work', { cookie });
  });

  afterAll(() => site?.close());

  afterEach(() => expectSilence(site));

  it('opens the composer with c on any page, keeps the draft across Escape and reload, and offers a link and Undo', async () => {
    await page.getByRole('heading', { name: 'Work' }).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('Charge the van');
    await eventually(() => composer().getByLabel('Title').inputValue()).toBe('Charge the van');
    await composer().getByLabel('Board', { exact: true }).selectOption({ label: 'Operations' });
    await composer().getByLabel('Due').fill('never ever');
    expect(await composer().getByLabel('Due').getAttribute('aria-invalid')).toBe('true');
    await composer().getByLabel('Due').fill('tomorrow');
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'composer');
    await page.keyboard.press('Escape');
    await composer().waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Work' }).waitFor();
    await page.keyboard.press('c');
    await eventually(() => composer().getByLabel('Title').inputValue()).toBe('Charge the van');
    expect(await composer().getByLabel('Due').inputValue()).toBe('tomorrow');
    await composer().getByLabel('Title').press('Control+Enter');
    const note = page.locator('.toast').filter({ hasText: 'is on Operations' });
    await note.waitFor();
    await composer().waitFor({ state: 'detached' });
    const made = await ask<{ items: (Card & { due_at: string })[] }>(
      'GET',
      '/api/v1/board/master/tasks?q=charge&with=due_at',
    );
    expect(made.items).toHaveLength(1);
    expect(new Date(made.items[0]!.due_at).getTime()).toBeGreaterThan(Date.now());
    await note.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/is gone again/).waitFor();
    // The form preselects the board of the last card and is otherwise empty.
    await page.keyboard.press('c');
    expect(await composer().getByLabel('Title').inputValue()).toBe('');
    expect(await composer().getByLabel('Board', { exact: true }).inputValue()).toBe(boards.ops);
    await page.keyboard.press('Escape');
  });

  it('preselects the current board, creates several cards in a row, and explains why a build cannot start', async () => {
    await page.goto(`${site.address}/dashboard/boards/${boards.nav}`);
    await page.getByRole('heading', { name: 'Navigator' }).waitFor();
    await page.keyboard.press('c');
    expect(await composer().getByLabel('Board', { exact: true }).inputValue()).toBe(boards.nav);
    await composer().getByLabel('Create another').check();
    for (const title of ['One', 'Two']) {
      await composer().getByLabel('Title').fill(title);
      await composer().getByRole('button', { name: 'Create card' }).click();
      await eventually(() => composer().getByLabel('Title').inputValue()).toBe('');
    }
    const build = composer().getByRole('button', { name: 'Create and build' });
    expect(await build.getAttribute('title')).toContain('no project');
    await page.keyboard.press('Escape');
    for (const title of ['One', 'Two'])
      await page.locator('.card-title').getByText(title, { exact: true }).waitFor();
  });

  it('links card references with a preview in one request, and only existing ones', async () => {
    const create = (card: object) => ask<Card>('POST', `/api/v1/board/boards/${boards.nav}/tasks`, card);
    const first = await create({ title: 'Find the charger', assignee: ada.user_id });
    const second = await create({ title: 'Buy a charger' });
    const third = await create({
      title: 'Charge',
      instructions: `After ${first.ref} and ${second.ref}, in UTF-8, not \`${first.ref}\` nor NAV-4711.`,
    });
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('refs=')) asked.push(request.url());
    });
    await page.goto(`${site.address}/dashboard/boards/${boards.nav}?card=${third.id}`);
    const drawer = page.getByRole('dialog');
    const link = drawer.getByRole('link', { name: first.ref });
    await link.waitFor();
    expect(await drawer.locator('.markdown a').allTextContents()).toEqual([first.ref, second.ref]);
    expect(asked).toHaveLength(1);
    await link.focus();
    await page.getByRole('tooltip').getByText('Find the charger').waitFor();
    await page.getByRole('tooltip').getByText('Ada Lindqvist').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'ref-preview');
    await page.keyboard.press('Escape');
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await link.click();
    await page.getByRole('dialog', { name: first.ref }).waitFor();
  });

  it("shows a validation error at its field under the field's label, and focuses the field", async () => {
    await page.goto(`${site.address}/dashboard/settings/webhooks`);
    await page.getByRole('button', { name: 'New webhook' }).first().click();
    const address = page.getByLabel('Address');
    await address.fill('http://hooks.example.com/');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('Address must begin with https://').waitFor();
    expect(await address.getAttribute('aria-invalid')).toBe('true');
    expect(await address.inputValue()).toBe('http://hooks.example.com/');
    const described = (await address.getAttribute('aria-describedby'))!.split(' ');
    const words = await Promise.all(described.map((id) => page.locator(`[id="${id}"]`).textContent()));
    expect(words).toContain('Address must begin with https://');
    expect(await page.locator('input:focus').inputValue()).toBe('http://hooks.example.com/');
    expect(await page.locator('.note-error').count()).toBe(0);
    await takePicture(page, 'refusal');
  });
});
