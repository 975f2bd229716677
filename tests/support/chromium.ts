import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The headless shell first, because it starts and draws faster and shows the same pages. */
const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  // Running without a separate GPU process makes a page load a fifth cheaper.
  '--in-process-gpu',
  '--disable-software-rasterizer',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const findChromium = (): string | undefined =>
  process.env['TEST_CHROMIUM'] ?? PLACES.find((path) => existsSync(path));

/** Returns the reason why this machine has no browser, or undefined if it has one. */
export const findNoChromium = (): string | undefined =>
  findChromium() ? undefined : `no Chromium at ${PLACES.join(', ')}; TEST_CHROMIUM may name another place`;

let shared: Promise<Browser> | undefined;

/** One browser for all files of a worker. Each file opens its own contexts. */
export function borrowChromium(): Promise<Browser> {
  shared ??= launchChromium();
  return shared;
}

export async function launchChromium(): Promise<Browser> {
  const obstacle = findNoChromium();
  if (obstacle) throw new Error(`There is ${obstacle}`);
  return chromium.launch({ executablePath: findChromium(), args: FLAGS });
}
