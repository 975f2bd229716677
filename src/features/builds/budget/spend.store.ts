import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';
import type { SpendBy } from './budget.schemas.js';

export interface Spent {
  builds: number;
  unmetered: number;
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

/** As a pattern: how many match one is guessed from what is there, how many have a length is not. */
const isDay = sql`t.period like '____-__-__'`;

/** What one workspace has spent, from the tallies of its days. */
export function spendStore(db: Db, brandId: number) {
  return {
    /** Those that spent most come first; of days the first one. */
    async list(by: SpendBy, { from, to }: Range, limit: number): Promise<SpentRow[]> {
      const scope = by === 'day' ? 'workspace' : by;
      const key = by === 'day' ? sql<string>`t.period` : sql<string>`t.subject`;
      const order = by === 'day' ? sql`key` : sql`cost_micros desc, key`;
      const name =
        by === 'project'
          ? sql<string | null>`p.name`
          : by === 'agent'
            ? sql<string | null>`a.name`
            : by === 'card'
              ? sql<string | null>`b.key || '-' || k.number || ' ' || k.title`
              : sql<string | null>`null::text`;
      const { rows } = await sql<SpentRow>`
        select s.key, s.builds, s.unmetered, s.tokens_in, s.tokens_out, s.cost_micros, ${name} as name
        from (
          select ${key} as key, whole_sum(t.builds) as builds, whole_sum(t.unmetered) as unmetered, whole_sum(t.tokens_in) as tokens_in,
            whole_sum(t.tokens_out) as tokens_out, whole_sum(t.spent_micros) as cost_micros
          from spend_tallies t
          where t.brand_id = ${brandId} and t.scope = ${scope}::text and ${isDay}
            and t.period >= ${from}::text and t.period <= ${to}::text
          group by 1
          having whole_sum(t.builds) > 0 or whole_sum(t.spent_micros) <> 0 or whole_sum(t.tokens_in + t.tokens_out) > 0
          order by ${order} limit ${limit}
        ) s
        ${by === 'project' ? sql`left join projects p on p.brand_id = ${brandId} and p.project_id = s.key::uuid` : sql``}
        ${by === 'agent' ? sql`left join agents a on a.agent_id = s.key` : sql``}
        ${
          by === 'card'
            ? sql`left join cards k on k.brand_id = ${brandId} and k.card_id = s.key::uuid
                  left join boards b on b.board_id = k.board_id`
            : sql``
        }
        order by ${order}`.execute(db);
      return rows;
    },

    async sum({ from, to }: Range): Promise<Spent> {
      const { rows } = await sql<Spent>`
        select whole_sum(builds) as builds, whole_sum(unmetered) as unmetered, whole_sum(tokens_in) as tokens_in, whole_sum(tokens_out) as tokens_out,
          whole_sum(spent_micros) as cost_micros
        from spend_tallies t
        where t.brand_id = ${brandId} and t.scope = 'workspace' and ${isDay}
          and t.period >= ${from}::text and t.period <= ${to}::text`.execute(db);
      return rows[0]!;
    },
  };
}
