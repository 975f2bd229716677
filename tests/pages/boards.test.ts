import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, type TestBrand, type TestPerson } from '../support/app.js';
import { deeply, usually } from '../support/deep.js';
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
let colleague: TestPerson;
let cookie: string;
let boardId: string;
let mine: Page;
let theirs: Page;

interface Card {
  id: string;
  ref: string;
}

const ask = askAs(() => ({ site, cookie }));

const makeCard = (title: string, fields: object = {}) =>
  ask<Card>('POST', `/api/v1/board/boards/${boardId}/tasks`, { title, ...fields });
const readCard = (card: Card) => ask<Record<string, unknown>>('GET', `/api/v1/board/tasks/${card.id}`);
const changeCard = (card: Card, fields: object) => ask('PATCH', `/api/v1/board/tasks/${card.id}`, fields);
const boardPath = () => `/dashboard/boards/${boardId}`;
const columnOf = (page: Page, name: string) => page.locator(`[data-column="${name}"]`);
const cardOf = (page: Page, card: Card) => page.locator(`[data-card="${card.id}"]`);
const titleOf = (page: Page, card: Card) => cardOf(page, card).locator('.card-title');
const orderIn = (page: Page, column: string) =>
  columnOf(page, column).locator('.card-title').allTextContents();
const focused = (page: Page) => page.evaluate('document.activeElement.textContent') as Promise<string>;

const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 120_000 });

/** A separate board keeps the cards of other tests out of this one. */
async function makeBoard(name: string): Promise<string> {
  const board = await ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name });
  boardId = board.board_id;
  return boardId;
}

async function open(page: Page, path = boardPath()): Promise<void> {
  await page.goto(site.address + path);
  await page.getByText('Live', { exact: true }).first().waitFor();
}

