import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuildWorld, type Furnished, startBuildWorld } from '../support/build-world.js';
import {
  describePages,
  expectSilence,
  findBarriers,
  NARROW,
  type Site,
  startSite,
  takePicture,
} from './browser.js';

let site: Site<BuildWorld>;
let room: Furnished;

describePages('Secrets of a project', () => {
  beforeAll(async () => {
    site = await startSite(startBuildWorld);
    room = await site.world.furnish({ name: 'Acme Robotics' });
  });
  afterAll(() => site?.close());

  it('are set without showing the value again, refused with a reason, and deleted, on a phone', async () => {
    const path = `/dashboard/lessons/${room.projectId}?tab=repository`;
    const page = await site.signIn(room.space.admin, path, { size: NARROW });
    const section = page.getByRole('region', { name: 'Secrets' });
    await section.getByLabel('Name').fill('PATH');
    await section.getByLabel('Value').fill('a secret value');
    await section.getByRole('button', { name: 'Set secret' }).click();
    await section.getByText('is reserved').waitFor();
    await section.getByLabel('Name').fill('NPM_TOKEN');
    await section.getByRole('button', { name: 'Set secret' }).click();
    await section.getByText('NPM_TOKEN', { exact: true }).waitFor();
    expect(await section.textContent()).not.toContain('a secret value');
    expect(await findBarriers(page)).toEqual([]);
    await section.scrollIntoViewIfNeeded();
    await takePicture(page, 'project-secrets');
    await section.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete secret' }).click();
    await section.getByText('NPM_TOKEN', { exact: true }).waitFor({ state: 'detached' });
    expectSilence(site);
  });
});
