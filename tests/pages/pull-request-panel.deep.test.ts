import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type BuildWorld, type Furnished, startBuildWorld } from '../support/build-world.js';
import {
  describePages,
  findBarriers,
  leaveInSilence,
  NARROW,
  type Site,
  startSite,
  takePicture,
} from './browser.js';

let site: Site<BuildWorld>;
let room: Furnished;

const PULL = {
  number: 12,
  url: 'https://github.com/acme/robots/pull/12',
  state: 'open',
  draft: false,
  head: { branch: 'guildhall/acm-1-ring-the-bell', sha: 'a'.repeat(40) },
  base: { branch: 'main', sha: 'b'.repeat(40) },
  mergeable: true as boolean | null,
  checks: [
    { name: 'lint', state: 'passing', url: 'https://ci.example/1', summary: 'All files are clean' },
    {
      name: 'unit tests (node 22)',
      state: 'failing',
      url: 'https://ci.example/2',
      summary: '2 of 1,204 failed',
    },
    { name: 'deploy preview', state: 'none', url: null, summary: null },
    { name: 'end to end', state: 'pending', url: 'javascript:alert(1)', summary: null },
  ],
  reviews: [
    {
      author: 'mira',
      state: 'changes_requested',
      body: 'Close, **but** see the lines. ![x](https://spy.example/pixel.png) [more](https://example.com/a)',
      at: '2026-11-16T09:30:00Z',
    },
    { author: 'jo<b>', state: 'approved', body: '', at: '2026-11-16T09:40:00Z' },
  ],
  comments: [
    { path: 'src/bell.ts', line: 7, author: 'mira', body: 'Why `twice`?', at: '2026-11-16T09:30:00Z' },
    { path: 'src/bell.ts', line: 7, author: 'jo', body: 'For the echo.', at: '2026-11-16T09:35:00Z' },
    {
      path: 'README.md',
      line: null,
      author: 'mira',
      body: '<script>alert(1)</script>',
      at: '2026-11-16T09:31:00Z',
    },
  ],
  seen_at: '2026-11-16T10:00:00Z',
};

interface Told {
  pull: typeof PULL | null;
  forge?: object | null;
  refusal?: { status: number; detail: string };
  asked: unknown[];
}

async function tell(page: Page, told: Told): Promise<void> {
  await page.route('**/api/v1/projects/*/forge', (route) =>
    told.forge
      ? route.fulfill({ json: told.forge })
      : route.fulfill({ status: 404, json: { detail: 'This project has no repository host' } }),
  );
  await page.route('**/api/v1/board/tasks/*/pull-request', (route) => {
    if (route.request().method() === 'POST') {
      told.asked.push(route.request().postDataJSON());
      if (told.refusal)
        return route.fulfill({ status: told.refusal.status, json: { detail: told.refusal.detail } });
    }
    return told.pull
      ? route.fulfill({ json: told.pull })
      : route.fulfill({ status: 404, json: { detail: 'This card has no pull request' } });
  });
}

const FORGE = { kind: 'github', api_url: 'https://api.github.com', repository: 'acme/robots' };

/** Sets the pull request fields that the host would report. */
const follow = (cardId: string, fields: object) =>
  room.call('PATCH', `/api/v1/board/tasks/${cardId}`, fields);
const TIED = {
  pr_number: 12,
  pr_url: PULL.url,
  pr_state: 'open',
  checks_state: 'failing',
  review_state: 'changes_requested',
};

async function openCard(cardId: string, told: Told, options: Parameters<Site['openPage']>[1] = {}) {
  const page = await site.openPage('/dashboard/sign-in', {
    ...options,
    cookie: await site.world.signIn(room.space.admin),
  });
  await tell(page, told);
  await page.goto(`${site.address}/dashboard/boards/${room.boardId}?card=${cardId}`);
  return page;
}

const panel = (page: Page) => page.getByRole('region', { name: 'Pull request' });

