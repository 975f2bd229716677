import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PLAN_LIMITS } from '../../dashboard/src/builds/plan-limits.js';
import { PLAN_TERMS } from '../../src/kernel/plans.js';
import type { TestPerson } from '../support/app.js';
import { checkouts } from '../support/build-checkouts.js';
import { type BuildWorld, type FakeDesk, type Furnished, startBuildWorld } from '../support/build-world.js';
import {
  cutLine,
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
let desk: FakeDesk;
let git: ReturnType<typeof checkouts>;
let member: TestPerson;

const buildPath = (buildId: string, tab = '') => `/dashboard/builds/${buildId}${tab && `?tab=${tab}`}`;
const buildIdOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1)!;
const admin = () => room.space.admin;
const BUILDS = '/api/v1/factory/builds';

/** One window for read-only tests; each test starts at its own URL. */
let shared: Page;
async function visit(path: string): Promise<Page> {
  await shared.goto(site.address + path);
  return shared;
}

async function succeed(files: Record<string, string | Buffer>, title = 'Answer better') {
  const card = await room.card({ title });
  const { build_id } = await room.build(card.id);
  await git.succeed(desk, files);
  return { card, buildId: build_id };
}

describePages('Build pages', () => {
  beforeAll(async () => {
    site = await startSite(startBuildWorld);
    room = await site.world.furnish({ name: 'Acme Robotics' });
    desk = await room.readyDesk({ name: 'Loopback' });
    git = checkouts(room);
    member = await site.world.person({ full_name: 'Ben Okafor' });
    await site.world.member(room.space.brand, { person: member });
    shared = await site.signIn(admin(), '/dashboard/builds');
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(async () => {
    // A desk claims the oldest queued build, so cancel what a test left open.
    const { body } = await room.call<{ builds: { build_id: string }[] }>('GET', `${BUILDS}?state=open`);
    for (const { build_id } of body.builds) await room.call('POST', `${BUILDS}/${build_id}/cancel`);
    expectSilence(site);
  });

  describe('Card with builds', () => {
    it('goes from the first build to the accepted branch in the repository', async () => {
      const card = await room.card({ title: 'Ring the bell', instructions: 'Mend `src/main.ts`.' });
      const first = await room.build(card.id, { note: 'Quietly.' });
      const page = await visit('/dashboard/builds');
      const row = page.locator(`[data-build="${first.build_id}"]`);
      await row.getByText('Ring the bell').waitFor();
      await row.getByText(/^(No ready|Every) desk/).waitFor();
      await row.getByRole('link').click();
      await page.getByRole('heading', { name: `${card.ref}: Ring the bell` }).waitFor();
      await page.getByText('Nothing printed yet').waitFor();

      const taken = await room.take(desk);
      await room.log(desk, taken.buildId, taken.claim, 1, 'Reading \u001b[32mthe brief\u001b[0m\nhalf a ');
      await page.getByText('Running', { exact: true }).first().waitFor();
      await page.locator('.ansi-2', { hasText: 'the brief' }).waitFor();
      await room.log(desk, taken.buildId, taken.claim, 2, 'line\n');
      await page.getByText('half a line', { exact: true }).waitFor();

      const work = await git.checkOut(desk, taken);
      work.save({ 'src/main.ts': 'export const answer = 43;\nexport const bell = "ring";\n' });
      const { base_sha, branch } = await room.get(taken.buildId);
      await git.handIn(desk, taken, git.bundle(work, `${base_sha}..${branch}`));
      await room.finish(desk, taken.buildId, taken.claim, {
        outcome: 'succeeded',
        result: 'It **rings**.',
        usage: { tokens_in: 12_000, tokens_out: 800, cost_usd: 0.42 },
      });
      await page.getByText('It succeeded.').waitFor();
      await page.getByRole('link', { name: 'Review the changes' }).click();
      await page.getByRole('button', { name: 'src/main.ts', exact: true }).waitFor();
      expect(await page.locator('.diff-added').count()).toBe(2);

      // By keyboard only: to the file, to a line, into a comment, and back.
      await page.keyboard.press('n');
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('c');
      await page.getByLabel('Comment on line 2 of src/main.ts').fill('Use single quotes.');
      await page.keyboard.press('Control+Enter');
      await page.getByText('Your comment on line 2, not sent yet').waitFor();
      expect(await page.evaluate('document.activeElement.dataset.line')).toBe('2');
      await page.reload();
      await page.getByText('Use single quotes.').waitFor();
      await page.keyboard.press('r');
      await page.getByRole('dialog').getByText('src/main.ts:2').waitFor();
      await page.getByRole('button', { name: 'Send and build again' }).click();
      await page.getByText('Attempt 2 is queued').waitFor();
      const second = buildIdOf(page);
      expect(second).not.toBe(first.build_id);
      expect(await room.get(second)).toMatchObject({ attempt: 2, continues: first.build_id });

      const done = await git.succeed(desk, { 'src/main.ts': "export const bell = 'ring';\n" });
      const brief = await room.call<string>('GET', `${BUILDS}/${second}/brief`);
      expect(brief.body).toContain('Use single quotes.');
      await page.getByRole('link', { name: 'Review the changes' }).click();
      // The whole diff is shown by default, because accepting pushes the whole branch.
      await page.locator('.diff-removed', { hasText: 'answer' }).waitFor();
      await page.getByRole('button', { name: 'Since the last attempt' }).click();
      await page.locator('.diff-removed', { hasText: '"ring"' }).waitFor();
      await page.getByRole('button', { name: 'The whole change' }).click();
      await page.locator('.diff-removed', { hasText: '"ring"' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Accept' }).waitFor();
      await page.keyboard.press('a');
      await page.getByRole('dialog').getByText('Guildhall pushes the branch').waitFor();
      await page.getByRole('button', { name: 'Accept and push' }).click();
      await page.getByText('is being pushed').waitFor();
      await site.world.runJob('build-push');
      await page.getByText('was pushed').first().waitFor();
      const pushed = await room.get(second);
      expect(room.repository.git('rev-parse', pushed.branch)).toBe(done.head);

      await page.getByRole('link', { name: 'Result and usage' }).click();
      await page.getByText('Did it').waitFor();
      await page.getByRole('link', { name: 'Attempt 1' }).waitFor();
      await page.goto(site.address + buildPath(first.build_id, 'result'));
      await page.getByText('$0.42').waitFor();
      await page.locator('strong', { hasText: 'rings' }).waitFor();
      await page.goto(site.address + buildPath(first.build_id, 'brief'));
      await page.getByText('Quietly.').waitFor();
      await page.goto(site.address + buildPath(first.build_id, 'impact'));
      await page.getByText('No lesson is affected').waitFor();
    });

    it('starts a build from its drawer, or explains why it cannot start', async () => {
      const bare = await room.card({ title: 'No project', project_id: null });
      const page = await visit(`/dashboard/boards/${room.boardId}?card=${bare.id}`);
      await page.getByText('This card has no project').waitFor();
      expect(await page.getByRole('button', { name: 'Start a build' }).isDisabled()).toBe(true);

      const card = await room.card({ title: 'Begin here' });
      await visit(`/dashboard/boards/${room.boardId}?card=${card.id}`);
      await page.getByText('No attempts yet').waitFor();
      await page.getByRole('button', { name: 'Start a build' }).click();
      const dialog = page.getByRole('dialog', { name: `Build ${card.ref}` });
      await dialog.getByText('Preview of the brief').click();
      await dialog.getByRole('region', { name: 'Brief' }).getByText('Begin here').waitFor();
      await dialog.getByLabel('Note for this attempt').fill('Mind the gap.');
      await dialog.getByRole('button', { name: 'Start build' }).click();
      await page.getByRole('heading', { name: `${card.ref}: Begin here` }).waitFor();
      const buildId = buildIdOf(page);
      expect((await room.get(buildId)).note).toBe('Mind the gap.');

      const taken = await room.take(desk);
      await room.finish(desk, buildId, taken.claim, {
        outcome: 'failed',
        reason: 'The tests are red',
        usage: { tokens_in: 10, tokens_out: 5, cost_usd: 1.25 },
      });
      await page.getByText('The tests are red').first().waitFor();
      await page.getByRole('button', { name: 'Build again' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Start build' }).click();
      await page.getByRole('link', { name: 'Attempt 2' }).waitFor();
      await visit(`/dashboard/boards/${room.boardId}?card=${card.id}`);
      const section = page.getByRole('region', { name: 'Builds' });
      await section.getByText('$1.25 in all').waitFor();
      await section.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Cancel build' }).click();
      await section.getByText('Canceled', { exact: true }).waitFor();
    });
  });

  describe('Build list', () => {
    it('stores filters in the URL, moves with j and k, and cancels with x after confirmation', async () => {
      const card = await room.card({ title: 'Wait for me' });
      const waiting = await room.build(card.id, { coder: 'codex' });
      const page = await visit('/dashboard/builds');
      await page.getByLabel('Coder').selectOption('codex');
      await page.waitForURL(/coder=codex/);
      await page.locator('[data-build]').first().getByText('Wait for me').waitFor();
      await expect.poll(() => page.locator('[data-build]').count()).toBe(1);
      await page.locator('h1').focus();
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      await page.getByRole('dialog').getByText('ends immediately').waitFor();
      await page.getByRole('button', { name: 'Cancel build' }).click();
      await page.locator('[data-build] .badge', { hasText: 'Canceled' }).waitFor();
      expect((await room.get(waiting.build_id)).status).toBe('canceled');
      await page.goBack();
      await page.goForward();
      expect(await page.getByLabel('Coder').inputValue()).toBe('codex');
    });

    it("shows the policy, which only admins can change up to the plan's limits", async () => {
      for (const [plan, { open, perDay }] of Object.entries(PLAN_LIMITS))
        expect([open, perDay]).toEqual([
          PLAN_TERMS[plan as keyof typeof PLAN_TERMS].openBuilds,
          PLAN_TERMS[plan as keyof typeof PLAN_TERMS].buildsPerDay,
        ]);
      const page = await visit('/dashboard/builds');
      await page.getByRole('link', { name: 'Change policy' }).click();
      await page.getByLabel('Open at once').fill('7');
      await page.getByRole('button', { name: 'Save policy' }).click();
      await page.getByText('Saved for new builds.').waitFor();
      await visit('/dashboard/builds');
      await page.getByText(/of 7$/).waitFor();
      await room.call('PUT', `${BUILDS}/policy`, { max_open: null });
      const theirs = await site.signIn(member, '/dashboard/builds');
      await theirs.getByText('of 25').waitFor();
      await theirs.getByRole('link', { name: 'See policy' }).waitFor();
      expect(await theirs.getByRole('link', { name: 'Change policy' }).count()).toBe(0);
      await theirs.context().close();
    });
  });

  describe('Build log', () => {
    it('reconnects without lost or repeated lines, marks gaps and is searchable', async () => {
      const card = await room.card({ title: 'Talk a lot' });
      const { build_id } = await room.build(card.id);
      const taken = await room.take(desk);
      const say = (seq: number, text: string) => room.log(desk, build_id, taken.claim, seq, text);
      await say(1, 'one\ntwo\n');
      const page = await visit(buildPath(build_id));
      await page.getByText('two', { exact: true }).waitFor();
      await page.getByText('2 lines, live').waitFor();
      const resumed = page.waitForRequest(
        (request) => request.url().endsWith('/log/stream') && request.headers()['last-event-id'] === '1',
      );
      site.world.server.server.closeAllConnections();
      await say(2, 'three\n');
      await resumed;
      await say(3, '[4096 bytes of the log are left out here]\nfour\n');
      await page.getByText('four', { exact: true }).waitFor();
      expect(await page.locator('.log-text').allTextContents()).toEqual([
        'one',
        'two',
        'three',
        '[4096 bytes of the log are left out here]',
        'four',
      ]);
      expect(await page.locator('.log-gap').count()).toBe(1);

      const many = Array.from({ length: 5000 }, (_, line) => `line ${line} of many`).join('\n');
      await say(4, `${many}\n`);
      await page.getByText('line 4999 of many').waitFor();
      expect(await page.locator('.log-row').count()).toBeLessThan(120);
      await page.locator('h1').focus();
      await page.keyboard.press('/');
      await page.keyboard.type('line 1234');
      await page.getByText('1 of 1', { exact: true }).waitFor();
      await page.locator('.log-found', { hasText: 'line 1234 of many' }).waitFor();
      await page.getByRole('button', { name: 'Follow', exact: true }).waitFor();

      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ]);
      expect(file.suggestedFilename()).toBe(`${card.ref.toLowerCase()}-1.log`);
      await room.finish(desk, build_id, taken.claim, { outcome: 'failed', reason: 'Enough' });
      await page.getByText('5,005 lines, complete').waitFor();
      // Ignore the browser's messages about the connections closed above.
      const others = site.complaints.splice(0).filter((text) => !/net::ERR_/.test(text));
      site.complaints.push(...others);
    });
  });

  describe('Build diff', () => {
    it('loads files one by one when the diff exceeds 1 MiB', async () => {
      const { buildId } = await succeed({ 'huge.txt': 'a line\n'.repeat(200_000), 'z.md': 'small\n' });
      const page = await visit(buildPath(buildId));
      await page.getByText('too much to load at once').waitFor();
      await page.getByRole('button', { name: 'z.md', exact: true }).last().click();
      await page.locator('.diff-added', { hasText: 'small' }).waitFor();
      await page.getByRole('button', { name: 'huge.txt', exact: true }).last().click();
      await page.getByText('over 1 MiB and cannot be shown').waitFor();
    });

    it('highlights words and hidden characters, switches to side by side, and remembers viewed files', async () => {
      const many = Object.fromEntries(
        Array.from({ length: 9 }, (_, at) => [`docs/page-${at}.md`, `Page ${at}\n`]),
      );
      const { buildId } = await succeed({
        'src/main.ts': 'export const answer = 46;\nexport const admin\u202e = 1;\r\n',
        ...many,
      });
      const page = await visit(buildPath(buildId));
      const file = page.getByRole('region', { name: 'src/main.ts' });
      await file.getByText('hidden character U+202E').waitFor();
      await file.locator('.hidden-character', { hasText: 'U+202E' }).first().waitFor();
      await file.getByText('CRLF').waitFor();
      await page.getByLabel('Side by side').check();
      await file.locator('.diff-split').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await takePicture(page, 'builds-side-by-side');
      await page.getByLabel('Side by side').uncheck();
      await file.getByLabel('Viewed').check();
      await file.locator('.diff-table').waitFor({ state: 'detached' });
      await page.getByText('1 of 10 viewed').waitFor();
      await page.reload();
      await page.getByText('1 of 10 viewed').waitFor();
      expect(await file.locator('.diff-table').count()).toBe(0);
      await page.getByRole('button', { name: 'Next unviewed' }).click();
      expect(await page.evaluate('document.activeElement.dataset.file')).toBe('docs/page-0.md');
      await page.getByLabel('Filter files').fill('page-7');
      expect(await page.locator('.file-link').count()).toBe(1);
      await page.getByRole('button', { name: 'Expand all' }).click();
      await file.locator('.diff-table').waitFor();
    });

    it('marks new, removed, renamed and binary files, and collapses large ones', async () => {
      const { buildId } = await succeed({
        'src/main.ts': 'export const answer = 44;\n',
        'ünusual name.md': 'new\n',
        'logo.bin': Buffer.from([0, 1, 2, 0, 255]),
        'long.txt': 'line\n'.repeat(1200),
      });
      const page = await visit(buildPath(buildId));
      await page.getByRole('button', { name: 'ünusual name.md', exact: true }).last().waitFor();
      await page.getByText('binary', { exact: true }).waitFor();
      const long = page.getByRole('button', { name: 'long.txt', exact: true }).last();
      expect(await long.getAttribute('aria-expanded')).toBe('false');
      await long.click();
      await expect.poll(() => long.getAttribute('aria-expanded')).toBe('true');
    });
  });

  describe('Builds for all users', () => {
    it('are hidden from guests', async () => {
      const guest = await site.world.person({ full_name: 'Gus Herrera' });
      const access = `/api/v1/board/boards/${room.boardId}/guests/${guest.user_id}`;
      expect((await room.call('PUT', access, { role: 'editor' })).status).toBe(200);
      const page = await site.signIn(guest, '/dashboard');
      // Guests with one board are redirected to it.
      await page.waitForURL(`**/dashboard/boards/${room.boardId}`);
      await page.goto(`${site.address}/dashboard/builds`);
      await page.getByText('Guests can open the boards they were invited to.').waitFor();
      expect(await page.getByRole('link', { name: 'Builds' }).count()).toBe(0);
      await page.context().close();
    });

    it('keep showing the last known state, with a note, while the service is unreachable', async () => {
      const page = await visit('/dashboard/builds');
      await page.locator('[data-build]').first().waitFor();
      const mend = await cutLine(page);
      await page.getByText('This may be out of date').first().waitFor();
      expect(await page.locator('[data-build]').count()).toBeGreaterThan(0);
      await mend();
      await page.getByText('This may be out of date').first().waitFor({ state: 'detached' });
    });

    it.each([
      ['light', undefined],
      ['dark', NARROW],
    ] as const)(
      'have no accessibility violations in %s and nothing wider than the window',
      async (theme, size) => {
        const { buildId } = await succeed({ 'README.md': '# Read me\n', 'src/main.ts': 'export {};\n' });
        const page = await site.signIn(admin(), '/dashboard/builds', { theme, size });
        const look = async (name: string) => {
          expect(await findBarriers(page), name).toEqual([]);
          const [scroll, own] = (await page.evaluate(
            "[document.querySelector('main').scrollWidth, document.querySelector('main').clientWidth]",
          )) as [number, number];
          expect(scroll, `${name} is too wide`).toBeLessThanOrEqual(own);
          await takePicture(page, `builds-${name}-${theme}`);
        };
        await page.locator('[data-build]').first().waitFor();
        await look('list');
        await page.goto(site.address + buildPath(buildId));
        await page.locator('.diff-added').first().waitFor();
        await look('changes');
        for (const [tab, sign] of [
          ['log', 'The coder printed no output'],
          ['brief', 'As sent to the coder'],
          ['result', 'Did it'],
        ] as const) {
          await page.goto(site.address + buildPath(buildId, tab));
          await page.getByText(sign).first().waitFor();
          await look(tab);
        }
        await page.context().close();
      },
    );
  });
});
