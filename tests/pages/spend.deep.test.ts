import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type BuildWorld, type FakeDesk, type Furnished, startBuildWorld } from '../support/build-world.js';
import {
  describePages,
  expectSilence,
  findBarriers,
  NARROW,
  pressKeysUntil,
  type Site,
  startSite,
  takePicture,
} from './browser.js';

let site: Site<BuildWorld>;
let room: Furnished;
let desk: FakeDesk;

async function spend(title: string, cost_usd: number, fields: object = {}) {
  const card = await room.card({ title });
  await room.build(card.id, fields);
  const { buildId, claim } = await room.take(desk);
  await room.finish(desk, buildId, claim, {
    outcome: 'failed',
    reason: 'No luck',
    usage: { tokens_in: 12_345, tokens_out: 678, cost_usd },
  });
  return card;
}

describePages('Spend page', () => {
  beforeAll(async () => {
    site = await startSite(startBuildWorld);
    room = await site.world.furnish({ name: 'Acme Robotics' });
    desk = await room.readyDesk({ name: 'Loopback' });
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(async () => {
    await site.closePages();
    expectSilence(site);
  });

  it('explains what to do without spend, and opens by shortcut and from the palette', async () => {
    const page = await site.signIn(room.space.admin, '/dashboard/builds');
    await page.getByRole('heading', { name: 'Builds', level: 1 }).waitFor();
    await pressKeysUntil(page, 'g e', page.getByText('No spending in these days'));
    await page.getByText('$0.00 spent, no limit').first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('spend by project');
    await page.getByRole('option', { name: 'Show spend by project' }).waitFor();
  });

  it('shows spend to the cent, by day with a budget line, and by every other dimension', async () => {
    await room.call('PUT', '/api/v1/factory/builds/policy', { budget: { day_usd: 5, month_usd: 2000 } });
    const card = await spend('Ring the bell', 1.234);
    await spend('Mend the roof', 0.011, { coder: 'codex' });
    const page = await site.signIn(room.space.admin, '/dashboard/spend');
    await page.getByText('in all, by 2 builds').waitFor();
    await page.locator('.spend-total').getByText('$1.25', { exact: true }).waitFor();
    await page.getByRole('img', { name: /^Spend by day\. \$1\.25 in \d+ days?; most on / }).waitFor();
    await page.locator('.chart-picture canvas').waitFor();
    await page.getByText('Budget of a day').waitFor();
    await page.getByText('of $2,000.00').waitFor();
    const total = page.getByRole('row', { name: /^In all/ }).getByRole('cell');
    await expect.poll(() => total.allTextContents()).toEqual(['2', '24,690', '1,356', '$1.25']);

    await page.getByRole('link', { name: 'By coder' }).click();
    await page.waitForURL(/by=coder/);
    const row = page.getByRole('row', { name: /^Claude Code/ }).getByRole('cell');
    await expect.poll(() => row.allTextContents()).toEqual(['1', '12,345', '678', '$1.23']);
    await page.getByRole('link', { name: 'By agent' }).click();
    await page.getByRole('rowheader', { name: 'No agent' }).waitFor();
    await page.getByRole('link', { name: 'By project' }).click();
    await page.getByRole('link', { name: 'Code', exact: true }).waitFor();
    await page.getByRole('link', { name: 'By profile' }).click();
    await page.getByRole('table').waitFor();
    await page.getByRole('link', { name: 'By card' }).click();
    await page.getByRole('link', { name: `${card.ref} Ring the bell` }).click();
    await page.waitForURL(/\/dashboard\/boards\/.+card=/);
  });

  it('stores its days in the URL and shows an error at the field for an invalid range', async () => {
    const page = await site.signIn(room.space.admin, '/dashboard/spend?from=2024-01-01&to=2024-01-31');
    await page.getByText('No spending in these days').waitFor();
    expect(await page.getByLabel('From').inputValue()).toBe('2024-01-01');
    await page.getByLabel('To', { exact: true }).fill('2023-12-31');
    await page.getByRole('alert').getByText('To must not be before from').waitFor();
    await page.getByRole('button', { name: '7 days' }).click();
    await page.getByText('in all, by 2 builds').waitFor();
    expect(page.url()).toMatch(/from=\d{4}-\d\d-\d\d/);
    await page.reload();
    await page.getByText('in all, by 2 builds').waitFor();
    expect(await page.getByRole('button', { name: '7 days' }).getAttribute('aria-pressed')).toBe('true');
  });

  it('has no accessibility violations in either theme, and fits a phone', async () => {
    for (const [name, look] of [
      ['light', { theme: 'light' }],
      ['dark', { theme: 'dark', size: NARROW }],
    ] as const) {
      const page = await site.signIn(room.space.admin, '/dashboard/spend?by=card', look);
      await page.getByRole('table').waitFor();
      await page.locator('.chart-picture canvas').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      const width = (await page.evaluate(
        'document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth',
      )) as number;
      expect(width).toBeLessThanOrEqual(0);
      await takePicture(page, `spend-${name}`);
    }
  });
});
