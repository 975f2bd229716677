import { sql } from 'kysely';
import type { Plan } from '../../kernel/access.js';
import type { Db, Tx } from '../../platform/database/database.js';
import { firstOf } from '../../platform/database/schema/sql-fragments.js';
import type { EditableField, Overrides } from './coder-profiles.rules.js';
import { type Change, MOST_CHANGES } from './coder-profiles.schemas.js';

export type NewChange = Omit<Change, 'id' | 'created_at'> & { created_at: Date };

export interface WorkspaceProfiles {
  plan: Plan;
  overrides: Map<string, Overrides>;
}

interface OverrideRow {
  plan: Plan;
  profile_key: string | null;
  field: EditableField;
  value: string;
}

export type CoderProfileStore = ReturnType<typeof coderProfileStore>;

export function coderProfileStore(db: Db | Tx, brandId: number) {
  return {
    /**
     * Reads the plan together with the overrides, so that a changed plan takes effect on the next request.
     */
    async read(profileKey: string | null): Promise<WorkspaceProfiles> {
      const { rows } = await sql<OverrideRow>`
        select b.plan, o.profile_key, o.field, o.value
        from brands b
        left join coder_profile_overrides o
          on o.brand_id = b.brand_id and (${profileKey}::text is null or o.profile_key = ${profileKey})
        where b.brand_id = ${brandId}`.execute(db);
      return collect(rows);
    },

    /**
     * Allows one writer per workspace, because old values are read and changes are numbered under this lock.
     */
    async lock(): Promise<void> {
      await sql`select from brands where brand_id = ${brandId} for no key update`.execute(db);
    },

    async write(profileKey: string, field: EditableField, value: string | null): Promise<void> {
      if (value === null) {
        await sql`
          delete from coder_profile_overrides
          where brand_id = ${brandId} and profile_key = ${profileKey} and field = ${field}`.execute(db);
      } else {
        await sql`
          insert into coder_profile_overrides (brand_id, profile_key, field, value)
          values (${brandId}, ${profileKey}, ${field}, ${value})
          on conflict (brand_id, profile_key, field) do update set value = excluded.value`.execute(db);
      }
    },

    async recordChange(change: NewChange): Promise<void> {
      await sql`
        insert into coder_profile_changes
          (brand_id, id, profile_key, field, old_value, new_value, actor_user_id, actor_role, created_at)
        select ${brandId}, coalesce(max(id), 0) + 1, ${change.profile_key}, ${change.field}, ${change.old_value},
               ${change.new_value}, ${change.actor_user_id}, ${change.actor_role}, ${change.created_at}
        from coder_profile_changes where brand_id = ${brandId}`.execute(db);
    },

    async listChanges(profileKey: string, limit: number, before: number): Promise<Change[]> {
      const matched = sql`
        select * from coder_profile_changes
        where brand_id = ${brandId} and profile_key = ${profileKey} and id < ${before}::bigint order by id desc`;
      const { rows } = await sql<Omit<Change, 'created_at'> & { created_at: Date }>`
        select id, profile_key, field, old_value, new_value, actor_user_id, actor_role, created_at
        from (${firstOf(matched, limit, MOST_CHANGES)}) c order by id desc`.execute(db);
      return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }));
    },
  };
}

function collect(rows: OverrideRow[]): WorkspaceProfiles {
  const overrides = new Map<string, Overrides>();
  for (const { profile_key, field, value } of rows) {
    if (profile_key === null) continue;
    const known = overrides.get(profile_key) ?? {};
    known[field] = value;
    overrides.set(profile_key, known);
  }
  return { plan: rows[0]?.plan ?? 'free', overrides };
}
