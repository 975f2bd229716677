import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.js';
import { isDeep } from '../../../tests/support/deep.js';
import type { SessionCaller } from '../../kernel/access.js';
import { DAY, HOUR, MovableClock } from '../../kernel/clock.js';
import { ApiError } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import { silentLog } from '../../kernel/log.js';
import type { Cache } from '../../platform/cache/cache.js';
import { hireJobs } from './hires.jobs.js';
import { createHireService, type HireService } from './hires.service.js';

const PERIOD_MS = 30 * DAY * 1000;
const PACKAGES = [
  ['mail', 'search'],
  ['search', 'calendar'],
  ['calendar', 'mail', 'notes'],
];
/** A package that the first workspace installed itself. */
const OWN_INSTALL = 'mail';

interface ModelHire {
  id: string;
  brand: number;
  profile: number;
  createdAt: number;
  status: 'provisioning' | 'active' | 'canceled';
  built: boolean;
  atPeriodEnd: boolean;
  effectiveAt: number;
  disabled: boolean;
}

interface Model {
  now: number;
  hires: ModelHire[];
}

interface Real {
  service: HireService;
  clock: MovableClock;
  brands: number[];
  profiles: string[];
  runJob(name: string): Promise<void>;
}

let database: TestDatabase;
let agentsDir: string;
let userId: number;

beforeAll(async () => {
  database = await createTestDatabase();
  agentsDir = await mkdtemp(join(tmpdir(), 'guildhall-agents-'));
  const { rows } = await sql<{ user_id: number }>`
    insert into users (email, full_name, kind, created_at)
    values ('model@example.test', 'Model', 'person', '2026-01-01') returning user_id`.execute(database.db);
  userId = rows[0]!.user_id;
});
afterAll(async () => {
  await database.drop();
  await rm(agentsDir, { recursive: true, force: true });
});

const NO_CACHE: Cache = {
  get: async () => undefined,
  set: async () => {},
  delete: async () => {},
  ping: async () => {},
  close: async () => {},
};

async function createReal(): Promise<Real> {
  const { db } = database;
  const clock = new MovableClock();
  clock.freeze(true);
  const brands: number[] = [];
  for (const name of ['North', 'South']) {
    const { rows } = await sql<{ brand_id: number }>`
      insert into brands (name, plan, scope_ceiling, created_at)
      values (${name}, 'team', '{}', ${clock.now()}) returning brand_id`.execute(db);
    brands.push(rows[0]!.brand_id);
  }
  await sql`insert into installed_packages (package_id, brand_id, name, version, installed_at)
            values (${newId()}, ${brands[0]}, ${OWN_INSTALL}, '1.0.0', ${clock.now()})`.execute(db);
  const profiles: string[] = [];
  for (const packages of PACKAGES) {
    const profileId = newId();
    await sql`insert into catalog_profiles (profile_id, name, template, created_at, updated_at)
              values (${profileId}, 'Employee', ${JSON.stringify({ packages })}::jsonb, ${clock.now()}, ${clock.now()})`.execute(
      db,
    );
    profiles.push(profileId);
  }
  const service = createHireService({
    db,
    clock,
    log: silentLog,
    cache: NO_CACHE,
    jobs: { trigger: async () => {} },
    desks: {
      orderDesk: async () => ({ deskId: newId() }),
      releaseDesk: async () => true,
      listExisting: async (ids) => ids,
    },
    outbox: { record: async () => {} },
    tokens: { revokeOfAgent: async () => {} },
    agentsDir,
  });
  const jobs = hireJobs({ db, clock, hires: service });
  const runJob = async (name: string) => {
    const job = jobs.find((one) => one.name === name)!;
    expect(await job.run({ signal: new AbortController().signal })).toMatchObject({ failed: 0 });
  };
  return { service, clock, brands, profiles, runJob };
}

