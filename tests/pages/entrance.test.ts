import { TOTP } from 'otpauth';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, type TestBrand, type TestPerson } from '../support/app.js';
import { deeply, usually } from '../support/deep.js';
import {
  askAs,
  describePages,
  fillSignIn,
  findBarriers,
  leaveInSilence,
  type Site,
  startSite,
} from './browser.js';

let site: Site;
let brand: TestBrand;
let admin: TestPerson;
let cookie: string;
let boardId: string;

const ask = askAs(() => ({ site, cookie }));

describePages('Sign-in pages', () => {
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

  usually(describe)('Sign-in', () => {
    it("shows the API's error for a wrong password on the sign-in page", async () => {
      const page = await site.openPage('/dashboard');
      await fillSignIn(page, admin.email, 'not the password');
      const refusal = await site.world.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        payload: { email: admin.email, password: 'not the password' },
      });
      await page.getByRole('alert').getByText(refusal.json().detail).waitFor();
    });

    it('asks for a code after two-factor authentication was set up in the settings', async () => {
      const { world } = site;
      const careful = await world.member(brand);
      const page = await site.signIn(careful, '/dashboard/settings/account');
      await page.getByRole('button', { name: 'Set it up' }).click();
      const secret = (await page.locator('form code').textContent())!;
      const code = () => new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() });
      await page.getByLabel('Code').fill(code());
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByText('10 recovery codes left').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await world.advance(60);
      await fillSignIn(page, careful.email, PASSWORD);
      await page.getByLabel('Code').fill(code());
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
    });

    it('confirms a password reset request for an unknown address as well', async () => {
      const page = await site.openPage('/sign-in?fault=oidc_unknown_person');
      await page.getByText('Ask an admin for an invitation').waitFor();
      await page.getByRole('button', { name: 'Forgot password?' }).click();
      await page.getByLabel('E-mail').fill('nobody@example.test');
      await page.getByRole('button', { name: 'Mail me a link' }).click();
      await page.getByText('we mailed a link to it').waitFor();
      expect(await page.getByText('Sign in with your organization').count()).toBe(0);
    });

    it('opens the requested page after sign-in, and returns to sign-in after signing out', async () => {
      const page = await site.openPage('/dashboard/settings/members');
      await fillSignIn(page, admin.email, PASSWORD);
      await page.getByText('Ada Lindqvist').first().waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });
  });

  deeply(describe)('Ended session', () => {
    it('asks for sign-in over the current page and keeps unsaved input', async () => {
      const person = await site.world.member(brand, { role: 'admin' });
      const page = await site.signIn(person, '/dashboard/settings/webhooks');
      await page.getByRole('button', { name: 'New webhook' }).click();
      await page.getByLabel('Address').fill('https://receiver.test/hook');
      await page.context().clearCookies();
      // Another request may meet the ended session first, so its dialog can already cover this button.
      await page.getByRole('button', { name: 'Create webhook' }).dispatchEvent('click');
      const again = page.getByRole('dialog', { name: 'Your session has ended' });
      await again.waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await again.getByLabel('Password').fill(PASSWORD);
      await again.getByRole('button', { name: 'Sign in' }).click();
      await again.waitFor({ state: 'detached' });
      expect(await page.getByLabel('Address').inputValue()).toBe('https://receiver.test/hook');
    });

    it('shows nothing of the previous user after another user signs in over the page', async () => {
      const person = await site.world.member(brand, {
        person: await site.world.person({ full_name: 'Ivo Brandt' }),
      });
      const page = await site.signIn(person, '/dashboard/settings/profile');
      await page.getByLabel('Full name').waitFor();
      await page.context().clearCookies();
      await page.getByRole('link', { name: 'Sessions' }).dispatchEvent('click');
      const again = page.getByRole('dialog', { name: 'Your session has ended' });
      await again.getByLabel('E-mail').fill(admin.email);
      await again.getByLabel('Password').fill(PASSWORD);
      await again.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('.user-box').getByText('Ada Lindqvist').waitFor();
      expect(await page.content()).not.toContain('Ivo Brandt');
    });
  });

  deeply(describe)('Mailed links', () => {
    it('resets a password with a link that works once', async () => {
      const person = await site.world.member(brand);
      const page = await site.signIn(admin, '/dashboard/settings/members');
      await page.getByRole('button', { name: `Manage ${person.full_name}` }).click();
      await page.getByRole('menuitem', { name: 'Send reset link' }).click();
      await page.getByRole('button', { name: 'Send the link' }).click();
      await page.locator('.toast').waitFor();
      const link = await site.readMailedLink('/reset-password?token=');

      const first = await site.openPage(link);
      await first.getByLabel('New password').fill('another good password');
      await first.getByRole('button', { name: 'Set password' }).click();
      await first.getByRole('button', { name: 'Sign in' }).click();
      await fillSignIn(first, person.email, 'another good password');
      await first.getByRole('navigation', { name: 'Areas' }).waitFor();

      const second = await site.openPage(link);
      await second.getByLabel('New password').fill('yet another password');
      await second.getByRole('button', { name: 'Set password' }).click();
      await second.getByText('This link is no longer valid').waitFor();
    });

    it('turns a guest, who sees only a few areas, into a member', async () => {
      const guest = await site.world.person({ full_name: 'Gus Herrera' });
      await ask('PUT', `/api/v1/board/boards/${boardId}/guests/${guest.user_id}`, { role: 'viewer' });
      const theirs = await site.signIn(guest, '/dashboard/boards');
      await theirs.getByRole('link', { name: /Navigator/ }).waitFor();
      const areas = theirs.getByRole('navigation', { name: 'Areas' }).getByRole('link');
      expect(await areas.allTextContents()).toEqual(['Boards', 'Inbox', 'Work', 'Settings']);

      const page = await site.signIn(admin, '/dashboard/settings/guests');
      await page.getByRole('button', { name: 'Make member' }).click();
      await page.getByRole('button', { name: 'Send the invitation' }).click();
      await page.getByText(`Invitation sent to ${guest.email}`).waitFor();
      await theirs.goto(site.address + (await site.readMailedLink('/invitations/')));
      await theirs.getByRole('button', { name: 'Accept the invitation' }).click();
      await theirs.getByRole('heading', { name: /^Good .*Gus/ }).waitFor();
      const { members } = await ask<{ members: TestPerson[] }>(
        'GET',
        `/api/v1/brands/${brand.brand_id}/members`,
      );
      expect(members.map(({ email }) => email)).toContain(guest.email);
    });

    it('shows the workspace and sender of an invitation, and that a used one has expired', async () => {
      await ask('POST', `/api/v1/brands/${brand.brand_id}/invitations`, {
        email: 'new.person@example.test',
        role: 'member',
      });
      const link = await site.readMailedLink('/invitations/');
      const page = await site.openPage(link);
      await page
        .getByText('Ada Lindqvist invites new.person@example.test to Acme Robotics as a member')
        .waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.getByLabel('Full name').fill('Nora Person');
      await page.getByLabel('Password').fill('a long good password');
      await page.getByRole('button', { name: 'Join' }).click();
      await page.getByRole('heading', { name: /^Good .*Nora/ }).waitFor();
      const late = await site.openPage(link);
      await late.getByRole('alert').waitFor();
      await late.getByRole('heading', { name: 'This invitation has expired' }).waitFor();
      expect(await late.getByLabel('Full name').count()).toBe(0);
    });

    const inviteTo = async (workspace: TestBrand, email: string) => {
      const head = await site.world.member(workspace, { role: 'admin' });
      const response = await site.world.inject({
        method: 'POST',
        url: `/api/v1/brands/${workspace.brand_id}/invitations`,
        payload: { email, role: 'member' },
        headers: { cookie: await site.world.signIn(head, workspace) },
      });
      expect(response.statusCode).toBe(201);
      return site.readMailedLink('/invitations/');
    };

    it('opens the new workspace directly for a user who is signed in elsewhere', async () => {
      const second = await site.world.brand({ name: 'Second House' });
      const person = await site.world.member(brand);
      const link = await inviteTo(second, person.email);
      const page = await site.signIn(person, link);
      await page.getByRole('button', { name: 'Accept the invitation' }).click();
      await page.getByRole('heading', { name: /^Good / }).waitFor();
      expect(await page.locator('.sidebar-brand strong').textContent()).toBe('Second House');
    });

    it('asks the owner of an existing account to sign in instead of creating a second one', async () => {
      const person = await site.world.member(brand);
      const link = await inviteTo(await site.world.brand({ name: 'Third House' }), person.email);
      const page = await site.openPage(link);
      await page.getByRole('button', { name: 'Sign in to accept' }).click();
      await fillSignIn(page, person.email, PASSWORD);
      await page.getByRole('button', { name: 'Accept the invitation' }).click();
      await page.getByRole('heading', { name: /^Good / }).waitFor();
      expect(await page.locator('.sidebar-brand strong').textContent()).toBe('Third House');
    });

    it('shows the wrong user whom the invitation is for and lets them sign out and continue', async () => {
      const wanted = await site.world.member(brand);
      const link = await inviteTo(await site.world.brand({ name: 'Fourth House' }), wanted.email);
      const page = await site.signIn(await site.world.member(brand), link);
      await page.getByText(`The invitation is for ${wanted.email}`).waitFor();
      expect(await page.getByRole('button', { name: 'Accept the invitation' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Sign out and continue' }).click();
      await page.getByRole('button', { name: 'Sign in to accept' }).waitFor();
    });

    it('does not report an invitation as expired when the service is busy', async () => {
      const link = await inviteTo(brand, 'late.person@example.test');
      const page = await site.openPage('/sign-in');
      const address = '**/api/v1/invitations/*';
      await page.route(address, (route) => route.fulfill({ status: 429, json: { detail: 'Slow down' } }));
      await page.goto(site.address + link);
      await page.getByText('Slow down').waitFor();
      expect(await page.getByText('This invitation has expired').count()).toBe(0);
      await page.unroute(address);
      // The page recovers without a click.
      await page.getByLabel('Full name').waitFor();
    });
  });
});
