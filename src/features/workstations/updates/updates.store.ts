import { sql } from 'kysely';
import { newId } from '../../../kernel/ids.js';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface UpdateRow {
  update_id: string;
  desk_id: string;
  machine_name: string;
  status: 'queued' | 'running' | 'done' | 'failed';
  requested_by: number;
  requested_by_name: string;
  requested_by_agent: string | null;
  agent_name: string | null;
  requested_at: Date;
  wait_for_idle: boolean;
  error: string | null;
  started_at: Date | null;
  finished_at: Date | null;
  from_version: string | null;
  from_code_digest: string | null;
  to_version: string | null;
  to_code_digest: string | null;
}

export interface Candidate {
  desk_id: string;
  name: string;
  installed: boolean;
  shared: boolean;
}

/** Queued, or failed when it has an error. */
export interface NewUpdate {
  deskId: string;
  error: string | null;
}

export interface Requester {
  userId: number;
  name: string;
  agentId: string | null;
}

const COLUMNS = sql.raw(`
  u.update_id, u.desk_id, d.name as machine_name, u.status, u.requested_by, u.requested_by_name, u.requested_by_agent,
  (select a.name from agents a where a.agent_id = u.requested_by_agent) as agent_name, u.requested_at, u.wait_for_idle,
  u.error, u.started_at, u.finished_at, u.from_version, u.from_code_digest, u.to_version, u.to_code_digest`);

/** Whether another workspace has a desk on the stored or the just reported installation. */
const isShared = (reported: string | null) => sql<boolean>`exists (
  select 1 from desks o
  where o.installation_id in (d.installation_id, ${reported}::text) and o.brand_id <> d.brand_id)`;

export function updateRequestStore(db: Db | Tx, brandId: number) {
  return {
    /** All desks of the workspace when no id is given. */
    async listCandidates(deskId: string | null): Promise<Candidate[]> {
      const { rows } = await sql<Candidate>`
        select d.desk_id, d.name,
               (d.hello_at is not null or d.first_answered_at is not null) as installed,
               ${isShared(null)} as shared
        from desks d
        where d.brand_id = ${brandId} and (${deskId}::uuid is null or d.desk_id = ${deskId}::uuid)
        order by d.created_at, d.desk_id`.execute(db);
      return rows;
    },

    /** A machine has at most one queued request. A second one changes nothing. */
    async request(updates: NewUpdate[], { userId, name, agentId }: Requester, now: Date): Promise<void> {
      if (updates.length === 0) return;
      await sql`
        insert into machine_updates (update_id, desk_id, brand_id, status, error, finished_at,
                                     requested_by, requested_by_name, requested_by_agent, requested_at)
        select u.update_id, u.desk_id, ${brandId}, case when u.error is null then 'queued' else 'failed' end, u.error,
               case when u.error is not null then ${now}::timestamptz end, ${userId}, ${name}, ${agentId}, ${now}
        from unnest(${updates.map(() => newId())}::uuid[], ${updates.map(({ deskId }) => deskId)}::uuid[],
                    ${updates.map(({ error }) => error)}::text[]) as u (update_id, desk_id, error)
        on conflict (desk_id) where status = 'queued' do nothing`.execute(db);
    },

    async findQueued(deskId: string): Promise<UpdateRow | undefined> {
      const { rows } = await sql<UpdateRow>`
        select ${COLUMNS} from machine_updates u join desks d using (desk_id)
        where u.brand_id = ${brandId} and u.desk_id = ${deskId} and u.status = 'queued'`.execute(db);
      return rows[0];
    },

    async list(deskId: string, limit: number): Promise<{ updates: UpdateRow[]; total: number }> {
      const { rows } = await sql<UpdateRow & { total: number }>`
        select ${COLUMNS},
          (select count(*)::int from machine_updates m where m.brand_id = ${brandId} and m.desk_id = ${deskId}) as total
        from machine_updates u join desks d using (desk_id)
        where u.brand_id = ${brandId} and u.desk_id = ${deskId}
        order by u.requested_at desc, u.update_id desc limit ${limit}`.execute(db);
      return { updates: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 };
    },
  };
}

