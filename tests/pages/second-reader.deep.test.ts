import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type BuildWorld, type FakeDesk, type Furnished, startBuildWorld } from '../support/build-world.js';
import { checkRoom } from '../support/check-room.js';
import { describePages, expectSilence, findBarriers, type Site, startSite, takePicture } from './browser.js';

let site: Site<BuildWorld>;
let room: Furnished;
let desk: FakeDesk;
let checks: ReturnType<typeof checkRoom>;

const POLICY = '/api/v1/factory/builds/policy';

describePages('Reviewer and risk', () => {
  beforeAll(async () => {
    site = await startSite(startBuildWorld);
    room = await site.world.furnish({ name: 'Acme Robotics' });
    desk = await room.readyDesk({ name: 'Loopback' });
    checks = checkRoom(room);
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(async () => {
    await site.closePages();
    expectSilence(site);
  });

  it("saves the reviewer's profile, the changes it reads, and whether it may be of the same family", async () => {
    const page = await site.signIn(room.space.admin, '/dashboard/settings/builds');
    await page.getByLabel('Reviewer reads').selectOption('risky');
    await page.getByLabel('Its profile').selectOption('codex.coding');
    await page.getByLabel('Allow the coder family that wrote the change').check();
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('Saved for new builds.').waitFor();
    const reviewer = { profile: 'codex.coding', on: 'risky', same_family: true };
    expect((await room.call('GET', POLICY)).body).toMatchObject({ reviewer });
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'reader-policy');

    await page.reload();
    await page.getByLabel('Reviewer reads').selectOption('none');
    await page.getByLabel('Its profile').selectOption('');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('Saved for new builds.').waitFor();
    expect((await room.call('GET', POLICY)).body).toMatchObject({ reviewer: null });
  });

  it('shows an error at the field for a profile that the service rejects', async () => {
    const page = await site.signIn(room.space.admin, '/dashboard/settings/builds');
    await page.route('**/api/v1/factory/coder-profiles', async (route) => {
      const response = await route.fetch();
      const profiles = (await response.json()) as { key: string }[];
      await route.fulfill({ response, json: [{ ...profiles[0], key: 'claude.nowhere' }, ...profiles] });
    });
    await page.reload();
    await page.getByLabel('Reviewer reads').selectOption('all');
    await page.getByLabel('Its profile').selectOption('claude.nowhere');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page
      .getByRole('alert')
      .getByText(/^Its profile claude\.nowhere is not available/)
      .waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('puts the riskiest build first in the review queue and explains its risk', async () => {
    const small = await room.card({ title: 'Small' });
    const first = await checks.checking(desk, small);
    const large = await room.card({ title: 'Large' });
    await room.build(large.id);
    const lines = Array.from({ length: 900 }, (_, at) => `export const v${at} = ${at};`).join('\n');
    const second = await checks.git.succeed(desk, { 'src/a.ts': lines, 'src/b.ts': lines });
    await site.world.runJob('build-gate');
    const score = async (id: string) =>
      (await room.call<{ risk: { score: number } }>('GET', `/api/v1/factory/builds/${id}`)).body.risk.score;
    expect(await score(second.buildId)).toBeGreaterThan(await score(first.buildId));

    const page = await site.signIn(room.space.admin, '/dashboard/builds?review=to_review');
    const ids = () =>
      page.locator('[data-build]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-build')));
    await page.getByLabel('Order').waitFor();
    await page.getByText('without a decision, the longest first.').waitFor();
    expect(await ids()).toEqual([first.buildId, second.buildId]);
    await page.getByLabel('Order').selectOption('risk');
    await page.waitForURL(/sort=risk/);
    await page.getByText('without a decision, the riskiest first.').waitFor();
    await expect.poll(ids).toEqual([second.buildId, first.buildId]);
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'reader-queue');
    await page.goto(`${site.address}/dashboard/builds/${second.buildId}`);
    await page.getByRole('list', { name: 'Risk factors' }).waitFor();
    await page.getByText(/^Risk \d+$/).waitFor();
    await takePicture(page, 'reader-build');
  });
});
