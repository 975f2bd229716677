import { sql } from 'kysely';
import type { Db } from '../../../database/database.js';
import type { SpendBy } from './money.schemas.js';

export interface Spent {
  builds: number;
  tokens_in: number;
  tokens_out: number;
  cost_micros: number;
}

export interface SpentRow extends Spent {
  key: string;
  name: string | null;
}

interface Range {
  from: string;
  to: string;
}

/** What one workspace has spent, from the tallies of its days. */
export function spendStore(db: Db, brandId: number) {
  return {
    /** Those that spent most come first; of days the first one. */
    async list(by: SpendBy, { from, to }: Range, limit: number): Promise<SpentRow[]> {
      const scope = by === 'day' ? 'workspace' : by;
      const key = by === 'day' ? sql<string>`t.period` : sql<string>`t.subject`;
      const order = by === 'day' ? sql`key` : sql`cost_micros desc, key`;
      const { rows } = await sql<SpentRow>`
        select s.key, s.builds, s.tokens_in, s.tokens_out, s.cost_micros, case ${by}::text
            when 'project' then (select p.name from projects p where p.brand_id = ${brandId} and p.project_id::text = s.key)
            when 'agent' then (select a.name from agents a where a.agent_id = s.key)
            when 'card' then (select b.key || '-' || k.number || ' ' || k.title from cards k join boards b on b.board_id = k.board_id
              where k.brand_id = ${brandId} and k.card_id = s.card_id)
          end as name
        from (
          select ${key} as key, case when ${by}::text = 'card' then ${key}::uuid end as card_id,
            sum(t.builds)::bigint as builds, sum(t.tokens_in)::bigint as tokens_in,
            sum(t.tokens_out)::bigint as tokens_out, sum(t.spent_micros)::bigint as cost_micros
          from spend_tallies t
          where t.brand_id = ${brandId} and t.scope = ${scope}::text and length(t.period) = 10
            and t.period >= ${from}::text and t.period <= ${to}::text
          group by 1 having sum(t.builds) > 0 or sum(t.spent_micros) <> 0 or sum(t.tokens_in + t.tokens_out) > 0
          order by ${order} limit ${limit}
        ) s order by ${order}`.execute(db);
      return rows;
    },

    async sum({ from, to }: Range): Promise<Spent> {
      const { rows } = await sql<Spent>`
        select coalesce(sum(builds), 0)::bigint as builds, coalesce(sum(tokens_in), 0)::bigint as tokens_in,
          coalesce(sum(tokens_out), 0)::bigint as tokens_out, coalesce(sum(spent_micros), 0)::bigint as cost_micros
        from spend_tallies
        where brand_id = ${brandId} and scope = 'workspace' and length(period) = 10
          and period >= ${from}::text and period <= ${to}::text`.execute(db);
      return rows[0]!;
    },
  };
}
