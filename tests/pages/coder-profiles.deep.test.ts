import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TestPerson } from '../support/app.js';
import {
  describePages,
  findBarriers,
  leaveInSilence,
  NARROW,
  type Site,
  startSite,
  takePicture,
} from './browser.js';

let site: Site;
let admin: TestPerson;

describePages('Coder profile page', () => {
  beforeAll(async () => {
    site = await startSite();
    const brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    admin = await site.world.member(brand, { role: 'admin' });
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(() => leaveInSilence(site));

  it('shows an override with its source and resets it', async () => {
    const page = await site.signIn(admin, '/dashboard/coder-profiles');
    await page
      .getByRole('region', { name: 'Claude Code', exact: true })
      .getByRole('button', { name: 'Docs' })
      .click();
    await page.getByLabel('Effort').selectOption('high');
    await page.getByRole('button', { name: 'Save override' }).click();
    await page.getByText('effort platform default → high').waitFor();
    await page.getByRole('button', { name: 'Reset effort' }).click();
    await page.getByText('effort high → platform default').waitFor();
  });

  it('has no accessibility violations in the dark theme on a narrow screen', async () => {
    const page = await site.signIn(admin, '/dashboard/coder-profiles', { theme: 'dark', size: NARROW });
    await page.getByRole('region', { name: 'Claude Code', exact: true }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'coder-profiles-dark-narrow');
  });
});
