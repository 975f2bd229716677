import type { OperatorCaller, SessionCaller } from '../../kernel/access.js';
import { type Clock, HOUR, secondsFrom } from '../../kernel/clock.js';
import type { ApiError } from '../../kernel/errors.js';
import { isUuid, newId, parseIntegerId } from '../../kernel/ids.js';
import type { Log } from '../../kernel/log.js';
import { recordAudit } from '../../platform/audit/audit.js';
import type { Cache } from '../../platform/cache/cache.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import { brandNotFound } from '../../platform/http/request/authentication.js';
import { bodyValidator } from '../../platform/http/request/validation.js';
import type { Jobs } from '../../platform/jobs/jobs.js';
import type { WebhookOutbox } from '../../platform/outbox/outbox.js';
import { catalogStore, type ProfileRow } from './catalog.store.js';
import {
  createAgentWorkspaces,
  createHireBuilder,
  createHireEnder,
  type Desks,
  type EndingOptions,
} from './hire-building.js';
import {
  agentNotFound,
  alreadyHired,
  employeeNotFound,
  hireNotFound,
  hireOfAnotherBrand,
  noDeployableTemplate,
  notCancellable,
  subscriptionInactive,
  tooManyGrants,
  tooManyHires,
} from './hires.errors.js';
import {
  agentIdFor,
  canCancelAtPeriodEnd,
  canCancelNow,
  GRANT_CACHE_SECONDS,
  hasTools,
  marketplaceDisableAt,
  periodEnd,
} from './hires.rules.js';
import { type Grant, GrantSchema, type Grants, type Hired } from './hires.schemas.js';
import { brandHireStore, findAgentTools, type HireRow, hireStore } from './hires.store.js';
import { describeEmployee, describeHire, onboardingUrl } from './hires.views.js';

interface HireOptions {
  db: Db;
  clock: Clock;
  log: Log;
  cache: Cache;
  jobs: Pick<Jobs, 'trigger'>;
  desks: Desks;
  outbox: Pick<WebhookOutbox, 'record'>;
  tokens: EndingOptions['tokens'];
  agentsDir: string;
}

type HireCaller = SessionCaller | OperatorCaller;
export type HireService = ReturnType<typeof createHireService>;

const HIRES_PER_HOUR = 5;
const GRANTS_PER_HOUR = 50;

export const BUILD_JOB = 'hire-provision';

const checkGrant = bodyValidator(GrantSchema);