describePages('Pull request panel of a card', () => {
  beforeAll(async () => {
    site = await startSite(startBuildWorld);
    room = await site.world.furnish({ name: 'Acme Robotics' });
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(async () => {
    await leaveInSilence(site);
  });

  it('shows number, state, checks by name, reviews, and comments by line', async () => {
    const card = await room.card({ title: 'Ring the bell' });
    await follow(card.id, TIED);
    const page = await openCard(card.id, { pull: PULL, asked: [] });
    const link = panel(page).getByRole('link', { name: 'Pull request #12' });
    expect(await link.getAttribute('href')).toBe(PULL.url);
    expect(await link.getAttribute('rel')).toContain('noopener');
    await panel(page).getByText('The card is done when it is merged.').waitFor();
    const checks = panel(page).getByRole('list', { name: 'Checks' }).getByRole('listitem');
    expect(await checks.allTextContents()).toEqual([
      'failingunit tests (node 22)2 of 1,204 failed',
      'pendingend to end',
      'passinglint',
      'skippeddeploy preview',
    ]);
    await panel(page).getByText('1 failing, 1 pending, 1 passing, 1 skipped').waitFor();
    const reviews = panel(page).getByRole('list', { name: 'Reviews' });
    await reviews.getByText('asked for changes').waitFor();
    await reviews.getByText('jo<b>').waitFor();
    const lines = panel(page).getByRole('list', { name: 'Comments on lines' }).getByRole('listitem');
    expect(await lines.count()).toBe(2);
    await lines.first().getByText('For the echo.').waitFor();
    await lines.last().getByText('<script>alert(1)</script>').waitFor();
    expect(await panel(page).locator('img, script, [href^="javascript:"]').count()).toBe(0);
    expect(await panel(page).getByRole('link', { name: 'more' }).getAttribute('rel')).toContain('noopener');
  });

  it("updates with the card's feed until the merge", async () => {
    const card = await room.card({ title: 'Mend the roof' });
    await follow(card.id, TIED);
    const told: Told = { pull: { ...PULL, mergeable: false }, asked: [] };
    const page = await openCard(card.id, told);
    await panel(page).getByText('It has conflicts with').waitFor();
    told.pull = { ...PULL, state: 'merged', mergeable: null, checks: [] };
    await follow(card.id, { pr_state: 'merged', checks_state: 'passing' });
    await panel(page).getByText('merged', { exact: true }).waitFor();
    await page.goto(`${site.address}/dashboard/boards/${room.boardId}`);
    const tile = page.locator('[data-card]', { hasText: 'Mend the roof' }).first();
    await tile.getByText('#12 merged').waitFor();
    expect(await tile.getByText('checks').count()).toBe(0);
  });

  it("marks cards on a board with the host's states", async () => {
    const card = await room.card({ title: 'Oil the hinges' });
    await follow(card.id, TIED);
    const page = await site.signIn(room.space.admin, `/dashboard/boards/${room.boardId}`);
    const tile = page.locator('[data-card]', { hasText: 'Oil the hinges' }).first();
    for (const words of ['#12 open', 'checks failing', 'changes requested'])
      await tile.getByText(words).waitFor();
    await follow(card.id, { checks_state: 'passing', review_state: 'approved' });
    for (const words of ['checks passing', 'approved']) await tile.getByText(words).waitFor();
    await follow(card.id, { checks_state: 'none', review_state: 'none' });
    await tile.getByText('checks').waitFor({ state: 'detached' });
    await takePicture(page, 'pull-marks');
  });

  it('links a pull request by number or URL, and shows the error of a refused one', async () => {
    const card = await room.card({ title: 'Sweep the yard' });
    const told: Told = {
      pull: null,
      forge: FORGE,
      refusal: { status: 409, detail: 'It is tied to ACM-3 already' },
      asked: [],
    };
    const page = await openCard(card.id, told);
    await panel(page).getByText('None yet').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const field = panel(page).getByLabel('Number or address');
    await field.fill('#12');
    await panel(page).getByRole('button', { name: 'Tie' }).click();
    await panel(page).getByText('It is tied to ACM-3 already').waitFor();
    told.refusal = undefined;
    told.pull = PULL;
    await follow(card.id, TIED);
    await panel(page).getByRole('link', { name: 'Pull request #12' }).waitFor();
    expect(told.asked).toEqual([{ number: 12 }]);
  });

  it('is absent for a project without a repository host', async () => {
    const card = await room.card({ title: 'Wind the clock' });
    const page = await openCard(card.id, { pull: null, asked: [] });
    await page.getByRole('region', { name: 'Builds' }).waitFor();
    await page.getByRole('heading', { name: 'Comments' }).waitFor();
    expect(await panel(page).count()).toBe(0);
  });

  it('shows a manually entered number as such', async () => {
    const card = await room.card({ title: 'Count the sheep' });
    await follow(card.id, TIED);
    const page = await openCard(card.id, { pull: null, asked: [] });
    await panel(page).getByText('No repository host is connected').waitFor();
    expect(await panel(page).getByRole('link').getAttribute('href')).toBe(PULL.url);
  });

  it.each([
    ['light', undefined],
    ['dark', NARROW],
  ] as const)('has no accessibility violations, %s %j', async (theme, size) => {
    const card = await room.card({ title: 'Ring the bell again' });
    await follow(card.id, TIED);
    const page = await openCard(card.id, { pull: PULL, asked: [] }, { theme, size });
    await panel(page).getByText('For the echo.').scrollIntoViewIfNeeded();
    expect(await findBarriers(page)).toEqual([]);
    await panel(page).scrollIntoViewIfNeeded();
    await takePicture(page, `pull-request-${theme}`);
  });
});
