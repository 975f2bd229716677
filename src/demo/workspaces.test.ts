import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type World } from '../../tests/support/app.js';
import { seedWorkspaces } from './workspaces.js';

let world: World;

beforeAll(async () => {
  world = await startTestApp();
});
afterAll(() => world.stop());

it('seeds a workspace that has data on all settings pages', async () => {
  const { token, brand } = await world.workspace({ plan: 'business' });
  const admin = (await world.app.identity.authenticators.pat(token))!;
  await seedWorkspaces(world.app, admin, 'a demo password');
  const { features, guests, invitations } = world.app.workspaces;
  const { switches } = await features.readFeatures(brand.brand_id);
  expect(switches.skills.holds).toEqual({ installed_packages: 2 });
  expect(switches.crm).toMatchObject({ on: true, source: 'admin' });
  expect(await guests.listGuests(brand.brand_id)).toHaveLength(2);
  expect(await invitations.listInvitations(brand.brand_id)).toMatchObject({ total: 1 });
});
