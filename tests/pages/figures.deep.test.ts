import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TestBrand, TestPerson } from '../support/app.js';
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
let cookie: string;

const ask = askAs(() => ({ site, cookie }));

describePages('Figures page', () => {
  beforeAll(async () => {
    site = await startSite();
    brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    admin = await site.world.person({ full_name: 'Ada Lindqvist' });
    await site.world.member(brand, { role: 'admin', person: admin });
    cookie = await site.world.signIn(admin, brand);
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(async () => {
    await site.closePages();
    expectSilence(site);
  });

  it('explains what to do without data', async () => {
    const page = await site.signIn(admin, '/dashboard/figures');
    await page.getByText('No data yet').waitFor();
  });

  it('draws the weeks with a text summary, and shows the same numbers as a table', async () => {
    const board = await ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name: 'Navigator' });
    for (const title of ['One', 'Two', 'Three'])
      await ask('POST', `/api/v1/board/boards/${board.board_id}/tasks`, { title });
    await ask('POST', '/api/v1/workstations', { name: 'North hall' });

    const page = await site.signIn(admin, '/dashboard/figures');
    await page.getByRole('img', { name: 'Throughput. 3 cards made, 0 done in 12 weeks.' }).waitFor();
    await page.locator('.chart-picture canvas').first().waitFor();
    await page.getByRole('link', { name: 'North hall' }).waitFor();
    await page.getByText('No builds ran in these weeks').waitFor();
    await page.getByRole('button', { name: 'Show as table of Throughput' }).click();
    const table = page.getByRole('region', { name: 'Throughput' }).getByRole('table');
    expect(await table.getByRole('row').count()).toBe(13);
    expect(await table.getByRole('row').last().getByRole('cell').allTextContents()).toEqual(['3', '0']);

    await page.getByRole('button', { name: '4 weeks' }).click();
    await page.getByText('3 cards made, 0 done in 4 weeks.').first().waitFor();
    expect(page.url()).toContain('weeks=4');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('4 weeks');
    await page.reload();
    await page.getByText('3 cards made, 0 done in 4 weeks.').first().waitFor();
  });

  it('keeps its charts while the service is unreachable and updates them afterwards', async () => {
    const page = await site.signIn(admin, '/dashboard/figures');
    await page.getByText('3 cards made').first().waitFor();
    const comeBack = await cutLine(page);
    await page.getByRole('button', { name: '26 weeks' }).click();
    await page.getByRole('alert').waitFor();
    await comeBack();
    await page.getByText('3 cards made, 0 done in 26 weeks.').first().waitFor();
  });

  it('has no accessibility violations in the dark theme or on a phone, and fits the screen', async () => {
    const page = await site.signIn(admin, '/dashboard/figures', { theme: 'dark' });
    await page.locator('.chart-picture canvas').first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'figures-dark');
    const phone = await site.signIn(admin, '/dashboard/figures', { size: NARROW });
    await phone.locator('.chart-picture canvas').first().waitFor();
    expect(await findBarriers(phone)).toEqual([]);
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await takePicture(phone, 'figures-phone');
  });
});
