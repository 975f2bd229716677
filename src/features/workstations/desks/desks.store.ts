import { type Insertable, sql, type Updateable } from 'kysely';
import type { Plan } from '../../../kernel/access.js';
import type { DeskLogin, Refusals, ReportedCoders, Runtime } from '../../../kernel/plans.js';
import type { Db, Tables, Tx } from '../../../platform/database/database.js';
import {
  type CheckedFacts,
  dormantBefore,
  type EnvironmentStatus,
  type Probe,
} from '../health/desk-status.js';
import { deskNotFound } from '../workstations.errors.js';

/** The stored form of a desk's token. Older releases stored only its hash. */
export interface KeptToken {
  desk_id: string;
  token_hash: string | null;
  token_lookup: string | null;
  key_sealed: string | null;
}

export interface DeskRow extends CheckedFacts {
  desk_id: string;
  brand_id: number;
  short_id: string;
  name: string;
  runtime: Runtime;
  region: string | null;
  description: string | null;
  vps_provider: string | null;
  workspace_path: string;
  /** The repository that a hired builder works on. */
  repository: { url: string; branch?: string } | null;
  image_key: string | null;
  created_at: Date;
  updated_at: Date;
  hello_at: Date | null;
  hostname: string | null;
  mesh_registered_at: Date | null;
  mesh_public_key: string | null;
  mesh_address: string | null;
  sidecar_url: string | null;
  /** From its last request for work: the coders that it reported, and until when its provider limits it. */
  work: (ReportedCoders & { asked: boolean; held_until: string | null; refusals: Refusals }) | null;
}

type NewDesk = Omit<Insertable<Tables['desks']>, 'brand_id' | 'status'>;

export interface NewDeskEvent {
  kind: string;
  at: Date;
  from?: EnvironmentStatus;
  to?: EnvironmentStatus;
  reason?: string | null;
  probes?: Probe[];
}

interface Logins {
  checked: number;
  dormant: number;
  signed_out: Pick<DeskRow, 'desk_id' | 'name' | 'credentials'>[];
}

export interface DeskEventRow {
  event_id: number;
  at: Date;
  kind: string;
  from_status: EnvironmentStatus | null;
  to_status: EnvironmentStatus | null;
  reason: string | null;
  probes: Probe[];
}

const MOST_EVENTS = 1000;

/** Keeps only the newest events, so that a flapping desk cannot fill the table. */
export async function insertEvents(
  db: Db | Tx,
  events: (NewDeskEvent & { desk_id: string })[],
): Promise<void> {
  if (events.length === 0) return;
  await sql`
    insert into desk_events (desk_id, at, kind, from_status, to_status, reason, probes)
    select desk_id, at, kind, "from", "to", reason, coalesce(probes, '[]')
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as e (
      desk_id uuid, at timestamptz, kind text, "from" text, "to" text, reason text, probes jsonb)`.execute(
    db,
  );
  await sql`
    delete from desk_events e
    using unnest(${[...new Set(events.map(({ desk_id }) => desk_id))]}::uuid[]) as d (desk_id),
      lateral (select o.event_id from desk_events o where o.desk_id = d.desk_id
               order by o.event_id desc offset ${MOST_EVENTS} limit 1) too_old
    where e.desk_id = d.desk_id and e.event_id <= too_old.event_id`.execute(db);
}

const DESK_COLUMNS = sql.raw(`
  d.desk_id, d.brand_id, d.short_id, d.name, d.runtime, d.region, d.description, d.vps_provider, d.workspace_path, d.repository, d.image_key,
  d.created_at, d.updated_at, d.status, d.hello_at, d.hostname, d.installation_id, d.installer_exit_code, d.installer_message,
  d.mesh_registered_at, d.mesh_public_key, host(d.mesh_address) as mesh_address, d.sidecar_url, d.misses, d.missed_probes,
  d.misrouted, d.first_answered_at, d.resumed_at, d.last_contact_at, d.sidecar_version, d.sidecar_code_digest, d.last_upgrade_at,
  d.building, d.pending_sync_count, d.isolation, d.credentials,
  (select jsonb_build_object('coders', w.coders, 'missing', w.missing, 'asked', w.asked_at is not null, 'held_until', w.held_until, 'refusals', w.refusals)
   from build_desks w where w.desk_id = d.desk_id) as work`);

