import { type RawBuilder, sql } from 'kysely';
import type { ActorNames } from '../../../kernel/actors.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { actorNames, firstWithWords } from '../../../platform/database/schema/sql-fragments.js';
import {
  type BuildQuery,
  type BuildSettingsView,
  type BuildStatus,
  type DiffStat,
  type KINDS,
  LARGEST_PAGE,
  OPEN_STATUSES,
  OUTCOMES,
  type Outcome,
  type ReworkReason,
} from '../builds.schemas.js';
import type { Gate, Risk, Verdict } from '../review.schemas.js';
import { orderOf, pageAfter } from './build-lists.store.js';

export interface BuildRow {
  build_id: string;
  brand_id: number;
  task_id: string;
  ref: string;
  project_id: string;
  attempt: number;
  kind: (typeof KINDS)[number];
  /** Set for reviews. */
  reviewed_build_id: string | null;
  /** Set for reviews. */
  verdict: Verdict | null;
  review_wanted_at: Date | null;
  gate: Gate | null;
  risk: Risk | null;
  risk_score: number | null;
  coder: string;
  profile: string | null;
  settings: (BuildSettingsView & { env: Record<string, string> | null }) | null;
  wall_minutes: number | null;
  wanted_workstation_id: string | null;
  local: boolean;
  branch: string;
  base_branch: string;
  base_sha: string;
  /** The commit where the first attempt of its line started. */
  origin_sha: string | null;
  continues: string | null;
  /** For automatic attempts: why the repository host returned the attempt before. */
  rework_of: ReworkReason[] | null;
  note: string | null;
  created_by: number | null;
  creator: ActorNames | null;
  queued_at: Date;
  claim_hash: string | null;
  workstation_id: string | null;
  claimed_at: Date | null;
  started_at: Date | null;
  heard_at: Date | null;
  progress_at: Date | null;
  /** Null or 0: no limit. */
  stall_minutes: number | null;
  stop_requested_at: Date | null;
  stop_reason: string | null;
  /** Set while a question of the coder is open. */
  waiting_since: Date | null;
  open_question: string | null;
  cancel_requested_at: Date | null;
  brief_digest: string | null;
  /** The brief contained text from a guest. */
  guest_words: boolean;
  /** When the coder succeeded and the checks started. */
  checking_at: Date | null;
  finished_at: Date | null;
  outcome: Outcome | null;
  lost_at: Date | null;
  finish_digest: string | null;
  reason: string | null;
  result: string | null;
  confirmed: boolean;
  tokens_in: number | null;
  tokens_out: number | null;
  cost_usd: number | null;
  head_sha: string | null;
  diff: DiffStat | null;
  accepted_at: Date | null;
  reworked_at: Date | null;
  reviewer: ActorNames | null;
  sent_comments: number;
  pushed_at: Date | null;
  /** Set when it differs from `branch`. */
  pushed_branch: string | null;
  push_error: string | null;
  log_seq: number;
  log_bytes: number;
  /** Judged by the clock, even before the change is stored. */
  status: BuildStatus;
  /** Judged by the clock. */
  ended_at: Date | null;
}

export type WordedBuild = Pick<
  BuildRow,
  'build_id' | 'task_id' | 'ref' | 'attempt' | 'coder' | 'branch' | 'note' | 'reason' | 'result' | 'status'
>;

/** A constant, because the planner estimates a page of unknown size as a tenth of the table. */
const MOST_READ = LARGEST_PAGE + 1;

export const CLAIM_SECONDS = 60;
/** The longest wait of a desk's work request plus some latency. */
export const ASKS_WITHIN_SECONDS = 70;
export const SILENT_SECONDS = 60;
export const LOST_SECONDS = 600;
/** How long after its time limit the service ends a build. */
export const OVERDUE_MINUTES = 10;

export const LOCAL_DAYS = 14;
export const LOCAL_MINUTES = LOCAL_DAYS * 24 * 60;

/** A local build sends no signs of life. */
const lostAt = sql`(case when not b.local then b.heard_at + make_interval(secs => ${sql.lit(LOST_SECONDS)}) end)`;
const overdueAt = sql`(b.started_at + make_interval(secs => (b.wall_minutes + ${sql.lit(OVERDUE_MINUTES)}) * 60 + b.waited_seconds))`;
/** Twice the time after which people are notified. */
export const stalledOutAt = sql`(case when b.stall_minutes > 0 and not b.local then b.progress_at + make_interval(mins => 2 * b.stall_minutes) end)`;
const lateAt = sql`least(${overdueAt}, ${stalledOutAt})`;
const claimEnd = sql`(b.claimed_at + make_interval(secs => ${sql.lit(CLAIM_SECONDS)}))`;

