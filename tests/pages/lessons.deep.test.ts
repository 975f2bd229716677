import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TestBrand, TestPerson } from '../support/app.js';
import { ScratchRepository } from '../support/scratch-repository.js';
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

let site: Site;
let brand: TestBrand;
let admin: TestPerson;
let member: TestPerson;
let cookie: string;
let repository: ScratchRepository;
let projectId: string;

const ask = askAs(() => ({ site, cookie }));

const lesson = (title: string, anchor: string, body: string) =>
  `---\ntype: gotcha\ntitle: ${title}\nauthor: Ada Lindqvist\ncard: NAV-7\nanchors: ["${anchor}"]\n---\n${body}\n`;

const FILES = {
  'src/route/plan.ts':
    "import { measure } from './measure.js';\nimport { draw } from '../draw.js';\nexport function plan() { return draw(measure()); }\n",
  'src/route/measure.ts': 'export function measure() { return 1; }\n',
  'src/route/replan-path.ts': 'export function replanPath() { return "the long way round"; }\n',
  'src/draw.ts': 'export function draw(value: number) { return String(value); }\n',
  'src/main.ts': "import { plan } from './route/plan.js';\nplan();\n",
  'lessons/route/measure-twice.md': lesson(
    'Measure twice',
    'src/route/measure.ts',
    'The first value of a **cold** sensor is wrong.',
  ),
  'lessons/route/whole-folder.md': lesson(
    'Routes are planned in steps',
    'src/route/',
    'One step after another.',
  ),
  'lessons/draw/round.md': lesson('Round before drawing', 'src/draw.ts#draw', 'Else it flickers.'),
  'lessons/route/replan.md': lesson(
    'Replan rarely',
    'src/route/replan-path.ts#replanPath',
    'It costs a second.',
  ),
};

async function index(): Promise<void> {
  await ask('POST', `/api/v1/projects/${projectId}/index`);
  await site.world.runJob('project-index-wanted');
}

