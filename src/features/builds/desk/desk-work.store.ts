import { sql } from 'kysely';
import { loginOf, type Refusal, type Refusals, type SaidCoders } from '../../../kernel/runtimes.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { WrittenBrief } from '../builds.parts.js';
import { CLAIM_SECONDS, statusAt, wishedDesk } from '../builds.store.js';
import { liveAt } from '../checks/check-runs.store.js';
import type { StartSettings } from './start-settings.js';

/** How long a desk has for following a stop order: its coder has ten seconds, and its commits have to be collected. */
const STOP_SECONDS = 60;

/** What a desk says of what it runs. */
export interface RunningBuild {
  build_id: string;
  progress_at: string | null;
}

/** A desk asks again within the longest wait; a little more is allowed for the way. */
export const ASKS_WITHIN_SECONDS = 70;

export interface Claimable {
  coders: readonly string[];
  /** Those of them that the owner's wrapper stands for. */
  wrapped: readonly string[];
  /** What the desk has in hand already. */
  running: readonly string[];
  /** What cannot be handed out now. */
  passOver: { builds: readonly string[]; projects: readonly string[] };
}

export interface ClaimedBuild {
  build_id: string;
  project_id: string;
  nth: number;
}

/** What desks of one workspace ask for and say. */
export function deskWorkStore(db: Db | Tx, brandId: number) {
  return {
    async noteAsking(
      deskId: string,
      asking: SaidCoders & { slots: number; wrapped: readonly string[] },
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

    /** From now on the desk gets no builds of the coder. Undefined where it got none before. */
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

    /** Whom a desk belongs to: the person who ordered it, and the admins where that person has left. */
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

    /** Of these coders, or of all; answers what was refused. */
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

    /** False when nothing held it. */
    async liftHold(deskId: string, now: Date): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update build_desks set held_until = null
        where brand_id = ${brandId} and desk_id = ${deskId} and held_until > ${now}`.execute(db);
      return (numAffectedRows ?? 0n) > 0n;
    },

    /**
     * The oldest builds that wait and that this desk can run; no other desk gets them, whoever asks at the same time. What
     * it still has in hand under a dead claim it has to put down first. While builds are switched off there are none.
     */
    async claim(
      deskId: string,
      { coders, wrapped, running, passOver }: Claimable,
      claimHashes: readonly string[],
      now: Date,
    ): Promise<ClaimedBuild[]> {
      const { rows } = await sql<ClaimedBuild>`
        with free as (
          select b.build_id, b.queued_at from builds b
          where b.brand_id = ${brandId} and b.finished_at is null and b.started_at is null and b.cancel_requested_at is null
            and (b.claimed_at is null or b.claimed_at <= ${now}::timestamptz - make_interval(secs => ${sql.lit(CLAIM_SECONDS)}))
            and b.coder = any(${[...coders]}::text[]) and b.build_id <> all(${[...running, ...passOver.builds]}::uuid[])
            and b.project_id <> all(${[...passOver.projects]}::uuid[])
            and coalesce(${wishedDesk}, ${deskId}::uuid) = ${deskId}::uuid
            and b.project_id = coalesce((select k.only_project_id from desks k where k.desk_id = ${deskId}), b.project_id)
            and not exists (select from build_policies p where p.brand_id = ${brandId} and not p.enabled)
            and not exists (select from build_desks d where d.desk_id = ${deskId}
              and (d.held_until > ${now}::timestamptz or jsonb_exists(d.refusals, b.coder)))
            and not (b.coder = any(${[...wrapped]}::text[]) and ${wishedDesk} is null and exists (
              select from build_desks o join desks k using (desk_id)
              where o.brand_id = ${brandId} and o.desk_id <> ${deskId} and o.free_slots > 0
                and o.asked_at > ${now}::timestamptz - make_interval(secs => ${sql.lit(ASKS_WITHIN_SECONDS)})
                and b.coder = any(o.coders) and b.coder <> all(o.wrapped) and not jsonb_exists(o.refusals, b.coder)
                and coalesce(o.held_until <= ${now}::timestamptz, true)
                and k.status = 'active' and coalesce(k.only_project_id, b.project_id) = b.project_id))
          order by b.queued_at, b.build_id limit ${claimHashes.length}
          for no key update skip locked
        ), given as (
          select build_id, row_number() over (order by queued_at, build_id) as nth from free
        )
        update builds b set claim_hash = c.hash, claimed_at = ${now}, workstation_id = ${deskId},
          wanted_workstation_id = ${wishedDesk}
        from given join unnest(${[...claimHashes]}::text[]) with ordinality as c (hash, nth) using (nth)
        where b.build_id = given.build_id
        returning b.build_id, b.project_id, nth::int as nth`.execute(db);
      return rows;
    },

    /** As if these had not been claimed, in the transaction that did. */
    async putBack(buildIds: readonly string[]): Promise<void> {
      await sql`
        update builds set claim_hash = null, claimed_at = null, workstation_id = null
        where brand_id = ${brandId} and build_id = any(${[...buildIds]}::uuid[]) and started_at is null`.execute(
        db,
      );
    },

    /** What their desk says of them counts as being heard of; answers the cards they are for. */
    async hear(deskId: string, builds: readonly RunningBuild[], now: Date): Promise<string[]> {
      const { rows } = await sql<{ task_id: string; kind: string }>`
        update builds b set heard_at = ${now},
          progress_at = greatest(b.progress_at, case when said.progress_at is not null then least(said.progress_at, ${now}::timestamptz) end)
        from json_to_recordset(${JSON.stringify(builds)}) as said (build_id uuid, progress_at timestamptz)
        where b.brand_id = ${brandId} and b.workstation_id = ${deskId} and b.build_id = said.build_id
          and b.finished_at is null and ${statusAt(now)} = 'running' and b.heard_at < ${now}
        returning b.task_id, b.kind`.execute(db);
      return rows.flatMap(({ task_id, kind }) => (kind === 'build' ? [task_id] : []));
    },

    /** Builds that the desk should stop: those somebody canceled, and of those it runs the ones that are not its to run. */
    async listToCancel(deskId: string, running: readonly string[], now: Date): Promise<string[]> {
      const { rows } = await sql<{ build_id: string }>`
        select b.build_id from builds b
        where b.brand_id = ${brandId} and b.workstation_id = ${deskId} and b.finished_at is null
          and b.cancel_requested_at is not null and ${statusAt(now)} in ('claimed', 'running')
        union
        select said.build_id from unnest(${[...running]}::uuid[]) as said (build_id)
        where not exists (
          select from builds b where b.build_id = said.build_id and b.brand_id = ${brandId} and b.workstation_id = ${deskId}
            and ${statusAt(now)} in ('claimed', 'running'))
          and not exists (
            select from build_check_runs r where r.build_id = said.build_id and r.brand_id = ${brandId}
              and r.desk_id = ${deskId} and ${liveAt(now)})`.execute(db);
      return rows.map(({ build_id }) => build_id);
    },

    /** Builds whose money has ended while they ran; a desk that has not followed for a while is told to cancel instead. */
    async listToStop(
      deskId: string,
      now: Date,
    ): Promise<{ build_id: string; reason: string; slow: boolean }[]> {
      const { rows } = await sql<{ build_id: string; reason: string; slow: boolean }>`
        select b.build_id, b.stop_reason as reason,
          b.stop_requested_at <= ${now}::timestamptz - make_interval(secs => ${sql.lit(STOP_SECONDS)}) as slow
        from builds b
        where b.brand_id = ${brandId} and b.workstation_id = ${deskId} and b.finished_at is null
          and b.stop_reason is not null and b.cancel_requested_at is null and ${statusAt(now)} = 'running'`.execute(
        db,
      );
      return rows;
    },

    async start(
      buildId: string,
      {
        brief,
        settings,
        wallMinutes,
        stallMinutes,
      }: StartSettings & { brief: WrittenBrief & { digest: string } },
      now: Date,
    ): Promise<void> {
      await sql`
        with kept as (
          insert into build_briefs (build_id, body) values (${buildId}, ${brief.text}) on conflict (build_id) do nothing
        )
        update builds set started_at = ${now}, heard_at = ${now}, progress_at = ${now}, stall_minutes = ${stallMinutes}, brief_digest = ${brief.digest},
          settings = ${settings && JSON.stringify(settings)}::jsonb, wall_minutes = ${wallMinutes}, guest_words = ${brief.guestWords}
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async findBrief(buildId: string): Promise<string | undefined> {
      const { rows } = await sql<{ body: string }>`
        select f.body from build_briefs f join builds b using (build_id)
        where b.brand_id = ${brandId} and f.build_id = ${buildId}`.execute(db);
      return rows[0]?.body;
    },

    async listCardsAtWork(buildIds: readonly string[]): Promise<string[]> {
      const { rows } = await sql<{ task_id: string }>`
        select task_id from builds
        where brand_id = ${brandId} and build_id = any(${[...buildIds]}::uuid[]) and finished_at is null
          and kind = 'build'`.execute(db);
      return rows.map(({ task_id }) => task_id);
    },
  };
}
