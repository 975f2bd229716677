import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type World } from '../../tests/support/app.js';
import { seedCoderProfiles } from './workspaces.js';

let world: World;

beforeAll(async () => {
  world = await startTestApp();
});
afterAll(() => world.stop());

it('seeds changed coder profiles with a history', async () => {
  const { token, brand } = await world.workspace();
  const admin = (await world.app.identity.authenticators.pat(token))!;
  await seedCoderProfiles(world.app.coderProfiles, admin);
  expect(await world.app.coderProfiles.listChanges(brand.brand_id, 'claude.coding')).toHaveLength(3);
  const { sources } = await world.app.coderProfiles.getProfile(brand.brand_id, 'claude.coding');
  expect(sources).toEqual({ model: 'brand', effort: 'platform', limit_value: 'brand' });
});
