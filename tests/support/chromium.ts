import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The one without windows first: it starts and draws faster, and shows the same pages. */
const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  // Without a process for a graphics card that is not there, a page costs a fifth less.
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

/** Why there is no browser on this machine, or undefined when there is one. */
export const findNoChromium = (): string | undefined =>
  findChromium() ? undefined : `no Chromium at ${PLACES.join(', ')}; TEST_CHROMIUM may name another place`;

let shared: Promise<Browser> | undefined;

/** One for all files of a worker, each with contexts of its own; it ends with the worker. */
export function borrowChromium(): Promise<Browser> {
  shared ??= launchChromium();
  return shared;
}

export async function launchChromium(): Promise<Browser> {
  const obstacle = findNoChromium();
  if (obstacle) throw new Error(`There is ${obstacle}`);
  return chromium.launch({ executablePath: findChromium(), args: FLAGS });
}
