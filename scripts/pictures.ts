/**
 * Takes the screenshots for the README: `npx tsx scripts/pictures.ts`. Starts the demo on a free port, signs
 * in with a browser, starts a build, and captures each page once it stops changing.
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { launchChromium } from '../tests/support/chromium.js';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'docs/pictures');
const SIZE = { width: 1280, height: 800 };
/** In CSS pixels. The image has two pixels for each, so that text is sharp on high-resolution screens. */
const WIDTH = 960;
const SHARPNESS = 2;
const READY_MS = 60_000;
const STILL_MS = 800;

interface DemoWorld {
  address: string;
  email: string;
  password: string;
  /** The id of the card that the startup output suggests for a first build. */
  card: string;
  stop(): Promise<void>;
}

async function startDemoWorld(): Promise<DemoWorld> {
  const data = await mkdtemp(join(tmpdir(), 'guildhall-pictures-'));
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env: { PATH, HOME, PORT: '0', DATA_DIR: data, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  const find = (pattern: RegExp, what: string): string => {
    const found = pattern.exec(said)?.[1];
    if (!found) throw new Error(`The start did not say ${what}:\n${said}`);
    return found;
  };
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`Not ready in time:\n${said}`)), READY_MS);
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (!/is ready at/.test(said)) return;
      clearTimeout(late);
      // Waits briefly for the output that follows.
      setTimeout(resolve, 1000);
    });
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return {
    address: find(/is ready at (\S+)/, 'where'),
    email: find(/^\s+(\S+@\S+)\s+admin/m, 'as whom'),
    password: find(/the password (\S+) as/, 'with which password'),
    card: find(/\/tasks\/([0-9a-f-]{36})\/builds/, 'which card'),
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function signIn(browser: Browser, world: DemoWorld, colorScheme: 'light' | 'dark'): Promise<Page> {
  const context = await browser.newContext({
    viewport: SIZE,
    deviceScaleFactor: SHARPNESS,
    colorScheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(`${world.address}/sign-in`);
  await page.getByLabel('E-mail').fill(world.email);
  await page.getByLabel('Password').fill(world.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Areas' }).waitFor();
  return page;
}

/** Reduces the image to a palette, so that it is small enough for a README. */
async function take(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(STILL_MS);
  const bytes = await page.screenshot();
  await sharp(bytes)
    .resize(WIDTH * SHARPNESS)
    .png({ palette: true, colours: 96, effort: 10 })
    .toFile(join(folder, `${name}.png`));
}

mkdirSync(folder, { recursive: true });
const world = await startDemoWorld();
const browser = await launchChromium();
try {
  await takePictures(browser, world);
} finally {
  await browser.close();
  await world.stop();
}

async function takePictures(browser: Browser, world: DemoWorld): Promise<void> {
  const page = await signIn(browser, world, 'light');
  const go = (path: string) => page.goto(`${world.address}/dashboard${path}`);

  await take(page, 'today');
  await go('/boards');
  await page.locator('a.tile').first().click();
  await page.locator('[data-card]').first().waitFor();
  await take(page, 'board');
  const buildId = await page.evaluate(`fetch('/api/v1/board/tasks/${world.card}/builds', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  }).then((answer) => answer.json()).then(({ build_id }) => build_id)`);
  await go(`/builds/${buildId}?tab=changes`);
  await page.getByText('Succeeded').first().waitFor({ timeout: READY_MS });
  await page.reload();
  await take(page, 'build');
  await go('/lessons');
  await page.locator('main a[href*="/dashboard/lessons/"]').first().click();
  await page.getByRole('tree').waitFor();
  await take(page, 'lessons');

  const dark = await signIn(browser, world, 'dark');
  await dark.goto(`${world.address}/dashboard/figures`);
  await take(dark, 'figures');
}
