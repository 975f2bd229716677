import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startTestApp } from '../support/app.js';
import {
  askAs,
  describePages,
  expectSilence,
  findBarriers,
  NARROW,
  type Site,
  startSite,
  takePicture,
} from './browser.js';

let site: Site;
let cookie: string;
let boardId: string;
let page: Page;

const ask = askAs(() => ({ site, cookie }));
const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

describePages('Import page', () => {
  beforeAll(async () => {
    site = await startSite((env) => startTestApp({ env, workers: true }));
    const brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    const ada = await site.world.person({ full_name: 'Ada Lindqvist' });
    await site.world.member(brand, { role: 'admin', person: ada });
    cookie = await site.world.signIn(ada, brand);
    const made = await ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name: 'Navigator' });
    boardId = made.board_id;
    page = await site.openPage('/dashboard/boards', { cookie });
  });

  afterAll(() => site?.close());

  afterEach(() => expectSilence(site));

  it('previews a file row by row, maps its states to columns, imports it and links the board', async () => {
    await page.getByRole('link', { name: 'Import' }).click();
    await page.getByRole('heading', { name: 'Import' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.getByRole('button', { name: 'Preview' }).isDisabled()).toBe(true);
    await page
      .getByLabel('File')
      .setInputFiles(
        file(
          'plan.csv',
          'title,status,assignee,mood\nCharge the van,To Do,Bo,good\nFix the map,Simmering,,\n,Simmering,,\n',
        ),
      );
    await takePicture(page, 'import-form');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('heading', { name: 'Row by row' }).waitFor();
    const rows = page.getByRole('row');
    await rows.filter({ hasText: 'Charge the van' }).waitFor();
    await rows.filter({ hasText: 'It has no title' }).waitFor();
    const make = page.getByRole('button', { name: 'Import 2 cards' });
    expect(await make.isDisabled()).toBe(true);
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'import-preview');
    await page.getByRole('link', { name: 'Cannot be read' }).click();
    await rows.filter({ hasText: 'Charge the van' }).waitFor({ state: 'detached' });
    await page.getByText('Column mood').waitFor();
    await page.getByLabel('Simmering').selectOption('In Progress');
    await page.getByLabel('Bo', { exact: true }).selectOption('Ada Lindqvist');
    await make.press('Enter');
    await page.getByText('2 cards created.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    // The result is still there after a reload.
    await page.reload();
    await page.getByText('2 cards created.').waitFor();
    await takePicture(page, 'import-done');
    await page.getByRole('link', { name: 'Open Navigator' }).click();
    await page.getByText('Fix the map').first().waitFor();
    const { items } = await ask<{
      items: { title: string; status: string; assignee: { name: string } | null }[];
    }>('GET', `/api/v1/board/boards/${boardId}/tasks`);
    expect(Object.fromEntries(items.map(({ title, status }) => [title, status]))).toEqual({
      'Charge the van': 'pending',
      'Fix the map': 'in_progress',
    });
    expect(items.find(({ title }) => title === 'Charge the van')!.assignee).toMatchObject({
      name: 'Ada Lindqvist',
    });
  });

  it('reports a file without new rows, and explains why a file is unreadable', async () => {
    const narrow = await site.openPage(`/dashboard/boards/import?board=${boardId}`, {
      cookie,
      size: NARROW,
    });
    await narrow.getByLabel('File').setInputFiles(file('broken.csv', 'a,b\n1,2\n'));
    await narrow.getByRole('button', { name: 'Preview' }).click();
    await narrow.getByText('names no column for the title').waitFor();
    await narrow.getByLabel('File').setInputFiles(file('plan.csv', 'title,status\nFix the map,Simmering\n'));
    await narrow.getByRole('button', { name: 'Preview' }).click();
    await narrow.getByText('All rows were imported before.').waitFor();
    expect(await findBarriers(narrow)).toEqual([]);
    await takePicture(narrow, 'import-narrow');
    await narrow.getByRole('button', { name: 'Choose another file' }).click();
    await narrow.getByLabel('File').waitFor();
  });
});
