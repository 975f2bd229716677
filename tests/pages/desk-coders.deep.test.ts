import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type BuildWorld, type Furnished, startBuildWorld } from '../support/build-world.js';
import { describePages, expectSilence, findBarriers, type Site, startSite, takePicture } from './browser.js';

let site: Site<BuildWorld>;
let room: Furnished;

const NPM = 'npm said: request to https://registry.npmjs.org/x failed, reason: getaddrinfo ENOTFOUND';

describePages('Coders, holds and checks of a desk', () => {
  beforeAll(async () => {
    site = await startSite(startBuildWorld);
    room = await site.world.furnish({ name: 'Acme Robotics' });
  });
  afterAll(async () => {
    await site?.close();
  });
  afterEach(() => expectSilence(site));

  it('shows what a desk lacks on the machine list, the desk page and the waiting build', async () => {
    const desk = await room.readyDesk({ name: 'shop-1', runtime: 'claude_code' });
    await room.work(desk, { coders: [], missing: [{ coder: 'claude', reason: NPM }] });
    const build = await room.build((await room.card()).id);
    const page = await site.signIn(room.space.admin, '/dashboard/machines');
    await page.getByText(`no claude: ${NPM}`).waitFor();
    await takePicture(page, 'machines-coders');
    await page.getByRole('link', { name: 'shop-1' }).click();
    const coders = page.getByRole('region', { name: 'Coders' });
    await coders.getByText(NPM).waitFor();
    await coders.getByText('The runtime Claude Code runs no Codex').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.goto(`${site.address}/dashboard/builds/${build.build_id}`);
    await page.getByText(`No ready desk runs claude: desk shop-1 has no claude: ${NPM}`).first().waitFor();
    await takePicture(page, 'build-waits');

    await room.work(desk, { coders: ['claude'] });
    await room.call('POST', `/api/v1/factory/builds/${build.build_id}/cancel`, {});
  });

  it('shows a hold wherever the desk appears, and lets an admin lift it', async () => {
    const desk = await room.readyDesk({ name: 'shop-2' });
    await room.build((await room.card()).id, { workstation_id: desk.id });
    const { buildId, claim } = await room.take(desk);
    const heldUntil = new Date(site.world.clock.now().getTime() + 3_600_000).toISOString();
    await room.finish(desk, buildId, claim, { outcome: 'failed', held_until: heldUntil });
    const page = await site.signIn(room.space.admin, '/dashboard/machines');
    await page.getByText(/^on hold until/).waitFor();
    await page.getByRole('link', { name: 'shop-2' }).click();
    await page.getByText(/^On hold until .*provider’s limit was reached/).waitFor();
    await takePicture(page, 'machine-held');
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Lift hold' }).click();
    await page.getByText('shop-2 gets builds again').waitFor();
    await page.getByText(/^On hold until/).waitFor({ state: 'detached' });
    await page.getByText('The hold was lifted').waitFor();
  });

  it('lets an admin set setup and checks, and shows which rule a refused value broke', async () => {
    const page = await site.signIn(room.space.admin, `/dashboard/lessons/${room.projectId}?tab=repository`);
    const section = page.getByRole('region', { name: 'Setup and checks' });
    await section.getByLabel('Setup command').fill('npm ci');
    await section.getByLabel('Minutes').fill('500');
    await section.getByRole('button', { name: 'Save' }).click();
    await section.getByText(/^Minutes must be/).waitFor();
    await section.getByLabel('Minutes').fill('20');
    await section.getByRole('button', { name: 'Add a check' }).click();
    const check = section.getByRole('group', { name: 'Check 1' });
    await check.getByLabel('Name').fill('tests');
    await check.getByLabel('Command').fill('npm test');
    await takePicture(page, 'project-checks');
    expect(await findBarriers(page)).toEqual([]);
    await section.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved for new builds').waitFor();
    const kept = await room.call('GET', `/api/v1/projects/${room.projectId}/checks`);
    expect(kept.body).toEqual({
      setup: { command: 'npm ci', minutes: 20 },
      checks: [{ name: 'tests', command: 'npm test', minutes: 15 }],
      required: true,
    });
  });

  it('shows setup and checks to members as read-only', async () => {
    const member = await site.world.member(room.space.brand);
    const page = await site.signIn(member, `/dashboard/lessons/${room.projectId}?tab=repository`);
    const section = page.getByRole('region', { name: 'Setup and checks' });
    await section.getByLabel('Setup command').waitFor();
    expect(await section.getByLabel('Setup command').isDisabled()).toBe(true);
    expect(await section.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });
});
