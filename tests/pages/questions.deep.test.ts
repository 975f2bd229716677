import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuildWorld, type FakeDesk, type Furnished, startBuildWorld } from '../support/build-world.js';
import {
  describePages,
  expectSilence,
  findBarriers,
  NARROW,
  type Site,
  startSite,
  takePicture,
} from './browser.js';

let site: Site<BuildWorld>;
let room: Furnished;
let desk: FakeDesk;

async function ask(payload: object) {
  const card = await room.card({ title: 'Paint the roof' });
  const { build_id: id } = await room.build(card.id);
  const { claim } = await room.take(desk);
  await room.say(desk, 'POST', `builds/${id}/questions`, { claim, payload: { key: 'a', ...payload } });
  return { card, id, claim };
}

describePages('Questions of coders', () => {
  beforeAll(async () => {
    site = await startSite(startBuildWorld);
    room = await site.world.furnish({ name: 'Acme Robotics' });
    desk = await room.readyDesk({ name: 'Loopback' });
  });
  afterAll(() => site?.close());

  it('are answered on the build with a choice, from the inbox', async () => {
    const { id, claim } = await ask({ question: 'Which **color**?', choices: ['Red', 'Blue'] });
    const page = await site.signIn(room.space.admin, '/dashboard/inbox');
    await page.getByText('A coder has a question about').waitFor();
    await page.goto(`${site.address}/dashboard/builds/${id}`);
    const question = page.getByRole('region', { name: 'Questions' });
    await question.getByText('Which color?').waitFor();
    await page.getByText('Needs an answer', { exact: true }).first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'question-of-a-build');
    await question.getByRole('button', { name: 'Blue' }).click();
    await question.getByText(/answered .*: Blue/).waitFor();
    await page.getByText('Running', { exact: true }).first().waitFor();
    expect((await room.get(id)).status).toBe('running');
    await room.finish(desk, id, claim, { outcome: 'failed' });
    expectSilence(site);
  });

  it('are answered on the card in own words, on a phone', async () => {
    const { card, id, claim } = await ask({ question: `Which ${'very '.repeat(60)}long color?` });
    const path = `/dashboard/boards/${room.boardId}?card=${card.id}`;
    const page = await site.signIn(room.space.admin, path, { size: NARROW });
    const question = page.getByRole('region', { name: 'Questions' });
    await question.getByLabel('Answer').waitFor();
    await takePicture(page, 'question-on-a-card');
    await question.getByLabel('Answer').fill('Red, as before');
    await question.getByRole('button', { name: 'Answer' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect((await room.get(id)).status).toBe('running');
    await room.finish(desk, id, claim, { outcome: 'failed' });
    expectSilence(site);
  });
});
