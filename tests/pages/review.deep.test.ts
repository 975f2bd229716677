import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TestPerson } from '../support/app.js';
import { checkouts } from '../support/build-checkouts.js';
import { type BuildWorld, type FakeDesk, type Furnished, startBuildWorld } from '../support/build-world.js';
import { describePages, expectSilence, findBarriers, type Site, startSite, takePicture } from './browser.js';

/** Two users look at the same build and one of them decides. */

let site: Site<BuildWorld>;
let room: Furnished;
let desk: FakeDesk;
let git: ReturnType<typeof checkouts>;
let ben: TestPerson;

const BUILDS = '/api/v1/factory/builds';
const decision = (page: Page) => page.getByRole('status', { name: 'Decision' });

async function succeed(title: string) {
  const card = await room.card({ title });
  const { build_id } = await room.build(card.id);
  await git.succeed(desk, { 'src/main.ts': `export const title = '${title}';\n` });
  return { card, buildId: build_id };
}

/** Opens the same build for the admin and for Ben. */
async function openBoth(buildId: string): Promise<{ mine: Page; theirs: Page }> {
  const path = `/dashboard/builds/${buildId}?tab=changes`;
  const [mine, theirs] = [await site.signIn(room.space.admin, path), await site.signIn(ben, path)];
  for (const page of [mine, theirs]) await page.getByRole('button', { name: 'Accept' }).waitFor();
  return { mine, theirs };
}

async function accept(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('button', { name: 'Accept and push' }).click();
}

async function askForRework(page: Page, words: string): Promise<void> {
  await page.getByRole('button', { name: 'Request changes' }).click();
  await page.getByLabel('Comment on the whole change').fill(words);
  await page.getByRole('button', { name: 'Send and build again' }).click();
}