export interface OpenUpdate {
  update_id: string;
  desk_id: string;
  status: 'queued' | 'running';
  requested_at: Date;
  started_at: Date | null;
  to_version: string | null;
  to_code_digest: string | null;
}

/** Requests of every workspace, for the background job. */
export function machineUpdateStore(db: Db | Tx) {
  return {
    /** Oldest first. Omits queued requests of unreachable or suspended desks. */
    async listOpen(after: OpenUpdate | undefined, limit: number): Promise<OpenUpdate[]> {
      const { rows } = await sql<OpenUpdate>`
        select u.update_id, u.desk_id, u.status, u.requested_at, u.started_at, u.to_version, u.to_code_digest
        from machine_updates u join desks d using (desk_id)
        where u.status in ('queued', 'running')
          and (u.status = 'running' or d.status in ('provisioned', 'active'))
          and (${after === undefined} or (u.requested_at, u.update_id) > (${after?.requested_at ?? null}::timestamptz, ${after?.update_id ?? null}::uuid))
        order by u.requested_at, u.update_id limit ${limit}`.execute(db);
      return rows;
    },

    /** Fails a request whose sidecar has become shared since. Returns true if it has. */
    async refuseShared(
      updateId: string,
      installationId: string | null,
      error: string,
      now: Date,
    ): Promise<boolean> {
      const { rows } = await sql`
        update machine_updates u set status = 'failed', error = ${error}, finished_at = ${now}
        from desks d
        where u.update_id = ${updateId} and u.status = 'queued' and d.desk_id = u.desk_id
          and ${isShared(installationId)}
        returning u.update_id`.execute(db);
      return rows.length > 0;
    },

    /** Claims the request and numbers the order. Undefined when another node was faster. */
    async begin(
      updateId: string,
      start: { installationId: string | null; from: [string | null, string | null]; to: [string, string] },
      now: Date,
    ): Promise<{ sequence: number } | undefined> {
      // At least the current time, so that a restored backup never reuses a number.
      const { rows } = await sql<{ sequence: number }>`
        with claimed as (
          update machine_updates set status = 'running', started_at = ${now},
                 from_version = ${start.from[0]}, from_code_digest = ${start.from[1]},
                 to_version = ${start.to[0]}, to_code_digest = ${start.to[1]}
          where update_id = (
            select u.update_id from machine_updates u join desks d using (desk_id)
            where u.update_id = ${updateId} and u.status = 'queued' and not ${isShared(start.installationId)}
            for update of u skip locked)
          returning desk_id)
        update desks d set update_sequence = greatest(d.update_sequence + 1, ${now.getTime()}::bigint)
        from claimed c where d.desk_id = c.desk_id
        returning d.update_sequence as sequence`.execute(db);
      return rows[0];
    },

    async finish(updateId: string, error: string | null, now: Date): Promise<void> {
      await sql`
        update machine_updates set status = ${error === null ? 'done' : 'failed'}, error = ${error}, finished_at = ${now}
        where update_id = ${updateId} and status = 'running'`.execute(db);
    },

    /** Queues an undelivered order again, unless a newer request is queued. */
    async requeue(updateId: string): Promise<void> {
      await sql`
        update machine_updates u set status = 'queued', started_at = null
        where update_id = ${updateId} and status = 'running'
          and not exists (select 1 from machine_updates q where q.desk_id = u.desk_id and q.status = 'queued')`.execute(
        db,
      );
    },

    /** Finishes the updates to the version that the desk now reports. */
    async finishArrived(
      deskId: string,
      version: string | null,
      codeDigest: string | null,
      now: Date,
    ): Promise<void> {
      await sql`
        update machine_updates set status = 'done', finished_at = ${now}
        where desk_id = ${deskId} and status = 'running' and to_version = ${version} and to_code_digest = ${codeDigest}`.execute(
        db,
      );
    },
  };
}

/** Requests store the name of their requester. */
export async function renameRequester(db: Db | Tx, userId: number, name: string): Promise<void> {
  await sql`
    update machine_updates set requested_by_name = ${name} where requested_by = ${userId}`.execute(db);
}
