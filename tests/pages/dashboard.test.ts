import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, type TestBrand, type TestPerson } from '../support/app.js';
import { fillSignIn, findObstacle, type House, openHouse } from './browser.js';

const obstacle = await findObstacle();
if (obstacle) console.warn(`The pages are not tried: ${obstacle}`);

let house: House;
let brand: TestBrand;
let admin: TestPerson;
let colleague: TestPerson;
let cookie: string;
let boardId: string;

interface Card {
  id: string;
  ref: string;
}

async function ask<T>(method: 'GET' | 'POST' | 'PATCH' | 'PUT', url: string, payload?: object): Promise<T> {
  const response = await house.world.inject({ method, url, payload, headers: { cookie } });
  if (response.statusCode >= 300)
    throw new Error(`${method} ${url}: ${response.statusCode} ${response.body}`);
  return response.json() as T;
}

const makeCard = (title: string) => ask<Card>('POST', `/api/v1/board/boards/${boardId}/tasks`, { title });
const boardPath = () => `/dashboard/boards/${boardId}`;
const columnOf = (page: Page, name: string) => page.locator(`[data-column="${name}"]`);
const cardOf = (page: Page, card: Card) => page.locator(`[data-card="${card.id}"]`);

async function moveByMenu(page: Page, card: Card, column: string): Promise<void> {
  await cardOf(page, card)
    .getByRole('button', { name: `Move ${card.ref}` })
    .click();
  await page.getByRole('menuitem', { name: `Move to ${column}` }).click();
}

