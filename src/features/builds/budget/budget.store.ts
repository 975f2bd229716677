import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { SpendBy } from './budget.schemas.js';
import type { BudgetRow, Place, Spender } from './budgets.js';

export interface TallyChange extends Place {
  builds?: number;
  /** Builds that reported no usage. */
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
  /** Counted as a build without usage. */
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

    /** Changes, locks and returns tallies. A fixed order, the workspace first, prevents deadlocks. */
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

    /** The assignee of the card pays until money is reserved or spent, which fixes the agent. */
    async listSpenders(buildIds: readonly string[]): Promise<Spender[]> {
      const { rows } = await sql<Spender>`
        select b.build_id, b.task_id, b.project_id,
          case when m.build_id is null then k.assignee_agent_id else m.agent_id end as agent_id
        from builds b left join build_money m on m.build_id = b.build_id left join cards k on k.card_id = b.task_id
        where b.brand_id = ${brandId} and b.build_id = any(${[...buildIds]}::uuid[])`.execute(db);
      return rows;
    },

    /** Fixes which agent pays for the build. */
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

    async writeUsage(
      buildId: string,
      { tokens_in, tokens_out, cost_usd }: Record<'tokens_in' | 'tokens_out' | 'cost_usd', number | null>,
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

export function budgetStore(db: Db | Tx, brandId: number) {
  return {
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

    async hasAgent(agentId: string): Promise<boolean> {
      const { rows } = await sql<{ there: boolean }>`
        select exists (select from agents where agent_id = ${agentId} and coalesce(brand_id, ${brandId}) = ${brandId}) as there`.execute(
        db,
      );
      return rows[0]!.there;
    },
  };
}

export interface PriceRow {
  model: string;
  valid_from: Date;
  usd_per_mtok_in: number;
  usd_per_mtok_out: number;
}

export function priceStore(db: Db | Tx) {
  return {
    async list(): Promise<PriceRow[]> {
      const { rows } = await sql<PriceRow>`
        select model, valid_from, usd_per_mtok_in, usd_per_mtok_out from model_prices
        order by model, valid_from desc`.execute(db);
      return rows;
    },

    async replace(prices: readonly PriceRow[]): Promise<void> {
      await sql`lock table model_prices in share row exclusive mode`.execute(db);
      await sql`delete from model_prices`.execute(db);
      await sql`
        insert into model_prices (model, valid_from, usd_per_mtok_in, usd_per_mtok_out)
        select p.model, p.valid_from, p.usd_per_mtok_in, p.usd_per_mtok_out
        from json_to_recordset(${JSON.stringify(prices)}) as p (model text, valid_from timestamptz,
          usd_per_mtok_in numeric, usd_per_mtok_out numeric)`.execute(db);
    },

    async find(names: readonly string[], now: Date): Promise<PriceRow | undefined> {
      const { rows } = await sql<PriceRow>`
        select p.model, p.valid_from, p.usd_per_mtok_in, p.usd_per_mtok_out
        from model_prices p join unnest(${[...names]}::text[]) with ordinality as n (model, nth) on n.model = p.model
        where p.valid_from <= ${now}
        order by n.nth, p.valid_from desc limit 1`.execute(db);
      return rows[0];
    },
  };
}

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

/** A pattern instead of a length check, because the planner can estimate it. */
const isDay = sql`t.period like '____-__-__'`;

export function spendStore(db: Db, brandId: number) {
  return {
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