const address = (query = '') => `/dashboard/lessons/${projectId}${query}`;
const isFocused = (page: Page, label: RegExp) =>
  expect.poll(() => page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''")).toMatch(label);

describePages('Lesson pages', () => {
  beforeAll(async () => {
    site = await startSite();
    brand = await site.world.brand({ name: 'Acme Robotics', plan: 'business' });
    admin = await site.world.person({ full_name: 'Ada Lindqvist' });
    await site.world.member(brand, { role: 'admin', person: admin });
    member = await site.world.member(brand);
    cookie = await site.world.signIn(admin, brand);
    repository = new ScratchRepository(
      join(site.world.config.repositoriesDir, String(brand.brand_id), 'navigator'),
    );
    repository.save(FILES);
    const project = await ask<{ project_id: string }>('POST', '/api/v1/projects', {
      name: 'Navigator',
      repository: { url: repository.folder },
    });
    projectId = project.project_id;
    await index();
    repository.git('checkout', '--quiet', '-b', 'without-drawing');
    repository.remove('src/draw.ts').commit();
    repository.git('checkout', '--quiet', 'main');
    repository.remove('src/route/replan-path.ts');
    repository.save({
      'src/route/replan-route.ts': 'export class ReplanRoute { again = ["a", "b"].length; }\n',
    });
    await index();
  });

  afterAll(async () => {
    await site?.close();
  });

  afterEach(() => leaveInSilence(site));

  it('shows the number of lessons and lists them', async () => {
    const page = await site.signIn(admin, '/dashboard/lessons');
    const tile = page.getByRole('link', { name: /Navigator/ });
    await tile.getByText('4 lessons').waitFor();
    await tile.getByText('1 stale').waitFor();
    await tile.click();
    await page.getByRole('region', { name: 'All lessons' }).getByText('4 lessons', { exact: true }).waitFor();
    await page.getByRole('link', { name: /Round before drawing/ }).waitFor();
  });

  it('browses folders and opens a lesson by keyboard', async () => {
    const page = await site.signIn(admin, address());
    await page.getByRole('treeitem', { name: 'src, folder, 4 lessons, 1 stale' }).waitFor();
    await page.getByRole('treeitem', { name: 'All of the code, folder' }).focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
    await page.getByRole('treeitem', { name: /^route, folder/ }).waitFor();
    await page.keyboard.press('ArrowRight');
    await isFocused(page, /^route, folder, 3 lessons, 1 stale$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'src/route/' }).waitFor();
    await page.getByRole('link', { name: /Measure twice/ }).waitFor();
    expect(await page.getByRole('link', { name: /Round before drawing/ }).count()).toBe(0);
    await page.getByRole('link', { name: /Measure twice/ }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.locator('strong', { hasText: 'cold' }).waitFor();
    expect(await dialog.textContent()).toContain('NAV-7');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Measure twice');
  });

  it('draws the graph around a file, follows keyboard and history, and highlights the path to a lesson', async () => {
    const page = await site.signIn(admin, address('?tab=around&at=src/route/plan.ts'));
    await page.getByRole('button', { name: 'src/route/plan.ts, file, the centre' }).focus();
    await page.keyboard.press('ArrowLeft');
    await isFocused(page, /^src\/(main\.ts|route\/), .*1 step away/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await isFocused(page, /1 step away/);
    await page.getByRole('button', { name: /^src\/route\/measure\.ts, file, 1 step away, 1 lesson/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'src/route/measure.ts, file, the centre, 1 lesson' }).waitFor();
    await isFocused(page, /the centre/);
    await page.goBack();
    await page.getByRole('button', { name: 'src/route/plan.ts, file, the centre' }).waitFor();
    await page.getByRole('button', { name: /Measure twice/ }).click();
    await page.locator('.graph-node.is-lit', { hasText: 'measure.ts' }).waitFor();
    expect(await page.locator('.graph-link.is-lit').count()).toBeGreaterThan(0);
    expect(await page.getByRole('list', { name: 'Path' }).textContent()).toContain('src/route/measure.ts');
  });

  it('draws the same code the same way without overlaps', async () => {
    const page = await site.signIn(admin, address('?tab=around&at=src/route/plan.ts&depth=3'));
    const readPlaces = async () => {
      await page.getByRole('button', { name: /the centre/ }).waitFor();
      return page.evaluate<{ name: string; at: string }[]>(
        `[...document.querySelectorAll('.graph-node')].map((node) => ({
          name: node.getAttribute('aria-label'),
          at: node.style.transform,
        }))`,
      );
    };
    const first = await readPlaces();
    expect(new Set(first.map(({ at }) => at)).size).toBe(first.length);
    await page.reload();
    expect(await readPlaces()).toEqual(first);
  });

  it('shows stale lessons with similarly named live code', async () => {
    const page = await site.signIn(admin, address());
    await page.getByRole('link', { name: 'Stale (1)' }).click();
    await page.getByText(/code removed in/).waitFor();
    await page.getByRole('link', { name: 'src/route/replan-route.ts#ReplanRoute', exact: true }).waitFor();
  });

  it('shows which lessons a branch would make stale before it is merged', async () => {
    const page = await site.signIn(admin, address('?tab=impact'));
    await page.getByLabel('Merge', { exact: true }).fill('without-drawing');
    await page.getByRole('button', { name: 'Show impact' }).click();
    await page.getByRole('region', { name: 'Would go stale' }).getByText('Round before drawing').waitFor();
    await page.getByLabel('Merge', { exact: true }).fill('no-such-branch');
    await page.getByRole('button', { name: 'Show impact' }).click();
    await page.getByRole('alert').waitFor();
  });

  it('shows a running index run until it finishes, without a reload', async () => {
    const page = await site.signIn(admin, address());
    await page.getByText('ready', { exact: true }).waitFor();
    repository.save({
      'lessons/route/fresh.md': lesson('Fresh from the press', 'src/main.ts', 'Read it.'),
    });
    await page.getByRole('button', { name: 'Index now' }).click();
    await page.getByRole('progressbar').waitFor();
    await site.world.runJob('project-index-wanted');
    await page.getByRole('link', { name: /Fresh from the press/ }).waitFor();
    await page.getByText('ready', { exact: true }).waitFor();
  });

  it('lets members rename a project, and only admins see its keys and delete it after confirmation', async () => {
    const extra = await ask<{ project_id: string }>('POST', '/api/v1/projects', { name: 'Short-lived' });
    const page = await site.signIn(member, `/dashboard/lessons/${extra.project_id}?tab=repository`);
    await page.getByLabel('Name').fill('Short');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Short', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete this project' }).count()).toBe(0);
    const theirs = await site.signIn(admin, `/dashboard/lessons/${extra.project_id}?tab=repository`);
    await theirs.getByRole('button', { name: 'Show the workspace’s key' }).click();
    await theirs.getByText(/^ssh-ed25519 /).waitFor();
    await theirs.getByRole('button', { name: 'Delete this project' }).click();
    await theirs.getByRole('button', { name: 'Delete project' }).click();
    await theirs.getByRole('heading', { name: 'Lessons', exact: true }).waitFor();
    await theirs.getByRole('link', { name: /Navigator/ }).waitFor();
    expect(await theirs.getByRole('link', { name: /Short/ }).count()).toBe(0);
  });

  it('creates and rotates a project key, sets a token and removes it; members can only read', async () => {
    const made = await ask<{ project_id: string }>('POST', '/api/v1/projects', {
      name: 'Private',
      repository: { url: 'https://git.example/private.git' },
    });
    const place = `/dashboard/lessons/${made.project_id}?tab=repository`;
    const page = await site.signIn(admin, place);
    await page.getByRole('button', { name: 'Create a key for this project' }).click();
    await page.getByText('A key of this project').waitFor();
    const key = await page.getByText(/^ssh-ed25519 /).innerText();
    await page.getByRole('button', { name: 'Rotate the key' }).click();
    await page.getByRole('button', { name: 'Rotate key' }).click();
    await page.getByText('Until this key has worked').waitFor();
    expect(await page.getByText(/^ssh-ed25519 /).innerText()).not.toBe(key);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('heading', { name: 'Access to the repository' }).scrollIntoViewIfNeeded();
    await takePicture(page, 'lessons-credentials-rotated');
    await page.getByRole('button', { name: 'Use a token' }).click();
    await page.getByRole('textbox', { name: 'Token' }).fill('ghp_unseen');
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'lessons-credentials-token');
    await page.getByRole('button', { name: 'Save token' }).click();
    await page.getByText('git.example', { exact: true }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain('ghp_unseen');
    await takePicture(page, 'lessons-credentials-kept');

    const theirs = await site.signIn(member, place, { size: NARROW, theme: 'dark' });
    await theirs.getByText('git.example', { exact: true }).waitFor();
    expect(await theirs.getByRole('button', { name: 'Replace the token' }).count()).toBe(0);
    await theirs.getByRole('heading', { name: 'Access to the repository' }).scrollIntoViewIfNeeded();
    await takePicture(theirs, 'lessons-credentials-member');
    await page.getByRole('button', { name: 'Back to the workspace’s key' }).click();
    await page.getByRole('button', { name: 'Go back' }).click();
    await page.getByText('The key of the workspace', { exact: true }).waitFor();
    await site.world.inject({
      method: 'DELETE',
      url: `/api/v1/projects/${made.project_id}`,
      headers: { cookie },
    });
  });

  it('keeps the graph while the service is unreachable, says so, and continues afterwards', async () => {
    const page = await site.signIn(admin, address('?tab=around&at=src/route/plan.ts'));
    await page.getByRole('button', { name: /the centre/ }).waitFor();
    const mend = await cutLine(page);
    await page.getByRole('button', { name: /^src\/route\/measure\.ts, file/ }).click();
    await page.getByRole('alert').first().waitFor();
    await page.getByRole('button', { name: 'src/route/plan.ts, file, the centre' }).waitFor();
    await mend();
    await page.getByRole('button', { name: /^src\/route\/measure\.ts, file, the centre/ }).waitFor();
  });

  it.each([
    ['light', undefined],
    ['dark', NARROW],
  ] as const)('has no accessibility violations in %s, on every tab', async (theme, size) => {
    const page = await site.signIn(admin, '/dashboard/lessons', { theme, size });
    const check = async (name: string) => {
      expect(await findBarriers(page), name).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(
        size?.width ?? 1280,
      );
      await takePicture(page, `lessons-${name}-${theme}`);
    };
    await page
      .getByText(/\d lessons/)
      .first()
      .waitFor();
    await check('projects');
    await page.goto(site.address + address('?at=src/route/'));
    await page.getByRole('heading', { name: 'src/route/' }).waitFor();
    await page.getByRole('link', { name: /Measure twice/ }).waitFor();
    await page.getByRole('treeitem', { name: /^route, folder/ }).waitFor();
    await check('browse');
    await page.goto(site.address + address('?tab=around&at=src/route/plan.ts&depth=2'));
    await page.getByRole('button', { name: /the centre/ }).waitFor();
    await page.getByRole('button', { name: /Measure twice/ }).click();
    await check('around');
    await page.goto(site.address + address('?tab=stale'));
    await page.getByText('is gone').waitFor();
    await check('stale');
    await page.goto(site.address + address('?tab=impact&base=main&head=without-drawing'));
    await page.getByRole('link', { name: /Round before drawing/ }).waitFor();
    await check('impact');
    await page.goto(site.address + address('?tab=repository'));
    await page.getByText('No ssh hosts yet.').waitFor();
    await check('repository');
    await page.goto(site.address + address('?lesson=lessons/route/measure-twice.md'));
    await page.getByRole('dialog').getByRole('link', { name: 'src/route/measure.ts' }).waitFor();
    await check('reader');
  });
});