describe.skipIf(obstacle)('the dashboard in a browser', { timeout: 90_000 }, () => {
  beforeAll(async () => {
    house = await openHouse();
    brand = await house.world.brand({ name: 'Acme Robotics', plan: 'business' });
    admin = await house.world.person({ full_name: 'Ada Lindqvist', mail_name: 'ada' });
    colleague = await house.world.person({ full_name: 'Ben Okafor' });
    await house.world.member(brand, { role: 'admin', person: admin });
    await house.world.member(brand, { person: colleague });
    cookie = await house.world.signIn(admin, brand);
    const board = await ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name: 'Navigator' });
    boardId = board.board_id;
  });

  afterAll(async () => {
    await house?.close();
  });

  afterEach(() => {
    const heard = house.complaints.splice(0);
    expect(heard, 'console errors, policy violations and foreign requests').toEqual([]);
  });

  describe('signing in', () => {
    it("shows a refusal in the API's own words and stays", async () => {
      const page = await house.openPage('/dashboard');
      await fillSignIn(page, admin.email, 'not the password');
      const refusal = await house.world.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        payload: { email: admin.email, password: 'not the password' },
      });
      await page.getByRole('alert').getByText(refusal.json().detail).waitFor();
    });

    it('asks somebody with two-factor sign-in, set up in the settings, for a code', async () => {
      const { world } = house;
      const careful = await world.member(brand);
      const page = await house.signIn(careful, '/dashboard/settings/account');
      await page.getByRole('button', { name: 'Set it up' }).click();
      const secret = (await page.locator('form code').textContent())!;
      const code = () => new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() });
      await page.getByLabel('Code').fill(code());
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByText('10 recovery codes left').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await world.advance(60);
      await fillSignIn(page, careful.email, PASSWORD);
      await page.getByLabel('Code').fill(code());
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
    });

    it('mails a link to somebody who forgot the password, and says so either way', async () => {
      const page = await house.openPage('/sign-in?fault=oidc_unknown_person');
      await page.getByText('Ask an admin for an invitation').waitFor();
      await page.getByRole('button', { name: 'Forgot password?' }).click();
      await page.getByLabel('E-mail').fill('nobody@example.test');
      await page.getByRole('button', { name: 'Mail me a link' }).click();
      await page.getByText('a letter is on its way').waitFor();
      expect(await page.getByText('Sign in with your organisation').count()).toBe(0);
    });

    it('leads to the page that was asked for, and signing out leads back', async () => {
      const page = await house.openPage('/dashboard/settings/members');
      await fillSignIn(page, admin.email, PASSWORD);
      await page.getByText('Ben Okafor').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });
  });

  describe('a board', () => {
    it('moves a card, tells the feed, and shows it live to somebody else', async () => {
      const card = await makeCard('Replan the path');
      const mine = await house.signIn(admin, boardPath());
      const theirs = await house.signIn(colleague, boardPath());
      await theirs.getByRole('button', { name: 'Activity' }).click();
      await theirs.getByText('Live', { exact: true }).waitFor();
      await moveByMenu(mine, card, 'Review');
      await columnOf(mine, 'Review').getByText('Replan the path').waitFor();
      await columnOf(theirs, 'Review').getByText('Replan the path').waitFor();
      const entry = theirs.locator('[data-action="task.moved"]').first();
      expect(await entry.textContent()).toContain(`Ada Lindqvist moved ${card.ref} from Backlog to Review`);
    });

    it('undoes a move from its receipt', async () => {
      const card = await makeCard('There and back');
      const page = await house.signIn(admin, boardPath());
      await moveByMenu(page, card, 'Done');
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await page.getByText(`${card.ref} is as it was`).waitFor();
      const after = await ask<{ status: string; column: { name: string } }>(
        'GET',
        `/api/v1/board/tasks/${card.id}`,
      );
      expect(after).toMatchObject({ status: 'pending', column: { name: 'Backlog' } });
    });

    it('moves a card that is dragged to another column', async () => {
      const card = await makeCard('Drag me');
      const page = await house.signIn(admin, boardPath());
      await cardOf(page, card).dragTo(columnOf(page, 'Blocked'));
      await page.getByText(`${card.ref} moved to Blocked`).waitFor();
      const after = await ask<{ status: string }>('GET', `/api/v1/board/tasks/${card.id}`);
      expect(after.status).toBe('blocked');
    });

    it('explains a 412 and keeps the edits', async () => {
      const card = await makeCard('Contested');
      const page = await house.signIn(admin, `${boardPath()}?card=${card.id}`);
      await page.getByLabel('Instructions').fill('Mine');
      await ask('PATCH', `/api/v1/board/tasks/${card.id}`, { title: 'Theirs' });
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('The card has changed since that version: title').waitFor();
      await page.getByRole('button', { name: 'Show the present card and keep my edits' }).click();
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText(`${card.ref} saved`).waitFor();
      const after = await ask<object>('GET', `/api/v1/board/tasks/${card.id}`);
      expect(after).toMatchObject({ title: 'Theirs', instructions: 'Mine' });
    });

    it('takes comments in the drawer; Escape closes it and gives the focus back', async () => {
      const card = await makeCard('Talk about it');
      const page = await house.signIn(admin, boardPath());
      await cardOf(page, card).getByRole('button', { name: 'Talk about it' }).click();
      await page.getByLabel('Add a comment').fill('Looks right to me.');
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
      await page.getByRole('listitem').filter({ hasText: 'Looks right to me.' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(page.url()).toBe(house.address + boardPath());
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Talk about it');
    });

    it('makes a card', async () => {
      const page = await house.signIn(admin, boardPath());
      await page.getByRole('button', { name: 'New card', exact: true }).click();
      await page.getByLabel('Title').fill('Made here');
      await page.getByRole('button', { name: 'Make card' }).click();
      await columnOf(page, 'Backlog').getByText('Made here').waitFor();
    });
  });

  describe('machines', () => {
    it('orders a desk, shows the installer once, and its checklist', async () => {
      const page = await house.signIn(admin, '/dashboard/machines');
      await page.getByRole('button', { name: 'Order a desk' }).click();
      await page.getByLabel('Name').fill('North hall');
      await page.getByRole('button', { name: 'Order desk' }).click();
      await page.getByText(/^curl -sSL .*\| bash$/).waitFor();
      await page.getByText(/\| sudo bash$/).waitFor();
      await page.getByRole('button', { name: 'Go to the desk' }).click();
      const steps = page.getByRole('list', { name: 'Onboarding' }).getByRole('listitem');
      await steps.first().waitFor();
      expect(await steps.first().textContent()).toContain('awaiting callback');
      await page.reload();
      await steps.first().waitFor();
      expect(await page.content()).not.toContain('curl -sSL');
    });

    it('suspends and resumes a desk', async () => {
      const desk = await ask<{ onboarding_url: string }>('POST', '/api/v1/workstations', { name: 'Paused' });
      const page = await house.signIn(admin, desk.onboarding_url);
      await page.getByRole('button', { name: 'Suspend' }).click();
      await page.getByText('The desk is suspended').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('The desk is suspended').waitFor({ state: 'detached' });
    });
  });

  describe('agents', () => {
    it('hires an employee, follows the onboarding and cancels', async () => {
      await house.world.operator('POST', '/catalog', {
        name: 'Mira Stonehand',
        description: 'Builds in small steps.',
        template: { runtime: 'claude_code', instructions: 'Build.', packages: ['git-tools'] },
      });
      const page = await house.signIn(admin, '/dashboard/agents');
      await page.getByRole('button', { name: 'Hire Mira' }).click();
      await page.getByText('Mira Stonehand is being set up').waitFor();
      expect(page.url()).toMatch(/\/dashboard\/agents\/onboarding\?hire=[0-9a-f-]{36}$/);
      await house.world.runJob('hire-provision');
      await page.getByText('Mira Stonehand is at work').waitFor();
      await page.getByRole('button', { name: 'Cancel hire' }).click();
      await page.getByRole('button', { name: 'Cancel at period end' }).click();
      await page.getByText('works until').first().waitFor();
    });
  });

  describe('memory', () => {
    it('writes, finds and corrects a memory', async () => {
      const page = await house.signIn(admin, '/dashboard/memory');
      await page.getByRole('button', { name: 'Write a memory' }).click();
      await page.getByLabel('Agent id').fill('navigator');
      await page.getByLabel('Title').fill('Lidar needs a warm-up');
      await page.getByLabel('Body').fill('The first seconds drift.');
      await page.getByRole('button', { name: 'Write memory' }).click();
      await page.getByRole('link', { name: /navigator/ }).click();
      await page.getByPlaceholder('Search memories').fill('lidar');
      await page.getByLabel('Explain').check();
      await page.getByText('words looked for: lidar').waitFor();
      await page.getByRole('button', { name: /Lidar needs a warm-up/ }).click();
      await page.getByRole('button', { name: 'Correct' }).click();
      await page.getByLabel('Title').fill('Lidar needs four seconds');
      await page.getByRole('button', { name: 'Save correction' }).click();
      await page.getByRole('dialog').getByRole('heading', { name: 'Lidar needs four seconds' }).waitFor();
    });
  });

  describe('coder profiles', () => {
    it('shows an override with its source and takes it back', async () => {
      const page = await house.signIn(admin, '/dashboard/coder-profiles');
      await page.getByRole('region', { name: 'Claude Code' }).getByRole('button', { name: 'Docs' }).click();
      await page.getByLabel('Effort').selectOption('high');
      await page.getByRole('button', { name: 'Save override' }).click();
      await page.getByText('effort platform default → high').waitFor();
      await page.getByRole('button', { name: 'Reset effort' }).click();
      await page.getByText('effort high → platform default').waitFor();
    });
  });

  describe('settings', () => {
    it('hides an area whose feature is switched off, and says who did it', async () => {
      const page = await house.signIn(admin, '/dashboard/settings');
      const areas = page.getByRole('navigation', { name: 'Areas' });
      await areas.getByRole('link', { name: 'Machines' }).waitFor();
      await page.getByRole('switch', { name: 'Machines' }).click();
      await areas.getByRole('link', { name: 'Machines' }).waitFor({ state: 'detached' });
      await page.getByText('Off, set by Ada Lindqvist').waitFor();
      await page.getByRole('switch', { name: 'Machines' }).click();
      await areas.getByRole('link', { name: 'Machines' }).waitFor();
    });

    it('tells while typing whether a mail name is available', async () => {
      const page = await house.signIn(admin, '/dashboard/settings/mail');
      await page.getByLabel('New name').fill('ada-l');
      await page.getByText('ada-l@mail.guildhall.local is available').waitFor();
      await page.getByRole('button', { name: 'Change address' }).click();
      await page.getByText('Your address is now').waitFor();
    });

    it('shows a token this once', async () => {
      const page = await house.signIn(admin, '/dashboard/settings/tokens');
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByLabel('Name').fill('script');
      await page.getByRole('button', { name: 'Make token' }).click();
      await page.getByText(/^guild_pat_/).waitFor();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByText('script', { exact: true }).waitFor();
      expect(await page.content()).not.toContain('guild_pat_');
    });
  });

  describe('links that are mailed', () => {
    it('resets a password, once', async () => {
      const person = await house.world.member(brand);
      const page = await house.signIn(admin, '/dashboard/settings/members');
      await page.getByRole('button', { name: `Manage ${person.full_name}` }).click();
      await page.getByRole('menuitem', { name: 'Send reset link' }).click();
      await page.locator('.toast').waitFor();
      const link = await house.readMailedLink('/reset-password?token=');

      const first = await house.openPage(link);
      await first.getByLabel('New password').fill('another good password');
      await first.getByRole('button', { name: 'Set password' }).click();
      await first.getByRole('button', { name: 'Sign in' }).click();
      await fillSignIn(first, person.email, 'another good password');
      await first.getByRole('navigation', { name: 'Areas' }).waitFor();

      const second = await house.openPage(link);
      await second.getByLabel('New password').fill('yet another password');
      await second.getByRole('button', { name: 'Set password' }).click();
      await second.getByText('This link is no longer valid').waitFor();
    });

    it('makes a guest a member; before that only the boards are there', async () => {
      const guest = await house.world.person({ full_name: 'Gus Herrera' });
      await ask('PUT', `/api/v1/board/boards/${boardId}/guests/${guest.user_id}`, { role: 'viewer' });
      const theirs = await house.signIn(guest, '/dashboard/boards');
      await theirs.getByRole('link', { name: /Navigator/ }).waitFor();
      const areas = theirs.getByRole('navigation', { name: 'Areas' }).getByRole('link');
      expect(await areas.allTextContents()).toEqual(['Boards']);

      const page = await house.signIn(admin, '/dashboard/settings/guests');
      await page.getByRole('button', { name: 'Make member' }).click();
      await page.getByText(`An invitation is on its way to ${guest.email}`).waitFor();
      await theirs.goto(house.address + (await house.readMailedLink('/invitations/')));
      await theirs.getByRole('button', { name: 'Accept the invitation' }).click();
      await theirs.getByRole('heading', { name: /Boards|Sign in|Welcome/ }).waitFor();
      const { members } = await ask<{ members: TestPerson[] }>(
        'GET',
        `/api/v1/brands/${brand.brand_id}/members`,
      );
      expect(members.map(({ email }) => email)).toContain(guest.email);
    });
  });

  describe('a phone', () => {
    it('keeps the areas behind a menu and nothing wider than the screen', async () => {
      const page = await house.signIn(admin, '/dashboard/settings', { width: 390, height: 800 });
      await page.getByRole('button', { name: 'Menu', exact: true }).click();
      await page.getByRole('link', { name: 'Agents' }).click();
      await page.getByRole('heading', { name: 'Agents' }).waitFor();
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(390);
    });
  });
});
