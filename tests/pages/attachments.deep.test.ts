import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TestPerson } from '../support/app.js';
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
let ada: TestPerson;
let cookie: string;
let boardId: string;
let cardId: string;
let page: Page;
let picture: Buffer;

const ask = askAs(() => ({ site, cookie }));
const listed = () =>
  ask<{ attachments: { name: string; comment_id: string | null; url: string }[] }>(
    'GET',
    `/api/v1/board/tasks/${cardId}/attachments`,
  );
const names = async () => (await listed()).attachments.map(({ name }) => name);
const drawer = (on = page) => on.getByRole('dialog').first();
const section = (on = page) => drawer(on).getByRole('region', { name: 'Attachments' });
const cardPath = () => `/dashboard/boards/${boardId}?card=${cardId}`;
const file = (name: string, buffer: Buffer, mimeType = 'application/octet-stream') => ({
  name,
  mimeType,
  buffer,
});

/** Dispatches the browser events of dropping or pasting a file. */
const bring = (how: 'drop' | 'paste', selector: string, name: string, bytes: Buffer) =>
  page.evaluate(`(() => {
    const data = new DataTransfer();
    const content = Uint8Array.from(atob('${bytes.toString('base64')}'), (letter) => letter.charCodeAt(0));
    data.items.add(new File([content], '${name}', { type: 'image/png' }));
    const about = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
    const Kind = '${how}' === 'drop' ? DragEvent : ClipboardEvent;
    document.querySelector('${selector}').dispatchEvent(new Kind('${how}', about));
  })()`);

