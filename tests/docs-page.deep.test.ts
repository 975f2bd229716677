import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from './support/app.js';
import { findNoChromium, launchChromium } from './support/chromium.js';

const obstacle = findNoChromium();
if (obstacle) console.warn(`SKIPPED: the docs page in a browser: ${obstacle}`);

describe.skipIf(obstacle)('GET /docs in a real browser', () => {
  let world: World;
  let browser: Browser;
  let address: string;

  beforeAll(async () => {
    world = await startTestApp();
    address = await world.server.listen({ port: 0, host: '127.0.0.1' });
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await world.stop();
  });

  it('shows the operations without console errors, policy violations or requests to other origins', async () => {
    const page = await browser.newPage();
    const troubles: string[] = [];
    const requested: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) troubles.push(message.text());
    });
    page.on('pageerror', (error) => troubles.push(String(error)));
    page.on('requestfailed', (request) => troubles.push(`failed: ${request.url()}`));
    page.on('request', (request) => requested.push(request.url()));

    await page.goto(`${address}/docs`);
    await page.waitForSelector('.opblock-tag', { timeout: 120_000 });
    await page.getByText('Sign-in and tokens').first().click();
    await page.waitForSelector('.opblock-summary', { timeout: 120_000 });

    expect(await page.locator('.opblock-summary').allInnerTexts()).toContainEqual(
      expect.stringContaining('/api/v1/auth/login'),
    );
    expect(troubles).toEqual([]);
    const foreign = requested.filter((url) => !url.startsWith(address) && !url.startsWith('data:'));
    expect(foreign).toEqual([]);
  });

  it('sends a request with "Try it out"', async () => {
    const page = await browser.newPage();
    await page.goto(`${address}/docs#/System/get_info`);
    const operation = page.locator('#operations-System-get_info');
    await operation.waitFor({ timeout: 120_000 });
    if (!(await operation.locator('.try-out__btn').isVisible()))
      await operation.locator('.opblock-summary').click();
    await operation.locator('.try-out__btn').click();
    await operation.locator('.execute').click();
    await operation.locator('.live-responses-table').waitFor({ timeout: 120_000 });
    expect(await operation.locator('.live-responses-table').textContent()).toContain('guildhall');
  });
});
