import { beforeAll, afterAll, it } from 'vitest';
import { checkouts } from '../support/build-checkouts.js';
import { startBuildWorld } from '../support/build-world.js';
import { describePages, findBarriers, openHouse, takePicture } from './browser.js';

let house: any;
describePages('look', () => {
  beforeAll(async () => { house = await openHouse(startBuildWorld); });
  afterAll(() => house?.close());
  it('looks', async () => {
    const room = await house.world.furnish({ name: 'Acme Robotics' });
    const desk = await room.readyDesk({ name: 'Loopback' });
    const git = checkouts(room);
    const card = await room.card({ title: 'Light the lamp' });
    const text = Array.from({ length: 30 }, (_, i) => `export const line${i} = ${i};`).join('\n') + '\n';
    await room.build(card.id);
    const first = await git.succeed(desk, { 'src/main.ts': text, 'docs/a.md': '# Hello\n' });
    const say = (id: string, body: object) => room.call('POST', `/api/v1/factory/builds/${id}/comments`, body);
    await say(first.buildId, { path: 'src/main.ts', line: 3, body: 'This one **stays**.' });
    await say(first.buildId, { path: 'src/main.ts', line: 5, body: 'This one goes.' });
    await say(first.buildId, { body: 'All in all well done, but look at `src/main.ts` again.' });
    await room.call('POST', `/api/v1/factory/builds/${first.buildId}/review`, { decision: 'rework' });
    const second = await git.succeed(desk, { 'src/main.ts': `// new\n${text.replace('line4 = 4', 'four = 4')}` });
    await say(second.buildId, { path: 'docs/a.md', line: 1, body: 'A draft of mine.', draft: true });
    const page = await house.signIn(room.space.admin, `/dashboard/builds/${second.buildId}?tab=changes`);
    await page.getByText('All in all').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 1280, height: 1400 });
    await page.getByRole('button', { name: 'Comment on line 7', exact: true }).click();
    await takePicture(page, 'look-dark');
    console.log(await findBarriers(page));
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 390, height: 1600 });
    await takePicture(page, 'look-narrow');
    console.log(await findBarriers(page));
  });
});
