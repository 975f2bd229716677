import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestPerson } from '../support/app.js';
import { type BuildWorld, type FakeDesk, type Furnished, startBuildWorld } from '../support/build-world.js';
import { checkRoom } from '../support/check-room.js';
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
let desk: FakeDesk;
let checks: ReturnType<typeof checkRoom>;
let member: TestPerson;
let shared: Page;

const BUILDS = '/api/v1/factory/builds';
const CHECKS = {
  setup: { command: 'make ready', minutes: 2 },
  checks: [
    { name: 'tests', command: 'npm test', minutes: 5 },
    { name: 'lint / style', command: 'npm run lint', minutes: 1 },
  ],
};
const admin = () => room.space.admin;

async function visit(path: string): Promise<Page> {
  await shared.goto(site.address + path);
  return shared;
}
const openBuild = (buildId: string) => visit(`/dashboard/builds/${buildId}`);

/** A step of the review by its heading. */
const step = (page: Page, title: string) =>
  page.locator('.gate-step', { has: page.getByRole('heading', { name: title, exact: true }) });
const checkRow = (page: Page, name: string) => page.locator('.check-row', { hasText: name });

async function handIn(title: string) {
  const card = await room.card({ title });
  const { buildId } = await checks.checking(desk, card);
  return { card, buildId };
}

async function runSpending(title: string, cost_usd: number) {
  const card = await room.card({ title });
  await room.build(card.id);
  const taken = await room.take(desk);
  await room.usage(desk, taken.buildId, taken.claim, { tokens_in: 9000, tokens_out: 700, cost_usd });
  return { card, ...taken };
}