interface FoundDesk {
  desk_id: string;
  brand_id: number;
  is_old: boolean;
}

/** Desks of a workspace that is being erased are not found. */
export async function findDeskByToken(
  db: Db,
  tokenLookup: string,
  /** Finds desks stored by older releases. */
  oldHash: string,
): Promise<FoundDesk | undefined> {
  const { rows } = await sql<FoundDesk>`
    select d.desk_id, d.brand_id, d.token_hash is not null as is_old
    from desks d join brands b on b.brand_id = d.brand_id and b.erasing_at is null
    where d.token_lookup = ${tokenLookup} or d.token_hash = ${oldHash}`.execute(db);
  return rows[0];
}

export async function listExistingDesks(db: Db, deskIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ desk_id: string }>`
    select desk_id from desks where desk_id = any(${deskIds}::uuid[])`.execute(db);
  return rows.map(({ desk_id }) => desk_id);
}

export function deskStore(db: Db | Tx, brandId: number) {
  return {
    /** Serializes the orders of a workspace, so that each counts the desks correctly. */
    async lockPlan(): Promise<Plan | undefined> {
      const { rows } = await sql<{ plan: Plan }>`
        select plan from brands where brand_id = ${brandId} for no key update`.execute(db);
      return rows[0]?.plan;
    },

    /** Suspended desks count towards the plan's limit, dormant ones do not. */
    async countLive(now: Date): Promise<number> {
      const { rows } = await sql<{ live: number }>`
        select count(*)::int as live from desks
        where brand_id = ${brandId}
          and (status = 'suspended' or coalesce(last_contact_at, created_at) >= ${dormantBefore(now)})`.execute(
        db,
      );
      return rows[0]!.live;
    },

    /** Counts live and dormant desks and lists the live ones with an expired login. */
    async readLogins(now: Date): Promise<Logins> {
      const isSilent = sql`(status <> 'suspended' and coalesce(last_contact_at, created_at) < ${dormantBefore(now)})`;
      const { rows } = await sql<Logins>`
        select count(*) filter (where not ${isSilent})::int as checked, count(*) filter (where ${isSilent})::int as dormant,
          coalesce(jsonb_agg(jsonb_build_object('desk_id', desk_id, 'name', name, 'credentials', credentials)
            order by created_at, desk_id) filter (where credentials @> '[{"state": "expired"}]' and not ${isSilent}), '[]') as signed_out
        from desks where brand_id = ${brandId}`.execute(db);
      return rows[0]!;
    },

    async insert(desk: NewDesk): Promise<void> {
      await db
        .insertInto('desks')
        .values({ ...desk, brand_id: brandId, status: 'provisioned' })
        .execute();
    },

    async find(deskId: string): Promise<DeskRow | undefined> {
      const { rows } = await sql<DeskRow>`
        select ${DESK_COLUMNS} from desks d where d.brand_id = ${brandId} and d.desk_id = ${deskId}`.execute(
        db,
      );
      return rows[0];
    },

    async get(deskId: string): Promise<DeskRow> {
      const desk = await this.find(deskId);
      if (!desk) throw deskNotFound();
      return desk;
    },

    async findForUpdate(deskId: string): Promise<DeskRow | undefined> {
      const { rows } = await sql<DeskRow>`
        select ${DESK_COLUMNS} from desks d where d.brand_id = ${brandId} and d.desk_id = ${deskId} for no key update`.execute(
        db,
      );
      return rows[0];
    },

    async list(): Promise<DeskRow[]> {
      const { rows } = await sql<DeskRow>`
        select ${DESK_COLUMNS} from desks d where d.brand_id = ${brandId} order by d.created_at, d.desk_id`.execute(
        db,
      );
      return rows;
    },

    async delete(
      deskId: string,
    ): Promise<{ image_key: string | null; mesh_public_key: string | null } | undefined> {
      const { rows } = await sql<{ image_key: string | null; mesh_public_key: string | null }>`
        delete from desks where brand_id = ${brandId} and desk_id = ${deskId}
        returning image_key, mesh_public_key`.execute(db);
      return rows[0];
    },

    /** Also invalidates running checks, which use the old token. */
    async replaceToken(
      deskId: string,
      token: { token_lookup: string; key_sealed: string },
      now: Date,
    ): Promise<DeskRow | undefined> {
      const { rows } = await sql<DeskRow>`
        update desks d set token_lookup = ${token.token_lookup}, key_sealed = ${token.key_sealed}, token_hash = null, check_epoch = check_epoch + 1, updated_at = ${now}
        where brand_id = ${brandId} and desk_id = ${deskId}
        returning ${DESK_COLUMNS}`.execute(db);
      return rows[0];
    },

    async change(deskId: string, change: Updateable<Tables['desks']>): Promise<void> {
      await db
        .updateTable('desks')
        .set(change)
        .where('brand_id', '=', brandId)
        .where('desk_id', '=', deskId)
        .execute();
    },

    async suspend(deskId: string, now: Date): Promise<void> {
      await sql`
        update desks set status = 'suspended', check_epoch = check_epoch + 1, updated_at = ${now}
        where brand_id = ${brandId} and desk_id = ${deskId}`.execute(db);
    },

    async resume(deskId: string, now: Date): Promise<void> {
      await sql`
        update desks set status = 'provisioned', resumed_at = ${now}, misses = 0, missed_probes = '[]',
                         check_epoch = check_epoch + 1, updated_at = ${now}
        where brand_id = ${brandId} and desk_id = ${deskId}`.execute(db);
    },

    /** Discards the findings at the old address. */
    async repoint(deskId: string, sidecarUrl: string, now: Date): Promise<void> {
      await sql`
        update desks set sidecar_url = ${sidecarUrl}, misrouted = false,
                         misses = case when status = 'unreachable' then misses else 0 end,
                         missed_probes = case when status = 'unreachable' then missed_probes else '[]' end,
                         check_epoch = check_epoch + 1, updated_at = ${now}
        where brand_id = ${brandId} and desk_id = ${deskId}`.execute(db);
    },

    async replaceImage(
      deskId: string,
      imageKey: string | null,
      now: Date,
    ): Promise<{ previous: string | null } | undefined> {
      const { rows } = await sql<{ previous: string | null }>`
        update desks d set image_key = ${imageKey}, updated_at = ${now}
        from (select desk_id, image_key from desks
              where brand_id = ${brandId} and desk_id = ${deskId} for no key update) old
        where d.desk_id = old.desk_id
        returning old.image_key as previous`.execute(db);
      return rows[0];
    },

    async isInstallationTaken(deskId: string, installationId: string): Promise<boolean> {
      const { rows } = await sql`
        select 1 from desks
        where brand_id = ${brandId} and installation_id = ${installationId} and desk_id <> ${deskId}`.execute(
        db,
      );
      return rows.length > 0;
    },

    addEvent: (deskId: string, event: NewDeskEvent): Promise<void> =>
      insertEvents(db, [{ desk_id: deskId, ...event }]),

    async listEvents(deskId: string, limit: number, before: number | null): Promise<DeskEventRow[]> {
      const { rows } = await sql<DeskEventRow>`
        select event_id, at, kind, from_status, to_status, reason, probes from desk_events
        where desk_id = ${deskId} and (${before}::bigint is null or event_id < ${before})
        order by event_id desc limit ${limit}`.execute(db);
      return rows;
    },
  };
}

