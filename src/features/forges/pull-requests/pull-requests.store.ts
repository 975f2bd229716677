import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { CheckState, PullState, Review, ReviewState } from '../adapter/forge.js';
import type { StoredCheck, StoredComment } from './host-answer.js';

export interface SeenPullRequest {
  url: string;
  state: PullState;
  head_branch: string;
  head_sha: string;
  base_branch: string;
  base_sha: string | null;
  mergeable: boolean | null;
  merged_at: Date | null;
  checks_state: CheckState;
  review_state: ReviewState;
  checks: StoredCheck[];
  reviews: Review[];
  comments: StoredComment[];
  deploy_url: string | null;
  seen_at: Date | null;
  look_at: Date | null;
  look_attempts: number;
  /** When it was first seen merged or closed; null while it is open. */
  ended_at: Date | null;
}

export interface PullRequestRow extends SeenPullRequest {
  project_id: string;
  number: number;
  brand_id: number;
  card_id: string;
  /** Null if a person opened it. */
  build_id: string | null;
  /** The commit that we pushed for it. */
  pushed_sha: string | null;
  created_at: Date;
  superseded_by: string | null;
  card_status: string | null;
}

type BranchFields = 'url' | 'state' | 'head_branch' | 'head_sha' | 'base_branch' | 'base_sha';
export type NewPullRequest = Pick<PullRequestRow, BranchFields> &
  Omit<PullRequestRow, keyof SeenPullRequest | 'brand_id' | 'superseded_by'>;

export const isOpen = ({ state }: Pick<PullRequestRow, 'state'>): boolean =>
  state === 'draft' || state === 'open';

const isOpenRow = sql`p.state in ('draft', 'open')`;

