import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { startTestApp, type TestPerson } from '../support/app.js';

const root = join(import.meta.dirname, '../..');
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const WIDE = { width: 1280, height: 800 };
const PATIENCE_MS = 20_000;

interface OpenOptions {
  size?: { width: number; height: number };
  cookie?: string;
}

const findBrowser = (): string | undefined => BROWSERS.find((path) => existsSync(path));

/** Why the pages cannot be tried on this machine, or undefined when they can. Builds them when the build is old. */
export async function findObstacle(): Promise<string | undefined> {
  if (!findBrowser()) return `no Chromium at ${BROWSERS.join(', ')}`;
  try {
    const { listStaleParts } = await importScript<{ listStaleParts(): string[] }>('build-state.mjs');
    const { build } = await importScript<{ build(parts: string[]): Promise<void> }>('build.mjs');
    if (listStaleParts().includes('dashboard')) await build(['dashboard']);
  } catch (error) {
    return `the dashboard cannot be built: ${(error as Error).message}`;
  }
  return existsSync(join(root, 'dist/dashboard/index.html')) ? undefined : 'there is no dashboard build';
}

const importScript = async <T>(name: string): Promise<T> =>
  (await import(pathToFileURL(join(root, 'scripts', name)).href)) as T;

/** The service on a socket, a browser, and a watch on everything the pages must not do. */
export async function openHouse() {
  const port = await findFreePort();
  const address = `http://127.0.0.1:${port}`;
  const world = await startTestApp({ env: { BASE_URL: address } });
  await world.server.listen({ port, host: '127.0.0.1' });
  const browser: Browser = await chromium.launch({ executablePath: findBrowser(), args: FLAGS });
  const complaints: string[] = [];
  const contexts: BrowserContext[] = [];

  async function openPage(path: string, options: OpenOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: options.size ?? WIDE });
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
  const signIn = async (person: TestPerson, path: string, size?: OpenOptions['size']): Promise<Page> =>
    openPage(path, { size, cookie: await world.signIn(person) });

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
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await browser.close();
      await world.stop();
    },
  };
}

export type House = Awaited<ReturnType<typeof openHouse>>;

export async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Refusals that a test provokes are the browser's own lines about an answer; everything else is a fault of the page. */
const isProvoked = (text: string): boolean => /the server responded with a status of 4\d\d/.test(text);

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
