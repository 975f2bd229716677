import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestBrand, TestPerson } from '../support/app.js';
import {
  describePages,
  findBarriers,
  leaveInSilence,
  NARROW,
  pressKeysUntil,
  type Site,
  startSite,
  takePicture,
} from './browser.js';

let site: Site;
let brand: TestBrand;
let ada: TestPerson;
let ben: TestPerson;
let boards: Record<'nav' | 'ops', string>;

interface Card {
  id: string;
  ref: string;
}

async function ask<T>(
  person: TestPerson,
  method: 'GET' | 'POST' | 'PATCH' | 'PUT',
  url: string,
  payload?: object,
) {
  const cookie = await site.world.signIn(person, brand);
  const response = await site.world.inject({ method, url, payload, headers: { cookie } });
  if (response.statusCode >= 300)
    throw new Error(`${method} ${url}: ${response.statusCode} ${response.body}`);
  return response.json() as T;
}

const makeCard = (board: keyof typeof boards, card: object) =>
  ask<Card>(ben, 'POST', `/api/v1/board/boards/${boards[board]}/tasks`, card);
const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 120_000 });
const rows = (page: Page) => page.locator('.list-row');

describePages('Inbox, personal card list and search', () => {
  beforeAll(async () => {
    site = await startSite();
    brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    ada = await site.world.person({ full_name: 'Ada Lindqvist' });
    ben = await site.world.person({ full_name: 'Ben Okafor' });
    await site.world.member(brand, { role: 'admin', person: ada });
    await site.world.member(brand, { person: ben });
    const make = (name: string) => ask<{ board_id: string }>(ben, 'POST', '/api/v1/board/boards', { name });
    boards = { nav: (await make('Navigator')).board_id, ops: (await make('Operations')).board_id };
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(() => leaveInSilence(site));

  describe('Inbox', () => {
    it('shows an assigned card immediately, and is operated by keyboard', async () => {
      const page = await site.signIn(ada, '/dashboard/inbox');
      await page.getByText('All done').waitFor();
      const first = await makeCard('nav', { title: 'Calibrate the lidar', assignee: ada.user_id });
      await page.locator('.area-count').getByText('1').waitFor();
      await makeCard('ops', { title: 'Order batteries', assignee: ada.user_id });
      await ask(ben, 'POST', `/api/v1/board/tasks/${first.id}/comments`, {
        body: 'What do you think, @Ada Lindqvist?',
      });
      await page.getByText('Ben Okafor mentions you on').waitFor();
      await page.getByText('Order batteries').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await takePicture(page, 'inbox');
      const items = page.locator('[data-item]');
      const before = await items.count();
      await page.keyboard.press('j');
      await page.keyboard.press('e');
      await eventually(() => items.count()).toBe(before - 1);
      await page.getByRole('button', { name: 'Undo' }).click();
      await eventually(() => items.count()).toBe(before);
      await page.keyboard.press('k');
      await page.keyboard.press('o');
      await page.getByRole('dialog').waitFor();
      expect(page.url()).toContain('?card=');
    });

    it('shows a completed item before the service confirms it, and restores it after a refusal', async () => {
      await makeCard('ops', { title: 'Sweep the hall', assignee: ada.user_id });
      const page = await site.signIn(ada, '/dashboard/inbox');
      const row = page.locator('[data-item]').filter({ hasText: 'Sweep the hall' });
      let answer = () => {};
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await row.waitFor();
      await page.route('**/api/v1/me/inbox/*', async (route) => {
        if (route.request().method() !== 'PATCH') return route.continue();
        await held;
        await route.fulfill({ status: 409, json: { detail: 'Not now' } });
      });
      await row.getByRole('button', { name: 'Done' }).click();
      await row.waitFor({ state: 'detached' });
      answer();
      await page.getByText('Not now').waitFor();
      await row.waitFor();
      await page.unroute('**/api/v1/me/inbox/*');
      await row.getByRole('button', { name: 'Done' }).click();
      await page
        .locator('.toast')
        .getByText(/^Done with/)
        .waitFor();
    });

    it('marks everything as done after confirmation and keeps it under Done', async () => {
      const page = await site.signIn(ada, '/dashboard/inbox');
      await page.getByRole('button', { name: 'Mark all as done' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Mark all as done' }).click();
      await page.getByText('All done').waitFor();
      await page.getByRole('link', { name: 'Done', exact: true }).click();
      await page.locator('[data-item]').first().waitFor();
    });

    it('snoozes several items by keyboard, with undo', async () => {
      for (const title of ['First of many', 'Second of many', 'Third of many'])
        await makeCard('ops', { title, assignee: ada.user_id });
      await site.world.advance(1);
      const page = await site.signIn(ada, `/dashboard/inbox?board=${boards.ops}&kind=assigned`);
      const items = page.locator('[data-item]');
      const many = items.filter({ hasText: 'of many' });
      await eventually(() => many.count()).toBe(3);
      const before = await items.count();
      await page.keyboard.press('x');
      await page.getByRole('toolbar', { name: 'Selected items' }).getByText('1 selected').waitFor();
      await items
        .nth(2)
        .getByRole('checkbox')
        .click({ modifiers: ['Shift'] });
      await page.getByText('3 selected').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await takePicture(page, 'inbox-selected');
      await page.keyboard.press('s');
      await page.getByRole('menuitem', { name: 'Tomorrow' }).press('Enter');
      await eventually(() => items.count()).toBe(before - 3);
      await page.getByText(/^3 items snoozed until/).waitFor();
      await page.getByRole('link', { name: 'Snoozed 3' }).click();
      await eventually(() => items.count()).toBe(3);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Nothing is snoozed').waitFor();
      await page.goto(`${site.address}/dashboard/inbox?board=${boards.ops}&kind=assigned&unread=yes`);
      await eventually(() => many.count()).toBe(3);
      await page.keyboard.press('Control+a');
      await page.keyboard.press('u');
      await page.getByText(/marked as read/).waitFor();
      await page.getByText('No items match these filters').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await eventually(() => many.count()).toBe(3);
    });

    it('does not notify users of their own actions', async () => {
      const { items } = await ask<{ items: unknown[] }>(ben, 'GET', '/api/v1/me/inbox');
      expect(items).toEqual([]);
    });
  });

  describe('Work across boards', () => {
    it("shows the user's open cards of all boards, and stores filters in the URL", async () => {
      await makeCard('nav', { title: 'Somebody else', assignee: ben.user_id, priority: 'high' });
      const page = await site.signIn(ada, '/dashboard/work');
      await rows(page).first().waitFor();
      expect((await rows(page).allTextContents()).join()).not.toContain('Somebody else');
      await page.getByLabel('With', { exact: true }).selectOption({ label: 'Ben Okafor' });
      await page.getByText('Somebody else').waitFor();
      expect(new URL(page.url()).searchParams.get('assignee')).toBe(String(ben.user_id));
      await page.reload();
      await page.getByText('Somebody else').waitFor();
      await page.getByLabel('Group by').selectOption('board');
      await page.getByRole('heading', { name: /Navigator/ }).waitFor();
      await takePicture(page, 'work');
    });

    it('keeps a space typed while the previous word is searched for', async () => {
      const page = await site.signIn(ada, '/dashboard/work');
      const words = page.getByLabel('Words or ref');
      await words.pressSequentially('Order ');
      await page.waitForURL(/q=Order(&|$)/);
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 300))');
      await words.pressSequentially('batteries');
      expect(await words.inputValue()).toBe('Order batteries');
      await page.waitForURL(/q=Order\+batteries/);
    });

    it('searches once for typed words, not for every keystroke', async () => {
      const page = await site.signIn(ada, '/dashboard/work?group=board');
      await rows(page).first().waitFor();
      const asked: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/master/tasks')) asked.push(request.url());
      });
      await page.getByPlaceholder('Words or ref').pressSequentially('order batteries');
      await eventually(() => rows(page).count()).toBe(1);
      expect(asked.filter((url) => url.includes('q=')).length).toBeLessThan(4);
    });

    it('saves a view for this user only', async () => {
      const page = await site.signIn(ada, '/dashboard/work?priority=high&group=board');
      await page.getByRole('button', { name: 'Save view' }).click();
      await page.getByLabel('Name').fill('Pressing');
      await page.getByRole('button', { name: 'Keep', exact: true }).click();
      const views = page.getByRole('navigation', { name: 'Views' });
      await views.getByRole('link', { name: 'Pressing' }).waitFor();
      await views.getByRole('link', { name: 'Blocked' }).click();
      await views.getByRole('link', { name: 'Pressing' }).click();
      await page.getByText('Somebody else').waitFor();
      const theirs = await site.signIn(ben, '/dashboard/work');
      await theirs
        .getByRole('navigation', { name: 'Views' })
        .getByRole('link', { name: 'Blocked' })
        .waitFor();
      expect(await theirs.getByRole('link', { name: 'Pressing' }).count()).toBe(0);
      await views.getByRole('button', { name: 'More on the view Pressing' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await views.getByRole('link', { name: 'Pressing' }).waitFor({ state: 'detached' });
    });

    it('shares a view with the workspace, shows its owner, and opens by link for others', async () => {
      const view = await ask<{ view_id: string }>(ben, 'POST', '/api/v1/me/views', {
        name: 'Ours',
        query: 'priority=high&group=board',
      });
      const page = await site.signIn(ben, '/dashboard/work');
      const views = page.getByRole('navigation', { name: 'Views' });
      await views.getByRole('button', { name: 'More on the view Ours' }).click();
      await page.getByRole('menuitem', { name: 'Share with the workspace' }).click();
      await views.getByRole('link', { name: 'Ours shared' }).waitFor();
      const carl = await site.world.member(brand);
      const theirs = await site.signIn(carl, `/dashboard/work?view=${view.view_id}`);
      await theirs.waitForURL(/priority=high&group=board/);
      const shared = theirs.getByRole('navigation', { name: 'Views' });
      await shared.getByRole('link', { name: 'Ours Ben Okafor', exact: true }).waitFor();
      expect(await findBarriers(theirs)).toEqual([]);
      await shared.getByRole('button', { name: 'More on the view Ours' }).click();
      expect(await theirs.getByRole('menuitem').allTextContents()).toEqual(['Copy link']);
      await views.getByRole('button', { name: 'More on the view Ours' }).click();
      await page.getByRole('menuitem', { name: 'Stop sharing' }).click();
      await views.getByRole('link', { name: 'Ours', exact: true }).waitFor();
      await theirs.goto(`${site.address}/dashboard/work?view=${view.view_id}`);
      await theirs.getByText('This view was deleted or is not shared with you').waitFor();
    });
  });

  describe('Command palette', () => {
    it('opens a card by its reference and runs commands by keyboard', async () => {
      const card = await makeCard('ops', { title: 'Needle in the stack' });
      const page = await site.signIn(ada, '/dashboard');
      await page.getByRole('heading', { name: /Ada/ }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(card.ref);
      await page.getByRole('option', { name: /Needle in the stack/ }).waitFor();
      await eventually(() => page.getByRole('option', { selected: true }).textContent()).toContain(
        'Needle in the stack',
      );
      expect(await findBarriers(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\?card=/);
      const drawer = page.getByRole('dialog', { name: card.ref });
      await drawer.waitFor();
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('go to memory');
      await page.getByRole('option', { name: /Go to memory/i, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Memory', exact: true }).waitFor();
      await eventually(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    });

    it('lists results of every kind below the commands, with the words highlighted', async () => {
      const card = await makeCard('nav', {
        title: 'Chart the reef',
        instructions: 'Mind the barnacles there.',
      });
      await ask(ben, 'POST', `/api/v1/board/tasks/${card.id}/comments`, { body: 'Coral is sharp' });
      await ask(ben, 'POST', '/api/v1/board/boards', { name: 'Reef watch' });
      const memory = {
        agent_id: 'reef-agent',
        kind: 'fact',
        title: 'Tides',
        body: 'The reef is dry at noon.',
      };
      await ask(ben, 'POST', '/api/v1/memory/memories', memory);
      const page = await site.signIn(ada, '/dashboard');
      await page.getByRole('heading', { name: /Ada/ }).waitFor();
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox');
      await field.fill('reef');
      const groups = page.locator('.palette-group');
      await eventually(() => groups.allTextContents()).toEqual([
        'Cards',
        'Boards',
        'Agents',
        'Memories',
        'More',
      ]);
      expect(await page.locator('.palette mark').allTextContents()).toEqual(['reef', 'Reef', 'reef', 'reef']);
      await page.getByRole('option', { name: /Tides Body: The reef is dry at noon/ }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      // The arrow keys move through the groups and wrap around.
      const selected = page.getByRole('option', { selected: true });
      for (const name of [
        'Chart the reef',
        'Reef watch',
        'reef-agent',
        'Tides',
        'Search everything',
        'Chart the reef',
      ]) {
        await eventually(() => selected.textContent()).toContain(name);
        await page.keyboard.press('ArrowDown');
      }
      await page.keyboard.press('ArrowUp');
      await field.fill('barnac');
      await page.getByRole('option', { name: /Chart the reef Instructions: Mind the barnacles/ }).waitFor();
      await field.fill('coral');
      await page.getByRole('option', { name: /Comment by Ben Okafor: Coral is sharp/ }).waitFor();
      await field.fill('reef');
      await page.getByRole('option', { name: /Tides/ }).click();
      await page.waitForURL(/\/dashboard\/memory\/reef-agent\?memory=/);
    });

    it('opens the first result after an early Enter, and discards results for older input', async () => {
      const card = await makeCard('ops', { title: 'Haste makes waste' });
      const page = await site.signIn(ada, '/dashboard');
      await page.getByRole('heading', { name: /Ada/ }).waitFor();
      let answer = () => {};
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route(/\/api\/v1\/search\?q=Navigator/, async (route) => {
        await held;
        await route.fallback().catch(() => {});
      });
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('Navigator');
      await page.waitForRequest(/\/api\/v1\/search\?q=Navigator/);
      await page.getByRole('combobox').fill(card.ref);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: card.ref }).waitFor();
      answer();
      // Without input the palette offers recent pages first.
      await page.goto(`${site.address}/dashboard/inbox`);
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: /Haste makes waste/ }).waitFor();
      expect(await page.locator('.palette-group').first().textContent()).toBe('Recent');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: card.ref }).waitFor();
    });

    it('opens the search page, grouped by kind, from its last row', async () => {
      for (let n = 0; n < 12; n += 1) await makeCard('ops', { title: `Lantern ${n}` });
      const page = await site.signIn(ada, '/dashboard');
      await page.getByRole('heading', { name: /Ada/ }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('lantern');
      await page.getByRole('option', { name: /Lantern 11/ }).waitFor();
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
      const hits = page.locator('.search-hit');
      await eventually(() => hits.count()).toBe(10);
      expect(await findBarriers(page)).toEqual([]);
      await takePicture(page, 'search-wide');
      await page.getByRole('link', { name: 'More cards' }).click();
      await eventually(() => hits.count()).toBe(12);
      expect(new URL(page.url()).search).toBe('?q=lantern&kind=card');
      await page.getByRole('link', { name: 'People' }).click();
      await page.getByText('No results').waitFor();
      await page.getByRole('searchbox', { name: 'Search everything' }).fill('okafor');
      await page.getByRole('link', { name: /Ben Okafor/ }).click();
      await page.waitForURL(/\/dashboard\/work\?assignee=/);
    });

    it('works on a phone, and a card reference in the URL opens its card', async () => {
      const card = await makeCard('ops', {
        title: 'Small screens',
        instructions: `${'Before it. '.repeat(30)}A periscope${' behind it'.repeat(30)}`,
      });
      const page = await site.signIn(ada, `/dashboard/cards/${card.ref.toLowerCase()}`, { size: NARROW });
      await page.getByRole('dialog', { name: card.ref }).waitFor();
      await page.goto(`${site.address}/dashboard/cards/OPE-99999`);
      await page.getByText('There is no card OPE-99999').waitFor();
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('combobox').fill('periscope');
      await page.getByRole('option', { name: /Small screens/ }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await takePicture(page, 'palette-narrow');
      await page.getByRole('option', { name: /Search everything/ }).click();
      await page.getByRole('link', { name: /Small screens/ }).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(await findBarriers(page)).toEqual([]);
      await takePicture(page, 'search-narrow');
    });

    it('receives the text typed right after Ctrl K, and the page receives none of it', async () => {
      const page = await site.signIn(ada, '/dashboard/inbox');
      await makeCard('ops', { title: 'Not by a slip of the keys', assignee: ada.user_id });
      const row = page.locator('[data-item]').filter({ hasText: 'Not by a slip of the keys' });
      await row.waitFor();
      await page.keyboard.press('j');
      const field = page.getByRole('combobox', { name: 'Search or do anything' });
      // Delay the palette's code as a slow connection would.
      let arrive = () => {};
      const held = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      await page.route(/palette-[^/]*\.js/, async (route) => {
        await held;
        await route.fallback();
      });
      await page.reload();
      await row.waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('ee go');
      const device = await page.context().newCDPSession(page);
      await device.send('Emulation.setCPUThrottlingRate', { rate: 20 });
      arrive();
      // Type some of the text before the field exists and some while it is rendered.
      await page.keyboard.type(' to wherever it was that I wanted to be');
      await eventually(() => field.inputValue()).toBe('ee go to wherever it was that I wanted to be');
      await page.keyboard.press('Escape');
      await row.waitFor();
      expect(await page.locator('.toast').count()).toBe(0);
    });

    it('opens over a drawer without edits, and closes with the same shortcut', async () => {
      const page = await site.signIn(ada, '/dashboard/coder-profiles');
      await page.getByRole('button', { name: 'Coding' }).first().click();
      const drawer = page.getByRole('dialog', { name: /Claude Code/ });
      await drawer.waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or do anything' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or do anything' }).waitFor({ state: 'detached' });
      expect(await drawer.count()).toBe(1);
      // The unsaved selection blocks the palette, so that it is not lost.
      await drawer.getByLabel('Effort').selectOption('low');
      await page.keyboard.press('Control+k');
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 300))');
      expect(await page.getByRole('combobox', { name: 'Search or do anything' }).count()).toBe(0);
    });

    it('opens every settings page, switches workspaces and signs out from anywhere', async () => {
      const second = await site.world.brand({ name: 'Second House' });
      const person = await site.world.member(brand);
      await site.world.member(second, { person });
      const page = await site.signIn(person, '/dashboard/work');
      await page.getByRole('heading', { name: 'Work' }).waitFor();
      // Enter right after opening must not run any of these commands.
      await page.keyboard.press('Control+k');
      await page.locator('.palette-row').first().waitFor();
      expect(await page.getByRole('option', { name: /Sign out|Switch to|Settings:/ }).count()).toBe(0);
      await page.keyboard.press('Escape');
      const perform = async (words: string) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Search or do anything' }).fill(words);
        await page.getByRole('option', { name: words, exact: true }).waitFor();
        await page.keyboard.press('Enter');
      };
      await perform('Settings: Access tokens');
      await page.getByRole('heading', { name: 'Access tokens', level: 1 }).waitFor();
      const here = await page.locator('.sidebar-brand strong').textContent();
      await perform(here === 'Second House' ? 'Switch to Acme Robotics' : 'Switch to Second House');
      await eventually(() => page.locator('.sidebar-brand strong').textContent()).not.toBe(here);
      await perform('Sign out');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });

    it('shows all shortcuts with ?, and shortcuts open the areas', async () => {
      const page = await site.signIn(ada, '/dashboard/work');
      await page.getByRole('heading', { name: 'Work' }).waitFor();
      await page.keyboard.press('?');
      const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await keys.getByText('Go to boards').waitFor();
      await page.keyboard.press('Escape');
      await keys.waitFor({ state: 'detached' });
      await pressKeysUntil(page, 'g b', page.getByRole('heading', { name: 'Boards' }));
    });
  });

  it('has no accessibility violations in the dark theme or on a narrow screen, and nothing wider than the screen', async () => {
    for (const options of [{ theme: 'dark' }, { size: NARROW }] as const) {
      const page = await site.signIn(ada, '/dashboard', options);
      for (const area of ['', '/inbox', '/work']) {
        await page.goto(`${site.address}/dashboard${area}`);
        await page.locator('h1').waitFor();
        await page.locator('.skeleton').first().waitFor({ state: 'detached' });
        expect(await findBarriers(page), area).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        await takePicture(page, `day${area.replace('/', '-')}-${'theme' in options ? 'dark' : 'narrow'}`);
      }
    }
  });

  describe('Workspace with the earlier navigation', () => {
    it('has the earlier sidebar', async () => {
      const earlier = await site.world.brand({ name: 'Old House', new_navigation: false });
      const person = await site.world.member(earlier);
      const page = await site.signIn(person, '/dashboard/boards');
      const links = page.getByRole('navigation', { name: 'Areas' }).getByRole('link');
      await eventually(() => links.allTextContents()).toEqual([
        'Boards',
        'Memory',
        'Lessons',
        'Machines',
        'Agents',
        'Coder profiles',
        'Settings',
      ]);
    });
  });
});
