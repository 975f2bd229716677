import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestBrand, TestPerson } from '../support/app.js';
import {
  askAs,
  cutLine,
  describePages,
  findBarriers,
  leaveInSilence,
  NARROW,
  type Site,
  startSite,
  takePicture,
} from './browser.js';

let site: Site;
let brand: TestBrand;
let admin: TestPerson;
let cookie: string;
let boardId: string;

const ask = askAs(() => ({ site, cookie }));

/** Text of the focused element. */
const focused = (page: Page) => page.evaluate('document.activeElement.textContent');

/** Delays responses; the returned function removes the delay. */
async function slowDown(page: Page, address: string): Promise<() => Promise<void>> {
  await page.route(address, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  return () => page.unroute(address);
}

/** Texts of a row that one of its buttons covers. */
const findCovered = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('.row')].flatMap((row) => {
    const words = [...row.querySelectorAll('.row-main > *')].map((text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      return { text, places: [...range.getClientRects()] };
    });
    return [...row.querySelectorAll('button')].flatMap((button) => {
      const over = button.getBoundingClientRect();
      const meets = (place) =>
        place.right > over.left && place.left < over.right && place.bottom > over.top && place.top < over.bottom;
      return words
        .filter(({ places }) => places.some(meets))
        .map(({ text }) => button.textContent + ' over ' + text.textContent);
    });
  })`) as Promise<string[]>;

describePages('Settings pages', () => {
  beforeAll(async () => {
    site = await startSite();
    brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    admin = await site.world.person({ full_name: 'Ada Lindqvist', mail_name: 'ada' });
    await site.world.member(brand, { role: 'admin', person: admin });
    cookie = await site.world.signIn(admin, brand);
    boardId = (await ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name: 'Navigator' }))
      .board_id;
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(() => leaveInSilence(site));

  describe('Settings', () => {
    it('has no animations when reduced motion is requested', async () => {
      const page = await site.signIn(admin, '/dashboard/settings/features');
      await page.getByRole('switch').first().waitFor();
      const moving = () =>
        page.evaluate(`(() => {
          const waiting = document.querySelector('.settings-body').appendChild(document.createElement('div'));
          waiting.className = 'skeleton-row';
          const { animationDuration } = getComputedStyle(waiting);
          waiting.remove();
          return [animationDuration, getComputedStyle(document.querySelector('.toggle-knob')).transitionDuration];
        })()`);
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      expect(await moving()).toEqual(['1.4s', '0.15s']);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      expect(await moving()).toEqual(['0s', '0s']);
    });

    it("keeps the selected theme regardless of the system's", async () => {
      const page = await site.signIn(admin, '/dashboard/settings/profile');
      const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
      const theme = page.getByLabel('Theme');
      await theme.waitFor();
      const light = await paper();
      await theme.selectOption('dark');
      expect(await paper()).not.toBe(light);
      expect(await findBarriers(page)).toEqual([]);
      await page.reload();
      await theme.waitFor();
      expect(await theme.inputValue()).toBe('dark');
      expect(await paper()).not.toBe(light);
      await page.emulateMedia({ colorScheme: 'dark' });
      await theme.selectOption('light');
      expect(await paper()).toBe(light);
      await theme.selectOption('system');
      expect(await paper()).not.toBe(light);
    });

    it('hides the area of a disabled feature and shows who disabled it', async () => {
      const page = await site.signIn(admin, '/dashboard/settings/features');
      const areas = page.getByRole('navigation', { name: 'Areas' });
      await areas.getByRole('link', { name: 'Machines' }).waitFor();
      await page.getByRole('switch', { name: 'Machines' }).click();
      await areas.getByRole('link', { name: 'Machines' }).waitFor({ state: 'detached' });
      await page.getByText('Off, set by Ada Lindqvist').waitFor();
      await page.getByRole('switch', { name: 'Machines' }).click();
      await areas.getByRole('link', { name: 'Machines' }).waitFor();
    });

    it('shows while typing whether a mail name is available', async () => {
      const page = await site.signIn(admin, '/dashboard/settings/mail');
      await page.getByLabel('New name').fill('ada-l');
      await page.getByText('ada-l@mail.guildhall.local is available').waitFor();
      await page.getByRole('button', { name: 'Change address' }).click();
      await page.getByText('Your address is now').waitFor();
    });

    it('shows a token once, in a dialog that no key or outside click closes', async () => {
      const page = await site.signIn(admin, '/dashboard/settings/tokens');
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByLabel('Name').fill('script');
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByText(/^guild_pat_/).waitFor();
      for (const _ of [1, 2, 3]) await page.keyboard.press('Escape');
      await page.mouse.click(5, 5);
      await page.keyboard.press('Control+k');
      expect(await page.getByRole('dialog').count()).toBe(1);
      expect(await page.getByText(/^guild_pat_/).isVisible()).toBe(true);
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByText('script', { exact: true }).waitFor();
      expect(await page.content()).not.toContain('guild_pat_');
    });

    it("explains who can allow a scope that the workspace's tokens cannot have, for tokens and webhooks", async () => {
      const narrow = await site.world.brand({ scope_ceiling: ['brand:read', 'memory:read'] });
      const other = await site.world.member(narrow, { role: 'admin' });
      const page = await site.signIn(other, '/dashboard/settings/webhooks');
      const note = `PATCH /api/v1/admin/brands/${narrow.brand_id}`;
      await page.getByText(note).waitFor();
      await page.goto(`${site.address}/dashboard/settings/tokens`);
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByText(note).first().waitFor();
      expect(await page.getByRole('checkbox', { name: 'brand:admin' }).isDisabled()).toBe(true);
      await page.getByLabel('Name').fill('narrow');
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByText(/^guild_pat_/).waitFor();
    });

    it('confirms before Escape or an outside click discards input', async () => {
      const page = await site.signIn(admin, '/dashboard/settings/members');
      await page.getByRole('button', { name: 'Invite' }).click();
      const dialog = page.getByRole('dialog', { name: 'Invite' });
      await page.getByLabel('E-mail address').fill('somebody@example.test');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Keep editing' }).click();
      await page.mouse.click(5, 5);
      await page.getByRole('button', { name: 'Keep editing' }).click();
      expect(await page.getByLabel('E-mail address').inputValue()).toBe('somebody@example.test');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Discard' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await focused(page)).toBe('Invite');
    });

    it('confirms before Escape discards input that the service refused or did not receive', async () => {
      const page = await site.signIn(admin, '/dashboard/settings/members');
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByLabel('E-mail address').fill('somebody@example.test');
      const restore = await cutLine(page);
      await page.getByRole('button', { name: 'Send the invitation' }).click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Keep editing' }).click();
      expect(await page.getByLabel('E-mail address').inputValue()).toBe('somebody@example.test');
      await restore();
    });

    it('shows all columns of the audit log on a common screen size', async () => {
      const guest = await site.world.person({ full_name: 'Alexandria Featherstonehaugh' });
      await ask('PUT', `/api/v1/board/boards/${boardId}/guests/${guest.user_id}`, { role: 'viewer' });
      await ask('POST', '/api/v1/workstations', { name: 'Anvil' });
      const page = await site.signIn(admin, '/dashboard/settings/audit');
      await page.getByRole('cell', { name: 'session.opened' }).first().waitFor();
      const hidden = await page
        .locator('.table-frame')
        .evaluate((frame) => frame.scrollWidth - frame.clientWidth);
      expect(hidden).toBeLessThanOrEqual(0);
    });

    it('keeps the focus on a switch, and in a list when its row is removed', async () => {
      const page = await site.signIn(admin, '/dashboard/settings/features');
      const hold = await slowDown(page, '**/features/feed');
      await page.getByRole('switch', { name: 'Feed' }).click();
      await page.getByText('Feed is off').waitFor();
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Feed');
      await hold();

      for (const name of ['first', 'second'])
        await ask('POST', '/api/v1/me/tokens', { name, scopes: ['brand:read'], expires_at: null });
      await page.goto(`${site.address}/dashboard/settings/tokens`);
      const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
      await row('first').getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('button', { name: 'Revoke token' }).click();
      await row('first').waitFor({ state: 'detached' });
      await expect.poll(() => focused(page)).toBe('Revoke');
    });

    it('invites a member and a guest by email, and revokes an invitation', async () => {
      const page = await site.signIn(admin, '/dashboard/settings/members');
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByLabel('E-mail address').fill('carla@example.test');
      await page.getByRole('button', { name: 'Send the invitation' }).click();
      await page.getByText('sent to carla@example.test').waitFor();
      await page.getByRole('link', { name: 'Guests' }).click();
      await page.getByRole('button', { name: 'Invite a guest' }).click();
      await page.getByLabel('E-mail address').fill('dora@example.test');
      await page.getByLabel('To', { exact: true }).selectOption({ label: 'Board: Navigator' });
      await page.getByRole('button', { name: 'Send the invitation' }).click();
      await page.getByText('sent to dora@example.test').waitFor();
      await page.getByRole('link', { name: 'Invitations' }).click();
      const row = page.locator('.row').filter({ hasText: 'carla@example.test' });
      await row.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('button', { name: 'Revoke invitation' }).click();
      await row.getByText('revoked').waitFor();
    });

    it('removes a member after confirmation', async () => {
      const leaver = await site.world.member(brand, {
        person: await site.world.person({ full_name: 'Lea Vanden' }),
      });
      const page = await site.signIn(admin, '/dashboard/settings/members');
      await page.getByRole('button', { name: 'Manage Lea Vanden' }).click();
      await page.getByRole('menuitem', { name: 'Remove from the workspace' }).click();
      await page.getByRole('button', { name: 'Remove member' }).click();
      await page.locator(`[data-member="${leaver.user_id}"]`).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Audit' }).click();
      await page.getByLabel('What', { exact: true }).selectOption('member.removed');
      await page.getByRole('cell', { name: 'member.removed' }).first().waitFor();
      expect(new URL(page.url()).searchParams.get('action')).toBe('member.removed');
    });

    it('creates a webhook, shows its secret once, sends a test and lists its deliveries', async () => {
      const page = await site.signIn(admin, '/dashboard/settings/tokens');
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByText('No webhooks yet').waitFor();
      await page.getByRole('button', { name: 'New webhook' }).click();
      await page.getByLabel('Address').fill('http://127.0.0.1/secret');
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
      await page.getByLabel('Address').fill('https://receiver.example.com/hook');
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByText(/^whsec_/).waitFor();
      await page.evaluate('history.back(), new Promise((resolve) => setTimeout(resolve, 500))');
      expect([page.url(), await page.getByText(/^whsec_/).count()]).toEqual([
        `${site.address}/dashboard/settings/webhooks`,
        1,
      ]);
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('button', { name: /^Manage https:/ }).click();
      await page.getByRole('menuitem', { name: 'Send a test' }).click();
      const drawer = page.getByRole('dialog', { name: 'Deliveries' });
      await drawer.locator('.row').first().waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      // After the dialog was closed, Back does not open it again.
      await page.goBack();
      await page.waitForURL(/settings\/tokens/);
      await page.goForward();
      await page.getByRole('button', { name: /^Manage https:/ }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete webhook' }).click();
      await page.getByText('No webhooks yet').waitFor();
    });

    it("lists a user's sessions and ends the others", async () => {
      const person = await site.world.member(brand);
      const other = await site.signIn(person, '/dashboard/settings/profile');
      const page = await site.signIn(person, '/dashboard/settings/sessions');
      await page.getByText('this one').waitFor();
      await page.getByRole('button', { name: 'End other sessions' }).click();
      await page.getByRole('button', { name: 'End', exact: true }).click();
      await page.getByText('All other sessions are ended').waitFor();
      // Its stream ends with the session, so the page reacts without any action.
      await other.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    });

    it("switches between a user's workspaces", async () => {
      const second = await site.world.brand({ name: 'Second House' });
      const person = await site.world.member(brand);
      await site.world.member(second, { person });
      const page = await site.signIn(person, '/dashboard/settings/profile');
      const home = page.locator('.sidebar-brand strong');
      const before = await home.textContent();
      await page.getByRole('button', { name: 'Switch workspace' }).click();
      await page.getByRole('menuitem').first().click();
      await page.locator('.sidebar-brand strong').filter({ hasNotText: before! }).waitFor();
      await expect.poll(() => page.title(), { timeout: 120_000 }).not.toContain(before!);
    });

    it('changes a role, with undo', async () => {
      const person = await site.world.member(brand);
      const page = await site.signIn(admin, '/dashboard/settings/members');
      const row = page.locator(`[data-member="${person.user_id}"]`);
      await row.getByRole('button', { name: /^Manage/ }).click();
      await page.getByRole('menuitem', { name: 'Make admin' }).click();
      await row.getByText('admin', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await row.getByText('member', { exact: true }).waitFor();
    });

    it('explains that a page is for admins or does not exist, instead of showing another', async () => {
      const page = await site.signIn(await site.world.member(brand), '/dashboard/settings/audit');
      await page.getByText('Only admins of the workspace can open this page.').waitFor();
      await page.goto(`${site.address}/dashboard/settings/nonsense`);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    });

    it('shows members only their pages and actions, and guests only their own settings', async () => {
      const member = await site.world.member(brand);
      const guest = await site.world.person({ full_name: 'Gia Rossi' });
      await ask('PUT', `/api/v1/board/boards/${boardId}/guests/${guest.user_id}`, { role: 'viewer' });
      const names = async (page: Page) => {
        const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
        await links.first().waitFor();
        return links.allTextContents();
      };
      const own = ['Profile and data', 'Sign-in', 'Sessions'];
      expect(await names(await site.signIn(guest, '/dashboard/settings'))).toEqual(own);
      const theirs = await site.signIn(member, '/dashboard/settings/members');
      const all = [...own, 'Access tokens', 'Mail address'];
      expect(await names(theirs)).toEqual(['General', 'Features', 'Build policy', 'Members', ...all]);
      expect(await theirs.getByRole('button', { name: /Invite|Manage/ }).count()).toBe(0);
    });

    it.each([
      ['light', undefined],
      ['dark', NARROW],
    ] as const)('has no accessibility violations in the %s theme', async (theme, size) => {
      const page = await site.signIn(admin, '/dashboard/settings/workspace', { theme, size });
      const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
      await links.first().waitFor();
      for (const name of await links.allTextContents()) {
        await links.filter({ hasText: name }).first().click();
        await page.getByRole('heading', { name, level: 1 }).waitFor();
        await page.locator('.settings-body section').first().waitFor();
        expect(await findBarriers(page), name).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), name).toBe(true);
      }
      await takePicture(page, `settings-${theme}`);
    });
  });

  describe('Settings on a phone', () => {
    it('shows the areas in a menu and nothing wider than the screen', async () => {
      const page = await site.signIn(admin, '/dashboard/settings/features', { size: NARROW });
      await page.getByRole('button', { name: 'Menu', exact: true }).click();
      await page.getByRole('link', { name: 'Agents' }).click();
      await page.getByRole('heading', { name: 'Agents' }).waitFor();
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(390);
    });

    it('shows the audit log without horizontal scrolling, each value with its label', async () => {
      const size = { width: 320, height: 640 };
      const page = await site.signIn(admin, '/dashboard/settings/audit', { size });
      await page.locator('.table-frame').waitFor();
      const seen = await page.evaluate(`(() => {
        const frame = document.querySelector('.table-frame');
        const name = getComputedStyle(frame.querySelector('td'), '::before').content;
        return { fits: frame.scrollWidth <= frame.clientWidth, name };
      })()`);
      expect(seen).toEqual({ fits: true, name: '"When"' });
    });

    it('keeps the open tab visible, and no button overlaps text', async () => {
      const guest = await site.world.person({ full_name: 'Guillermo Hernandez-Fernandez' });
      await ask('PUT', `/api/v1/board/boards/${boardId}/guests/${guest.user_id}`, { role: 'viewer' });
      const page = await site.signIn(admin, '/dashboard/settings/guests', { size: NARROW });
      await page.getByText('Guillermo Hernandez-Fernandez').waitFor();
      expect(await findCovered(page)).toEqual([]);
      for (const name of ['Guests', 'Mail address', 'General']) {
        await page.evaluate(`[...document.querySelectorAll('.settings-nav a')].find((link) =>
          link.textContent === '${name}').click()`);
        await page.getByRole('heading', { name, level: 1 }).waitFor();
        const place = await page
          .getByRole('navigation', { name: 'Settings' })
          .getByRole('link', { name })
          .boundingBox();
        expect(place!.x, name).toBeGreaterThanOrEqual(0);
        expect(place!.x + place!.width, name).toBeLessThanOrEqual(NARROW.width);
      }
    });
  });
});