const callerOf = (brandId: number): SessionCaller => ({
  kind: 'session',
  sessionId: newId(),
  userId,
  brandId,
  brandName: 'Model',
  plan: 'team',
  agent: null,
  mfaMissing: false,
  role: 'member',
  fullName: 'Model',
  email: 'model@example.test',
  staff: false,
  scopes: [],
  scopeCeiling: [],
  expiresAt: null,
});

const isLive = (hire: ModelHire) => hire.status !== 'canceled';
const periodEnd = (hire: ModelHire, now: number) =>
  hire.createdAt + (Math.floor((now - hire.createdAt) / PERIOD_MS) + 1) * PERIOD_MS;
const holds = (hire: ModelHire, name: string) =>
  hire.built && !hire.disabled && PACKAGES[hire.profile]!.includes(name);

/** The invariant: an install is enabled exactly while the workspace itself or an unfinished hire needs it. */
async function checkInstalls(model: Model, real: Real): Promise<void> {
  for (const [brand, brandId] of real.brands.entries()) {
    const { rows } = await sql<{ name: string; enabled: boolean; holders: number }>`
      select p.name, p.enabled,
             (select count(*)::int from hire_packages r where r.brand_id = p.brand_id and r.package_name = p.name) as holders
      from installed_packages p where p.brand_id = ${brandId}`.execute(database.db);
    for (const name of new Set(PACKAGES.flat())) {
      const holders = model.hires.filter((hire) => hire.brand === brand && holds(hire, name)).length;
      const installed = rows.find((row) => row.name === name);
      expect(installed?.holders ?? 0).toBe(holders);
      expect(installed?.enabled ?? false).toBe(holders > 0 || (brand === 0 && name === OWN_INSTALL));
    }
  }
}

async function checkHire(hire: ModelHire, model: Model, real: Real): Promise<void> {
  const brandId = real.brands[hire.brand]!;
  const record = await real.service.getHire(callerOf(brandId), hire.id);
  expect(record.status).toBe(hire.status);
  expect(record.cancel_at_period_end).toBe(hire.atPeriodEnd);
  if (isLive(hire)) expect(record.current_period_end.getTime()).toBe(periodEnd(hire, model.now));
  else expect(record.effective_at?.getTime()).toBe(hire.effectiveAt);
  if (!hire.built) return;
  const { tools } = await real.service.readGrants(brandId, record.agent_id!);
  const open = hire.status === 'active' || model.now < hire.effectiveAt;
  expect(tools).toEqual(
    PACKAGES[hire.profile]!.map((name) => ({ package: name, enabled: open && !hire.disabled })),
  );
}

abstract class Step implements fc.AsyncCommand<Model, Real> {
  check = () => true;
  abstract act(model: Model, real: Real): Promise<void>;
  abstract toString(): string;

  async run(model: Model, real: Real): Promise<void> {
    await this.act(model, real);
    await checkInstalls(model, real);
    for (const hire of model.hires) await checkHire(hire, model, real);
  }
}

const refusal = (attempt: Promise<unknown>): Promise<number> =>
  attempt.then(
    () => 200,
    (error) => {
      if (error instanceof ApiError) return error.status;
      throw error;
    },
  );

class Hire extends Step {
  constructor(
    readonly brand: number,
    readonly profile: number,
  ) {
    super();
  }

  async act(model: Model, real: Real) {
    const caller = callerOf(real.brands[this.brand]!);
    const mine = model.hires.filter(({ brand }) => brand === this.brand);
    const attempt = real.service.hire(caller, real.profiles[this.profile]!, {});
    if (mine.some((hire) => isLive(hire) && hire.profile === this.profile)) {
      expect(await refusal(attempt)).toBe(409);
    } else if (mine.filter(({ createdAt }) => createdAt > model.now - HOUR * 1000).length >= 5) {
      expect(await refusal(attempt)).toBe(429);
    } else {
      const { hire_id } = await attempt;
      const { brand, profile } = this;
      model.hires.push({
        id: hire_id,
        brand,
        profile,
        createdAt: model.now,
        status: 'provisioning',
        built: false,
        atPeriodEnd: false,
        effectiveAt: 0,
        disabled: false,
      });
    }
  }