async function moveByMenu(page: Page, card: Card, item: string): Promise<void> {
  await cardOf(page, card)
    .getByRole('button', { name: `Move ${card.ref}` })
    .click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

describePages('Board page', () => {
  beforeAll(async () => {
    site = await startSite();
    brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    admin = await site.world.person({ full_name: 'Ada Lindqvist', mail_name: 'ada' });
    colleague = await site.world.person({ full_name: 'Ben Okafor' });
    await site.world.member(brand, { role: 'admin', person: admin });
    await site.world.member(brand, { person: colleague });
    cookie = await site.world.signIn(admin, brand);
    await makeBoard('Navigator');
    mine = await site.signIn(admin, '/dashboard/boards');
    theirs = await site.signIn(colleague, '/dashboard/boards');
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(() => expectSilence(site));

  usually(describe)('Moving cards', () => {
    beforeAll(() => makeBoard('Moving'));

    it("moves a card, records it in the feed, updates other users' boards and keeps the focus on the card", async () => {
      const card = await makeCard('Replan the path');
      await open(mine);
      await open(theirs);
      await theirs.getByRole('button', { name: 'Activity' }).click();
      await moveByMenu(mine, card, 'Move to Review');
      await columnOf(mine, 'Review').getByText('Replan the path').waitFor();
      await columnOf(theirs, 'Review').getByText('Replan the path').waitFor();
      const entry = theirs.locator('[data-action="task.moved"]').first();
      await entry.waitFor();
      expect(await entry.textContent()).toContain(`Ada Lindqvist moved ${card.ref} from Backlog to Review`);
      await eventually(() => focused(mine)).toBe('Replan the path');
    });

    it('undoes a move from its receipt', async () => {
      const card = await makeCard('There and back');
      await cardOf(mine, card).waitFor();
      await moveByMenu(mine, card, 'Move to Done');
      await mine.getByText(`${card.ref} moved to Done`).waitFor();
      await mine.getByRole('button', { name: 'Undo', exact: true }).last().click();
      await mine.getByText(`${card.ref} was not changed`).waitFor();
      expect(await readCard(card)).toMatchObject({ status: 'pending', column: { name: 'Backlog' } });
    });

    it('moves a card by dragging it to another column or between two cards', async () => {
      await makeBoard('Dragging');
      const [first, second, third] = [
        await makeCard('First'),
        await makeCard('Second'),
        await makeCard('Third'),
      ];
      await open(mine);
      await cardOf(mine, third).dragTo(cardOf(mine, first), { targetPosition: { x: 40, y: 6 } });
      await mine.getByText(`${third.ref} is 1 of 3 in Backlog`).waitFor();
      expect(await orderIn(mine, 'Backlog')).toEqual(['Third', 'First', 'Second']);
      await cardOf(mine, second).dragTo(columnOf(mine, 'Blocked'));
      await mine.getByText(`${second.ref} moved to Blocked`).waitFor();
      expect(await readCard(second)).toMatchObject({ status: 'blocked' });
      await mine.reload();
      await cardOf(mine, third).waitFor();
      expect(await orderIn(mine, 'Backlog')).toEqual(['Third', 'First']);
    });

    it('reorders and moves cards by keyboard only, with the focus on the card', async () => {
      await makeBoard('Keys');
      const [first, second] = [await makeCard('First'), await makeCard('Second'), await makeCard('Third')];
      await open(mine);
      await titleOf(mine, first!).focus();
      await mine.keyboard.press('Alt+ArrowDown');
      await mine.getByText(`${first!.ref} is 2 of 3 in Backlog`).waitFor();
      await eventually(() => orderIn(mine, 'Backlog')).toEqual(['Second', 'First', 'Third']);
      await eventually(() => focused(mine)).toBe('First');
      await mine.keyboard.press('ArrowUp');
      await eventually(() => focused(mine)).toBe('Second');
      await mine.keyboard.press(']');
      await mine.getByText(`${second!.ref} moved to In Progress`).waitFor();
      await eventually(() => focused(mine)).toBe('Second');
      await mine.keyboard.press('m');
      await mine.getByRole('menuitem', { name: 'Move to Done' }).waitFor();
      await mine.keyboard.press('Escape');
      await eventually(() => mine.getByRole('menu').count()).toBe(0);
      await mine.reload();
      await titleOf(mine, second!).waitFor();
      expect(await orderIn(mine, 'Backlog')).toEqual(['First', 'Third']);
    });

    it('puts a card back without a layout shift when the service is down', async () => {
      await makeBoard('Down');
      const card = await makeCard('Stays here');
      await makeCard('Beside it');
      await open(mine);
      const before = await mine.locator('.columns').boundingBox();
      const restore = await cutLine(mine);
      try {
        await moveByMenu(mine, card, 'Move to Review');
        await mine.getByText(new RegExp(`^${card.ref} was not changed: `)).waitFor();
        expect(await orderIn(mine, 'Backlog')).toEqual(['Stays here', 'Beside it']);
        expect(await orderIn(mine, 'Review')).toEqual([]);
        expect(await mine.locator('.columns').boundingBox()).toEqual(before);
        await eventually(() => focused(mine)).toBe('Stays here');
      } finally {
        await restore();
      }
      expect(await readCard(card)).toMatchObject({ column: { name: 'Backlog' } });
    });
  });

  deeply(describe)('Open card', () => {
    let card: Card;
    beforeAll(async () => {
      await makeBoard('Open cards');
      card = await makeCard('Watch the lidar', { instructions: '# Plan\n\nCheck **both** sensors.' });
      await makeCard('The next one');
    });

    it("shows other users' changes immediately and keeps unsaved input", async () => {
      await open(mine, `${boardPath()}?card=${card.id}`);
      const drawer = mine.getByRole('dialog');
      await drawer.getByRole('heading', { name: 'Plan' }).waitFor();
      await drawer.getByLabel('Add a comment').fill('Half a thought');
      await drawer.getByRole('button', { name: 'Edit', exact: true }).click();
      await drawer.getByLabel('Instructions').fill('Mine');
      await changeCard(card, { title: 'Watch both lidars', priority: 'high' });
      await eventually(() => drawer.getByLabel('Title').inputValue()).toBe('Watch both lidars');
      await eventually(() => drawer.getByLabel('Priority').inputValue()).toBe('high');
      await ask('POST', `/api/v1/board/tasks/${card.id}/comments`, { body: 'Seen *twice*.' });
      await drawer.locator('.comment').getByText('twice').waitFor();
      expect(await drawer.getByLabel('Instructions').inputValue()).toBe('Mine');
      expect(await drawer.getByLabel('Add a comment').inputValue()).toBe('Half a thought');
    });

    it('reports a text that another user changed and overwrites it only after confirmation', async () => {
      const drawer = mine.getByRole('dialog');
      await changeCard(card, { instructions: 'Theirs' });
      await drawer.getByText('Someone changed the instructions while you were writing').waitFor();
      expect(await drawer.getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(true);
      await drawer.getByRole('button', { name: 'Keep my text' }).click();
      await drawer.getByRole('button', { name: 'Save changes' }).click();
      await mine.getByText(`${card.ref} saved`).waitFor();
      expect(await readCard(card)).toMatchObject({ instructions: 'Mine', title: 'Watch both lidars' });
    });

    it('confirms before Escape discards input, and keeps it across a reload and an expired session', async () => {
      const drawer = mine.getByRole('dialog');
      await mine.keyboard.press('Escape');
      await drawer.getByText('Discard what you typed?').waitFor();
      await drawer.getByRole('button', { name: 'Keep editing' }).click();
      await mine.reload();
      expect(await drawer.getByLabel('Add a comment').inputValue()).toBe('Half a thought');

      await mine.context().clearCookies();
      // Another request may meet the ended session first, so its dialog can already cover this button.
      await drawer.getByRole('button', { name: 'Comment', exact: true }).dispatchEvent('click');
      const again = mine.getByRole('dialog', { name: 'Your session has ended' });
      await again.getByLabel('Password').fill(PASSWORD);
      await again.getByRole('button', { name: 'Sign in' }).click();
      await again.waitFor({ state: 'detached' });
      expect(await drawer.getByLabel('Add a comment').inputValue()).toBe('Half a thought');
      await drawer.getByRole('button', { name: 'Comment', exact: true }).click();
      await drawer.locator('.comment').getByText('Half a thought').waitFor();
    });

    it('assigns people and agents from one list, with undo', async () => {
      await ask('POST', '/api/v1/memory/memories', {
        agent_id: 'pathfinder',
        kind: 'fact',
        title: 'Lidar warms up',
        body: 'Four seconds.',
      });
      await mine.reload();
      const drawer = mine.getByRole('dialog');
      const assignee = drawer.getByRole('button', { name: /^Assignee/ });
      await assignee.click();
      await mine.keyboard.type('ben');
      await mine.keyboard.press('Enter');
      await mine.getByText(`${card.ref}: assigned to Ben Okafor`).waitFor();
      await assignee.click();
      await mine.getByRole('option', { name: /pathfinder/ }).click();
      await mine.getByText(`${card.ref}: given to pathfinder`).waitFor();
      await eventually(() => readCard(card)).toMatchObject({
        assignee: { name: 'Ben Okafor' },
        assignee_agent_id: 'pathfinder',
      });
      await mine.getByRole('button', { name: 'Undo', exact: true }).last().click();
      await mine.getByText(`${card.ref} was not changed`).waitFor();
      expect(await readCard(card)).toMatchObject({ assignee_agent_id: null });
    });

    it('saves labels, due date, parent and comments, and mentions people', async () => {
      const drawer = mine.getByRole('dialog', { name: card.ref });
      await drawer.getByRole('button', { name: /^Labels/ }).click();
      await mine.keyboard.type('sensors');
      await mine.keyboard.press('Enter');
      await mine.keyboard.press('Escape');
      await drawer.getByLabel('Due').fill('2030-01-02');
      await drawer.locator('[data-field="parent"]').getByRole('button').click();
      await mine.keyboard.type('the next');
      await mine.getByRole('option', { name: /The next one/ }).click();
      await drawer.locator('[data-field="parent"]').getByText('The next one').waitFor();
      const area = drawer.getByLabel('Add a comment');
      await area.fill('Over to ');
      await area.press('End');
      await area.pressSequentially('@be');
      await drawer.getByRole('option', { name: /Ben Okafor/ }).waitFor();
      await mine.keyboard.press('Enter');
      await eventually(() => area.inputValue()).toBe('Over to @Ben Okafor ');
      await drawer.getByRole('button', { name: 'Comment', exact: true }).click();
      const said = drawer.locator('.comment').filter({ hasText: 'Over to' });
      await said.getByRole('button', { name: /More on the comment/ }).click();
      await mine.getByRole('menuitem', { name: 'Edit' }).click();
      await said.getByLabel('Edit the comment').fill('Over to both');
      await said.getByRole('button', { name: 'Save comment' }).click();
      await drawer.locator('.comment').getByText('Over to both').waitFor();
      const kept = await readCard(card);
      expect(kept).toMatchObject({ labels: ['sensors'] });
      expect(kept['due_at']).toMatch(/^2030-01-0[123]T/);
      await drawer.getByText('Activity', { exact: true }).click();
      await drawer.locator('.card-activity li').first().waitFor();
    });

    it('opens the next card with j, focuses its tile after closing, and leaves the board with Back', async () => {
      await mine.goto(`${site.address}/dashboard/boards`);
      await mine.getByRole('link', { name: /Open cards/ }).click();
      await titleOf(mine, card).click();
      await mine.getByRole('dialog', { name: card.ref }).waitFor();
      await mine.keyboard.press('j');
      await eventually(() => mine.getByLabel('Title').inputValue()).toBe('The next one');
      await mine.keyboard.press('Escape');
      await mine.getByRole('dialog').waitFor({ state: 'detached' });
      await eventually(() => focused(mine)).toBe('The next one');
      expect(mine.url()).toBe(site.address + boardPath());
      await mine.goBack();
      await mine.getByRole('heading', { name: 'Boards' }).waitFor();
      expect(mine.url()).toBe(`${site.address}/dashboard/boards`);
    });

    it('shows the open card in the tab title and displays a long title in full', async () => {
      const title = 'Measure how far the lidar drifts when the robot turns twice on a wet floor in hall B';
      const card = await makeCard(title);
      const page = await site.signIn(admin, `${boardPath()}?card=${card.id}`, { size: NARROW });
      const field = page.getByRole('dialog').getByLabel('Title');
      await field.waitFor();
      await eventually(() => page.title()).toBe(`${card.ref} ${title} · Acme Robotics`);
      expect(
        await field.evaluate(
          (box) => box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight + 1,
        ),
      ).toBe(true);
      await field.fill('Measure\nthe drift');
      expect(await field.inputValue()).toBe('Measure the drift');
      await field.press('Enter');
      await page.getByText(`${card.ref} saved`).waitFor();
      await page.keyboard.press('Escape');
      await eventually(() => page.title()).not.toContain(card.ref);
      await page.goto(`${site.address}/dashboard/nowhere`);
      await eventually(() => page.title()).toBe('Page not found · Acme Robotics');
    });

    it('deletes a card after confirmation and focuses a neighboring card', async () => {
      await makeBoard('Deleting');
      const [gone] = [await makeCard('To be gone'), await makeCard('Its neighbour')];
      await open(mine);
      await titleOf(mine, gone).click();
      await mine.getByRole('button', { name: 'Delete card' }).click();
      await mine
        .getByRole('dialog', { name: 'Delete this card?' })
        .getByRole('button', { name: 'Delete card' })
        .click();
      await cardOf(mine, gone).waitFor({ state: 'detached' });
      await eventually(() => focused(mine)).toBe('Its neighbour');
    });
  });

  deeply(describe)('Creating and finding cards', () => {
    it('keeps the draft of a new card and creates it', async () => {
      await makeBoard('Making');
      await open(mine);
      await mine.keyboard.press('c');
      await mine.getByLabel('Title').fill('Made here');
      await mine.reload();
      await mine.getByRole('button', { name: 'New card', exact: true }).click();
      expect(await mine.getByLabel('Title').inputValue()).toBe('Made here');
      await mine.getByRole('button', { name: 'Create card' }).click();
      await columnOf(mine, 'Backlog').getByText('Made here').waitFor();
      await eventually(() => focused(mine)).toBe('Made here');
    });

    it('filters without requests and stores the filter in the URL', async () => {
      await makeBoard('Filtering');
      await makeCard('Lidar drift', { priority: 'high', labels: ['sensors'] });
      await makeCard('Paint the hall', { assignee: admin.user_id });
      await open(mine);
      const asked: string[] = [];
      const note = (request: { url(): string }) => asked.push(request.url());
      mine.on('request', note);
      await mine.getByPlaceholder('Filter cards').pressSequentially('lidar');
      await mine.waitForURL(/q=lidar/);
      await eventually(() => orderIn(mine, 'Backlog')).toEqual(['Lidar drift']);
      mine.off('request', note);
      expect(asked.filter((url) => url.includes('/board/'))).toEqual([]);
      await mine.getByRole('button', { name: 'Clear' }).click();
      await mine.getByRole('button', { name: /^Filter by assignee/ }).click();
      await mine.keyboard.press('Enter');
      await mine.keyboard.press('Escape');
      await mine.waitForURL(/assignee=me/);
      await mine.reload();
      await eventually(() => orderIn(mine, 'Backlog')).toEqual(['Paint the hall']);
    });
  });

  deeply(describe)('Board settings', () => {
    it('creates a board with custom columns, renames and rearranges it, and deletes it by name', async () => {
      await mine.goto(`${site.address}/dashboard/boards`);
      await mine.getByRole('button', { name: 'New board' }).click();
      await mine.getByLabel('Name', { exact: true }).fill('Workshop');
      await mine.getByLabel('Name of column 1').fill('Ideas');
      await mine.getByRole('button', { name: 'Remove Blocked' }).click();
      await mine.getByRole('button', { name: 'Create board' }).click();
      await mine.getByRole('heading', { name: 'Workshop' }).waitFor();
      const names = () => mine.locator('.column h2').allTextContents();
      expect(await names()).toEqual(['Ideas', 'In Progress', 'Review', 'Done']);

      await mine.getByRole('button', { name: 'More on this board' }).click();
      await mine.getByRole('menuitem', { name: 'Name and columns…' }).click();
      await mine.getByRole('button', { name: 'Move Review left' }).click();
      await mine.getByLabel('Name', { exact: true }).fill('The workshop');
      await mine.getByRole('button', { name: 'Save board' }).click();
      await mine.getByRole('heading', { name: 'The workshop' }).waitFor();
      expect(await names()).toEqual(['Ideas', 'Review', 'In Progress', 'Done']);

      await mine.getByRole('button', { name: 'More on this board' }).click();
      await mine.getByRole('menuitem', { name: 'Delete board…' }).click();
      const remove = mine.getByRole('button', { name: 'Delete board' });
      expect(await remove.isDisabled()).toBe(true);
      await mine.getByLabel(/^Type “The workshop”/).fill('The workshop');
      await remove.click();
      await mine.getByRole('heading', { name: 'Boards' }).waitFor();
      expect(await mine.getByText('The workshop', { exact: true }).count()).toBe(0);
    });

    it('shows the number of open cards, and hides CRM boards when CRM is disabled', async () => {
      await ask('POST', '/api/v1/board/boards', { name: 'Customers', board_type: 'crm' });
      await mine.goto(`${site.address}/dashboard/boards`);
      await mine.getByRole('link', { name: /Customers/ }).waitFor();
      await mine.getByRole('link', { name: /Filtering.*2 open of 2/ }).waitFor();
      await ask('PUT', `/api/v1/brands/${brand.brand_id}/features/crm`, { on: false });
      await mine.reload();
      await mine.getByRole('link', { name: /Filtering/ }).waitFor();
      await mine.getByRole('link', { name: /Customers/ }).waitFor({ state: 'detached' });
    });
  });

  deeply(describe)('Guests', () => {
    it('offers guests only the actions that their role on the board allows', async () => {
      await makeBoard('Shared');
      const card = await makeCard('Look at me', { instructions: 'Read this.' });
      const guest = await site.world.person({ full_name: 'Gus Herrera' });
      const level = (role: string) =>
        ask('PUT', `/api/v1/board/boards/${boardId}/guests/${guest.user_id}`, { role });

      await level('viewer');
      const page = await site.signIn(guest, boardPath());
      await titleOf(page, card).waitFor();
      expect(await page.getByRole('button', { name: /New card|Move / }).count()).toBe(0);
      await titleOf(page, card).click();
      const drawer = page.getByRole('dialog');
      await drawer.getByText('Read this.').waitFor();
      expect(await drawer.locator('input, textarea, select').count()).toBe(0);
      expect(await drawer.getByRole('button', { name: /Delete|Save|Edit/ }).count()).toBe(0);
      await page.keyboard.press('?');
      const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await keys.getByText('Copy the link to this card').waitFor();
      expect(await keys.getByText(/Assign|Label|Comment/).count()).toBe(0);
      await page.keyboard.press('Escape');

      await level('commenter');
      await page.reload();
      await drawer.getByLabel('Add a comment').fill('Looks good');
      await drawer.getByRole('button', { name: 'Comment', exact: true }).click();
      await drawer.locator('.comment').getByText('Looks good').waitFor();
      expect(await drawer.getByLabel('Title').count()).toBe(0);

      await level('editor');
      await page.reload();
      await drawer.getByLabel('Priority').selectOption('high');
      await page.getByText(`${card.ref}: priority high`).waitFor();
      expect(await drawer.getByRole('button', { name: 'Delete card' }).count()).toBe(0);
      expect(await drawer.getByLabel('Profile').count()).toBe(0);
    });
  });

  deeply(describe)('Accessibility', () => {
    it('has no accessibility violations in either theme and size, and no overlapping text on a phone', async () => {
      await makeBoard('For everybody');
      const card = await makeCard('Read me aloud', {
        priority: 'urgent',
        labels: ['sensors', 'speed'],
        due_at: '2020-01-01T00:00:00Z',
        cost_usd: 1.25,
        assignee: colleague.user_id,
        branch: 'fix/lidar-drift-with-a-long-name',
        checks_state: 'failing',
        instructions: '## Plan\n\n- one\n- two',
      });
      for (const [theme, size] of [
        ['light', undefined],
        ['dark', NARROW],
      ] as const) {
        const page = await site.signIn(admin, boardPath(), { theme, size });
        await titleOf(page, card).waitFor();
        expect(await findBarriers(page), `the board, ${theme}`).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
          size?.width ?? 1280,
        );
        await takePicture(page, `board-${theme}`);
        await page.goto(`${site.address}${boardPath()}?card=${card.id}`);
        await page.getByRole('dialog').getByRole('heading', { name: 'Plan' }).waitFor();
        expect(await findBarriers(page), `the card, ${theme}`).toEqual([]);
        await takePicture(page, `card-${theme}`);
        await page.goto(`${site.address}/dashboard/boards`);
        await page.getByRole('link', { name: /For everybody/ }).waitFor();
        expect(await findBarriers(page), `the boards, ${theme}`).toEqual([]);
      }
    });
  });
});