export interface BuilderDeskRow extends KeptToken {
  name: string;
  runtime: Runtime;
  only_project_id: string | null;
  status: EnvironmentStatus;
  credentials: DeskLogin[];
  dormant: boolean;
}

export function builderDeskStore(db: Db | Tx, brandId: number) {
  const columns = (
    now: Date,
  ) => sql`desk_id, name, runtime, only_project_id, status, credentials, token_hash, token_lookup, key_sealed,
    status <> 'suspended' and coalesce(last_contact_at, created_at) < ${dormantBefore(now)} as dormant`;
  /** A workspace that is being erased gets no more work. */
  const isOpen = sql`exists (select from brands b where b.brand_id = ${brandId} and b.erasing_at is null)`;
  return {
    async find(deskId: string, now: Date): Promise<BuilderDeskRow | undefined> {
      const { rows } = await sql<BuilderDeskRow>`
        select ${columns(now)} from desks where brand_id = ${brandId} and desk_id = ${deskId} and ${isOpen}`.execute(
        db,
      );
      return rows[0];
    },

    async list(now: Date): Promise<BuilderDeskRow[]> {
      const { rows } = await sql<BuilderDeskRow>`
        select ${columns(now)} from desks where brand_id = ${brandId} and ${isOpen}`.execute(db);
      return rows;
    },
  };
}

