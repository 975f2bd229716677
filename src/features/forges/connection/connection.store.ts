import { sql } from 'kysely';
import type { ActorNames } from '../../../kernel/actors.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { actorNames } from '../../../platform/database/schema/sql-fragments.js';
import type { ForgeKind } from '../adapter/forge.js';

interface ForgeDraft {
  kind: ForgeKind;
  api_url: string;
  repository: string;
  sealed_token: string;
  default_branch: string;
  issues_label: string | null;
  issues_board_id: string | null;
  connected_by: number | null;
}

export interface ForgeRow extends ForgeDraft {
  project_id: string;
  brand_id: number;
  hook_secret: string | null;
  past_hook_secrets: PastSecret[];
  hook_last_at: Date | null;
  checked_at: Date | null;
  error: string | null;
  connected_at: Date;
  look_at: Date;
  issues_seen_to: Date | null;
}

export interface PastSecret {
  sealed: string;
  until: string;
}

const columns = sql`f.project_id, f.brand_id, f.kind, f.api_url, f.repository, f.sealed_token, f.default_branch, f.issues_label,
  f.issues_board_id, f.hook_secret, f.past_hook_secrets, f.hook_last_at, f.checked_at, f.error, f.connected_by, f.connected_at,
  f.look_at, f.issues_seen_to`;

export function forgeStore(db: Db | Tx, brandId: number) {
  const own = (projectId: string) => sql`f.project_id = ${projectId} and f.brand_id = ${brandId}`;
  return {
    async find(projectId: string): Promise<ForgeRow | undefined> {
      const { rows } = await sql<ForgeRow>`
        select ${columns} from project_forges f where ${own(projectId)}`.execute(db);
      return rows[0];
    },

    async findShown(projectId: string): Promise<(ForgeRow & { connector: ActorNames | null }) | undefined> {
      const { rows } = await sql<ForgeRow & { connector: ActorNames | null }>`
        select ${columns}, ${actorNames(sql`f.connected_by`, sql`null::text`)} as connector
        from project_forges f where ${own(projectId)}`.execute(db);
      return rows[0];
    },

    async lock(projectId: string): Promise<ForgeRow | undefined> {
      const { rows } = await sql<ForgeRow>`
        select ${columns} from project_forges f where ${own(projectId)} for update`.execute(db);
      return rows[0];
    },

    /** Replaces the earlier host, keeps the webhook secret, and reads all issues again. */
    async save(projectId: string, draft: ForgeDraft, now: Date): Promise<boolean> {
      const { rows } = await sql`
        insert into project_forges as f (project_id, brand_id, kind, api_url, repository, sealed_token, default_branch,
          issues_label, issues_board_id, connected_by, connected_at, checked_at, look_at)
        select p.project_id, p.brand_id, ${draft.kind}, ${draft.api_url}, ${draft.repository}, ${draft.sealed_token},
          ${draft.default_branch}, ${draft.issues_label}, ${draft.issues_board_id}::uuid, ${draft.connected_by}, ${now}, ${now},
          ${now}
        from projects p where p.project_id = ${projectId} and p.brand_id = ${brandId} for key share
        on conflict (project_id) do update set kind = excluded.kind, api_url = excluded.api_url,
          repository = excluded.repository, sealed_token = excluded.sealed_token, default_branch = excluded.default_branch,
          issues_label = excluded.issues_label, issues_board_id = excluded.issues_board_id,
          connected_by = excluded.connected_by, connected_at = excluded.connected_at, checked_at = excluded.checked_at,
          error = null, look_at = excluded.look_at, paused_until = null, failures = 0, issues_seen_to = null
        returning f.project_id`.execute(db);
      // The new token may have permissions that the old one lacked.
      await sql`
        update pull_request_wishes set next_at = ${now}, attempts = 0
        where project_id = ${projectId} and brand_id = ${brandId} and error is not null`.execute(db);
      return rows.length > 0;
    },

    async saveHookSecret(projectId: string, sealed: string, past: readonly PastSecret[]): Promise<void> {
      await sql`
        update project_forges f set hook_secret = ${sealed}, past_hook_secrets = ${JSON.stringify(past)}::jsonb
        where ${own(projectId)}`.execute(db);
    },

    /** Open pull requests stay open and are no longer synced. */
    async remove(projectId: string): Promise<boolean> {
      const { rows } = await sql`
        delete from project_forges f where ${own(projectId)} returning f.project_id`.execute(db);
      if (rows.length === 0) return false;
      const mine = sql`project_id = ${projectId} and brand_id = ${brandId}`;
      await sql`update pull_requests set look_at = null where ${mine}`.execute(db);
      await sql`delete from pull_request_wishes where ${mine}`.execute(db);
      await sql`delete from forge_deliveries where ${mine}`.execute(db);
      return true;
    },

    /** Pull request numbers mean something else in other repositories, so theirs are deleted. */
    async keepPullRequestsOf(projectId: string, webUrl: string, now: Date): Promise<void> {
      const mine = sql`project_id = ${projectId} and brand_id = ${brandId}`;
      const isHere = sql`starts_with(lower(url), lower(${`${webUrl}/`}))`;
      await sql`delete from pull_requests where ${mine} and not ${isHere}`.execute(db);
      await sql`
        update pull_requests set look_at = ${now} where ${mine} and look_at is null and state in ('draft', 'open')`.execute(
        db,
      );
    },
  };
}
