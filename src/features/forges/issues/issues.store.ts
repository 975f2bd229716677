import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface IssueRow {
  number: number;
  card_id: string | null;
  title: string;
  archived_at: Date | null;
}

export interface UncommentedIssue {
  number: number;
  ref: string;
}

export interface IssuePlace {
  brandId: number;
  projectId: string;
  repository: string;
}

export function issueStore(db: Db | Tx, { brandId, projectId, repository }: IssuePlace) {
  const here = sql`i.project_id = ${projectId} and i.brand_id = ${brandId} and i.repository = ${repository.toLowerCase()}`;
  const columns = sql`i.number, i.card_id, i.title, i.archived_at`;
  return {
    async listKnown(numbers: number[]): Promise<Map<number, IssueRow>> {
      const { rows } = await sql<IssueRow>`
        select ${columns} from forge_issues i where ${here} and i.number = any(${numbers}::int[])`.execute(
        db,
      );
      return new Map(rows.map((row) => [row.number, row]));
    },

    async lock(number: number): Promise<IssueRow | undefined> {
      const { rows } = await sql<IssueRow>`
        select ${columns} from forge_issues i where ${here} and i.number = ${number} for update`.execute(db);
      return rows[0];
    },

    /** Locks the connection against being removed; undefined if the host is disconnected or creates no cards. */
    async lockRule(): Promise<{ boardId: string | null; connectedBy: number | null } | undefined> {
      const { rows } = await sql<{ boardId: string | null; connectedBy: number | null }>`
        select f.issues_board_id as "boardId", f.connected_by as "connectedBy" from project_forges f
        where f.project_id = ${projectId} and f.brand_id = ${brandId} and f.issues_label is not null
          and lower(f.repository) = ${repository.toLowerCase()}
        for key share`.execute(db);
      return rows[0];
    },

    /** False for a known issue, also if its card was deleted. */
    async add(issue: { number: number; url: string; title: string }, now: Date): Promise<boolean> {
      const { rows } = await sql`
        insert into forge_issues (project_id, repository, number, brand_id, url, title, created_at)
        values (${projectId}, ${repository.toLowerCase()}, ${issue.number}, ${brandId}, ${issue.url}, ${issue.title}, ${now})
        on conflict (project_id, repository, number) do nothing returning number`.execute(db);
      return rows.length > 0;
    },

    async setCard(number: number, cardId: string): Promise<void> {
      await sql`
        update forge_issues i set card_id = ${cardId} where ${here} and i.number = ${number}`.execute(db);
    },

    async noteSeen(number: number, seen: { title: string; archivedAt: Date | null }): Promise<void> {
      await sql`
        update forge_issues i set title = ${seen.title}, archived_at = ${seen.archivedAt}
        where ${here} and i.number = ${number}`.execute(db);
    },

    async claimUncommented(now: Date, until: Date, limit: number): Promise<UncommentedIssue[]> {
      const { rows } = await sql<UncommentedIssue>`
        update forge_issues i set telling_until = ${until}
        from cards k join boards b using (board_id)
        where k.card_id = i.card_id and (i.project_id, i.repository, i.number) in (
          select i.project_id, i.repository, i.number from forge_issues i
          where ${here} and i.commented_at is null and i.card_id is not null
            and (i.telling_until is null or i.telling_until <= ${now})
          order by i.created_at, i.number limit ${limit} for update skip locked)
        returning i.number, b.key || '-' || k.number as ref`.execute(db);
      return rows;
    },

    async noteCommented(number: number, now: Date): Promise<void> {
      await sql`
        update forge_issues i set commented_at = ${now}, telling_until = null
        where ${here} and i.number = ${number}`.execute(db);
    },

    async releaseComments(numbers: number[]): Promise<void> {
      await sql`
        update forge_issues i set telling_until = null
        where ${here} and i.number = any(${numbers}::int[]) and i.commented_at is null`.execute(db);
    },

    async hasBuilds(cardId: string): Promise<boolean> {
      const { rows } = await sql<{ has: boolean }>`
        select exists (select from builds where task_id = ${cardId} and brand_id = ${brandId}) as has`.execute(
        db,
      );
      return rows[0]!.has;
    },

    /** Does nothing if the host was reconnected meanwhile, since all issues are then read again. */
    async saveSyncedUntil(at: Date, connectedAt: Date): Promise<void> {
      await sql`
        update project_forges f set issues_seen_to = greatest(f.issues_seen_to, ${at}::timestamptz)
        where f.project_id = ${projectId} and f.brand_id = ${brandId} and f.connected_at = ${connectedAt}`.execute(
        db,
      );
    },
  };
}

/** Undefined if the project is no longer connected to the issue's repository. */
export async function findIssueOfCard(
  db: Db | Tx,
  brandId: number,
  cardId: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ number: number }>`
    select i.number from forge_issues i join project_forges f using (project_id)
    where i.card_id = ${cardId} and i.brand_id = ${brandId} and i.repository = lower(f.repository)
    order by i.created_at limit 1`.execute(db);
  return rows[0]?.number;
}
