import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
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

const MANY = 60;
const AGENT = 'navigator';
const AGENT_PAGE = `/dashboard/memory/${AGENT}`;
let site: Site;
let brand: TestBrand;
let admin: TestPerson;
let cookie: string;

interface Made {
  id: string;
}

const ask = askAs(() => ({ site, cookie }));

const remember = (fields: { title: string; agent_id?: string; kind?: string; tags?: string[] }) =>
  ask<Made>('POST', '/api/v1/memory/memories', {
    agent_id: AGENT,
    kind: 'fact',
    body: `${fields.title}, as was seen in the hall.`,
    ...fields,
  });

const readStatus = async (id: string) =>
  (await ask<{ status: string }>('GET', `/api/v1/memory/memories/${id}`)).status;

/** Types character by character without the pauses of a busy machine. */
const typeAtOnce = (page: Page, text: string) =>
  page.evaluate(`{
    const field = document.querySelector('main input[type=search]');
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
    for (let length = 1; length <= ${text.length}; length += 1) {
      set.call(field, ${JSON.stringify(text)}.slice(0, length));
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
  }`);

const focusedText = (page: Page) => page.evaluate<string>('document.activeElement.textContent');

describePages('Memory page', () => {
  beforeAll(async () => {
    site = await startSite();
    brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    admin = await site.world.person({ full_name: 'Ada Lindqvist' });
    await site.world.member(brand, { role: 'admin', person: admin });
    cookie = await site.world.signIn(admin, brand);
    const numbers = Array.from({ length: MANY }, (_, at) => at + 1);
    await Promise.all(numbers.map((number) => remember({ title: `Rack ${number} is labelled` })));
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(() => leaveInSilence(site));

  it('writes, finds and corrects a memory, explains why it was found, and keeps its history', async () => {
    const page = await site.signIn(admin, '/dashboard/memory');
    await page.getByRole('button', { name: 'Write a memory' }).first().click();
    await page.getByLabel('Agent id').fill('surveyor');
    await page.getByLabel('Title').fill('Lidar needs a warm-up');
    await page.getByLabel('Body').fill('The first **seconds** drift.');
    await page.getByRole('button', { name: 'Write memory' }).click();
    await page.getByRole('link', { name: /surveyor/ }).click();
    await page.getByPlaceholder('Search memories').fill('lidar');
    const found = page.getByRole('link', { name: /Lidar needs a warm-up/ });
    await found.getByText('of the best match').waitFor();
    expect(await found.textContent()).toContain('lidar the word, in the title');
    await page.getByText(/^1 found/).waitFor();
    await found.click();
    await page.getByRole('dialog').locator('strong', { hasText: 'seconds' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('Lidar needs four seconds');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Lidar needs four seconds' }).waitFor();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('Edited').waitFor();
    expect(await history.textContent()).toContain('Ada Lindqvist');
    expect(await history.locator('del').first().textContent()).toBe('Lidar needs a warm-up');
    // The open memory is in the URL, and Back closes it.
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(page.url()).toContain('q=lidar');
  });

  it('lists memories similar to a new one and replaces one on request', async () => {
    const fields = { agent_id: 'repeater', title: 'Doors close at ten' };
    const [first] = [await remember(fields), await remember({ ...fields, title: 'Doors close at nine' })];
    const page = await site.signIn(admin, '/dashboard/memory/repeater');
    await page.getByRole('button', { name: 'Write a memory' }).first().click();
    await page.getByLabel('Title').fill('Doors close at ten');
    await page.getByLabel('Body').fill('Doors close at ten, as was seen in the hall.');
    await page.getByRole('button', { name: 'Write memory' }).click();
    const similar = page.getByRole('dialog').filter({ hasText: 'Similar memories' });
    await similar.getByText('100% alike').waitFor();
    await similar.getByRole('button', { name: 'Keep both' }).waitFor();
    await similar.getByRole('button', { name: 'Replace Doors close at ten' }).click();
    await similar.getByText('Replaced').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await similar.getByRole('button', { name: 'Done' }).click();
    await similar.waitFor({ state: 'detached' });
    expect(await readStatus(first.id)).toBe('archived');
  });

  it('shows the number of memories and loads the rest on scroll', async () => {
    const page = await site.signIn(admin, AGENT_PAGE);
    await page.getByText(`${MANY} memories, last changed first`).waitFor();
    const rows = page.locator('.memory-rows > li');
    await page.getByText(`50 of ${MANY} memories`).waitFor();
    expect(await rows.count()).toBe(50);
    await page.getByText(`50 of ${MANY} memories`).scrollIntoViewIfNeeded();
    await rows.nth(MANY - 1).waitFor();
  });

  it('searches once for words typed character by character', async () => {
    const page = await site.signIn(admin, AGENT_PAGE);
    await page.locator('.memory-rows > li').first().waitFor();
    const questions: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/context')) questions.push(request.postDataJSON().query);
    });
    await typeAtOnce(page, 'rack 17 labelled');
    await page.getByText(/found by/).waitFor();
    expect(questions).toEqual(['rack 17 labelled']);
  });

  it('archives by keyboard, moves the focus to the next memory, and offers undo', async () => {
    const gone = await remember({ title: 'Archived by hand' });
    const page = await site.signIn(admin, AGENT_PAGE);
    await page.getByRole('link', { name: /Archived by hand/ }).waitFor();
    await page.keyboard.press('j');
    expect(await focusedText(page)).toContain('Archived by hand');
    const next = await page.locator('.memory-rows > li').nth(1).locator('strong').first().textContent();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Archive', exact: true }).waitFor();
    while ((await focusedText(page)) !== 'Archive') await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('It was not changed').waitFor();
    expect(await readStatus(gone.id)).toBe('active');
    await page.getByRole('button', { name: 'Archive', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Restore' }).waitFor();
    expect(await focusedText(page)).toContain('Restore');
    expect(await readStatus(gone.id)).toBe('archived');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain(next);
  });

  it('confirms many stale memories at once', async () => {
    const made = await Promise.all(
      ['North', 'South', 'West'].map((side) =>
        remember({ title: `${side} gate opens at six`, agent_id: 'gatekeeper' }),
      ),
    );
    await sql`update memories set last_verified_at = now() - interval '40 days' where agent_id = 'gatekeeper'`.execute(
      site.world.db,
    );
    const page = await site.signIn(admin, '/dashboard/memory/gatekeeper?stale=1');
    await page.getByRole('button', { name: `Confirm all ${made.length} shown` }).click();
    await page.getByText('3 memories are confirmed').waitFor();
    await page.getByText('Nothing here').waitFor();
  });

  it('shows the parts of a pattern and undoes the merge', async () => {
    const titles = ['Cold caches are slow', 'A cache that was emptied stalls', 'Caches need a minute'];
    for (const title of titles)
      await remember({ title, kind: 'learning', tags: ['cache'], agent_id: 'merger' });
    await site.world.runJob('memory-consolidate');
    const page = await site.signIn(admin, '/dashboard/memory/merger?kind=pattern');
    await page.locator('.memory-rows a').first().click();
    await page.getByRole('heading', { name: 'Merged from 3 learnings' }).waitFor();
    await page.getByRole('button', { name: 'Undo merge' }).click();
    await page.getByRole('listitem').filter({ hasText: titles[0] }).last().waitFor();
    await page.getByRole('button', { name: 'Restore 3 learnings' }).click();
    await page.getByText('3 learnings are back; the pattern is archived').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Pattern' }).click();
    for (const title of titles) await page.getByRole('link', { name: title }).waitFor();
  });

  it('retries a failed conversation', async () => {
    const pushed = await ask<Made>('POST', '/api/v1/memory/conversations', {
      agent_id: AGENT,
      source_type: 'openclaw',
      external_id: 'night shift',
      messages: [{ role: 'user', content: 'We decided to use two racks.' }],
    });
    await sql`update memory_conversations
      set status = 'failed', attempts = 5, error = 'The model did not answer', next_attempt_at = null
      where conversation_id = ${pushed.id}`.execute(site.world.db);
    const page = await site.signIn(admin, `${AGENT_PAGE}?tab=health`);
    await page.getByRole('link', { name: 'See what failed' }).click();
    await page.getByText('The model did not answer').waitFor();
    await page.getByRole('button', { name: 'Try now: night shift' }).click();
    await page.getByText('Due now').waitFor();
    await page.getByLabel('State of the conversations').selectOption('');
    await page
      .getByRole('row', { name: /night shift/ })
      .getByText('waiting')
      .waitFor();
  });

  it('keeps the list while the service is unreachable, and leaves a memory unchanged after a failure', async () => {
    const kept = await remember({ title: 'Kept in spite of it' });
    const page = await site.signIn(admin, AGENT_PAGE);
    await page.getByRole('link', { name: /Kept in spite of it/ }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).waitFor();
    const mend = await cutLine(page);
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('alert').first().waitFor();
    await page.getByRole('button', { name: 'Archive', exact: true }).waitFor();
    await mend();
    expect(await readStatus(kept.id)).toBe('active');
  });

  it('is hidden from guests', async () => {
    const guest = await site.world.person();
    const board = await ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name: 'Open day' });
    const invited = await site.world.inject({
      method: 'PUT',
      url: `/api/v1/board/boards/${board.board_id}/guests/${guest.user_id}`,
      payload: { role: 'viewer' },
      headers: { cookie },
    });
    expect(invited.statusCode).toBeLessThan(300);
    const page = await site.signIn(guest, AGENT_PAGE);
    await page.getByText('Guests can open the boards they were invited to.').waitFor();
  });

  it.each([
    ['light', undefined],
    ['dark', NARROW],
  ] as const)('has no accessibility violations in %s, on every tab', async (theme, size) => {
    const page = await site.signIn(admin, '/dashboard/memory', { theme, size });
    const visit = async (tab: string, sign: string) => {
      await page.getByRole('main').getByRole('link', { name: tab, exact: true }).click();
      await page.getByText(sign).first().waitFor();
      expect(await findBarriers(page), tab).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), tab).toBeLessThanOrEqual(
        size?.width ?? 1280,
      );
      await takePicture(page, `memory-${tab.toLowerCase()}-${theme}`);
    };
    await page.getByText('Mean confidence').waitFor();
    await page.locator('.agent-figures').first().waitFor();
    expect(await findBarriers(page), 'agents').toEqual([]);
    await takePicture(page, `memory-agents-${theme}`);
    await visit('Health', 'in use');
    await page.goto(site.address + AGENT_PAGE);
    await visit('Memories', 'last changed first');
    await visit('Conversations', 'Picked up every 10 minutes');
    await visit('Sources', 'No sources yet');
    await visit('MEMORY.md', 'is labelled');
    await page.goto(`${site.address}${AGENT_PAGE}?q=rack+12`);
    await page.locator('.why').first().waitFor();
    expect(await findBarriers(page), 'search').toEqual([]);
    await takePicture(page, `memory-search-${theme}`);
    await page.locator('.memory-rows a').first().click();
    await page.getByRole('region', { name: 'History' }).getByText('Written').waitFor();
    expect(await findBarriers(page), 'drawer').toEqual([]);
    await takePicture(page, `memory-drawer-${theme}`);
  });
});
