import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from '../support/chromium.js';
import { makeDataDir, Program } from '../support/program.js';
import { describePages, findBarriers, takePicture } from './browser.js';

/** The README's first five minutes in the demo world, from the first start to the next steps. */

const PATIENCE_MS = 60_000;
const WISH = 'Say that the lamp turns once in six seconds.';

let data: Awaited<ReturnType<typeof makeDataDir>>;
let program: Program;
let browser: Browser;
let page: Page;
let address: string;

const printed = (pattern: RegExp): string => pattern.exec(program.output)![1]!;
const steps = () => page.getByRole('region', { name: 'First steps' });
const today = () => page.getByRole('link', { name: 'Today', exact: true }).click();

describePages('First five minutes of a new workspace', () => {
  beforeAll(async () => {
    data = await makeDataDir();
    program = new Program({ DATA_DIR: data.path });
    address = await program.ready();
    await program.says(/Hand \S+ to the desk/);
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(PATIENCE_MS);
  });

  afterAll(async () => {
    await browser?.close();
    await program?.end();
    await data?.remove();
  });

  it('leads from the printed password to an accepted change, its merged pull request and the next steps', async () => {
    const ref = printed(/^Hand (\S+) to the desk/m);
    await page.goto(address);
    await expect.poll(() => page.evaluate('document.activeElement?.labels?.[0]?.textContent')).toBe('E-mail');
    await page.keyboard.type(printed(/^ {2}(\S+@\S+) +admin/m));
    await page.keyboard.press('Tab');
    await page.keyboard.type(printed(/with the password (\S+) as/));
    await page.keyboard.press('Enter');

    // Builds of the demo data do not count as the first build.
    await steps()
      .getByRole('button', { name: `Build ${ref}` })
      .waitFor();
    await steps().getByText('3 of 7 done').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'first-build');
    await steps()
      .getByRole('button', { name: `Build ${ref}` })
      .click();

    await page.getByRole('heading', { name: new RegExp(`^${ref}: `) }).waitFor();
    await page.locator('.log-text', { hasText: 'does not think' }).waitFor();
    await page.getByRole('link', { name: 'Review the changes' }).click();
    const written = page.locator('.diff-added', { hasText: 'Light the lamp with' });
    await written.getByRole('button', { name: /^Comment on line/ }).click();
    await page.getByLabel(/^Comment on line \d+ of README.md$/).fill(WISH);
    await page.getByRole('button', { name: 'Add to review' }).click();
    await page.getByRole('button', { name: 'Request changes (1)' }).click();
    await page.getByRole('button', { name: 'Send and build again' }).click();
    await page.getByText('Attempt 2 is queued').waitFor();

    await today();
    await steps().getByText('5 of 7 done').waitFor();
    await steps().getByText('Attempt 2').waitFor();
    await steps()
      .getByRole('link', { name: /^(Watch|Open)$/ })
      .click();
    await page.locator('.log-text', { hasText: WISH }).first().waitFor();
    await page.getByRole('link', { name: 'Review the changes' }).click();
    await page.locator('.diff-added', { hasText: WISH }).waitFor();
    await page.getByRole('link', { name: 'Result and usage' }).click();
    await page.getByRole('region', { name: 'Result' }).getByText(WISH).first().waitFor();
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('button', { name: 'Accept and push' }).click();
    await page.getByText('was pushed').first().waitFor();
    const decision = page.getByRole('status', { name: 'Decision' });
    await decision.getByRole('link', { name: 'Pull request #1' }).waitFor();
    await decision.getByText('The card is done when it is merged.').waitFor();
    await takePicture(page, 'first-accepted');

    await page.getByRole('link', { name: 'Next steps' }).click();
    await steps().getByText('6 of 7 done').waitFor();
    await steps().getByText('on the simulated host of this demo').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'first-pull-request');
    const opening = page.waitForEvent('popup');
    await steps().getByRole('link', { name: 'Open pull request #1' }).click();
    const host = await opening;
    host.setDefaultTimeout(PATIENCE_MS);
    await host.getByText('Simulated host', { exact: true }).waitFor();
    await host.getByRole('heading', { name: new RegExp(`^${ref}: `) }).waitFor();
    expect(await findBarriers(host)).toEqual([]);
    await takePicture(host, 'simulated-host');
    await host.getByRole('button', { name: 'Merge pull request' }).click();
    await host.getByText('merged', { exact: true }).waitFor();
    await host.close();
    const next = page.getByRole('region', { name: 'Next steps' });
    await next.getByText('Your first build is merged').waitFor();
    await next.getByText('Connect an agent of your own').waitFor();
    await next.getByText('claude mcp add').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'what-comes-next');
    await next.getByRole('button', { name: 'Close' }).click();
    await next.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Your cards' }).waitFor();
    expect(await steps().count()).toBe(0);

    // The card's status follows its pull request.
    await page.goto(`${address}/dashboard/cards/${ref}`);
    const pull = page.getByRole('region', { name: 'Pull request' });
    await pull.getByText('merged', { exact: true }).waitFor();
    await pull.getByText('on the simulated host').waitFor();
    expect(await page.getByRole('dialog').getByLabel('Column').inputValue()).not.toBe('');
    await takePicture(page, 'first-merged-card');
  });

  it('labels a demo attempt as such and asks for no review of it', async () => {
    await page.goto(`${address}/dashboard/builds?status=succeeded`);
    const told = page.locator('[data-build]').last();
    await told.getByRole('link').first().click();
    await page.getByText('This attempt is demo data').waitFor();
    expect(await page.getByRole('button', { name: 'Accept' }).count()).toBe(0);
  });
});