  toString = () => `hire(${this.brand}, ${this.profile})`;
}

class Cancel extends Step {
  constructor(readonly which: number) {
    super();
  }

  async act(model: Model, real: Real) {
    const hire = model.hires[this.which % Math.max(1, model.hires.length)];
    if (!hire) return;
    const attempt = real.service.cancel(callerOf(real.brands[hire.brand]!), hire.id);
    expect(await refusal(attempt)).toBe(isLive(hire) ? 200 : 409);
    if (!isLive(hire)) return;
    Object.assign(hire, { status: 'canceled', atPeriodEnd: true, effectiveAt: periodEnd(hire, model.now) });
  }

  toString = () => `cancel(${this.which})`;
}

class CancelNow extends Step {
  constructor(readonly which: number) {
    super();
  }

  async act(model: Model, real: Real) {
    const hire = model.hires[this.which % Math.max(1, model.hires.length)];
    if (!hire) return;
    const caller = callerOf(real.brands[hire.brand]!);
    if (!isLive(hire) && !(hire.atPeriodEnd && model.now < hire.effectiveAt)) {
      expect(await refusal(real.service.cancelNow(caller, hire.id))).toBe(409);
      return;
    }
    const kept = (name: string) =>
      (hire.brand === 0 && name === OWN_INSTALL) ||
      model.hires.some((other) => other !== hire && other.brand === hire.brand && holds(other, name));
    const held = PACKAGES[hire.profile]!.filter((name) => holds(hire, name));
    expect(await real.service.cancelNow(caller, hire.id)).toMatchObject({
      installs_disabled: held.filter((name) => !kept(name)).length,
      installs_retained: held.filter(kept).length,
      management_record_deleted: true,
      gateway_entry_removed: false,
      agent_torn_down: false,
    });
    Object.assign(hire, { status: 'canceled', atPeriodEnd: false, effectiveAt: model.now, disabled: true });
  }

  toString = () => `cancelNow(${this.which})`;
}

class Build extends Step {
  async act(model: Model, real: Real) {
    await real.runJob('hire-provision');
    for (const hire of model.hires) {
      if (hire.status === 'provisioning') Object.assign(hire, { status: 'active', built: true });
    }
  }

  toString = () => 'build';
}

class Reconcile extends Step {
  async act(model: Model, real: Real) {
    await real.runJob('hire-reconcile');
    for (const hire of model.hires) {
      if (hire.status === 'canceled' && hire.effectiveAt <= model.now) hire.disabled = true;
    }
  }

  toString = () => 'reconcile';
}

class Wait extends Step {
  constructor(readonly seconds: number) {
    super();
  }

  async act(model: Model, real: Real) {
    real.clock.advance(this.seconds);
    model.now += this.seconds * 1000;
  }

  toString = () => `wait(${this.seconds})`;
}

describe('Hires of two workspaces with overlapping packages', () => {
  it('keep installs equal to the reference count in any order of hires, cancels and reconcile runs', async () => {
    const which = fc.nat(9);
    const seconds = fc.oneof(
      fc.constantFrom(1, 60, HOUR, 30 * DAY - 1, 30 * DAY),
      fc.integer({ min: 1, max: 40 * DAY }),
    );
    const commands = [
      fc.tuple(fc.nat(1), fc.nat(2)).map(([brand, profile]) => new Hire(brand, profile)),
      fc.tuple(fc.nat(1), fc.nat(2)).map(([brand, profile]) => new Hire(brand, profile)),
      which.map((n) => new Cancel(n)),
      which.map((n) => new CancelNow(n)),
      fc.constant(new Build()),
      fc.constant(new Reconcile()),
      seconds.map((n) => new Wait(n)),
    ];
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async (steps) => {
        const real = await createReal();
        await fc.asyncModelRun(
          () => ({ model: { now: real.clock.now().getTime(), hires: [] }, real }),
          steps,
        );
      }),
      { numRuns: isDeep ? 40 : 5, endOnFailure: true },
    );
  });
});
