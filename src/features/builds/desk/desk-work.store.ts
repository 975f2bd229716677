import { sql } from 'kysely';
import { loginOf, type Refusal, type Refusals, type ReportedCoders } from '../../../kernel/plans.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { liveAt } from '../checks/checks.store.js';
import { isAtWork, statusAt } from '../record/builds.store.js';

/** Leaves time for the coder to stop within ten seconds and for its commits to be collected. */
const STOP_SECONDS = 60;

export function deskWorkStore(db: Db | Tx, brandId: number) {
  return {
    async noteAsking(
      deskId: string,
      asking: ReportedCoders & { slots: number; wrapped: readonly string[] },
      now: Date,
    ): Promise<{ refusals: Refusals }> {
      const { rows } = await sql<{ refusals: Refusals }>`
        insert into build_desks (desk_id, brand_id, asked_at, free_slots, coders, wrapped, missing)
        values (${deskId}, ${brandId}, ${now}, ${asking.slots}, ${[...asking.coders]}::text[], ${[...asking.wrapped]}::text[],
          ${JSON.stringify(asking.missing)}::jsonb)
        on conflict (desk_id) do update set asked_at = excluded.asked_at, free_slots = excluded.free_slots,
          coders = excluded.coders, wrapped = excluded.wrapped, missing = excluded.missing
        returning refusals`.execute(db);
      return rows[0]!;
    },

    async noteHold(deskId: string, heldUntil: Date): Promise<void> {
      await sql`
        insert into build_desks (desk_id, brand_id, held_until) values (${deskId}, ${brandId}, ${heldUntil})
        on conflict (desk_id) do update set held_until = excluded.held_until`.execute(db);
    },

    /** Undefined when the same coder was already refused on this desk. */
    async noteRefusal(
      deskId: string,
      { coder, build_id, task_id }: { coder: string; build_id: string; task_id: string },
      now: Date,
    ): Promise<{ name: string } | undefined> {
      const { rows } = await sql<{ name: string }>`
        insert into build_desks as w (desk_id, brand_id, refusals)
        select d.desk_id, ${brandId}::int, jsonb_build_object(${coder}::text, jsonb_build_object('at', ${now.toISOString()}::text,
          'build_id', ${build_id}::text, 'task_id', ${task_id}::text, 'ok_since', (
            select c ->> 'since' from jsonb_array_elements(d.credentials) c
            where c ->> 'runtime' = ${loginOf(coder)}::text and c ->> 'state' = 'ok')))
        from desks d where d.desk_id = ${deskId} and d.brand_id = ${brandId}
        on conflict (desk_id) do update set refusals = w.refusals || excluded.refusals
          where not jsonb_exists(w.refusals, ${coder}::text)
        returning (select d.name from desks d where d.desk_id = w.desk_id) as name`.execute(db);
      return rows[0];
    },

    /** The person who ordered the desk, or the admins if that person has left. */
    async listOwners(deskId: string): Promise<number[]> {
      const { rows } = await sql<{ user_id: number }>`
        with owner as (
          select m.user_id from desks d join memberships m on m.brand_id = d.brand_id and m.user_id = d.ordered_by and m.active
          where d.desk_id = ${deskId} and d.brand_id = ${brandId}
        )
        select user_id from owner
        union all
        select user_id from memberships
        where brand_id = ${brandId} and role = 'admin' and active and not exists (select from owner)`.execute(
        db,
      );
      return rows.map(({ user_id }) => user_id);
    },

    async clearRefusals(deskId: string, coders?: readonly string[]): Promise<Refusal[]> {
      const { rows } = await sql<{ refusals: Refusals }>`
        update build_desks w set refusals = case when ${coders === undefined} then '{}' else w.refusals - ${[...(coders ?? [])]}::text[] end
        from build_desks before
        where w.brand_id = ${brandId} and w.desk_id = ${deskId} and before.desk_id = w.desk_id and w.refusals <> '{}'
        returning before.refusals`.execute(db);
      const before = Object.entries(rows[0]?.refusals ?? {});
      return before.flatMap(([coder, refusal]) =>
        coders === undefined || coders.includes(coder) ? [refusal] : [],
      );
    },

    async liftHold(deskId: string, now: Date): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update build_desks set held_until = null
        where brand_id = ${brandId} and desk_id = ${deskId} and held_until > ${now}`.execute(db);
      return (numAffectedRows ?? 0n) > 0n;
    },

    /** Canceled builds, and running ones that do not belong to this desk. */
    async listToCancel(deskId: string, running: readonly string[], now: Date): Promise<string[]> {
      const { rows } = await sql<{ build_id: string }>`
        select b.build_id from builds b
        where b.brand_id = ${brandId} and b.workstation_id = ${deskId} and b.finished_at is null
          and b.cancel_requested_at is not null and ${statusAt(now)} in ('claimed', 'running', 'waiting')
        union
        select said.build_id from unnest(${[...running]}::uuid[]) as said (build_id)
        where not exists (
          select from builds b where b.build_id = said.build_id and b.brand_id = ${brandId} and b.workstation_id = ${deskId}
            and ${statusAt(now)} in ('claimed', 'running', 'waiting'))
          and not exists (
            select from build_check_runs r where r.build_id = said.build_id and r.brand_id = ${brandId}
              and r.desk_id = ${deskId} and ${liveAt(now)})`.execute(db);
      return rows.map(({ build_id }) => build_id);
    },

    /** `slow`: the desk has not followed the stop order in time. */
    async listToStop(
      deskId: string,
      now: Date,
    ): Promise<{ build_id: string; reason: string; slow: boolean }[]> {
      const { rows } = await sql<{ build_id: string; reason: string; slow: boolean }>`
        select b.build_id, b.stop_reason as reason,
          b.stop_requested_at <= ${now}::timestamptz - make_interval(secs => ${sql.lit(STOP_SECONDS)}) as slow
        from builds b
        where b.brand_id = ${brandId} and b.workstation_id = ${deskId} and b.finished_at is null
          and b.stop_reason is not null and b.cancel_requested_at is null and ${isAtWork(now)}`.execute(db);
      return rows;
    },
  };
}
