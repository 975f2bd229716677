import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDesks } from '../../../../tests/desk-end-to-end/desk-world.js';
import { startTestApp } from '../../../../tests/support/app.js';
import { checkouts } from '../../../../tests/support/build-checkouts.js';
import { furnish } from '../../../../tests/support/build-world.js';
import { startSimulatedForge } from '../../../demo/host/simulated-forge.js';

let world: Awaited<ReturnType<typeof start>>;
let room: Awaited<ReturnType<typeof furnish>>;
let host: Awaited<ReturnType<typeof startSimulatedForge>>;
const TOKEN = createHash('sha256').update('token').digest('hex');

const start = async () =>
  addDesks(await startTestApp({ workers: true, env: { FORGE_NETWORKS: '127.0.0.0/8' } }));

beforeAll(async () => {
  world = await start();
  room = await furnish(world);
  host = await startSimulatedForge({
    repositories: [{ name: 'acme/app', path: join(room.repository.folder, '.git'), defaultBranch: 'main' }],
    token: TOKEN,
  });
  const service = await world.server.listen({ port: 0, host: '127.0.0.1' });
  const path = `/api/v1/projects/${room.projectId}/forge`;
  const connected = await room.call('PUT', path, {
    kind: 'github',
    api_url: host.apiUrl,
    repository: 'acme/app',
    token: TOKEN,
  });
  expect(connected.body).toMatchObject({ repository: 'acme/app' });
  const { secret } = (await room.call<{ secret: string }>('POST', `${path}/hook-secret`)).body;
  host.setHook({ url: `${service}/api/v1/hooks/${room.projectId}`, secret });
});
afterAll(async () => {
  await host?.close();
  await world?.stop();
});

it('an accepted build becomes a pull request, and its merge finishes the card right after the webhook', async () => {
  const desk = await room.readyDesk();
  const git = checkouts(room);
  const cards: { id: string; ref: string }[] = [];
  for (let count = 0; count < 5; count += 1) {
    const card = await room.card();
    await room.build(card.id);
    const build = await git.succeed(desk, { [`${card.ref}.md`]: 'Done\n' });
    await room.call('POST', `/api/v1/factory/builds/${build.buildId}/review`, { decision: 'accept' });
    cards.push(card);
  }
  const numberOf = async ({ id }: { id: string }) =>
    (await room.readCard(id))['pr_number'] as unknown as number | null;
  for (const card of cards) await expect.poll(() => numberOf(card)).toEqual(expect.any(Number));
  expect(await host.pullRequests()).toHaveLength(cards.length);
  for (const [at, card] of cards.entries()) {
    const number = (await numberOf(card))!;
    const pull = (await host.pullRequests()).find((each) => each.number === number)!;
    expect(pull.title).toBe(`${card.ref}: Answer better`);
    if (at === 0) {
      await host.setCheck(pull.headSha, {
        name: 'tests',
        status: 'completed',
        conclusion: 'failure',
        summary: 'One failed',
        log: 'Oh\n',
      });
      await expect.poll(async () => (await room.readCard(card.id))['checks_state']).toBe('failing');
    }
    await host.merge(number);
    await expect.poll(async () => (await room.readCard(card.id))['status'], { interval: 50 }).toBe('done');
  }
});
