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

/** Returns why browser tests cannot run here, or undefined if they can. Rebuilds an outdated dashboard. */
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

/** Skips browser tests with a warning where there is no browser. */
export function describePages(name: string, tests: () => void): void {
  if (obstacle) console.warn(`SKIPPED: ${name}: ${obstacle}`);
  describe.skipIf(obstacle)(name, tests);
}

/** Starts the service and a browser, and records everything that pages must not do. */
export async function startSite(): Promise<Site>;
export async function startSite<W extends World>(
  start: (env: Record<string, string>) => Promise<W>,
): Promise<Site<W>>;
export async function startSite(
  start: (env: Record<string, string>) => Promise<World> = (env) => startTestApp({ env }),
): Promise<Site> {
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
      // Animations would be drawn sixty times a second.
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

  /** Opens a page with an existing session. */
  const signIn = async (person: TestPerson, path: string, options: OpenOptions = {}): Promise<Page> =>
    openPage(path, { ...options, cookie: await world.signIn(person) });

  /** Returns the newest emailed link that starts with `beginning`. */
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

export interface Site<W = World> {
  world: W;
  address: string;
  /** Console errors, policy violations and requests to other origins. */
  complaints: string[];
  openPage(path: string, options?: OpenOptions): Promise<Page>;
  signIn(person: TestPerson, path: string, options?: OpenOptions): Promise<Page>;
  readMailedLink(beginning: string): Promise<string>;
  /** Stops pages of earlier tests from sending requests. */
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/** Call after each test. */
export function expectSilence({ complaints }: Site): void {
  const heard = complaints.splice(0);
  expect(heard, 'console errors, policy violations and foreign requests').toEqual([]);
}

/** Also closes all pages, so that none keeps sending requests. */
export async function leaveInSilence(site: Site): Promise<void> {
  await site.closePages();
  expectSilence(site);
}

/** Calls the API with a session, independent of the pages. */
export const askAs =
  (whose: () => { site: Site; cookie: string }) =>
  async <T>(method: Method, url: string, payload?: object): Promise<T> => {
    const { site, cookie } = whose();
    const response = await site.world.inject({ method, url, payload, headers: { cookie } });
    if (response.statusCode >= 300)
      throw new Error(`${method} ${url}: ${response.statusCode} ${response.body}`);
    return (response.body ? response.json() : undefined) as T;
  };

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Checks the current page against all axe rules for WCAG A and AA and for best practices. */
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

/** Saves a screenshot if `TEST_PICTURES=1` is set. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!process.env['TEST_PICTURES']) return;
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Takes a page offline; the returned function reconnects it. */
export async function cutLine(page: Page): Promise<() => Promise<void>> {
  await page.context().setOffline(true);
  return () => page.context().setOffline(false);
}

export async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The browser logs failed requests that a test provokes; every other message is a defect of the page. */
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

/** Presses a key sequence again if the machine was too slow for its time limit. */
export async function pressKeysUntil(page: Page, keys: string, shown: Locator): Promise<void> {
  const arrived = shown.waitFor().then(() => true);
  let hasArrived = false;
  while (!hasArrived) {
    await Promise.all(keys.split(' ').map((key) => page.keyboard.press(key)));
    hasArrived = await Promise.race([arrived, pause(BEFORE_PRESSING_AGAIN_MS, false)]);
  }
}
