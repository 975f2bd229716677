import { sql } from 'kysely';
import { MINUTE, secondsFrom } from '../../../kernel/clock.js';
import type { Db } from '../../../platform/database/database.js';
import type { ForgeFailed } from '../adapter/forge.js';

export interface DueProject {
  project_id: string;
  brand_id: number;
}

export interface OpenDelivery extends DueProject {
  delivery_id: string;
  about: { pulls?: number[]; shas?: string[]; issues?: boolean };
}

/** Not paused. By hand, a host that failed is asked before its next try, but never before a limit ends. */
export const isNotPaused = (now: Date, byHand: boolean) =>
  sql<boolean>`(f.paused_until is null or f.paused_until <= ${now} or (${byHand} and f.failures > 0))`;

/** Claims due projects, by hand all; each is due again at `next`, whatever the result. */
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

/** How many projects have a host, how many of those fail, and how late the most overdue one is. */
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

/** Projects with unprocessed deliveries whose hosts may be asked. */
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

/** Counts failures in a row, including this one. */
export async function countFailure(db: Db, { project_id, brand_id }: DueProject): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    update project_forges set failures = failures + 1
    where project_id = ${project_id} and brand_id = ${brand_id} returning failures`.execute(db);
  return rows[0]?.failures ?? 1;
}

/** The whole project is due again at `until`. */
export async function pauseProject(db: Db, { project_id, brand_id }: DueProject, until: Date): Promise<void> {
  await sql`
    update project_forges set paused_until = ${until}, look_at = ${until}
    where project_id = ${project_id} and brand_id = ${brand_id}`.execute(db);
}

/** The host answered, possibly that it wants a pause. */
export async function noteAnswer(
  db: Db,
  { project_id, brand_id }: DueProject,
  pausedUntil: Date | null = null,
): Promise<void> {
  await sql`
    update project_forges set failures = 0, paused_until = ${pausedUntil},
      look_at = coalesce(${pausedUntil}::timestamptz, look_at)
    where project_id = ${project_id} and brand_id = ${brand_id}
      and (paused_until is distinct from ${pausedUntil}::timestamptz or failures > 0)`.execute(db);
}

/** After the first failure in a row, the second and so on. */
const PAUSES = [5, 10, 20, 40, MINUTE, 2 * MINUTE];
const LIMITED_SECONDS = MINUTE;

/** Waits as long as the host asks to; an unreachable host is asked less and less often. A refusal causes no pause. */
export async function pauseHost(db: Db, due: DueProject, failure: ForgeFailed, now: Date): Promise<void> {
  if (failure.fault === 'limited')
    await noteAnswer(db, due, failure.retryAt ?? secondsFrom(now, LIMITED_SECONDS));
  if (failure.fault !== 'unreachable') return;
  const failures = await countFailure(db, due);
  await pauseProject(db, due, secondsFrom(now, PAUSES[Math.min(failures, PAUSES.length) - 1]!));
}