export interface KnownDesk {
  desk_id: string;
  name: string;
  created_at: Date;
  status: EnvironmentStatus;
}

export interface Transition {
  desk_id: string;
  at: Date;
  from_status: EnvironmentStatus | null;
  to_status: EnvironmentStatus;
}

const MOST_DESKS = 200;

export const availabilityStore = (db: Db, brandId: number) => ({
  async listDesks(): Promise<KnownDesk[]> {
    const { rows } = await sql<KnownDesk>`
      select desk_id, name, created_at, status from desks where brand_id = ${brandId}
      order by name, desk_id limit ${MOST_DESKS}`.execute(db);
    return rows;
  },

  /** Oldest first. Bounded, because a desk keeps its newest thousand events. */
  async listTransitions(deskIds: string[], since: Date): Promise<Transition[]> {
    const { rows } = await sql<Transition>`
      select desk_id, at, from_status, to_status from desk_events
      where desk_id = any(${deskIds}::uuid[]) and at >= ${since} and to_status is not null
      order by event_id`.execute(db);
    return rows;
  },
});

export function deskReportStore(db: Db | Tx, deskId: string) {
  return {
    async write(report: Updateable<Tables['desks']>): Promise<void> {
      await db.updateTable('desks').set(report).where('desk_id', '=', deskId).execute();
    },

    async writeStep(step: {
      step: string;
      exitCode: number | null;
      message: string | null;
      now: Date;
    }): Promise<void> {
      // A failure is cleared by the next hello or by a check that starts later, not by progress.
      await sql`
        update desks set
          installer_step = ${step.step},
          installer_exit_code = case when coalesce(${step.exitCode}::int, 0) <> 0 then ${step.exitCode}::int else installer_exit_code end,
          installer_message = case when coalesce(${step.exitCode}::int, 0) <> 0 then ${step.message}::text else installer_message end,
          check_epoch = case when coalesce(${step.exitCode}::int, 0) <> 0 then check_epoch + 1 else check_epoch end,
          last_contact_at = ${step.now}
        where desk_id = ${deskId}`.execute(db);
    },

    async writeSidecar(sidecarUrl: string, now: Date): Promise<void> {
      await sql`
        update desks set
          sidecar_registered_at = ${now}, last_contact_at = ${now}, updated_at = ${now},
          check_epoch = case when sidecar_url is distinct from ${sidecarUrl} then check_epoch + 1 else check_epoch end,
          misses = case when sidecar_url is distinct from ${sidecarUrl} and status <> 'unreachable' then 0 else misses end,
          missed_probes = case when sidecar_url is distinct from ${sidecarUrl} and status <> 'unreachable' then '[]' else missed_probes end,
          sidecar_url = ${sidecarUrl}
        where desk_id = ${deskId}`.execute(db);
    },
  };
}
