import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Place, Spender } from './budgets.js';

/** By how much a tally changes. */
export interface TallyChange extends Place {
  builds?: number;
  /** Of the builds, those that reported no usage. */
  unmetered?: number;
  tokens_in?: number;
  tokens_out?: number;
  spent?: number;
  reserved?: number;
}

export interface Tally extends Place {
  spent_micros: number;
  reserved_micros: number;
  told: number;
}

export interface Hold extends Place {
  build_id: string;
  micros: number;
}

export interface MoneyOfBuild {
  agent_id: string | null;
  ceiling_micros: number | null;
  reserved_micros: number;
  priced: boolean;
  /** It is counted as a build without usage. */
  unmetered: boolean;
}

export interface Entry {
  build_id: string;
  project_id: string;
  task_id: string;
  agent_id: string | null;
  coder: string;
  profile: string | null;
  tokens_in: number;
  tokens_out: number;
  cost_micros: number;
}

/** The ledger of one workspace, its tallies, and what is set aside for builds. */
export function ledgerStore(db: Db | Tx, brandId: number) {
  return {
    async append(entry: Entry, day: string, now: Date): Promise<void> {
      await sql`
        insert into spend_entries (brand_id, build_id, at, day, project_id, task_id, agent_id, coder, profile,
          tokens_in, tokens_out, cost_micros)
        values (${brandId}, ${entry.build_id}, ${now}, ${day}, ${entry.project_id}, ${entry.task_id}, ${entry.agent_id},
          ${entry.coder}, ${entry.profile}, ${entry.tokens_in}, ${entry.tokens_out}, ${entry.cost_micros})`.execute(
        db,
      );
    },

    /**
     * Changes tallies and holds them until the transaction ends; answers them as they are then. Whoever needs several takes
     * them in this one order, the workspace's first, so that nobody waits for somebody who waits for them.
     */
    async move(changes: readonly TallyChange[]): Promise<Tally[]> {
      if (changes.length === 0) return [];
      const rows = changes.map((change) => ({
        builds: 0,
        unmetered: 0,
        tokens_in: 0,
        tokens_out: 0,
        spent: 0,
        reserved: 0,
        ...change,
      }));
      const { rows: tallies } = await sql<Tally>`
        insert into spend_tallies as t (brand_id, scope, subject, period, builds, unmetered, tokens_in, tokens_out, spent_micros, reserved_micros)
        select ${brandId}::int, c.scope, c.subject, c.period, c.builds, c.unmetered, c.tokens_in, c.tokens_out, c.spent, c.reserved
        from json_to_recordset(${JSON.stringify(rows)}) as c (scope text, subject text, period text, builds bigint,
          unmetered bigint, tokens_in bigint, tokens_out bigint, spent bigint, reserved bigint)
        order by c.scope desc, c.subject desc, c.period
        on conflict (brand_id, scope, subject, period) do update set builds = t.builds + excluded.builds,
          unmetered = t.unmetered + excluded.unmetered,
          tokens_in = t.tokens_in + excluded.tokens_in, tokens_out = t.tokens_out + excluded.tokens_out,
          spent_micros = t.spent_micros + excluded.spent_micros, reserved_micros = t.reserved_micros + excluded.reserved_micros
        returning scope, subject, period, spent_micros, reserved_micros, told`.execute(db);
      return tallies;
    },

    /** As they are, held by nobody. */
    async listTallies(places: readonly Place[]): Promise<Tally[]> {
      const { rows } = await sql<Tally>`
        select t.scope, t.subject, t.period, t.spent_micros, t.reserved_micros, t.told
        from json_to_recordset(${JSON.stringify(places)}) as p (scope text, subject text, period text)
        join spend_tallies t on t.brand_id = ${brandId} and t.scope = p.scope and t.subject = p.subject and t.period = p.period`.execute(
        db,
      );
      return rows;
    },

    async noteTold({ scope, subject, period }: Place, percent: number): Promise<void> {
      await sql`
        update spend_tallies set told = ${percent}
        where brand_id = ${brandId} and scope = ${scope} and subject = ${subject} and period = ${period}`.execute(
        db,
      );
    },

    /** The agent is whom the card is assigned to, until something was set aside or spent for one. */
    async listSpenders(buildIds: readonly string[]): Promise<Spender[]> {
      const { rows } = await sql<Spender>`
        select b.build_id, b.task_id, b.project_id,
          case when m.build_id is null then k.assignee_agent_id else m.agent_id end as agent_id
        from builds b left join build_money m on m.build_id = b.build_id left join cards k on k.card_id = b.task_id
        where b.brand_id = ${brandId} and b.build_id = any(${[...buildIds]}::uuid[])`.execute(db);
      return rows;
    },

    /** From now on it is known on whose account a build goes. */
    async keepMoney(buildId: string): Promise<MoneyOfBuild> {
      const { rows } = await sql<MoneyOfBuild>`
        insert into build_money as m (build_id, brand_id, agent_id)
        select b.build_id, b.brand_id, k.assignee_agent_id
        from builds b left join cards k on k.card_id = b.task_id where b.brand_id = ${brandId} and b.build_id = ${buildId}
        on conflict (build_id) do update set agent_id = m.agent_id
        returning m.agent_id, m.ceiling_micros, m.reserved_micros, m.priced, m.unmetered`.execute(db);
      return rows[0]!;
    },

    async setReservation(spender: Spender, ceiling: number | null, reserved: number): Promise<void> {
      await sql`
        insert into build_money (build_id, brand_id, agent_id, ceiling_micros, reserved_micros)
        values (${spender.build_id}, ${brandId}, ${spender.agent_id}, ${ceiling}, ${reserved})
        on conflict (build_id) do update set ceiling_micros = excluded.ceiling_micros,
          reserved_micros = excluded.reserved_micros`.execute(db);
    },

    async addToReservation(buildId: string, more: number): Promise<void> {
      await sql`
        update build_money set reserved_micros = reserved_micros + ${more}
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async setPriced(buildId: string, priced: boolean): Promise<void> {
      await sql`
        update build_money set priced = ${priced} where brand_id = ${brandId} and build_id = ${buildId}`.execute(
        db,
      );
    },

    async setUnmetered(buildId: string, unmetered: boolean): Promise<void> {
      await sql`
        update build_money set unmetered = ${unmetered}
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async listHolds(buildIds: readonly string[]): Promise<Hold[]> {
      const { rows } = await sql<Hold>`
        select build_id, scope, subject, period, micros from budget_holds
        where brand_id = ${brandId} and build_id = any(${[...buildIds]}::uuid[])`.execute(db);
      return rows;
    },

    /** What is set aside for these builds is this and nothing else. */
    async replaceHolds(buildIds: readonly string[], holds: readonly Hold[]): Promise<void> {
      await sql`
        delete from budget_holds where brand_id = ${brandId} and build_id = any(${[...buildIds]}::uuid[])`.execute(
        db,
      );
      if (holds.length === 0) return;
      await sql`
        insert into budget_holds (brand_id, build_id, scope, subject, period, micros)
        select ${brandId}::int, h.build_id, h.scope, h.subject, h.period, h.micros
        from json_to_recordset(${JSON.stringify(holds)}) as h (build_id uuid, scope text, subject text, period text, micros bigint)`.execute(
        db,
      );
    },

    /** What a build shows. */
    async writeUsage(
      buildId: string,
      { tokens_in, tokens_out, cost_usd }: { tokens_in: number; tokens_out: number; cost_usd: number | null },
      now: Date,
    ): Promise<void> {
      await sql`
        update builds set tokens_in = ${tokens_in}, tokens_out = ${tokens_out}, cost_usd = ${cost_usd},
          heard_at = greatest(heard_at, ${now}), progress_at = greatest(progress_at, ${now})
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async hear(buildId: string, now: Date): Promise<void> {
      await sql`
        update builds set heard_at = greatest(heard_at, ${now})
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async requestStop(buildId: string, reason: string, now: Date): Promise<void> {
      await sql`
        update builds set stop_requested_at = ${now}, stop_reason = ${reason}
        where brand_id = ${brandId} and build_id = ${buildId} and stop_requested_at is null`.execute(db);
    },
  };
}
