import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import { type HireRecord, hireWorld } from '../../../tests/support/hires.js';
import { DAY, MINUTE, secondsFrom } from '../../kernel/clock.js';

const UNKNOWN = '01890000-0000-7000-8000-000000000000';
const PERIOD = 30 * DAY;

let world: World;
let at: ReturnType<typeof hireWorld>;

beforeAll(async () => {
  world = await startTestApp();
  at = hireWorld(world);
  world.clock.freeze(true);
});
afterAll(() => world.stop());

const later = (seconds: number) => secondsFrom(world.clock.now(), seconds).toISOString();
const folder = (hire: HireRecord) => join(world.config.agentsDir, hire.agent_id!);

async function enabledPackages(brandId: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from installed_packages where brand_id = ${brandId} and enabled order by name`.execute(
    world.db,
  );
  return rows.map(({ name }) => name);
}

async function hireWith(cookie: string, packages: string[], fields: object = {}) {
  return at.active(cookie, (await at.employee({ template: { packages }, ...fields })).profile_id);
}

async function hasDesk(hire: HireRecord): Promise<boolean> {
  const { rows } = await sql`select from desks where desk_id = ${hire.workstation_id}`.execute(world.db);
  return rows.length > 0;
}

describe('POST /api/v1/employees/hires/{hire_id}/cancel', () => {
  it('200: cancels at the end of the period, one minute before the marketplace disable', async () => {
    const { cookie } = await world.workspace();
    const hire = await hireWith(cookie, ['mail']);
    const end = later(PERIOD);
    world.clock.advance(10 * DAY);
    const answer = await at.cancel(cookie, hire.hire_id);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      hire_id: hire.hire_id,
      status: 'canceled',
      cancel_at_period_end: true,
      effective_at: end,
      marketplace_disable_at: later(20 * DAY + MINUTE),
    });
    expect(await at.record(cookie, hire.hire_id)).toMatchObject({
      status: 'canceled',
      cancel_at_period_end: true,
      current_period_end: end,
      effective_at: end,
      agent_id: hire.agent_id,
    });
  });

  it('disables nothing before current_period_end and keeps the agent running', async () => {
    const { brand, cookie } = await world.workspace();
    const hire = await hireWith(cookie, ['mail'], { builder: true });
    await at.cancel(cookie, hire.hire_id);
    world.clock.advance(PERIOD - 1);
    await at.reconcile();
    expect(await enabledPackages(brand.brand_id)).toEqual(['mail']);
    expect(await hasDesk(hire)).toBe(true);
    expect(existsSync(folder(hire))).toBe(true);

    world.clock.advance(1);
    expect(await at.reconcile()).toMatchObject({ processed: 1, failed: 0 });
    expect(await enabledPackages(brand.brand_id)).toEqual([]);
    expect(await hasDesk(hire)).toBe(false);
    expect(existsSync(folder(hire))).toBe(false);
    expect(await at.reconcile()).toEqual({ job: 'hire-reconcile', processed: 0, failed: 0 });
    expect(await at.record(at.admin, hire.hire_id)).toMatchObject({
      status: 'canceled',
      cancel_at_period_end: true,
    });
  });

  it('keeps an install that another hire needs until that hire ends too', async () => {
    const { brand, cookie } = await world.workspace();
    const first = await hireWith(cookie, ['calendar', 'mail']);
    const second = await hireWith(cookie, ['mail', 'search']);
    await at.cancel(cookie, first.hire_id);
    world.clock.advance(PERIOD);
    await at.reconcile();
    expect(await enabledPackages(brand.brand_id)).toEqual(['mail', 'search']);
    await at.cancel(at.admin, second.hire_id);
    world.clock.advance(PERIOD);
    await at.reconcile();
    expect(await enabledPackages(brand.brand_id)).toEqual([]);
  });

  it('renews the period while the hire is active', async () => {
    const { cookie } = await world.workspace();
    const hire = await hireWith(cookie, []);
    const end = new Date(hire.current_period_end);
    expect(end.toISOString()).toBe(later(PERIOD));
    world.clock.advance(PERIOD - 1);
    expect((await at.record(at.admin, hire.hire_id)).current_period_end).toBe(end.toISOString());
    world.clock.advance(1);
    const renewed = secondsFrom(end, PERIOD).toISOString();
    expect((await at.record(at.admin, hire.hire_id)).current_period_end).toBe(renewed);
    await at.reconcile();
    expect(await at.record(at.admin, hire.hire_id)).toMatchObject({
      status: 'active',
      current_period_end: renewed,
    });
    world.clock.advance(3 * PERIOD);
    const answer = await at.cancel(at.admin, hire.hire_id);
    expect(answer.json().effective_at).toBe(secondsFrom(end, 4 * PERIOD).toISOString());
  });

  it('cancels a provisioning hire, which is then not built', async () => {
    const { brand, cookie } = await world.workspace();
    const { hire_id } = (await at.hire(cookie, (await at.employee()).profile_id)).json();
    const answer = await at.cancel(cookie, hire_id);
    expect([answer.statusCode, answer.json().effective_at]).toEqual([200, later(PERIOD)]);
    await at.build();
    expect(await at.record(cookie, hire_id)).toMatchObject({ status: 'canceled', agent_id: null });
    expect(await enabledPackages(brand.brand_id)).toEqual([]);
    world.clock.advance(PERIOD);
    expect(await at.reconcile()).toMatchObject({ failed: 0 });
    expect(await at.record(at.admin, hire_id)).toMatchObject({ status: 'canceled', agent_id: null });
  });

  it('409 when the hire was already canceled in either way', async () => {
    const { cookie } = await world.workspace();
    const [first, second] = [await hireWith(cookie, []), await hireWith(cookie, [])];
    await at.cancel(cookie, first.hire_id);
    await at.cancel(cookie, second.hire_id, 'cancel-immediate');
    for (const { hire_id } of [first, second])
      expect((await at.cancel(cookie, hire_id)).statusCode).toBe(409);
  });

  it('allows a new hire after a cancel, with another agent', async () => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee();
    const first = await at.active(cookie, profile_id);
    await at.cancel(cookie, first.hire_id);
    const second = await at.active(cookie, profile_id);
    expect(second.agent_id).not.toBe(first.agent_id);
    expect((await at.record(cookie, first.hire_id)).status).toBe('canceled');
  });
});

describe('POST /api/v1/employees/hires/{hire_id}/cancel-immediate', () => {
  it('200: cancels now and reports what was disabled, kept and removed', async () => {
    const { brand, cookie } = await world.workspace();
    const hire = await hireWith(cookie, ['calendar', 'mail', 'search'], { builder: true });
    await hireWith(cookie, ['mail']);
    world.clock.advance(DAY);
    const answer = await at.cancel(cookie, hire.hire_id, 'cancel-immediate');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      hire_id: hire.hire_id,
      status: 'canceled',
      effective_at: later(0),
      marketplace_disable_at: later(MINUTE),
      installs_disabled: 2,
      installs_retained: 1,
      management_record_deleted: true,
      gateway_entry_removed: false,
      agent_torn_down: false,
    });
    expect(await enabledPackages(brand.brand_id)).toEqual(['mail']);
    expect(await hasDesk(hire)).toBe(false);
    expect(existsSync(folder(hire))).toBe(false);
    expect(await at.record(cookie, hire.hire_id)).toMatchObject({
      status: 'canceled',
      cancel_at_period_end: false,
      effective_at: later(0),
      current_period_end: hire.current_period_end,
    });
  });

  it('does not unregister the agent', async () => {
    const { cookie } = await world.workspace();
    const hire = await hireWith(cookie, ['mail']);
    await at.cancel(cookie, hire.hire_id, 'cancel-immediate');
    const { rows } = await sql`select agent_id from agents where agent_id = ${hire.agent_id}`.execute(
      world.db,
    );
    expect(rows).toHaveLength(1);
  });

  it('ignores and keeps an install of another workspace', async () => {
    const [one, other] = [await world.workspace(), await world.workspace()];
    const hire = await hireWith(one.cookie, ['mail']);
    await hireWith(other.cookie, ['mail']);
    const answer = await at.cancel(one.cookie, hire.hire_id, 'cancel-immediate');
    expect(answer.json()).toMatchObject({ installs_disabled: 1, installs_retained: 0 });
    expect(await enabledPackages(other.brand.brand_id)).toEqual(['mail']);
  });

  it('keeps installs of the workspace itself, and enables a disabled install for the next hire', async () => {
    const { brand, cookie } = await world.workspace();
    await world.operator('POST', `/brands/${brand.brand_id}/packages`, { name: 'mail', version: '1.2.0' });
    const { profile_id } = await at.employee({ template: { packages: ['mail', 'search'] } });
    const first = await at.active(cookie, profile_id);
    const answer = await at.cancel(cookie, first.hire_id, 'cancel-immediate');
    expect(answer.json()).toMatchObject({ installs_disabled: 1, installs_retained: 1 });
    expect(await enabledPackages(brand.brand_id)).toEqual(['mail']);
    await at.active(cookie, profile_id);
    expect(await enabledPackages(brand.brand_id)).toEqual(['mail', 'search']);
  });

  it('counts a hire canceled at period end as a reference until its end', async () => {
    const { brand, cookie } = await world.workspace();
    const [leaving, going] = [await hireWith(cookie, ['mail']), await hireWith(cookie, ['mail'])];
    await at.cancel(cookie, leaving.hire_id);
    const answer = await at.cancel(cookie, going.hire_id, 'cancel-immediate');
    expect(answer.json()).toMatchObject({ installs_disabled: 0, installs_retained: 1 });
    world.clock.advance(PERIOD);
    await at.reconcile();
    expect(await enabledPackages(brand.brand_id)).toEqual([]);
  });

  it('cancels a provisioning hire, for which nothing was installed', async () => {
    const { cookie } = await world.workspace();
    const { hire_id } = (await at.hire(cookie, (await at.employee()).profile_id)).json();
    const answer = await at.cancel(cookie, hire_id, 'cancel-immediate');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ installs_disabled: 0, installs_retained: 0 });
    await at.build();
    expect((await at.record(cookie, hire_id)).status).toBe('canceled');
  });

  it('cancels a hire with a pending period-end cancel, and returns 409 after its end', async () => {
    const { brand, cookie } = await world.workspace();
    const [first, second] = [await hireWith(cookie, ['mail']), await hireWith(cookie, ['search'])];
    await at.cancel(cookie, first.hire_id);
    await at.cancel(cookie, second.hire_id);
    world.clock.advance(PERIOD - 1);
    const answer = await at.cancel(at.admin, first.hire_id, 'cancel-immediate');
    expect([answer.statusCode, answer.json().effective_at]).toEqual([200, later(0)]);
    expect(answer.json()).toMatchObject({ installs_disabled: 1 });
    world.clock.advance(1);
    expect((await at.cancel(at.admin, second.hire_id, 'cancel-immediate')).statusCode).toBe(409);
    await at.reconcile();
    expect((await at.cancel(at.admin, second.hire_id, 'cancel-immediate')).statusCode).toBe(409);
    expect(await enabledPackages(brand.brand_id)).toEqual([]);
  });

  it('409 when the hire was already canceled immediately', async () => {
    const { cookie } = await world.workspace();
    const hire = await hireWith(cookie, []);
    await at.cancel(cookie, hire.hire_id, 'cancel-immediate');
    const again = await at.cancel(cookie, hire.hire_id, 'cancel-immediate');
    expect([again.statusCode, again.json()]).toEqual([
      409,
      { detail: 'This hire is not in a cancellable state' },
    ]);
  });

  it('cancels once for 20 concurrent requests, and the others find it canceled', async () => {
    const { cookie } = await world.workspace();
    const hire = await hireWith(cookie, ['mail']);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => at.cancel(cookie, hire.hire_id, 'cancel-immediate')),
    );
    const codes = answers.map(({ statusCode }) => statusCode);
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(codes.filter((code) => code === 409)).toHaveLength(19);
  });

  it('reports a failed removal, which the reconcile loop repeats', async () => {
    const { cookie } = await world.workspace();
    const hire = await hireWith(cookie, ['mail']);
    const { agentsDir } = world.config;
    await rename(agentsDir, `${agentsDir}.aside`);
    await writeFile(agentsDir, 'in the way');
    const answer = await at.cancel(cookie, hire.hire_id, 'cancel-immediate');
    expect(answer.json()).toMatchObject({
      status: 'canceled',
      installs_disabled: 1,
      management_record_deleted: false,
    });
    expect(await at.reconcile()).toMatchObject({ failed: 1 });
    await rm(agentsDir);
    await rename(`${agentsDir}.aside`, agentsDir);
    expect(existsSync(folder(hire))).toBe(true);
    expect(await at.reconcile()).toMatchObject({ processed: 1, failed: 0 });
    expect(existsSync(folder(hire))).toBe(false);
  });

  it('keeps an install that the workspace made its own in the meantime', async () => {
    const { brand, cookie } = await world.workspace();
    const hire = await hireWith(cookie, ['notes', 'left-behind']);
    const install = (name: string) =>
      world.operator('POST', `/brands/${brand.brand_id}/packages`, { name, version: '2.0.0' });
    expect(await install('notes')).toMatchObject({ name: 'notes', version: '2.0.0', enabled: true });
    expect((await at.cancel(cookie, hire.hire_id, 'cancel-immediate')).json()).toMatchObject({
      installs_disabled: 1,
      installs_retained: 1,
    });
    expect(await install('left-behind')).toMatchObject({ version: '2.0.0', enabled: true });
  });

  it('succeeds when the desk was already released manually', async () => {
    const { cookie } = await world.workspace();
    const hire = await hireWith(cookie, [], { builder: true });
    const url = `/api/v1/workstations/${hire.workstation_id}`;
    expect((await world.inject({ method: 'DELETE', url, headers: { cookie } })).statusCode).toBe(200);
    expect((await at.record(cookie, hire.hire_id)).workstation_id).toBeNull();
    expect((await at.cancel(cookie, hire.hire_id, 'cancel-immediate')).statusCode).toBe(200);
  });

  it('keeps the reference counts correct for concurrent hires and cancels', async () => {
    const { brand, cookie } = await world.workspace({ plan: 'business' });
    const leaving = [];
    for (let n = 0; n < 4; n += 1) leaving.push(await hireWith(cookie, ['mail', 'search', `own-${n}`]));
    world.clock.advance(3600);
    const { profile_id } = await at.employee({ template: { packages: ['search', 'mail'] } });
    const { hire_id } = (await at.hire(cookie, profile_id)).json();
    await Promise.all([
      ...leaving.map((hire) => at.cancel(cookie, hire.hire_id, 'cancel-immediate')),
      at.build(),
    ]);
    expect((await at.record(cookie, hire_id)).status).toBe('active');
    expect(await enabledPackages(brand.brand_id)).toEqual(['mail', 'search']);
  });
});

describe.each(['cancel', 'cancel-immediate'] as const)('Permission to %s', (verb) => {
  it('401 without a session; rejects a PAT', async () => {
    const { cookie, bearer } = await world.workspace();
    const { hire_id } = (await at.hire(cookie, (await at.employee()).profile_id)).json();
    expect((await at.cancel({}, hire_id, verb)).statusCode).toBe(401);
    expect((await at.cancel(bearer, hire_id, verb)).statusCode).toBe(401);
  });

  it("403 for another workspace's hire in any state, which stays unchanged", async () => {
    const [one, other] = [await world.workspace(), await world.workspace()];
    const hire = await hireWith(one.cookie, []);
    expect((await at.cancel(other.cookie, hire.hire_id, verb)).statusCode).toBe(403);
    expect((await at.record(one.cookie, hire.hire_id)).status).toBe('active');
    await at.cancel(one.cookie, hire.hire_id, 'cancel-immediate');
    expect((await at.cancel(other.cookie, hire.hire_id, verb)).statusCode).toBe(403);
  });

  it('404 for an unknown hire', async () => {
    const { cookie } = await world.workspace();
    for (const id of [UNKNOWN, 'no-uuid', '%00'])
      expect((await at.cancel(cookie, id, verb)).statusCode).toBe(404);
  });

  it('lets an admin cancel any hire, with the admin key or as staff', async () => {
    const { cookie } = await world.workspace();
    const home = await world.brand();
    const staff = await world.member(home, { person: await world.person({ kind: 'staff' }) });
    const callers = [at.admin, await world.signIn(staff, home)];
    for (const caller of callers) {
      const hire = await hireWith(cookie, []);
      expect((await at.cancel(caller, hire.hire_id, verb)).statusCode).toBe(200);
    }
  });

  it('ignores the request body', async () => {
    const { cookie } = await world.workspace();
    const hire = await hireWith(cookie, []);
    const answer = await world.inject({
      method: 'POST',
      url: `/api/v1/employees/hires/${hire.hire_id}/${verb}`,
      headers: { cookie },
      payload: { reason: 'budget' },
    });
    expect(answer.statusCode).toBe(200);
  });
});
