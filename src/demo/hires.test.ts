import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type World } from '../../tests/support/app.js';
import { type HireRecord, hireWorld } from '../../tests/support/hires.js';
import { seedHires } from './hires.js';

let world: World;

beforeAll(async () => {
  world = await startTestApp();
});
afterAll(() => world.stop());

it('seeds a catalog of six employees with portraits, and hires in each state', async () => {
  const large = await world.workspace({ plan: 'business' });
  const small = await world.workspace({ plan: 'free' });
  await seedHires(world.app, { large: large.brand.brand_id, small: small.brand.brand_id });

  const headers = { cookie: large.cookie };
  const { employees } = (await world.inject({ url: '/api/v1/employees', headers })).json();
  expect(employees).toHaveLength(6);
  for (const { portrait } of employees)
    expect((await world.inject({ url: portrait, headers })).statusCode).toBe(200);

  const list = async (cookie: string): Promise<HireRecord[]> =>
    (await world.inject({ url: '/api/v1/employees/hires', headers: { cookie } })).json().hires;
  const states = (hires: HireRecord[]) =>
    hires.map((hire) => `${hire.status} ${hire.cancel_at_period_end}`).sort();
  expect(states(await list(large.cookie))).toEqual([
    'active false',
    'active false',
    'canceled false',
    'canceled true',
  ]);
  const [waiting, working] = await list(small.cookie);
  expect([working?.status, waiting?.status]).toEqual(['active', 'provisioning']);
  expect(waiting?.error).toContain('workstations');

  await hireWorld(world).reconcile();
  expect(states(await list(large.cookie))).toContain('canceled true');
});