describePages('Attachments of a card', () => {
  beforeAll(async () => {
    site = await startSite();
    const brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    ada = await site.world.person({ full_name: 'Ada Lindqvist' });
    await site.world.member(brand, { role: 'admin', person: ada });
    cookie = await site.world.signIn(ada, brand);
    boardId = (await ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name: 'Navigator' }))
      .board_id;
    const title = 'Draw the map of the hall';
    cardId = (await ask<{ id: string }>('POST', `/api/v1/board/boards/${boardId}/tasks`, { title })).id;
    picture = await sharp({ create: { width: 1200, height: 800, channels: 3, background: '#2a7f62' } })
      .png()
      .toBuffer();
    page = await site.signIn(ada, cardPath());
    await section().waitFor();
  });
  afterAll(() => site?.close());
  afterEach(() => expectSilence(site));

  it('attaches files by button, drop and paste, and counts them on the tile', async () => {
    await section()
      .getByLabel('Files to attach')
      .setInputFiles([file('notes.txt', Buffer.from('Some notes')), file('hall.png', picture)]);
    await section().getByRole('link', { name: 'hall.png' }).waitFor();
    await section().getByRole('link', { name: 'notes.txt' }).waitFor();
    await bring('drop', '.drawer-card', 'dropped.png', picture);
    await section().getByRole('link', { name: 'dropped.png' }).waitFor();
    await bring('paste', '.drawer-card', 'image.png', picture);
    await section()
      .getByRole('link', { name: /^Pasted .*\.png$/ })
      .waitFor();
    expect((await names()).length).toBe(4);
    await expect
      .poll(() => page.locator(`[data-card="${cardId}"] .attachment-mark`).textContent())
      .toBe('4 attachments');
    expect(await section().textContent()).toContain('10 B · Ada Lindqvist');
    expect(await findBarriers(page)).toEqual([]);
  });

  it('shows why a file cannot be attached and offers to retry or dismiss it', async () => {
    await section()
      .getByLabel('Files to attach')
      .setInputFiles([file('large.bin', Buffer.alloc(25 * 1024 * 1024 + 1))]);
    await section().getByText('Not attached: It is larger than 25 MB.').waitFor();
    expect(await section().getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await section().getByRole('button', { name: 'Forget large.bin' }).click();
    const refuse = { status: 502, json: { detail: 'The file storage is not reachable; try again shortly' } };
    await page.route('**/attachments', (route) =>
      route.request().method() === 'POST' ? route.fulfill(refuse) : route.continue(),
    );
    await section()
      .getByLabel('Files to attach')
      .setInputFiles([file('later.txt', Buffer.from('later'))]);
    await section().getByText('The file storage is not reachable').waitFor();
    await page.unroute('**/attachments');
    await section().getByRole('button', { name: 'Try again' }).click();
    await section().getByRole('link', { name: 'later.txt' }).waitFor();
    site.complaints.splice(0);
  });

  it('cancels a running upload', async () => {
    const before = await names();
    await page.route('**/attachments', () => {});
    await section()
      .getByLabel('Files to attach')
      .setInputFiles([file('slow.txt', Buffer.from('slow'))]);
    await section().getByRole('progressbar', { name: 'Sending slow.txt' }).waitFor();
    await section().getByRole('button', { name: 'Cancel slow.txt' }).click();
    await section().getByText('slow.txt').waitFor({ state: 'detached' });
    await page.unroute('**/attachments');
    expect(await names()).toEqual(before);
  });

  it('opens pictures in a viewer, switches with arrow keys, and restores the focus on Escape', async () => {
    await section().getByRole('button', { name: 'View hall.png' }).click();
    const viewer = page.getByRole('dialog', { name: 'hall.png' });
    await viewer.getByText('1 of 3').waitFor();
    await expect
      .poll(() => page.evaluate(`document.querySelector('.dialog-picture img').naturalWidth`))
      .toBe(1200);
    await page.keyboard.press('ArrowRight');
    await page.getByRole('dialog', { name: 'dropped.png' }).getByText('2 of 3').waitFor();
    await page.keyboard.press('ArrowLeft');
    await viewer.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'attachment-viewer');
    await page.keyboard.press('Escape');
    await viewer.waitFor({ state: 'detached' });
    await section().waitFor();
    await expect
      .poll(() => page.evaluate(`document.activeElement.getAttribute('aria-label')`))
      .toBe('View hall.png');
  });

  it('attaches a pasted picture to its comment and shows attachment URLs as images', async () => {
    await bring('paste', '.comment-form textarea', 'sketch.png', picture);
    await drawer().getByRole('list', { name: 'Files of the comment' }).getByText('sketch.png').waitFor();
    await drawer().getByLabel('Add a comment').fill('Like this?');
    await drawer().getByRole('button', { name: 'Comment', exact: true }).click();
    const comment = drawer().locator('.comment', { hasText: 'Like this?' });
    await comment.getByRole('link', { name: 'sketch.png' }).waitFor();
    const sketch = (await listed()).attachments.find(({ name }) => name === 'sketch.png')!;
    expect(sketch.comment_id).not.toBeNull();
    await ask('POST', `/api/v1/board/tasks/${cardId}/comments`, {
      body: `![The sketch](${sketch.url}) and ![elsewhere](https://example.com/a.png)`,
    });
    const shown = drawer().getByRole('img', { name: 'The sketch' });
    await shown.waitFor();
    expect(await drawer().getByRole('link', { name: 'elsewhere' }).count()).toBe(1);
    expect(await findBarriers(page)).toEqual([]);
  });

  it('deletes a file after confirmation and records it in the feed', async () => {
    await section().getByRole('button', { name: 'Delete notes.txt' }).click();
    await page.getByRole('button', { name: 'Delete file' }).click();
    await section().getByRole('link', { name: 'notes.txt' }).waitFor({ state: 'detached' });
    expect(await names()).not.toContain('notes.txt');
    const { items } = await ask<{ items: { changes: object }[] }>(
      'GET',
      `/api/v1/board/activity/boards/${boardId}?limit=1`,
    );
    expect(items[0]!.changes).toEqual({ attachment: { from: 'notes.txt', to: null } });
  });

  it.each([
    ['wide', { width: 1440, height: 1000 }, 'light'],
    ['middle', { width: 1024, height: 800 }, 'dark'],
    ['phone', NARROW, 'light'],
  ] as const)(
    'has no accessibility violations and does not scroll sideways: %s',
    async (name, size, theme) => {
      const other = await site.signIn(ada, cardPath(), { size, theme });
      await section(other).getByRole('link', { name: 'hall.png' }).waitFor();
      await section(other).scrollIntoViewIfNeeded();
      expect(await findBarriers(other)).toEqual([]);
      const overflow = await other
        .locator('dialog[open] .dialog-body')
        .evaluate((body) => body.scrollWidth - body.clientWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await takePicture(other, `attachments-${name}`);
      await other.context().close();
    },
  );
});