/** The only definition of the status. */
export const statusAt = (now: Date): RawBuilder<BuildStatus> => sql<BuildStatus>`(case
  when b.outcome is not null then b.outcome
  when b.checking_at is not null then 'checking'
  when b.waiting_since is not null then 'waiting'
  when b.started_at is not null then case
    when least(${lostAt}, ${lateAt}) > ${now}::timestamptz then 'running'
    when ${lostAt} <= ${lateAt} then 'lost'
    else 'timed_out' end
  when ${claimEnd} > ${now}::timestamptz then 'claimed'
  when b.cancel_requested_at is not null then 'canceled'
  else 'queued' end)`;

/** The coder runs or waits for an answer. */
export const isAtWork = (now: Date): RawBuilder<boolean> =>
  sql<boolean>`(${statusAt(now)} in ('running', 'waiting'))`;

/** The check of `finished_at` lets the query use the index of open builds. */
export const isWaitingAt = (now: Date): RawBuilder<boolean> =>
  sql<boolean>`(b.finished_at is null and ${statusAt(now)} = 'queued')`;

export const isOpenAt = (now: Date): RawBuilder<boolean> =>
  sql<boolean>`(${statusAt(now)} in (${sql.join(OPEN_STATUSES.map((status) => sql.lit(status)))}))`;

const endedAt = (now: Date) => sql`(case
  when b.finished_at is not null then b.finished_at
  when b.checking_at is not null or b.waiting_since is not null then null
  when b.started_at is not null and least(${lostAt}, ${lateAt}) <= ${now}::timestamptz then least(${lostAt}, ${lateAt})
  when b.started_at is null and b.cancel_requested_at is not null and ${claimEnd} <= ${now}::timestamptz then ${claimEnd}
  end)`;

/** Null when the desk was released, since the build would wait forever. */
export const wantedDesk = sql`(select d.desk_id from desks d where d.desk_id = b.wanted_workstation_id)`;

export const buildColumns = (now: Date) => sql`
  b.build_id, b.brand_id, b.task_id, b.ref, b.project_id, b.attempt, b.kind, b.reviewed_build_id, b.verdict, b.review_wanted_at,
  b.gate, b.risk, b.risk_score, b.coder, b.profile, b.settings, b.wall_minutes,
  case when b.started_at is null and b.finished_at is null then ${wantedDesk} else b.wanted_workstation_id end as wanted_workstation_id, b.local, b.branch, b.base_branch, b.base_sha, b.origin_sha, b.continues, b.rework_of, b.note, b.created_by,
  ${actorNames(sql`b.created_by`, sql`b.created_by_agent`)} as creator, b.queued_at, b.claim_hash,
  b.workstation_id, b.claimed_at, b.started_at, b.heard_at, b.progress_at, b.stall_minutes, b.stop_requested_at, b.stop_reason, b.waiting_since,
  case when b.waiting_since is not null then (select q.question from build_questions q
    where q.build_id = b.build_id and q.answered_at is null and q.expired_at is null order by q.asked_at limit 1) end as open_question, b.cancel_requested_at, b.brief_digest, b.guest_words, b.checking_at, b.finished_at, b.outcome,
  b.lost_at, b.finish_digest, b.reason, b.result, b.confirmed, b.tokens_in, b.tokens_out, b.cost_usd, b.head_sha, b.diff,
  b.accepted_at, b.reworked_at,
  ${actorNames(sql`coalesce(b.accepted_by, b.reworked_by)`, sql`b.reviewed_by_agent`)} as reviewer,
  case when coalesce(b.accepted_at, b.reworked_at) is null then 0
    else (select count(*)::int from review_comments c where c.build_id = b.build_id
      and c.sent_at <= coalesce(b.accepted_at, b.reworked_at)) end as sent_comments,
  b.pushed_at, b.pushed_branch, b.push_error, b.log_seq, b.log_bytes, ${statusAt(now)} as status, ${endedAt(now)} as ended_at`;

