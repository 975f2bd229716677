import { sql } from 'kysely';
import { MINUTE, secondsFrom } from '../../../kernel/clock.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { ForgeFailed } from '../adapter/forge.js';
import type { HookNews } from '../adapter/hook-readers.js';
import type { ForgeRow } from '../connection/connection.store.js';

export interface DueProject {
  project_id: string;
  brand_id: number;
}

export interface OpenDelivery extends DueProject {
  delivery_id: string;
  about: { pulls?: number[]; shas?: string[]; issues?: boolean };
}

/** When started by a person, a failed host is asked before its next retry, but never before a rate limit ends. */
export const isNotPaused = (now: Date, byHand: boolean) =>
  sql<boolean>`(f.paused_until is null or f.paused_until <= ${now} or (${byHand} and f.failures > 0))`;

/** Claims due projects, or all when started by a person; each is due again at `next`, even after a failure. */
export async function claimProjects(
  db: Db,
  { now, next, byHand, limit }: { now: Date; next: Date; byHand: boolean; limit: number },
): Promise<DueProject[]> {
  const { rows } = await sql<DueProject>`
    update project_forges set look_at = ${next}
    where project_id in (
      select f.project_id from project_forges f
      where (${byHand} or f.look_at <= ${now}) and ${isNotPaused(now, byHand)}
      order by f.look_at limit ${limit} for update skip locked)
    returning project_id, brand_id`.execute(db);
  return rows;
}

export async function readHostStates(
  db: Db,
  now: Date,
): Promise<{ hosts: number; failing: number; oldest_seconds: number }> {
  const { rows } = await sql<{ hosts: number; failing: number; oldest_seconds: number }>`
    select count(*)::int as hosts, count(*) filter (where f.failures > 0)::int as failing,
      coalesce(greatest(0, extract(epoch from ${now}::timestamptz - min(f.look_at) filter (where ${isNotPaused(now, false)}))), 0)::int
        as oldest_seconds
    from project_forges f`.execute(db);
  return rows[0]!;
}

export async function listProjectsWithDeliveries(
  db: Db,
  { now, byHand, limit }: { now: Date; byHand: boolean; limit: number },
): Promise<DueProject[]> {
  const { rows } = await sql<DueProject>`
    select d.project_id, d.brand_id from forge_deliveries d join project_forges f using (project_id)
    where d.about is not null and ${isNotPaused(now, byHand)}
    group by d.project_id, d.brand_id order by min(d.received_at) limit ${limit}`.execute(db);
  return rows;
}

export async function listOpenDeliveriesOf(
  db: Db,
  { project_id, brand_id }: DueProject,
  limit: number,
): Promise<OpenDelivery[]> {
  const { rows } = await sql<OpenDelivery>`
    select project_id, brand_id, delivery_id, about from forge_deliveries
    where project_id = ${project_id} and brand_id = ${brand_id} and about is not null
    order by received_at limit ${limit}`.execute(db);
  return rows;
}

export async function noteLookedAt(
  db: Db,
  { project_id, brand_id }: DueProject,
  deliveryIds: string[],
): Promise<void> {
  if (deliveryIds.length === 0) return;
  await sql`
    update forge_deliveries set about = null
    where project_id = ${project_id} and brand_id = ${brand_id} and delivery_id = any(${deliveryIds}::text[])`.execute(
    db,
  );
}

/** Old unprocessed deliveries are left to the regular sync. */
export async function giveUpDeliveries(db: Db, before: Date): Promise<void> {
  await sql`
    update forge_deliveries set about = null where about is not null and received_at < ${before}`.execute(db);
}

export async function deleteDeliveriesBefore(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from forge_deliveries where ctid = any(array(
      select ctid from forge_deliveries where received_at < ${before} limit ${limit}))
    returning delivery_id`.execute(db);
  return rows.length;
}

export async function recordSuccess(db: Db, { project_id, brand_id }: DueProject, now: Date): Promise<void> {
  await sql`
    update project_forges set failures = 0, paused_until = null, error = null,
      checked_at = greatest(checked_at, ${now}::timestamptz)
    where project_id = ${project_id} and brand_id = ${brand_id}
      and (failures > 0 or paused_until is not null or error is not null or checked_at is null or checked_at < ${now})`.execute(
    db,
  );
}

/** A rate-limited host is not called until its pause ends. */
export async function recordFailure(
  db: Db,
  { project_id }: Pick<DueProject, 'project_id'>,
  { message, retryAt }: ForgeFailed,
): Promise<void> {
  await sql`
    update project_forges set error = ${message}, look_at = greatest(look_at, ${retryAt}::timestamptz)
    where project_id = ${project_id}`.execute(db);
}

/** Seconds to pause after the first, second and further failures in a row. */
const PAUSES = [5, 10, 20, 40, MINUTE, 2 * MINUTE];
const LIMITED_SECONDS = MINUTE;

/** Backs off from unreachable hosts; a rejected token causes no pause. */
export async function pauseHost(
  db: Db,
  { project_id, brand_id }: DueProject,
  { fault, retryAt }: ForgeFailed,
  now: Date,
): Promise<void> {
  if (fault !== 'limited' && fault !== 'unreachable') return;
  const own = sql`project_id = ${project_id} and brand_id = ${brand_id}`;
  const { rows } = await sql<{ failures: number }>`
    update project_forges set failures = ${fault === 'limited' ? sql`0` : sql`failures + 1`}
    where ${own} returning failures`.execute(db);
  const failures = Math.min(rows[0]?.failures ?? 1, PAUSES.length);
  const pause = fault === 'limited' ? LIMITED_SECONDS : PAUSES[failures - 1]!;
  const until = (fault === 'limited' && retryAt) || secondsFrom(now, pause);
  await sql`update project_forges set paused_until = ${until}, look_at = ${until} where ${own}`.execute(db);
}

export type HookedForge = Pick<
  ForgeRow,
  'project_id' | 'brand_id' | 'kind' | 'hook_secret' | 'past_hook_secrets' | 'issues_label'
>;

/** Across workspaces, since a delivery has no credential except its signature. */
export async function findHookedForge(db: Db, projectId: string): Promise<HookedForge | undefined> {
  const { rows } = await sql<HookedForge>`
    select f.project_id, f.brand_id, f.kind, f.hook_secret, f.past_hook_secrets, f.issues_label
    from project_forges f where f.project_id = ${projectId}::uuid`.execute(db);
  return rows[0];
}

export const deliveryStore = (db: Db | Tx, brandId: number) => ({
  /** False if the host was disconnected meanwhile. With `asksAll` the whole project becomes due. */
  async noteDelivery(projectId: string, now: Date, asksAll: boolean): Promise<boolean> {
    const { rows } = await sql`
      update project_forges set hook_last_at = greatest(hook_last_at, ${now}::timestamptz),
        look_at = case when ${asksAll} then least(look_at, ${now}::timestamptz) else look_at end
      where project_id = ${projectId} and brand_id = ${brandId} returning project_id`.execute(db);
    return rows.length > 0;
  },

  /** False for a repeated delivery. */
  async add(projectId: string, deliveryId: string, about: HookNews | null, now: Date): Promise<boolean> {
    const { rows } = await sql`
      insert into forge_deliveries (project_id, delivery_id, brand_id, received_at, about)
      values (${projectId}, ${deliveryId}, ${brandId}, ${now}, ${about && JSON.stringify(about)}::jsonb)
      on conflict (project_id, delivery_id) do nothing returning delivery_id`.execute(db);
    return rows.length > 0;
  },
});