export function createHireService(options: HireOptions) {
  const { db, clock, log, cache, jobs, desks, outbox, tokens } = options;
  const workspaces = createAgentWorkspaces(options.agentsDir);
  const builder = createHireBuilder({ db, clock, log, desks, workspaces, outbox });
  const ender = createHireEnder({ db, clock, log, desks, workspaces, tokens });

  /** Applies the last two checks and inserts the hire; the caller's lock keeps the counts correct. */
  async function insertHire(tx: Tx, brandId: number, profileId: string, by: Hirer): Promise<Hired> {
    const store = brandHireStore(tx, brandId);
    const profile = requireDeployable(await findProfile(tx, profileId));
    const existing = await store.findLiveHire(profile.profile_id);
    if (existing) throw alreadyHired(existing);
    const now = clock.now();
    await by.requireAllowance(now);
    const hireId = newId();
    const inserted = await store.insertHire({
      hireId,
      profile,
      agentId: agentIdFor(profile.name, hireId),
      compReason: by.compReason,
      hiredBy: by.userId,
      grantedBy: by.granter,
      now,
    });
    if (!inserted) throw alreadyHired((await store.findLiveHire(profile.profile_id))!);
    await recordAudit(tx, {
      brandId,
      actor: by.actor,
      action: by.granter ? 'hire.granted' : 'hire.created',
      subject: `hire:${hireId}`,
      details: { profile_id: profile.profile_id },
      at: now,
    });
    await jobs.trigger(tx, BUILD_JOB);
    return { hire_id: hireId, status: 'provisioning', onboarding_url: onboardingUrl(hireId) };
  }

  function hireForOwnBrand(caller: SessionCaller, profileId: string): Promise<Hired> {
    return inTransaction(db, async (tx) => {
      const store = brandHireStore(tx, caller.brandId);
      const brand = await store.lockBrand();
      if (!brand?.subscription_active) throw subscriptionInactive();
      const requireAllowance = async (now: Date) =>
        refuseAfter(await store.findOwnHireTime(HIRES_PER_HOUR, secondsFrom(now, -HOUR)), now, tooManyHires);
      const by = { actor: caller, userId: caller.userId, granter: null, compReason: null, requireAllowance };
      return insertHire(tx, caller.brandId, profileId, by);
    });
  }

  function grantHire(caller: HireCaller, profileId: string, grant: Grant): Promise<Hired> {
    const granter = caller.kind === 'operator' ? 'operator' : `user:${caller.userId}`;
    const userId = caller.kind === 'operator' ? null : caller.userId;
    const brandId = parseIntegerId(String(grant.brand_id));
    return inTransaction(db, async (tx) => {
      if (brandId === undefined) throw brandNotFound();
      await hireStore(tx).lockGranter(granter);
      if (!(await brandHireStore(tx, brandId).lockBrand())) throw brandNotFound();
      const requireAllowance = async (now: Date) =>
        refuseAfter(
          await hireStore(tx).findGrantTime(granter, GRANTS_PER_HOUR, secondsFrom(now, -HOUR)),
          now,
          tooManyGrants,
        );
      const by = { actor: caller, userId, granter, compReason: grant.comp_reason ?? null, requireAllowance };
      return insertHire(tx, brandId, profileId, by);
    });
  }

  async function lockForCancel(
    tx: Tx,
    caller: HireCaller,
    hireId: string,
    allowed: (hire: HireRow) => boolean,
  ) {
    const hire = requireOwn(caller, await hireStore(tx).lockHire(hireId));
    if (!allowed(hire)) throw notCancellable();
    return hire;
  }

  async function describeAll(hires: HireRow[]) {
    const named = hires.flatMap(({ workstation_id }) => workstation_id ?? []);
    const existing = new Set(named.length === 0 ? [] : await desks.listExisting(named));
    const now = clock.now();
    return hires.map((hire) => describeHire(hire, existing, now));
  }

  const audit = (
    tx: Tx,
    caller: HireCaller,
    hire: HireRow,
    action: string,
    at: Date,
    details: Record<string, unknown>,
  ) =>
    recordAudit(tx, {
      brandId: hire.brand_id,
      actor: caller,
      action,
      subject: `hire:${hire.hire_id}`,
      details,
      at,
    });

  /** Records the event with the cancel's commit; it includes the effective time. */
  const notifyCanceled = (tx: Tx, hire: HireRow, at: Date, effectiveAt: Date) => {
    const { brand_id: brandId, hire_id, profile_id, agent_id } = hire;
    const data = { hire_id, profile_id, agent_id, effective_at: effectiveAt };
    return outbox.record(tx, [{ brandId, type: 'hire.canceled', at, data }]);
  };

  return {
    build: builder.build,
    end: ender.end,
    clear: ender.clear,
    readGrants: createGrantReader({ db, clock, cache }),

    async listEmployees(caller: HireCaller) {
      const rows = await catalogStore(db).listEmployees(caller.kind === 'session' ? caller.brandId : null);
      return { employees: rows.map(describeEmployee), total: rows.length };
    },

    async getEmployee(profileId: string): Promise<ProfileRow> {
      return findProfile(db, profileId);
    },

    async listHires(caller: HireCaller, { limit = 100, page = 1 }: { limit?: number; page?: number }) {
      const offset = (page - 1) * limit;
      const { hires, total } =
        caller.kind === 'session'
          ? await brandHireStore(db, caller.brandId).listHires(limit, offset)
          : await hireStore(db).listAllHires(limit, offset);
      return { hires: await describeAll(hires), total };
    },

    async getHire(caller: HireCaller, hireId: string) {
      const [hire] = await describeAll([requireOwn(caller, await hireStore(db).findHire(hireId))]);
      return hire!;
    },

    /** The credential decides the kind of hire; only a grant reads the body. */
    async hire(caller: HireCaller, profileId: string, body: unknown): Promise<Hired> {
      if (caller.kind === 'session' && !caller.staff) return hireForOwnBrand(caller, profileId);
      checkGrant(body);
      return grantHire(caller, profileId, body as Grant);
    },

    cancel: (caller: HireCaller, hireId: string) =>
      inTransaction(db, async (tx) => {
        const hire = await lockForCancel(tx, caller, hireId, canCancelAtPeriodEnd);
        const now = clock.now();
        const effectiveAt = periodEnd(hire.created_at, now);
        await hireStore(tx).writeCancel(hireId, { atPeriodEnd: true, periodEnd: effectiveAt, effectiveAt });
        await audit(tx, caller, hire, 'hire.canceled', now, {
          at_period_end: true,
          effective_at: effectiveAt,
        });
        await notifyCanceled(tx, hire, now, effectiveAt);
        return {
          hire_id: hireId,
          status: 'canceled',
          cancel_at_period_end: true,
          effective_at: effectiveAt,
          marketplace_disable_at: marketplaceDisableAt(effectiveAt),
        };
      }),

    async cancelNow(caller: HireCaller, hireId: string) {
      const { hire, now, released } = await inTransaction(db, async (tx) => {
        const at = clock.now();
        const locked = await lockForCancel(tx, caller, hireId, (found) => canCancelNow(found, at));
        const end = locked.last_period_end ?? periodEnd(locked.created_at, at);
        await hireStore(tx).writeCancel(hireId, { atPeriodEnd: false, periodEnd: end, effectiveAt: at });
        const counts = await ender.disable(tx, locked, caller, at);
        await audit(tx, caller, locked, 'hire.canceled', at, { at_period_end: false, ...counts });
        await notifyCanceled(tx, locked, at, at);
        return { hire: locked, now: at, released: counts };
      });
      return {
        hire_id: hireId,
        status: 'canceled',
        effective_at: now,
        marketplace_disable_at: marketplaceDisableAt(now),
        ...released,
        management_record_deleted: await ender.removeWorkspace(hireId, hire.agent_id),
        gateway_entry_removed: false,
        agent_torn_down: false,
      };
    },
  };
}