describePages('Review of a build by several people', () => {
  beforeAll(async () => {
    site = await startSite(startBuildWorld);
    room = await site.world.furnish({ name: 'Acme Robotics' });
    desk = await room.readyDesk({ name: 'Loopback' });
    git = checkouts(room);
    ben = await site.world.person({ full_name: 'Ben Okafor' });
    await site.world.member(room.space.brand, { person: ben });
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(async () => {
    await site.closePages();
    const { body } = await room.call<{ builds: { build_id: string }[] }>('GET', `${BUILDS}?state=open`);
    for (const { build_id } of body.builds) await room.call('POST', `${BUILDS}/${build_id}/cancel`);
    expectSilence(site);
  });

  it('shows on every open page who requested changes and that attempt 2 has started', async () => {
    const { buildId } = await succeed('Sent back');
    const { mine, theirs } = await openBoth(buildId);
    // With polling disabled, the decision must arrive through the feed.
    await mine.addInitScript('window.setInterval = () => 0');
    const listening = mine.waitForResponse((response) => response.url().includes('/stream?since='));
    await mine.reload();
    await listening;
    await askForRework(theirs, 'Say it louder.');
    await decision(mine).getByText('Ben Okafor requested changes').waitFor();
    await decision(mine).getByText('Attempt 2 is open').waitFor();
    expect(await mine.getByRole('button', { name: 'Accept' }).count()).toBe(0);
    expect(await mine.getByRole('button', { name: /^Request changes/ }).count()).toBe(0);
    expect(await findBarriers(mine)).toEqual([]);
    await takePicture(mine, 'review-decided');
    await decision(mine).getByRole('link', { name: 'Attempt 2' }).click();
    await mine.getByRole('link', { name: 'Attempt 1' }).waitFor();
  });

  it('marks agents that started or reviewed a build, also for their own person', async () => {
    const { brand, admin } = room.space;
    await site.world.operator('POST', '/agents', { agent_id: 'claude-judge', brand_id: brand.brand_id });
    const token = await site.world.token(brand, admin, undefined, { agent_id: 'claude-judge' });
    const asAgent = { authorization: `Bearer ${token}` };
    const name = `claude-judge (for ${admin.full_name})`;
    const card = await room.card({ title: 'Judged' });
    const { body } = await room.post(card.id, {}, asAgent);
    await git.succeed(desk, { 'src/main.ts': "export const title = 'Judged';\n" });
    const page = await site.signIn(admin, `/dashboard/builds/${body.build_id}?tab=changes`);
    const started = page.locator('.build-facts').filter({ hasText: `started by Agent ${name}` });
    await started.locator('.actor-mark').waitFor();
    const review = { decision: 'rework', comments: [{ body: 'Shorter.' }] };
    await room.call('POST', `${BUILDS}/${body.build_id}/review`, review, asAgent);
    await decision(page).getByText('requested changes').waitFor();
    await decision(page).locator('.actor-mark').waitFor();
    expect(await decision(page).textContent()).toContain(name);
    await takePicture(page, 'agent-build');
    expect(await findBarriers(page)).toEqual([]);
  });

  it('rejects a second decision, names the first one and its author, and pushes nothing', async () => {
    const { buildId } = await succeed('Too late');
    const { mine, theirs } = await openBoth(buildId);
    // Ben decides while Ada's request is on its way.
    await mine.route(
      `**${BUILDS}/${buildId}/review`,
      async (route) => {
        await askForRework(theirs, 'Not like this.');
        await theirs.getByText('Attempt 2 is queued').waitFor();
        await route.fallback();
      },
      { times: 1 },
    );
    await accept(mine);
    const dialog = mine.getByRole('dialog');
    await dialog.getByText('Ben Okafor requested changes').waitFor();
    await dialog.getByText('Your decision was not saved').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await decision(mine).getByText('Ben Okafor requested changes').waitFor();
    expect(await room.get(buildId)).toMatchObject({ pushed_at: null, review: { decision: 'rework' } });
  });

  it('shows a running push, and then its completion, in every window', async () => {
    const { buildId } = await succeed('Taken');
    const { mine, theirs } = await openBoth(buildId);
    const third = await site.signIn(ben, `/dashboard/builds/${buildId}?tab=log`);
    await accept(theirs);
    for (const page of [mine, theirs, third]) {
      await decision(page).getByText('Ben Okafor accepted it').waitFor();
      await decision(page).getByText('is being pushed').waitFor();
    }
    await site.world.runJob('build-push');
    for (const page of [mine, theirs, third]) await decision(page).getByText('was pushed').waitFor();
  });

  it('keeps a comment as a draft until it is sent, then shows it live, with replies, resolution and lesson', async () => {
    const { buildId } = await succeed('Talked about');
    const { mine, theirs } = await openBoth(buildId);
    await mine.addInitScript('window.setInterval = () => 0');
    const listening = mine.waitForResponse((response) => response.url().includes('/stream?since='));
    await mine.reload();
    await listening;
    const file = theirs.getByRole('region', { name: 'src/main.ts' });
    await file.getByRole('button', { name: 'Comment on line 1', exact: true }).click();
    await theirs.getByLabel('Comment on line 1 of src/main.ts').fill('Name it better.');
    await theirs.keyboard.press('Control+Enter');
    await theirs.getByText('Your comment on line 1, not sent yet').waitFor();
    await theirs.getByText('1 comment, not sent yet').waitFor();
    expect(await mine.getByText('Name it better.').count()).toBe(0);
    await theirs.getByRole('button', { name: 'Send without a decision' }).click();

    const thread = mine.getByRole('group', { name: 'Comments on line 1' });
    await thread.getByText('Name it better.').waitFor();
    await thread.getByText('Ben Okafor').waitFor();
    await thread.getByRole('button', { name: 'Answer' }).click();
    await thread.getByLabel('Reply to Ben Okafor').fill('How?');
    await mine.keyboard.press('Control+Enter');
    await theirs.getByRole('group', { name: 'Comments on line 1' }).getByText('How?').waitFor();
    expect(await findBarriers(mine)).toEqual([]);
    await takePicture(mine, 'review-thread');

    await thread.getByRole('button', { name: 'Write a lesson from this comment' }).click();
    const dialog = mine.getByRole('dialog', { name: 'Write a lesson' });
    expect(await dialog.getByLabel('About').inputValue()).toBe('src/main.ts');
    expect(await dialog.getByLabel('Text').inputValue()).toContain('Said of `src/main.ts:1`.');
    await dialog.getByLabel('Title').fill('Names say what things are');
    expect(await findBarriers(mine)).toEqual([]);
    await dialog.getByRole('button', { name: 'Write the lesson' }).click();
    await dialog.waitFor({ state: 'detached' });
    const lessons = await room.call<{ items: object[] }>(
      'GET',
      `/api/v1/memory/entries?project_id=${room.projectId}`,
    );
    expect(lessons.body.items).toMatchObject([
      { path: 'lessons/reviews/names-say-what-things-are.md', anchors: ['src/main.ts'] },
    ]);

    // Comment changes arrive through the feed too.
    const same = theirs.getByRole('group', { name: 'Comments on line 1' });
    await same.getByRole('button', { name: 'Edit' }).first().click();
    await theirs.getByLabel('Your comment').fill('Name it much better.');
    await theirs.keyboard.press('Control+Enter');
    await thread.getByText('Name it much better.').waitFor();
    await same.getByRole('button', { name: 'Resolve' }).click();
    await thread.getByText(/^Resolved by Ben Okafor/).waitFor();
    expect(await thread.getByText('Name it much better.').isVisible()).toBe(false);
  });

  it('shows files as a tree, highlighted code, and context lines that accept comments', async () => {
    const lines = Array.from({ length: 120 }, (_, at) => `const line${at + 1} = ${at + 1};`);
    const changed = lines.map((line, at) => (at === 59 ? "const line60 = 'changed';" : line));
    room.repository.save({ 'src/deep/down/long.ts': `${lines.join('\n')}\n` });
    const card = await room.card({ title: 'Wide' });
    const { build_id: buildId } = await room.build(card.id);
    await git.succeed(desk, {
      'src/deep/down/long.ts': `${changed.join('\n')}\n`,
      'src/deep/down/other.ts': 'export {};\n',
      'src/main.ts': 'export const title = 1;\n',
      'notes.md': 'One\n',
    });
    const page = await site.signIn(room.space.admin, `/dashboard/builds/${buildId}?tab=changes`);
    const file = page.getByRole('region', { name: 'src/deep/down/long.ts' });
    await file.locator('.diff-added .code-keyword', { hasText: 'const' }).waitFor();
    expect(await file.locator('.diff-added .diff-word').allTextContents()).toEqual(["'changed'"]);

    const tree = page.getByRole('tree', { name: 'Files changed' });
    const at = () => page.evaluate<string>('document.activeElement.dataset.place');
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await tree.getByRole('treeitem', { name: 'src, folder, 0 of 3 viewed' }).focus();
    await press('ArrowDown');
    expect(await at()).toBe('src/deep/down/');
    await press('ArrowLeft', 'ArrowDown');
    expect(await at()).toBe('src/main.ts');
    await press('ArrowUp', 'ArrowRight', 'End');
    expect(await at()).toBe('notes.md');
    await press('m');
    expect(await at()).toBe('src/main.ts');
    await press('Home');
    expect(await at()).toBe('src/');
    await press('l', 'Enter');
    await expect
      .poll(() => page.evaluate('document.activeElement.dataset.file'))
      .toBe('src/deep/down/long.ts');

    await file.getByRole('button', { name: 'Show 20 above, lines above line 57' }).click();
    await file.getByText('line37').waitFor();
    expect(await file.getByText('line36').count()).toBe(0);
    await file.getByRole('button', { name: /^Show 20 below, lines below line 63/ }).click();
    await file.getByText('line83').waitFor();
    await file.getByRole('button', { name: 'Show all 37 lines, from line 84' }).click();
    await file.getByText('line120').waitFor();
    await file.getByRole('button', { name: 'Comment on line 40', exact: true }).click();
    await page.getByLabel('Comment on line 40 of src/deep/down/long.ts').fill('And this one?');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Your comment on line 40, not sent yet').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'review-context');

    await file.getByLabel('Viewed').check();
    await tree
      .getByRole('treeitem', { name: 'deep/down, folder, 1 of 2 viewed, 1 comment, 2 added, 1 removed' })
      .waitFor();
  });

  it('sends a comment once when the review is sent while it is being saved', async () => {
    const { buildId } = await succeed('On its way');
    const page = await site.signIn(room.space.admin, `/dashboard/builds/${buildId}?tab=changes`);
    const line = page.locator('.diff-added').first();
    await line.getByRole('button', { name: /^Comment on line/ }).click();
    await page.getByLabel(/^Comment on line 1 of/).fill('Shorter?');
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/comments', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Add to review' }).click();
    await page.getByRole('button', { name: 'Request changes (1)' }).click();
    await page.getByRole('button', { name: 'Send and build again' }).click();
    letGo();
    await page.getByText('Attempt 2 is queued').waitFor();
    const { body } = await room.call<{ comments: { body: string }[] }>(
      'GET',
      `${BUILDS}/${buildId}/comments`,
    );
    expect(body.comments.map((comment) => comment.body)).toEqual(['Shorter?']);
  });

  it('lists the builds to review with counts for each state', async () => {
    const { card } = await succeed('Next in line');
    const page = await site.signIn(ben, '/dashboard/builds');
    const tabs = page.getByRole('navigation', { name: 'Builds by their review' });
    await tabs.getByRole('link', { name: /^To review \(\d+\)$/ }).click();
    await page.getByRole('region', { name: 'To review' }).getByText(card.ref).waitFor();
    await tabs.getByRole('link', { name: /^Changes requested \(\d+\)$/ }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'review-queue');
  });

  it('offers to retry a failed push', async () => {
    const { buildId } = await succeed('Stuck');
    const { branch } = await room.get(buildId);
    room.repository.git('branch', branch, 'HEAD');
    const { mine } = await openBoth(buildId);
    await accept(mine);
    await decision(mine).getByText('is being pushed').waitFor();
    await site.world.runJob('build-push');
    await decision(mine).getByText('Not pushed').waitFor();
    room.repository.git('branch', '-D', branch);
    await decision(mine).getByRole('button', { name: 'Retry push' }).click();
    await decision(mine).getByText('is being pushed').waitFor();
    await site.world.runJob('build-push');
    await decision(mine).getByText('was pushed').waitFor();
  });
});
