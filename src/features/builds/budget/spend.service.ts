import { dayIn, monthOf } from '../../../kernel/clock.js';
import { daysInOrder, noSuchDay, tooManyDays } from '../builds.errors.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { SpendBy, SpendQuery, SpendReport } from './budget.schemas.js';
import { budgetStore, type Spent, type SpentRow, spendStore } from './budget.store.js';
import { toUsd } from './budgets.js';

const MOST_ROWS = 1000;
const MOST_DAYS = 366;
const DAY_MS = 24 * 60 * 60 * 1000;

const UNNAMED: Partial<Record<SpendBy, string>> = { agent: 'No agent', profile: 'No profile' };

const show = ({ builds, unmetered, tokens_in, tokens_out, cost_micros }: Spent) => ({
  builds,
  ...(unmetered > 0 && { without_usage: unmetered }),
  tokens_in,
  tokens_out,
  cost_usd: toUsd(cost_micros),
});

export const createSpendService = ({ db, clock }: BuildDeps) => ({
  async report(brandId: number, { by, ...asked }: SpendQuery): Promise<SpendReport> {
    const today = dayIn(await budgetStore(db, brandId).findTimezone(), clock.now());
    const to = asked.to ?? (asked.from !== undefined && asked.from > today ? asked.from : today);
    const from = asked.from ?? `${monthOf(to)}-01`;
    judge(from, to);
    const store = spendStore(db, brandId);
    const nameOf = ({ key, name }: SpentRow) => name ?? (key === '' ? (UNNAMED[by] ?? key) : key);
    const rows = await store.list(by, { from, to }, MOST_ROWS);
    return {
      rows: rows.map((row) => ({ key: row.key, name: nameOf(row), ...show(row) })),
      total: show(await store.sum({ from, to })),
    };
  },
});

export type SpendService = ReturnType<typeof createSpendService>;

function judge(from: string, to: string): void {
  for (const [field, day] of Object.entries({ from, to })) {
    const moment = new Date(`${day}T00:00:00Z`);
    if (Number.isNaN(moment.getTime()) || moment.toISOString().slice(0, 10) !== day) throw noSuchDay(field);
  }
  if (to < from) throw daysInOrder();
  if (Date.parse(to) - Date.parse(from) >= MOST_DAYS * DAY_MS) throw tooManyDays(MOST_DAYS);
}
