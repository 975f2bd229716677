import { sql } from 'kysely';
import type { Plan } from '../../../kernel/access.js';
import type { Refusals, Runtime, SaidCoders } from '../../../kernel/runtimes.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { dormantBefore, type EnvironmentStatus } from '../health/desk-status.js';
import type { CheckedFacts, Probe } from '../health/health-verdict.js';

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
  /** The repository a hired builder works on. */
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
  /** What it last said when it asked for work, and until when its provider takes none. */
  work: (SaidCoders & { asked: boolean; held_until: string | null; refusals: Refusals }) | null;
}

export interface NewDesk {
  deskId: string;
  shortId: string;
  name: string;
  runtime: Runtime;
  region: string | null;
  description: string | null;
  workspacePath: string;
  repository: { url: string; branch?: string } | null;
  onlyProjectId: string | null;
  tokenLookup: string;
  keySealed: string;
  pollSlot: number;
  orderedBy: number | null;
  now: Date;
}

export interface NewDeskEvent {
  kind: string;
  at: Date;
  from?: EnvironmentStatus;
  to?: EnvironmentStatus;
  reason?: string | null;
  probes?: Probe[];
}

export interface Logins {
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

/** Kept to the newest, so that a desk that comes and goes, or an installer that runs in circles, cannot fill the table. */
export async function pruneEvents(db: Db | Tx, deskIds: string[]): Promise<void> {
  await sql`
    delete from desk_events e
    using unnest(${deskIds}::uuid[]) as d (desk_id),
      lateral (select o.event_id from desk_events o where o.desk_id = d.desk_id
               order by o.event_id desc offset ${MOST_EVENTS} limit 1) too_old
    where e.desk_id = d.desk_id and e.event_id <= too_old.event_id`.execute(db);
}

export const DESK_COLUMNS = sql.raw(`
  d.desk_id, d.brand_id, d.short_id, d.name, d.runtime, d.region, d.description, d.vps_provider, d.workspace_path, d.repository, d.image_key,
  d.created_at, d.updated_at, d.status, d.hello_at, d.hostname, d.installation_id, d.installer_exit_code, d.installer_message,
  d.mesh_registered_at, d.mesh_public_key, host(d.mesh_address) as mesh_address, d.sidecar_url, d.misses, d.missed_probes,
  d.misrouted, d.first_answered_at, d.resumed_at, d.last_contact_at, d.sidecar_version, d.sidecar_code_digest, d.last_upgrade_at,
  d.building, d.pending_sync_count, d.isolation, d.credentials,
  (select jsonb_build_object('coders', w.coders, 'missing', w.missing, 'asked', w.asked_at is not null, 'held_until', w.held_until, 'refusals', w.refusals)
   from build_desks w where w.desk_id = d.desk_id) as work`);

/** What the list of desks shows of each, and no more: it is asked for all the time, and a desk has three times as many columns. */
export type ListedDesk = Pick<
  DeskRow,
  | 'desk_id'
  | 'name'
  | 'runtime'
  | 'status'
  | 'repository'
  | 'hello_at'
  | 'installer_exit_code'
  | 'installer_message'
  | 'mesh_registered_at'
  | 'sidecar_url'
  | 'first_answered_at'
  | 'misrouted'
  | 'misses'
  | 'last_contact_at'
  | 'created_at'
>;

const LISTED_COLUMNS = sql.raw(`
  desk_id, name, runtime, status, repository, hello_at, installer_exit_code, installer_message, mesh_registered_at, sidecar_url,
  first_answered_at, misrouted, misses, last_contact_at, created_at`);

interface FoundDesk {
  desk_id: string;
  brand_id: number;
  is_old: boolean;
}

/** No desk of a workspace that is being erased is known any more, though its row waits for the job. */
export async function findDeskByToken(
  db: Db,
  tokenLookup: string,
  /** By which desks from before are found. */
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

/** The desks of one workspace. */
export function deskStore(db: Db | Tx, brandId: number) {
  return {
    /** One order at a time in a workspace: the count stays true until the caller's transaction ends. */
    async lockPlan(): Promise<Plan | undefined> {
      const { rows } = await sql<{ plan: Plan }>`
        select plan from brands where brand_id = ${brandId} for no key update`.execute(db);
      return rows[0]?.plan;
    },

    /** Desks that count towards the cap: suspended ones do, dormant ones do not. */
    async countLive(now: Date): Promise<number> {
      const { rows } = await sql<{ live: number }>`
        select count(*)::int as live from desks
        where brand_id = ${brandId}
          and (status = 'suspended' or coalesce(last_contact_at, created_at) >= ${dormantBefore(now)})`.execute(
        db,
      );
      return rows[0]!.live;
    },

    /** How many desks are heard of and how many are silent, and the former that have a login which has run out. */
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
      await sql`
        insert into desks (desk_id, brand_id, short_id, name, runtime, region, description, workspace_path, repository, only_project_id,
                           token_lookup, key_sealed, poll_slot, ordered_by, status, created_at, updated_at)
        values (${desk.deskId}, ${brandId}, ${desk.shortId}, ${desk.name}, ${desk.runtime}, ${desk.region}, ${desk.description},
                ${desk.workspacePath}, ${desk.repository === null ? null : JSON.stringify(desk.repository)}::jsonb,
                ${desk.onlyProjectId}, ${desk.tokenLookup}, ${desk.keySealed}, ${desk.pollSlot}, ${desk.orderedBy}, 'provisioned', ${desk.now}, ${desk.now})`.execute(
        db,
      );
    },

    async find(deskId: string): Promise<DeskRow | undefined> {
      const { rows } = await sql<DeskRow>`
        select ${DESK_COLUMNS} from desks d where d.brand_id = ${brandId} and d.desk_id = ${deskId}`.execute(
        db,
      );
      return rows[0];
    },

    async findListed(deskId: string): Promise<ListedDesk | undefined> {
      const { rows } = await sql<ListedDesk>`
        select ${LISTED_COLUMNS} from desks where brand_id = ${brandId} and desk_id = ${deskId}`.execute(db);
      return rows[0];
    },

    async listListed(): Promise<ListedDesk[]> {
      const { rows } = await sql<ListedDesk>`
        select ${LISTED_COLUMNS} from desks where brand_id = ${brandId} order by created_at, desk_id`.execute(
        db,
      );
      return rows;
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

    /** A check that is on its way was made with the old token, so it must not count any more. */
    async replaceToken(
      deskId: string,
      token: { tokenLookup: string; keySealed: string },
      now: Date,
    ): Promise<DeskRow | undefined> {
      const { rows } = await sql<DeskRow>`
        update desks d set token_lookup = ${token.tokenLookup}, key_sealed = ${token.keySealed}, token_hash = null, check_epoch = check_epoch + 1, updated_at = ${now}
        where brand_id = ${brandId} and desk_id = ${deskId}
        returning ${DESK_COLUMNS}`.execute(db);
      return rows[0];
    },

    async writeSettings(
      deskId: string,
      settings: { name: string; description: string | null },
      now: Date,
    ): Promise<void> {
      await sql`
        update desks set name = ${settings.name}, description = ${settings.description}, updated_at = ${now}
        where brand_id = ${brandId} and desk_id = ${deskId}`.execute(db);
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

    /** What was found at the old address says nothing about the new one. */
    async repoint(deskId: string, sidecarUrl: string, now: Date): Promise<void> {
      await sql`
        update desks set sidecar_url = ${sidecarUrl}, misrouted = false,
                         misses = case when status = 'unreachable' then misses else 0 end,
                         missed_probes = case when status = 'unreachable' then missed_probes else '[]' end,
                         check_epoch = check_epoch + 1, updated_at = ${now}
        where brand_id = ${brandId} and desk_id = ${deskId}`.execute(db);
    },

    /** Answers the key of the image that was there before. */
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

    /** Whether another desk of this workspace stands for the installation. */
    async isInstallationTaken(deskId: string, installationId: string): Promise<boolean> {
      const { rows } = await sql`
        select 1 from desks
        where brand_id = ${brandId} and installation_id = ${installationId} and desk_id <> ${deskId}`.execute(
        db,
      );
      return rows.length > 0;
    },

    async addEvent(deskId: string, event: NewDeskEvent): Promise<void> {
      await sql`
        insert into desk_events (desk_id, at, kind, from_status, to_status, reason, probes)
        values (${deskId}, ${event.at}, ${event.kind}, ${event.from ?? null}, ${event.to ?? null}, ${event.reason ?? null},
                ${JSON.stringify(event.probes ?? [])}::jsonb)`.execute(db);
      await pruneEvents(db, [deskId]);
    },

    async listEvents(deskId: string, limit: number, before: number | null): Promise<DeskEventRow[]> {
      const { rows } = await sql<DeskEventRow>`
        select event_id, at, kind, from_status, to_status, reason, probes from desk_events
        where desk_id = ${deskId} and (${before}::bigint is null or event_id < ${before})
        order by event_id desc limit ${limit}`.execute(db);
      return rows;
    },
  };
}
