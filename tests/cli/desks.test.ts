import { afterAll, beforeAll, expect, it } from 'vitest';
import { PASSWORD } from '../support/app.js';
import { type BuildWorld, type FakeDesk, type Furnished, startBuildWorld } from '../support/build-world.js';
import { type CliWorld, startCliWorld } from './cli-world.js';

let world: BuildWorld;
let room: Furnished;
let desk: FakeDesk;
let cli: CliWorld;

beforeAll(async () => {
  world = await startBuildWorld();
  room = await world.furnish();
  desk = await room.readyDesk({ name: 'shop-1', runtime: 'claude_code' });
  cli = await startCliWorld(world);
  const { admin } = room.space;
  const login = ['login', '--url', cli.url, '--email', admin.email, '--password', '-'];
  expect((await guildhall(login, PASSWORD)).code).toBe(0);
});
afterAll(() => cli?.stop());

const guildhall = (args: string[], stdin = '') =>
  cli.guildhall(args, { stdin, env: { GUILDHALL_TOKEN: room.space.token } });
const print = async (...args: string[]) => {
  const { code, stdout, stderr } = await guildhall(args);
  expect(code, stderr).toBe(0);
  return stdout;
};

it('desks and builds tell what a desk lacks', async () => {
  await room.work(desk, { coders: [], missing: [{ coder: 'claude', reason: 'npm said: no way out' }] });
  expect(await print('desks', 'show', 'shop-1')).toContain('no claude: npm said: no way out');
  const card = await room.card();
  const why = 'No ready desk runs claude: desk shop-1 has no claude: npm said: no way out';
  expect(await print('builds', 'start', card.ref)).toContain(`It waits. ${why}.`);
  expect(await print('builds', 'list', '--card', card.ref)).toContain(why);
  expect(await print('builds', 'show', card.ref)).toContain(why);
});

it('desks and builds show a hold, and desks lift-hold lifts it', async () => {
  await room.work(desk, { coders: ['claude'], slots: 0 });
  const { buildId, claim } = await room.take(desk);
  const heldUntil = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
  await room.finish(desk, buildId, claim, { outcome: 'failed', held_until: heldUntil });
  const card = await room.card();
  await room.build(card.id);
  await room.work(desk);
  expect(await print('desks', 'list')).toContain(heldUntil);
  expect(await print('desks', 'show', 'shop-1')).toContain(heldUntil);
  expect(await print('builds', 'show', card.ref)).toContain(heldUntil);
  expect(await print('desks', 'lift-hold', 'shop-1')).toContain('Nothing holds shop-1 any more.');
  expect(await print('desks', 'list')).not.toContain(heldUntil);
  expect(await room.work(desk)).toMatchObject([{ kind: 'start' }]);
});
