import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TestBrand, TestPerson } from '../support/app.js';
import {
  askAs,
  describePages,
  expectSilence,
  findBarriers,
  NARROW,
  type Site,
  startSite,
  takePicture,
} from './browser.js';

const NAME = 'Shop assistant (for Ada Lindqvist)';

let site: Site;
let brand: TestBrand;
let admin: TestPerson;
let cookie: string;
let boardId: string;
let cardId: string;

const ask = askAs(() => ({ site, cookie }));

describePages('Actions of agents', () => {
  beforeAll(async () => {
    site = await startSite();
    const { world } = site;
    brand = await world.brand({ name: 'Acme Robotics', plan: 'business' });
    admin = await world.person({ full_name: 'Ada Lindqvist' });
    await world.member(brand, { role: 'admin', person: admin });
    cookie = await world.signIn(admin, brand);
    await world.operator('POST', '/agents', {
      agent_id: 'claude-shop',
      name: 'Shop assistant',
      brand_id: brand.brand_id,
    });
    const token = await world.token(brand, admin, undefined, { agent_id: 'claude-shop' });
    boardId = (await ask<{ board_id: string }>('POST', '/api/v1/board/boards', { name: 'Shop' })).board_id;
    cardId = (
      await ask<{ id: string }>('POST', `/api/v1/board/boards/${boardId}/tasks`, { title: 'Count the stock' })
    ).id;
    const asAgent = { authorization: `Bearer ${token}` };
    const say = { body: 'There are **42** lamps.' };
    const url = `/api/v1/board/tasks/${cardId}/comments`;
    await world.inject({ method: 'POST', url, headers: asAgent, payload: say });
    await ask('POST', url, { body: 'Thank you.' });
    await world.inject({
      method: 'PUT',
      url: `/api/v1/brands/${brand.brand_id}/features/feed`,
      headers: asAgent,
      payload: { on: false },
    });
  });
  afterEach(async () => {
    expectSilence(site);
    await site.closePages();
  });
  afterAll(() => site?.close());

  it('marks the agent in comments and activity, and offers to delete but not edit its comment', async () => {
    const page = await site.signIn(admin, `/dashboard/boards/${boardId}?card=${cardId}`);
    const comment = page.locator('.comment').filter({ hasText: '42 lamps' });
    await comment.getByText(NAME).waitFor();
    expect(await comment.locator('.avatar-agent').count()).toBe(1);
    const own = page.locator('.comment').filter({ hasText: 'Thank you.' });
    expect(await own.locator('.avatar-agent').count()).toBe(0);
    await comment.getByRole('button', { name: `More on the comment of ${NAME}` }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Edit' }).count()).toBe(0);
    await takePicture(page, 'agent-comment-menu');
    await page.keyboard.press('Escape');
    await page.locator('.card-activity summary').click();
    await takePicture(page, 'agent-card-activity');
    await page.locator('.card-activity li').filter({ hasText: NAME }).locator('.avatar-agent').waitFor();
    await takePicture(page, 'agent-comment');
    expect(await findBarriers(page)).toEqual([]);
  });

  it('marks the agent in the inbox of its person', async () => {
    const page = await site.signIn(admin, '/dashboard/inbox');
    await page.locator('.inbox-row').filter({ hasText: NAME }).locator('.avatar-agent').waitFor();
    await takePicture(page, 'agent-inbox');
    expect(await findBarriers(page)).toEqual([]);
  });

  it('marks the agent in the audit log', async () => {
    const page = await site.signIn(admin, '/dashboard/settings/audit');
    const row = page.getByRole('row').filter({ hasText: 'feature.changed' });
    await row.getByText(NAME).waitFor();
    expect(await row.locator('.actor-mark').count()).toBe(1);
    await takePicture(page, 'agent-audit');
    const hidden = await page
      .locator('.table-frame')
      .evaluate((frame) => frame.scrollWidth - frame.clientWidth);
    expect(hidden).toBeLessThanOrEqual(0);
  });

  it('offers the agent for a new token and shows it in the token list', async () => {
    const page = await site.signIn(admin, '/dashboard/settings/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('Laptop of the shop');
    await page.getByLabel('Acts as').selectOption('claude-shop');
    await takePicture(page, 'agent-token-dialog');
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Token created').waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'Laptop of the shop' });
    await row.getByText('claude-shop').waitFor();
    await takePicture(page, 'agent-tokens');
    const { tokens } = await ask<{ tokens: { name: string; agent_id: string }[] }>(
      'GET',
      '/api/v1/me/tokens',
    );
    expect(tokens.find(({ name }) => name === 'Laptop of the shop')?.agent_id).toBe('claude-shop');
  });

  it('fits a narrow screen', async () => {
    const page = await site.signIn(admin, `/dashboard/boards/${boardId}?card=${cardId}`, { size: NARROW });
    await page.locator('.comment').filter({ hasText: NAME }).waitFor();
    await takePicture(page, 'agent-comment-narrow');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROW.width);
  });
});