export function pullRequestStore(db: Db | Tx, brandId: number) {
  return {
    /** Returns the pull request that the card shows: the open one, else the last. */
    async findOfCard(cardId: string): Promise<PullRequestRow | undefined> {
      const { rows } = await sql<PullRequestRow>`
        select p.* from pull_requests p where p.brand_id = ${brandId} and p.card_id = ${cardId}
        order by ${isOpenRow} desc, p.created_at desc, p.number desc limit 1`.execute(db);
      return rows[0];
    },

    /** Like `findOfCard`, locked against updates until the transaction ends. */
    async shareOfCard(cardId: string): Promise<PullRequestRow | undefined> {
      const shown = await this.findOfCard(cardId);
      if (!shown) return undefined;
      const { rows } = await sql<PullRequestRow>`
        select p.* from pull_requests p
        where p.brand_id = ${brandId} and p.project_id = ${shown.project_id} and p.number = ${shown.number}
        for share`.execute(db);
      return rows[0];
    },

    async findOpenOfCard(cardId: string): Promise<PullRequestRow | undefined> {
      const { rows } = await sql<PullRequestRow>`
        select p.* from pull_requests p
        where p.brand_id = ${brandId} and p.card_id = ${cardId} and ${isOpenRow}`.execute(db);
      return rows[0];
    },

    async find(projectId: string, number: number): Promise<PullRequestRow | undefined> {
      const { rows } = await sql<PullRequestRow>`
        select p.* from pull_requests p
        where p.brand_id = ${brandId} and p.project_id = ${projectId} and p.number = ${number}`.execute(db);
      return rows[0];
    },

    async lock(projectId: string, number: number): Promise<PullRequestRow | undefined> {
      const { rows } = await sql<PullRequestRow>`
        select p.* from pull_requests p
        where p.brand_id = ${brandId} and p.project_id = ${projectId} and p.number = ${number} for update`.execute(
        db,
      );
      return rows[0];
    },

    /** Lists open pull requests and recently ended ones. */
    async listSynced(projectId: string): Promise<PullRequestRow[]> {
      const { rows } = await sql<PullRequestRow>`
        select p.* from pull_requests p
        where p.brand_id = ${brandId} and p.project_id = ${projectId} and (${isOpenRow} or p.look_at is not null)
        order by p.seen_at nulls first, p.number`.execute(db);
      return rows;
    },

    async listNamed(
      projectId: string,
      { pulls, shas }: { pulls: number[]; shas: string[] },
    ): Promise<PullRequestRow[]> {
      const { rows } = await sql<PullRequestRow>`
        select p.* from pull_requests p
        where p.brand_id = ${brandId} and p.project_id = ${projectId}
          and (p.number = any(${pulls}::int[]) or p.head_sha = any(${shas}::text[]))
        order by p.number`.execute(db);
      return rows;
    },

    async insert(made: NewPullRequest): Promise<boolean> {
      const { rows } = await sql`
        insert into pull_requests (project_id, number, brand_id, card_id, url, state, head_branch, head_sha, base_branch,
          base_sha, build_id, pushed_sha, card_status, created_at)
        values (${made.project_id}, ${made.number}, ${brandId}, ${made.card_id}, ${made.url}, ${made.state}, ${made.head_branch},
          ${made.head_sha}, ${made.base_branch}, ${made.base_sha}, ${made.build_id}, ${made.pushed_sha}, ${made.card_status},
          ${made.created_at})
        on conflict (project_id, number) do nothing
        returning number`.execute(db);
      return rows.length > 0;
    },

    async takeOver(
      projectId: string,
      number: number,
      { buildId, commit }: { buildId: string; commit: string },
    ): Promise<void> {
      await sql`
        update pull_requests set build_id = ${buildId}, pushed_sha = ${commit}, superseded_by = null, card_status = null
        where brand_id = ${brandId} and project_id = ${projectId} and number = ${number}`.execute(db);
    },

    async supersede(projectId: string, number: number, buildId: string): Promise<void> {
      await sql`
        update pull_requests set superseded_by = ${buildId}
        where brand_id = ${brandId} and project_id = ${projectId} and number = ${number}`.execute(db);
    },

    async save(projectId: string, number: number, seen: SeenPullRequest): Promise<void> {
      await sql`
        update pull_requests set url = ${seen.url}, state = ${seen.state}, head_branch = ${seen.head_branch},
          head_sha = ${seen.head_sha}, base_branch = ${seen.base_branch}, base_sha = ${seen.base_sha},
          mergeable = ${seen.mergeable}, merged_at = ${seen.merged_at}, checks_state = ${seen.checks_state},
          review_state = ${seen.review_state}, checks = ${JSON.stringify(seen.checks)}::jsonb,
          reviews = ${JSON.stringify(seen.reviews)}::jsonb, comments = ${JSON.stringify(seen.comments)}::jsonb,
          deploy_url = ${seen.deploy_url}, seen_at = ${seen.seen_at}, look_at = ${seen.look_at},
          look_attempts = ${seen.look_attempts}, ended_at = ${seen.ended_at}
        where brand_id = ${brandId} and project_id = ${projectId} and number = ${number}`.execute(db);
    },

    /** Null: the pull request is not synced again. */
    async scheduleSync(projectId: string, number: number, at: Date | null): Promise<void> {
      await sql`
        update pull_requests set look_at = ${at}, look_attempts = look_attempts + 1
        where brand_id = ${brandId} and project_id = ${projectId} and number = ${number}`.execute(db);
    },
  };
}

/** Heads of one workspace that started another attempt. */
export function forgeReworkStore(db: Db | Tx, brandId: number) {
  return {
    async isKnown(projectId: string, headSha: string): Promise<boolean> {
      const { rows } = await sql`
        select from forge_reworks
        where brand_id = ${brandId} and project_id = ${projectId} and head_sha = ${headSha}`.execute(db);
      return rows.length > 0;
    },

    /** True for one caller only; concurrent callers wait for its transaction. */
    async claim(head: { projectId: string; sha: string; because: string; at: Date }): Promise<boolean> {
      const { rows } = await sql`
        insert into forge_reworks (project_id, head_sha, brand_id, because, at)
        values (${head.projectId}, ${head.sha}, ${brandId}, ${head.because}, ${head.at})
        on conflict do nothing returning head_sha`.execute(db);
      return rows.length > 0;
    },

    async noteBuild(projectId: string, headSha: string, buildId: string): Promise<void> {
      await sql`
        update forge_reworks set build_id = ${buildId}
        where brand_id = ${brandId} and project_id = ${projectId} and head_sha = ${headSha}`.execute(db);
    },

    async release(projectId: string, headSha: string): Promise<void> {
      await sql`
        delete from forge_reworks
        where brand_id = ${brandId} and project_id = ${projectId} and head_sha = ${headSha}`.execute(db);
    },
  };
}