/** Adds fields to the service's response for a build. */
async function addTo(page: Page, buildId: string, more: object): Promise<() => Promise<void>> {
  await page.route(`**${BUILDS}/${buildId}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...more } });
  });
  return () => page.unrouteAll({ behavior: 'ignoreErrors' });
}

describePages('Checks and diff analysis of a build', () => {
  beforeAll(async () => {
    site = await startSite(startBuildWorld);
    room = await site.world.furnish({ name: 'Acme Robotics' });
    desk = await room.readyDesk({ name: 'Loopback' });
    checks = checkRoom(room);
    await checks.setChecks(CHECKS);
    member = await site.world.person({ full_name: 'Ben Okafor' });
    await site.world.member(room.space.brand, { person: member });
    shared = await site.signIn(admin(), '/dashboard/builds');
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(async () => {
    const { body } = await room.call<{ builds: { build_id: string }[] }>('GET', `${BUILDS}?state=open`);
    for (const { build_id } of body.builds) await room.call('POST', `${BUILDS}/${build_id}/cancel`);
    await checks.setPolicy({
      rework: { on_gate: false },
      budget: { build_usd: null, card_usd: null, day_usd: null, month_usd: null },
    });
    expectSilence(site);
  });

  describe('Checks', () => {
    it('show progress and logs while they run, until a person is asked', async () => {
      const { buildId } = await handIn('Check me');
      const page = await openBuild(buildId);
      await page.getByText('the checks wait for a desk').first().waitFor();
      await step(page, 'Coder').getByText('Finished', { exact: true }).waitFor();
      await step(page, 'Checks').getByText('0 of 2 finished').waitFor();
      await checkRow(page, 'tests').getByText('Waits', { exact: true }).waitFor();

      const claimed = await checks.order(desk);
      await checks.start(desk, claimed);
      await checks.report(desk, claimed, 'tests', { status: 'running' });
      await checks.log(desk, claimed, 'tests', 1, 'first \u001b[32mgreen\u001b[0m line\n');
      await checkRow(page, 'tests').getByText('Runs', { exact: true }).waitFor();
      await page.getByText('The check tests runs, 0 of 2 finished').first().waitFor();
      const toggle = page.getByRole('button', { name: 'Log of tests' });
      await toggle.focus();
      await page.keyboard.press('Enter');
      const log = page.getByRole('region', { name: 'Log of tests' });
      await log.locator('.ansi-2', { hasText: 'green' }).waitFor();
      await checks.log(desk, claimed, 'tests', 2, 'second line\n');
      await log.getByText('second line').waitFor();

      await checks.report(desk, claimed, 'tests', { status: 'passed', exit_code: 0, seconds: 75 });
      await checkRow(page, 'tests').getByText('1 min 15 s, exit code 0').waitFor();
      const ended = [
        { name: 'tests', status: 'passed', exit_code: 0, seconds: 75 },
        { name: 'lint / style', status: 'passed', exit_code: 0, seconds: 3 },
      ];
      await checks.finish(desk, claimed, { checks: ended, setup: { exit_code: 0, seconds: 1 } });
      await step(page, 'Checks').getByText('All 2 passed').waitFor();
      await step(page, 'Person').getByText('Waiting for review').waitFor();
      // An open log stays open.
      await log.getByText('second line').waitFor();
    });

    it('show the log of the new run after a restart', async () => {
      const { buildId } = await handIn('Begin again');
      const page = await openBuild(buildId);
      const first = await checks.order(desk);
      await checks.start(desk, first);
      await checks.report(desk, first, 'tests', { status: 'running' });
      await checks.log(desk, first, 'tests', 1, 'of the first run\n');
      await page.getByRole('button', { name: 'Log of tests' }).click();
      const log = page.getByRole('region', { name: 'Log of tests' });
      await log.getByText('of the first run').waitFor();

      await site.world.advance(601);
      await checks.run(desk);
      await log.getByText('the tests check passed').waitFor();
      expect(await log.getByText('of the first run').count()).toBe(0);
    });

    it('show failures, timeouts and skipped checks, and name the check that failed the build', async () => {
      const { buildId } = await handIn('Fail me');
      const page = await openBuild(buildId);
      await checks.run(desk, { tests: 'failed', 'lint / style': 'timed_out' });
      await page.getByText('The check tests failed with exit code 1').first().waitFor();
      await checkRow(page, 'tests').getByText('Failed', { exact: true }).waitFor();
      await checkRow(page, 'tests').getByText('exit code 1').waitFor();
      await checkRow(page, 'lint / style').getByText('Timed out', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Log of lint / style' }).click();
      await page.getByText('the lint / style check timed_out').waitFor();
      await step(page, 'Person').getByText('Not reached').waitFor();
    });

    it('are skipped when the setup fails, which is shown', async () => {
      const { buildId } = await handIn('No setup');
      const page = await openBuild(buildId);
      const claimed = await checks.order(desk);
      await checks.start(desk, claimed);
      await checks.finish(desk, claimed, {
        checks: CHECKS.checks.map(({ name }) => ({ name, status: 'skipped' })),
        setup: { exit_code: 2, seconds: 4, log_tail: 'make: no rule\n' },
      });
      await step(page, 'Checks').getByText('Setup failed', { exact: true }).waitFor();
      await step(page, 'Checks').getByText('The setup failed with exit code 2: make: no rule').waitFor();
      await checkRow(page, 'tests').getByText('Skipped', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Log of tests' }).count()).toBe(0);
    });

    it('are shown as never ended after three runs, and hold up nothing unless required', async () => {
      const lost = await handIn('Never ends');
      const page = await openBuild(lost.buildId);
      for (let run = 0; run < 3; run += 1) {
        const claimed = await checks.order(desk);
        await checks.start(desk, claimed);
        await site.world.advance(601);
      }
      await site.world.runJob('build-pass');
      await step(page, 'Checks').getByText('Started three times without finishing').waitFor();
      await checkRow(page, 'lint / style').getByText('Never ended', { exact: true }).waitFor();

      await checks.setChecks({ ...CHECKS, required: false });
      const { buildId } = await handIn('Shown only');
      await openBuild(buildId);
      await checks.run(desk, { tests: 'failed' });
      await step(page, 'Checks').getByText('1 of 2 passed; checks are optional here').waitFor();
      await step(page, 'Person').getByText('Waiting for review').waitFor();
      await checks.setChecks(CHECKS);
    });

    it('are absent for a project without checks', async () => {
      await checks.setChecks({});
      const { buildId } = await handIn('No checks');
      const page = await openBuild(buildId);
      await step(page, 'Checks').getByText('The project has no checks').waitFor();
      await checks.setChecks(CHECKS);
    });
  });

  describe('Build lists', () => {
    it('show a checking build on the board, in the card and in the filtered list', async () => {
      const { card, buildId } = await handIn('Where am I');
      const page = await visit('/dashboard/builds?status=checking');
      expect(await page.getByLabel('Status').inputValue()).toBe('checking');
      await page.locator(`[data-build="${buildId}"]`).getByText('Checking', { exact: true }).waitFor();
      await visit(`/dashboard/boards/${room.boardId}`);
      await page.locator('.build-mark', { hasText: 'checking' }).first().waitFor();
      await visit(`/dashboard/boards/${room.boardId}?card=${card.id}`);
      const section = page.getByRole('region', { name: 'Builds' });
      await section.getByText('Checking', { exact: true }).waitFor();
      await section.getByText('the checks wait for a desk').waitFor();
    });
  });

  describe('Notes, risk and reviewer', () => {
    const analyzed = {
      gate: {
        notes: [
          { kind: 'tests_removed', path: 'src/main.test.ts', count: 3, text: '3 tests are gone' },
          { kind: 'checks_changed', text: '.guildhall/checks.yaml is changed' },
          { kind: 'something_new', text: 'Of a kind that the page does not know' },
        ],
      },
      risk: {
        score: 62,
        reasons: [
          { reason: 'no test is touched', points: 20 },
          { reason: 'a large change', points: 42 },
        ],
      },
    };

    it('appear between the checks and the person', async () => {
      const { buildId } = await handIn('Look twice');
      await checks.run(desk);
      const review = '00000000-0000-4000-8000-000000000001';
      const comments = [{ path: 'src/work.ts', line: 1, body: 'Why?', severity: 'minor' }];
      const off = await addTo(shared, buildId, {
        ...analyzed,
        kind: 'build',
        reviews: [{ build_id: review, verdict: 'concerns', comments }],
      });
      const page = await openBuild(buildId);
      const notes = step(page, 'Notes');
      await notes.getByText('3 findings').waitFor();
      await notes.getByText('Tests removed ×3').waitFor();
      await notes.getByText('src/main.test.ts').waitFor();
      await notes.getByText('Something new').waitFor();
      expect(await notes.getByRole('list', { name: 'Risk factors' }).innerText()).toMatch(
        /a large change \+42\s+no test is touched \+20/,
      );
      await page.getByText('Risk 62').waitFor();
      const reader = step(page, 'Reviewer');
      await reader.getByText('Has concerns').waitFor();
      expect(await reader.getByRole('link', { name: 'Its build' }).getAttribute('href')).toBe(
        `/dashboard/builds/${review}`,
      );
      await reader.getByRole('link', { name: '1 comment next to the lines' }).click();
      await page.locator('.diff-added').first().waitFor();
      await off();

      const quiet = await addTo(shared, buildId, {
        gate: { notes: [] },
        risk: { score: 3, reasons: [] },
        reviews: [],
      });
      await openBuild(buildId);
      await notes.getByText('No findings').waitFor();
      await reader.getByText('No reviewer configured').waitFor();
      await quiet();
    });

    it('link the change that a review reads, and offer no way to accept a review', async () => {
      const { buildId } = await handIn('Read me');
      await checks.run(desk);
      const off = await addTo(shared, buildId, { kind: 'review', reviews: [], gate: null, risk: null });
      const page = await openBuild(buildId);
      await page.getByText('This build reviews the change of').waitFor();
      await page.getByText('Review of attempt 1').waitFor();
      expect(await page.getByRole('button', { name: 'Accept' }).count()).toBe(0);
      expect(await page.locator('.gate').count()).toBe(0);
      await off();
    });

    it('show the risk and its reasons in the review queue', async () => {
      const { buildId } = await handIn('Risky one');
      await checks.run(desk);
      const address = `**${BUILDS}?*review=to_review*`;
      await shared.route(address, async (route) => {
        const response = await route.fetch();
        const list = (await response.json()) as { builds: { build_id: string }[] };
        const builds = list.builds.map((build) =>
          build.build_id === buildId ? { ...build, ...analyzed } : build,
        );
        await route.fulfill({ response, json: { ...list, builds } });
      });
      const page = await visit('/dashboard/builds?review=to_review');
      const row = page.locator(`[data-build="${buildId}"]`);
      await row.getByText('Risk 62').waitFor();
      await row.getByText('a large change').waitFor();
      await page.getByLabel('Order').waitFor();
      await shared.unrouteAll({ behavior: 'ignoreErrors' });
    });
  });

  describe('Budgets', () => {
    it('name the budget that a build waits for, and start the build once there is enough', async () => {
      await checks.setPolicy({ budget: { day_usd: 0 } });
      const card = await room.card({ title: 'Poor' });
      const { build_id } = await room.build(card.id);
      const page = await openBuild(build_id);
      await page
        .getByText(/^Waiting for budget: The day's budget of the workspace/)
        .first()
        .waitFor();
      await visit(`/dashboard/boards/${room.boardId}`);
      await page.locator('.build-mark', { hasText: 'waits for budget' }).waitFor();
      await openBuild(build_id);
      await checks.setPolicy({ budget: { day_usd: 1000 } });
      const { claim } = await room.take(desk);
      await step(page, 'Coder').getByText('Working', { exact: true }).waitFor();
      await room.finish(desk, build_id, claim, { outcome: 'failed', reason: 'No luck' });
    });

    it('show the cost of a running build, and continue a build that reached its budget', async () => {
      await checks.setPolicy({ budget: { build_usd: 1 } });
      const { buildId, claim } = await runSpending('Expensive', 0.8);
      const page = await openBuild(buildId);
      await step(page, 'Coder').getByText('$0.80 so far').waitFor();
      await room.usage(desk, buildId, claim, { tokens_in: 9500, tokens_out: 800, cost_usd: 1 });
      await step(page, 'Coder').getByText('$1.00 so far').waitFor();
      await room.finish(desk, buildId, claim, { outcome: 'failed', reason: 'Budget reached' });
      await page.getByText('Budget reached.', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await page.waitForURL((url) => !url.pathname.endsWith(buildId));
      const next = new URL(page.url()).pathname.split('/').at(-1)!;
      expect(await room.get(next)).toMatchObject({ attempt: 2, continues: buildId });
      await openBuild(buildId);
      await page.getByRole('link', { name: 'Attempt 2 continues from it' }).waitFor();
    });

    it('warn before a build continues that nothing is left', async () => {
      await checks.setPolicy({ budget: { card_usd: 1 } });
      const { buildId, claim } = await runSpending('All spent', 1);
      await room.finish(desk, buildId, claim, { outcome: 'failed', reason: 'Budget reached' });
      const page = await openBuild(buildId);
      await page.getByText('No money left in the budget of the card ($1.00 of $1.00)').waitFor();
      await page.getByRole('button', { name: 'Continue when the budget allows' }).click();
      await page
        .getByText(/^Waiting for budget: /)
        .first()
        .waitFor();
    });
  });

  describe('Settings', () => {
    it('save the policy by section, and show errors at their fields', async () => {
      const page = await visit('/dashboard/settings/builds');
      await page.getByLabel('A day, in dollars').fill('25.5');
      await page.getByLabel('One build, in dollars').fill('2');
      await page.getByLabel('Stalled after minutes').fill('7');
      await page.getByLabel('Retry automatically when a check fails').check();
      await page.getByRole('button', { name: 'Save policy' }).click();
      await page.getByText('Saved for new builds. Running builds do not change.').waitFor();
      const saved = await room.call('GET', `${BUILDS}/policy`);
      expect(saved.body).toMatchObject({
        stall_minutes: 7,
        rework: { on_gate: true },
        budget: { build_usd: 2, card_usd: null, day_usd: 25.5, month_usd: null },
      });
      await page.getByLabel('Open at once').fill('26');
      await page.getByRole('button', { name: 'Save policy' }).click();
      await page.getByText(/^Open at once .*25/).waitFor();
      expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('Open at once');
      await page.getByLabel('Open at once').fill('');
      await page.getByLabel('A month, in dollars').fill('2000000000');
      await page.getByRole('button', { name: 'Save policy' }).click();
      await page
        .getByRole('alert')
        .getByText(/^A month, in dollars must be/)
        .waitFor();
      await page.getByRole('button', { name: 'Discard' }).click();
      await checks.setPolicy({ stall_minutes: 20 });

      const theirs = await site.signIn(member, '/dashboard/settings/builds');
      await theirs.getByText('Admins of the workspace can change this.').waitFor();
      expect(await theirs.getByLabel('Open at once').isDisabled()).toBe(true);
      expect(await theirs.getByRole('button', { name: 'Save policy' }).count()).toBe(0);
      await theirs.context().close();
    });

    it("save a project's checks, with errors at their fields, and its budget", async () => {
      const page = await visit(`/dashboard/lessons/${room.projectId}?tab=repository`);
      const first = page.getByRole('group', { name: 'Check 1' });
      await first.getByLabel('Minutes').fill('500');
      const section = page.getByRole('region', { name: 'Setup and checks' });
      await section.getByRole('button', { name: 'Save' }).click();
      await first
        .getByRole('alert')
        .getByText(/^Minutes must be/)
        .waitFor();
      await section.getByRole('button', { name: 'Discard' }).click();

      const budget = page.getByRole('region', { name: 'Budget' });
      await budget.getByLabel('A day, in dollars').fill('12');
      await budget.getByRole('button', { name: 'Save budget' }).click();
      await budget.getByText(/of \$12\.00/).waitFor();
      const saved = await room.call('GET', `/api/v1/projects/${room.projectId}/budget`);
      expect(saved.body).toMatchObject({ day_usd: 12, month_usd: null });
      await room.call('PUT', `/api/v1/projects/${room.projectId}/budget`, {
        day_usd: null,
        month_usd: null,
      });
    });

    it('save a budget for an agent', async () => {
      const made = await room.call<{ agent_id: string }>('POST', '/api/v1/memory/agents/resolve', {
        program: 'claude',
        repository: 'https://git.example/team/billing',
      });
      expect(made.body).toEqual({ agent_id: 'claude-billing' });
      const page = await visit('/dashboard/memory/claude-billing?tab=budget');
      await page.getByLabel('A month, in dollars').fill('300');
      await page.getByRole('button', { name: 'Save budget' }).click();
      await page.getByText(/of \$300\.00/).waitFor();
      const saved = await room.call('GET', '/api/v1/memory/agents/claude-billing/budget');
      expect(saved.body).toMatchObject({ day_usd: null, month_usd: 300 });
    });

    it("save the workspace's time zone and reject an unknown one", async () => {
      const page = await visit('/dashboard/settings/workspace');
      await page.getByLabel('Time zone').fill('Mars/Olympus');
      await page.getByRole('button', { name: 'Set time zone' }).click();
      await page
        .getByRole('alert')
        .getByText(/^Time zone /)
        .waitFor();
      await page.getByLabel('Time zone').fill('Europe/Stockholm');
      await page.getByRole('button', { name: 'Set time zone' }).click();
      await page.getByText('Days and months use the time zone Europe/Stockholm').waitFor();
      await visit('/dashboard/spend');
      await page.getByText('Days are those of Europe/Stockholm.').waitFor();
    });
  });

  it.each([
    ['light', undefined],
    ['dark', NARROW],
  ] as const)(
    'has no accessibility violations in %s, and nothing wider than the window',
    async (theme, size) => {
      const { buildId } = await handIn('Look at me');
      await checks.run(desk, { tests: 'failed' });
      const page = await site.signIn(admin(), '/dashboard/settings/builds', { theme, size });
      const look = async (name: string) => {
        expect(await findBarriers(page), name).toEqual([]);
        const [scroll, own] = (await page.evaluate(
          "[document.querySelector('main').scrollWidth, document.querySelector('main').clientWidth]",
        )) as [number, number];
        expect(scroll, `${name} is too wide`).toBeLessThanOrEqual(own);
        await takePicture(page, `gates-${name}-${theme}`);
      };
      await page.getByRole('button', { name: 'Save policy' }).waitFor();
      await look('policy');
      await addTo(page, buildId, {
        gate: { notes: [{ kind: 'stub', path: 'src/work.ts', text: 'A function only throws' }] },
        risk: { score: 80, reasons: [{ reason: 'a large change', points: 80 }] },
        reviews: [{ build_id: buildId, verdict: 'fail', comments: [] }],
      });
      await page.goto(`${site.address}/dashboard/builds/${buildId}`);
      await page.getByRole('button', { name: 'Log of tests' }).click();
      await page.getByText('the tests check failed').waitFor();
      await look('build');
      await page.goto(`${site.address}/dashboard/lessons/${room.projectId}?tab=repository`);
      await page.getByRole('button', { name: 'Save budget' }).scrollIntoViewIfNeeded();
      await look('project');
      await page.goto(`${site.address}/dashboard/builds`);
      await page.locator('[data-build]').first().waitFor();
      await look('builds');
      await page.context().close();
    },
  );

  it('shows a build without progress as stalled everywhere, and in the inbox', async () => {
    const card = await room.card({ title: 'Stuck' });
    await room.build(card.id);
    const taken = await room.take(desk);
    const { started_at } = await room.get(taken.buildId);
    const running = [{ build_id: taken.buildId, progress_at: started_at }];
    for (let wait = 0; wait < 3; wait += 1) {
      await site.world.advance(7 * 60);
      await room.work(desk, { slots: 0, running });
    }
    await site.world.runJob('build-pass');
    const page = await openBuild(taken.buildId);
    await page.getByText('Running, stalled').waitFor();
    await page.getByText('No progress; the build stops if this continues').first().waitFor();
    await step(page, 'Coder').getByText('No progress', { exact: true }).waitFor();
    await visit(`/dashboard/boards/${room.boardId}`);
    await page.locator('.build-mark', { hasText: 'stalled' }).waitFor();
    await visit('/dashboard/inbox?kind=build_stalled');
    await page.getByText('No progress in the build of').waitFor();
  });
});
