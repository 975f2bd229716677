import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { BudgetRow } from './budgets.js';

/** What a workspace, its projects and its agents may spend. */
export function budgetStore(db: Db | Tx, brandId: number) {
  return {
    /** Of the workspace, and of these projects and agents. */
    async list(projects: readonly string[], agents: readonly string[]): Promise<BudgetRow[]> {
      const { rows } = await sql<BudgetRow>`
        select scope, subject, build_micros, card_micros, day_micros, month_micros from budgets
        where brand_id = ${brandId} and (scope = 'workspace'
          or scope = 'project' and subject = any(${[...projects]}::text[])
          or scope = 'agent' and subject = any(${[...agents]}::text[]))`.execute(db);
      return rows;
    },

    async save(budget: BudgetRow, now: Date): Promise<void> {
      await sql`
        insert into budgets (brand_id, scope, subject, build_micros, card_micros, day_micros, month_micros, updated_at)
        values (${brandId}, ${budget.scope}, ${budget.subject}, ${budget.build_micros}, ${budget.card_micros},
          ${budget.day_micros}, ${budget.month_micros}, ${now})
        on conflict (brand_id, scope, subject) do update set build_micros = excluded.build_micros,
          card_micros = excluded.card_micros, day_micros = excluded.day_micros, month_micros = excluded.month_micros,
          updated_at = excluded.updated_at`.execute(db);
    },

    async findTimezone(): Promise<string> {
      const { rows } = await sql<{ timezone: string }>`
        select timezone from brands where brand_id = ${brandId}`.execute(db);
      return rows[0]!.timezone;
    },

    async listAdmins(): Promise<number[]> {
      const { rows } = await sql<{ user_id: number }>`
        select user_id from memberships where brand_id = ${brandId} and role = 'admin' and active`.execute(
        db,
      );
      return rows.map(({ user_id }) => user_id);
    },

    /** Of the workspace, or of the platform. */
    async hasAgent(agentId: string): Promise<boolean> {
      const { rows } = await sql<{ there: boolean }>`
        select exists (select from agents where agent_id = ${agentId} and coalesce(brand_id, ${brandId}) = ${brandId}) as there`.execute(
        db,
      );
      return rows[0]!.there;
    },
  };
}