export function buildStore(db: Db | Tx, brandId: number) {
  return {
    async find(buildId: string, now: Date): Promise<BuildRow | undefined> {
      const { rows } = await sql<BuildRow>`
        select ${buildColumns(now)} from builds b where b.brand_id = ${brandId} and b.build_id = ${buildId}`.execute(
        db,
      );
      return rows[0];
    },

    async findByWords(text: string, limit: number, now: Date): Promise<WordedBuild[]> {
      const found = firstWithWords(
        { brandId, text },
        {
          from: sql`builds`,
          id: sql`build_id`,
          // Must match the expression of the index.
          words: sql`search_words(brand_id, ref, build_text(note, reason, result, branch))`,
          changedAt: sql`queued_at`,
          where: sql`brand_id = ${brandId}`,
        },
        limit,
      );
      const { rows } = await sql<WordedBuild>`
        select b.build_id, b.task_id, b.ref, b.attempt, b.coder, b.branch, b.note, b.reason, b.result, ${statusAt(now)} as status
        from (${found}) first
        join builds b on b.build_id = first.id and b.brand_id = ${brandId}
        order by first.in_title desc, first.changed_at desc, first.id`.execute(db);
      return rows;
    },

    async lock(buildId: string, now: Date): Promise<BuildRow | undefined> {
      const { rows } = await sql<BuildRow>`
        select ${buildColumns(now)} from builds b
        where b.brand_id = ${brandId} and b.build_id = ${buildId} for no key update of b`.execute(db);
      return rows[0];
    },

    async lockOpenOfCard(taskId: string, now: Date): Promise<BuildRow | undefined> {
      const { rows } = await sql<BuildRow>`
        select ${buildColumns(now)} from builds b
        where b.brand_id = ${brandId} and b.task_id = ${taskId} and b.finished_at is null and b.kind = 'build'
        for no key update of b`.execute(db);
      return rows[0];
    },

    /** An unlocked read that only serves to refuse early. `lockOpenOfCard` decides. */
    async findOpenOfCard(taskId: string, now: Date): Promise<string | undefined> {
      const { rows } = await sql<{ build_id: string }>`
        select b.build_id from builds b
        where b.brand_id = ${brandId} and b.task_id = ${taskId} and b.finished_at is null and b.kind = 'build'
          and ${isOpenAt(now)}`.execute(db);
      return rows[0]?.build_id;
    },

    async findLatestOfCard(taskId: string, now: Date): Promise<BuildRow | undefined> {
      const { rows } = await sql<BuildRow>`
        select ${buildColumns(now)} from builds b
        where b.brand_id = ${brandId} and b.task_id = ${taskId} and b.kind = 'build' order by b.attempt desc limit 1`.execute(
        db,
      );
      return rows[0];
    },

    async list(
      query: BuildQuery,
      after: { at: Date; id: string } | undefined,
      limit: number,
      now: Date,
    ): Promise<{ builds: BuildRow[]; total: number }> {
      const { task_id, status, workstation_id, coder, state, review, sort } = query;
      const order = orderOf(review, sort);
      const page = pageAfter(order, after);
      const isOpen = sql`(b.finished_at is null and ${isOpenAt(now)})`;
      // Adds only the conditions that are used, so that the planner finds a fitting index.
      const matching = sql.join(
        [
          sql`b.brand_id = ${brandId} and ${order.matching}`,
          ...(task_id ? [sql`b.task_id = ${task_id}`] : []),
          ...(workstation_id ? [sql`b.workstation_id = ${workstation_id}`] : []),
          ...(coder ? [sql`b.coder = ${coder}`] : []),
          ...(state ? [state === 'open' ? isOpen : sql`not ${isOpen}`] : []),
          ...(status ? [hasStatus(status, now)] : []),
        ],
        sql` and `,
      );
      const { rows } = await sql<BuildRow>`
        select ${buildColumns(now)} from (
          select b.*, ${page.place} as place from builds b where ${matching} and ${page.beyond}
          order by ${page.order} limit ${sql.lit(MOST_READ)}
        ) b
        order by ${page.order} limit ${limit}`.execute(db);
      // Finished builds of a workspace are read from tallies, and only open ones are counted.
      const ended = state === 'open' || (status !== undefined && !isOutcome(status)) ? undefined : status;
      const counted = task_id
        ? await sql<{ total: number }>`select count(*)::int as total from builds b where ${matching}`.execute(
            db,
          )
        : await sql<{ total: number }>`
            select (
              (select count(*) from builds b where ${matching} and b.finished_at is null)
              + (select coalesce(sum(t.builds), 0) from build_tallies t
                 where t.brand_id = ${brandId} and ${state !== 'open' && (status === undefined || isOutcome(status))}
                   and (${ended ?? null}::text is null or t.outcome = ${ended ?? null}::text)
                   and (${review ?? null}::text is null or t.review = ${review ?? null}::text)
                   and (${coder ?? null}::text is null or t.coder = ${coder ?? null}::text)
                   and (${workstation_id ?? null}::uuid is null or t.workstation_id = ${workstation_id ?? null}::uuid))
            )::int as total`.execute(db);
      return { builds: rows, total: counted.rows[0]!.total };
    },
  };
}

const hasStatus = (status: BuildStatus, now: Date) =>
  isOutcome(status)
    ? sql`(b.outcome = ${status} or (b.finished_at is null and ${statusAt(now)} = ${status}))`
    : sql`(b.finished_at is null and ${statusAt(now)} = ${status})`;

const isOutcome = (status: BuildStatus): boolean => OUTCOMES.some((outcome) => outcome === status);