interface Hirer {
  actor: { kind: string; userId?: number };
  userId: number | null;
  granter: string | null;
  compReason: string | null;
  requireAllowance(now: Date): Promise<void>;
}

/** The operator and staff may act in every workspace. */
function requireOwn(caller: HireCaller, hire: HireRow | undefined): HireRow {
  if (!hire) throw hireNotFound();
  if (caller.kind === 'session' && !caller.staff && caller.brandId !== hire.brand_id)
    throw hireOfAnotherBrand();
  return hire;
}

async function findProfile(db: Db | Tx, profileId: string): Promise<ProfileRow> {
  const profile = isUuid(profileId) ? await catalogStore(db).findPublishedProfile(profileId) : undefined;
  if (!profile) throw employeeNotFound();
  return profile;
}

function requireDeployable(profile: ProfileRow) {
  const { template } = profile;
  if (!template) throw noDeployableTemplate();
  return { ...profile, template };
}

/** `blocking` is the hire that must be an hour old before another is allowed. */
function refuseAfter(blocking: Date | undefined, now: Date, refusal: (seconds: number) => ApiError): void {
  if (blocking) throw refusal((secondsFrom(blocking, HOUR).getTime() - now.getTime()) / 1000);
}

interface CachedGrants {
  brandId: number;
  grants: Grants;
}

/**
 * Reads the tools that the gateway allows an agent. Answers are cached for 60 s and not invalidated, as
 * `marketplace_disable_at` promises, so that all nodes behave the same.
 */
function createGrantReader({ db, clock, cache }: { db: Db; clock: Clock; cache: Cache }) {
  async function readFresh(agentId: string): Promise<CachedGrants | undefined> {
    const now = clock.now();
    const agent = await findAgentTools(db, agentId);
    if (!agent || agent.brand_id === null) return undefined;
    const { status, cancel_at_period_end, effective_at } = agent;
    const open =
      status !== null &&
      hasTools({ status, cancel_at_period_end: cancel_at_period_end ?? false, effective_at }, now);
    const on = new Set(agent.enabled);
    const tools = [...new Set(agent.packages)].map((name) => ({
      package: name,
      enabled: open && on.has(name),
    }));
    const cachedUntil = secondsFrom(now, GRANT_CACHE_SECONDS).toISOString();
    return { brandId: agent.brand_id, grants: { agent_id: agentId, tools, cached_until: cachedUntil } };
  }

  return async function readGrants(brandId: number, agentId: string): Promise<Grants> {
    const key = `grants:${agentId}`;
    let found = await cache.get<CachedGrants>(key);
    if (!found) {
      found = await readFresh(agentId);
      if (found) await cache.set(key, found, GRANT_CACHE_SECONDS);
    }
    if (found?.brandId !== brandId) throw agentNotFound();
    return found.grants;
  };
}
