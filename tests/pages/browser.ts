import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { startTestApp, type TestPerson, type World } from '../support/app.js';
import { ensureBuilt, root } from '../support/build.js';
import { borrowChromium, findNoChromium } from '../support/chromium.js';

const WIDE = { width: 1280, height: 800 };
const PATIENCE_MS = 120_000;

export const NARROW = { width: 390, height: 844 };

interface OpenOptions {
  size?: { width: number; height: number };
  cookie?: string;
  theme?: 'light' | 'dark';
}

/** Why the pages cannot be tried on this machine, or undefined when they can. Builds them when the build is old. */
async function findObstacle(): Promise<string | undefined> {
  const missing = findNoChromium();
  if (missing) return missing;
  try {
    await ensureBuilt('dashboard');
  } catch (error) {
    return `the dashboard cannot be built: ${(error as Error).message}`;
  }
  return existsSync(join(root, 'dist/dashboard/index.html')) ? undefined : 'there is no dashboard build';
}

const obstacle = await findObstacle();

/** Tests in a browser, skipped out loud where there is none. */
export function describePages(name: string, tests: () => void): void {
  if (obstacle) console.warn(`SKIPPED: ${name}: ${obstacle}`);
  describe.skipIf(obstacle)(name, tests);
}

/** The service on a socket, a browser, and a watch on everything the pages must not do. */
export async function openHouse(): Promise<House>;
export async function openHouse<W extends World>(
  start: (env: Record<string, string>) => Promise<W>,
): Promise<House<W>>;
export async function openHouse(
  start: (env: Record<string, string>) => Promise<World> = (env) => startTestApp({ env }),
): Promise<House> {
  const port = await findFreePort();
  const address = `http://127.0.0.1:${port}`;
  const world = await start({ BASE_URL: address });
  await world.server.listen({ port, host: '127.0.0.1' });
  const browser: Browser = await borrowChromium();
  const complaints: string[] = [];
  const contexts: BrowserContext[] = [];

  async function openPage(path: string, options: OpenOptions = {}): Promise<Page> {
    const context = await browser.newContext({
      viewport: options.size ?? WIDE,
      colorScheme: options.theme ?? 'light',
      // What moves is drawn sixty times a second, seen or not.
      reducedMotion: 'reduce',
      hasTouch: options.size === NARROW,
    });
    contexts.push(context);
    if (options.cookie) {
      const [name = '', value = ''] = options.cookie.split('=');
      await context.addCookies([{ name, value, url: address }]);
    }
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    watch(page, address, complaints);
    await page.goto(address + path);
    return page;
  }

  /** A page of somebody who has a session already. */
  const signIn = async (person: TestPerson, path: string, options: OpenOptions = {}): Promise<Page> =>
    openPage(path, { ...options, cookie: await world.signIn(person) });

  /** The newest link of that kind that was mailed. */
  async function readMailedLink(beginning: string): Promise<string> {
    const outbox = join(world.config.dataDir, 'outbox');
    const names = (await readdir(outbox)).sort();
    const letters = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')));
    const links = letters.flatMap((letter) => {
      const text = letter.replace(/=\r?\n/g, '').replaceAll('=3D', '=');
      return [...text.matchAll(/https?:\/\/[^\s"<>]+/g)].map(([link]) => link);
    });
    const found = links.filter((link) => link.startsWith(address + beginning)).at(-1);
    if (!found) throw new Error(`No mailed link begins with ${beginning}`);
    return found.slice(address.length);
  }

  return {
    world,
    address,
    complaints,
    openPage,
    signIn,
    readMailedLink,
    async closePages() {
      await Promise.all(contexts.splice(0).map((context) => context.close()));
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await world.stop();
    },
  };
}

export interface House<W = World> {
  world: W;
  address: string;
  /** What the pages said that they must not say. */
  complaints: string[];
  openPage(path: string, options?: OpenOptions): Promise<Page>;
  signIn(person: TestPerson, path: string, options?: OpenOptions): Promise<Page>;
  readMailedLink(beginning: string): Promise<string>;
  /** So that pages of earlier tests do not go on asking. */
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/** To be called after each test. */
export function expectSilence({ complaints }: House): void {
  const heard = complaints.splice(0);
  expect(heard, 'console errors, policy violations and foreign requests').toEqual([]);
}

/** The same where no page outlives its test: one that is left open goes on asking and drawing. */
export async function leaveInSilence(house: House): Promise<void> {
  await house.closePages();
  expectSilence(house);
}

/** Calls of somebody with a session, beside the pages. */
export const askAs =
  (whose: () => { house: House; cookie: string }) =>
  async <T>(method: Method, url: string, payload?: object): Promise<T> => {
    const { house, cookie } = whose();
    const response = await house.world.inject({ method, url, payload, headers: { cookie } });
    if (response.statusCode >= 300)
      throw new Error(`${method} ${url}: ${response.statusCode} ${response.body}`);
    return (response.body ? response.json() : undefined) as T;
  };

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every rule that a program can check, of WCAG A and AA and of good practice, on what the page shows now. */
export async function findBarriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'], preload: false })`,
  )) as AxeResults;
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes[0]?.html}; ${nodes.length} in all)`,
  );
}

const pictures = join(root, 'dist/pictures');

/** Kept beside the build for people to look at, who ask for it by `TEST_PICTURES=1`. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!process.env['TEST_PICTURES']) return;
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** The service goes away for this page, and comes back by the answer's call. */
export async function cutLine(page: Page): Promise<() => Promise<void>> {
  await page.context().setOffline(true);
  return () => page.context().setOffline(false);
}

export async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Refusals that a test provokes are the browser's own lines about an answer; everything else is a fault of the page. */
const isProvoked = (text: string): boolean =>
  /the server responded with a status of 4\d\d|net::ERR_INTERNET_DISCONNECTED/.test(text);

function watch(page: Page, address: string, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    const bad = message.type() === 'error' || message.type() === 'warning';
    if (bad && !isProvoked(message.text())) complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    const own = url.startsWith(`${address}/`) || url.startsWith('data:') || url.startsWith('blob:');
    if (!own) complaints.push(`foreign request: ${url}`);
  });
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const BEFORE_PRESSING_AGAIN_MS = 5000;

/** Two keys that belong together have to follow each other soon: where the machine was too slow for it, they are pressed again. */
export async function pressInTurn(page: Page, keys: string, shown: Locator): Promise<void> {
  const arrived = shown.waitFor().then(() => true);
  let hasArrived = false;
  while (!hasArrived) {
    await Promise.all(keys.split(' ').map((key) => page.keyboard.press(key)));
    hasArrived = await Promise.race([arrived, pause(BEFORE_PRESSING_AGAIN_MS, false)]);
  }
}
