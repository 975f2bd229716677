import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import { isNotPaused } from './forge-sync.store.js';

export interface OpeningRow {
  build_id: string;
  brand_id: number;
  project_id: string;
  card_id: string;
  branch: string;
  commit_sha: string;
  attempts: number;
  error: string | null;
  leased_until: Date;
}

export type NewOpening = Pick<OpeningRow, 'build_id' | 'project_id' | 'card_id' | 'branch' | 'commit_sha'>;

export function openingStore(db: Db | Tx, brandId: number) {
  return {
    async hasForge(projectId: string): Promise<boolean> {
      const { rows } = await sql`
        select from project_forges where brand_id = ${brandId} and project_id = ${projectId}`.execute(db);
      return rows.length > 0;
    },

    /** Replaces the card's earlier one; a node that is opening that one keeps its lease. */
    async put(opening: NewOpening, at: Date): Promise<void> {
      await sql`
        insert into pull_request_wishes (build_id, brand_id, project_id, card_id, branch, commit_sha, next_at, created_at)
        values (${opening.build_id}, ${brandId}, ${opening.project_id}, ${opening.card_id}, ${opening.branch}, ${opening.commit_sha}, ${at}, ${at})
        on conflict (card_id) do update set build_id = excluded.build_id, project_id = excluded.project_id,
          branch = excluded.branch, commit_sha = excluded.commit_sha, next_at = excluded.next_at, attempts = 0, error = null,
          created_at = excluded.created_at`.execute(db);
    },

    async findOfCard(cardId: string): Promise<Pick<OpeningRow, 'build_id' | 'error'> | undefined> {
      const { rows } = await sql<Pick<OpeningRow, 'build_id' | 'error'>>`
        select build_id, error from pull_request_wishes
        where brand_id = ${brandId} and card_id = ${cardId}`.execute(db);
      return rows[0];
    },

    async hold({ card_id, build_id, leased_until }: OpeningRow): Promise<'ours' | 'replaced' | 'lost'> {
      const { rows } = await sql<{ build_id: string; leased_until: Date | null }>`
        select build_id, leased_until from pull_request_wishes
        where brand_id = ${brandId} and card_id = ${card_id} for update`.execute(db);
      const [row] = rows;
      if (row?.leased_until?.getTime() !== leased_until.getTime()) return 'lost';
      return row.build_id === build_id ? 'ours' : 'replaced';
    },

    async remove({ build_id }: Pick<OpeningRow, 'build_id'>): Promise<void> {
      await sql`delete from pull_request_wishes where brand_id = ${brandId} and build_id = ${build_id}`.execute(
        db,
      );
    },

    /** A later push replaced this opening and is next. */
    async release({ card_id, leased_until }: OpeningRow): Promise<void> {
      await sql`
        update pull_request_wishes set leased_until = null
        where brand_id = ${brandId} and card_id = ${card_id} and leased_until = ${leased_until}`.execute(db);
    },

    /** False if a later push replaced the opening or another node finished it. */
    async noteFailed(opening: OpeningRow, error: string, nextAt: Date | null): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update pull_request_wishes set error = ${error}, next_at = ${nextAt}, leased_until = null
        where brand_id = ${brandId} and build_id = ${opening.build_id} and leased_until = ${opening.leased_until}`.execute(
        db,
      );
      if (numAffectedRows === 1n) return true;
      await this.release(opening);
      return false;
    },

    async findBrief(buildId: string): Promise<string | undefined> {
      const { rows } = await sql<{ body: string }>`
        select f.body from build_briefs f join builds b using (build_id)
        where b.brand_id = ${brandId} and f.build_id = ${buildId}`.execute(db);
      return rows[0]?.body;
    },
  };
}

interface OpeningClaim {
  now: Date;
  leaseEnd: Date;
  limit: number;
  byHand: boolean;
  except: string[];
}

/** Across workspaces. Claims one opening per card; others leave it alone until `leaseEnd`. */
export async function claimOpenings(
  db: Db,
  { now, leaseEnd, limit, byHand, except }: OpeningClaim,
): Promise<OpeningRow[]> {
  const { rows } = await sql<OpeningRow>`
    update pull_request_wishes set attempts = attempts + 1, leased_until = ${leaseEnd}
    where build_id in (
      select w.build_id from pull_request_wishes w
      left join project_forges f on f.project_id = w.project_id
      where (w.next_at <= ${now} or (${byHand} and w.next_at is not null))
        and (w.leased_until is null or w.leased_until <= ${now}) and w.build_id <> all(${except}::uuid[])
        and (f.project_id is null or ${isNotPaused(now, byHand)})
      order by w.next_at limit ${limit} for update of w skip locked)
    returning build_id, brand_id, project_id, card_id, branch, commit_sha, attempts, error, leased_until`.execute(
    db,
  );
  return rows;
}
