import { dayIn, monthOf } from '../../../kernel/clock.js';
import type { Tx } from '../../../platform/database/database.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { BuildRow } from '../record/builds.store.js';
import type { WorkSignal } from '../record/work-signal.js';
import {
  budgetStore,
  type Hold,
  ledgerStore,
  type MoneyOfBuild,
  type PriceRow,
  priceStore,
  type Tally,
  type TallyChange,
} from './budget.store.js';
import {
  allowanceOf,
  type Limit,
  nameBudget,
  placeKey,
  reservationOf,
  type Spender,
  sayUsd,
  toMicros,
  toUsd,
} from './budgets.js';

/** Missing numbers are unknown, not zero. */
export interface ReportedUsage {
  tokens_in?: number | null;
  tokens_out?: number | null;
  cost_usd?: number | null;
}

/** Null: never reported. */
export interface Totals {
  tokens_in: number | null;
  tokens_out: number | null;
  cost_usd: number | null;
}

export interface Growth {
  first: boolean;
  tokens_in: number;
  tokens_out: number;
  micros: number;
}

type Shown = Pick<BuildRow, 'tokens_in' | 'tokens_out' | 'cost_usd'>;

const microsOf = (usd: number | null): number => (usd === null ? 0 : toMicros(usd));

const larger = (before: number | null, said: number | null | undefined): number | null =>
  before === null && said == null ? null : Math.max(before ?? 0, said ?? 0);

/** Neither tokens nor a cost were reported. */
export const isUnmetered = ({ tokens_in, tokens_out, cost_usd }: Shown): boolean =>
  tokens_in === null && tokens_out === null && cost_usd === null;

/** Totals never fall, except that the coder's final cost replaces one computed from prices. */
export function addUp(
  before: Shown,
  said: ReportedUsage,
  { price, priced, final }: { price: PriceRow | undefined; priced: boolean; final: boolean },
): Totals & { priced: boolean } {
  const tokens_in = larger(before.tokens_in, said.tokens_in);
  const tokens_out = larger(before.tokens_out, said.tokens_out);
  const known = before.cost_usd;
  const cost = said.cost_usd ?? null;
  if (cost !== null) {
    const replaces = known === null || cost >= known || (final && priced);
    const shown = replaces ? toUsd(toMicros(cost)) : known;
    return { tokens_in, tokens_out, cost_usd: shown, priced: priced && !replaces };
  }
  const more = price
    ? Math.round(
        ((tokens_in ?? 0) - (before.tokens_in ?? 0)) * price.usd_per_mtok_in +
          ((tokens_out ?? 0) - (before.tokens_out ?? 0)) * price.usd_per_mtok_out,
      )
    : 0;
  if (!price) return { tokens_in, tokens_out, cost_usd: known, priced };
  return { tokens_in, tokens_out, cost_usd: toUsd(microsOf(known) + more), priced: priced || more > 0 };
}

export const growthOf = (before: Shown, after: Totals): Growth => ({
  first: isUnmetered(before) && !isUnmetered(after),
  tokens_in: (after.tokens_in ?? 0) - (before.tokens_in ?? 0),
  tokens_out: (after.tokens_out ?? 0) - (before.tokens_out ?? 0),
  micros: microsOf(after.cost_usd) - microsOf(before.cost_usd),
});

export const hasGrown = ({ first, tokens_in, tokens_out, micros }: Growth): boolean =>
  first || tokens_in !== 0 || tokens_out !== 0 || micros !== 0;

export const BUDGET_REACHED = 'Budget reached';

/** `silent`: the build ended without reporting usage. */
type Booking = Growth & { silent: boolean };

interface Booked {
  spender: Spender;
  money: MoneyOfBuild;
  day: string;
  holds: Hold[];
  limits: Limit[];
  tallies: Map<string, Tally>;
}

/** Writes spending to the build, the ledger and the tallies in one transaction that holds the build. */
export function createSpending({ clock, outbox, inbox, workSignal }: BuildDeps & { workSignal: WorkSignal }) {
  const notifyBudgets = createBudgetNotifications({ outbox, inbox });

  async function total(tx: Tx, build: BuildRow, said: ReportedUsage, final: boolean): Promise<Totals> {
    const price =
      said.cost_usd == null
        ? await priceStore(tx).find([build.settings?.model ?? '', build.coder], clock.now())
        : undefined;
    const ledger = ledgerStore(tx, build.brand_id);
    const { priced } = await ledger.keepMoney(build.build_id);
    const totals = addUp(build, said, { price, priced, final });
    if (totals.priced !== priced) await ledger.setPriced(build.build_id, totals.priced);
    const { tokens_in, tokens_out, cost_usd } = totals;
    return { tokens_in, tokens_out, cost_usd };
  }

  /** Spending consumes the reservation. Reservations of past periods are freed. */
  function drawHolds(holds: readonly Hold[], day: string, micros: number, release: boolean) {
    const changes: TallyChange[] = [];
    const kept: Hold[] = [];
    for (const hold of holds) {
      const { scope, subject, period } = hold;
      const over = period !== '' && period !== day && period !== monthOf(day);
      const used = release || over ? hold.micros : Math.min(hold.micros, Math.max(0, micros));
      changes.push({ scope, subject, period, reserved: -used });
      if (!release && !over) kept.push({ ...hold, micros: hold.micros - used });
    }
    return { changes, kept };
  }

  /** A build that was counted without usage and reports late must not count twice. */
  async function countBuild(
    tx: Tx,
    { brand_id, build_id }: BuildRow,
    { unmetered }: MoneyOfBuild,
    { first, silent }: Booking,
  ) {
    const reportsLate = first && unmetered;
    if (silent || reportsLate) await ledgerStore(tx, brand_id).setUnmetered(build_id, silent);
    return {
      builds: silent || (first && !unmetered) ? 1 : 0,
      unmetered: Number(silent) - Number(reportsLate),
    };
  }

  async function book(tx: Tx, build: BuildRow, growth: Booking, release: boolean): Promise<Booked> {
    const now = clock.now();
    const ledger = ledgerStore(tx, build.brand_id);
    const budgets = budgetStore(tx, build.brand_id);
    const money = await ledger.keepMoney(build.build_id);
    const { build_id, task_id, project_id } = build;
    const spender: Spender = { build_id, task_id, project_id, agent_id: money.agent_id };
    const rows = await budgets.list([spender.project_id], money.agent_id === null ? [] : [money.agent_id]);
    const day = dayIn(await budgets.findTimezone(), now);
    const { limits } = allowanceOf(rows, spender, day);
    const holds = await ledger.listHolds([build.build_id]);
    const { changes, kept } = drawHolds(holds, day, growth.micros, release);
    if (hasGrown(growth)) {
      const { coder, profile } = build;
      const { tokens_in, tokens_out, micros: cost_micros } = growth;
      await ledger.append({ ...spender, coder, profile, tokens_in, tokens_out, cost_micros }, day, now);
    }
    if (holds.length > 0) await ledger.replaceHolds([build.build_id], kept);
    const counts = await countBuild(tx, build, money, growth);
    // All builds of the workspace wait for these rows, so they are locked last.
    const tallies = await ledger.move(
      merge([...placesOf(build, spender, day, { ...growth, ...counts }), ...changes]),
    );
    if (growth.micros > 0) await notifyBudgets(tx, build, limits, tallies, now);
    return {
      spender,
      money,
      day,
      holds: kept,
      limits,
      tallies: new Map(tallies.map((tally) => [placeKey(tally), tally])),
    };
  }

  /** Extends the reservation while a budget has something left. Returns false when none has. */
  async function goOn(tx: Tx, build: BuildRow, totals: Totals, booked: Booked): Promise<boolean> {
    const { money, limits, tallies, holds } = booked;
    const { ceiling_micros: ceiling } = money;
    const cost = toMicros(totals.cost_usd ?? 0);
    if (ceiling !== null && cost >= ceiling) return false;
    const held = new Map(holds.map((hold) => [placeKey(hold), hold.micros]));
    const short = limits.filter((limit) => (held.get(placeKey(limit)) ?? 0) === 0);
    if (short.length === 0) return true;
    const wanted =
      ceiling !== null
        ? ceiling - cost
        : money.reserved_micros > 0
          ? Math.ceil(money.reserved_micros / 10)
          : reservationOf({ ceiling: null, limits });
    const given: Hold[] = [];
    for (const { scope, subject, period, micros } of short) {
      const place = { scope, subject, period };
      const tally = tallies.get(placeKey(place));
      const left = micros - (tally?.spent_micros ?? 0) - (tally?.reserved_micros ?? 0);
      if (left <= 0) return false;
      given.push({ build_id: build.build_id, ...place, micros: Math.min(wanted, left) });
    }
    const ledger = ledgerStore(tx, build.brand_id);
    await ledger.move(
      given.map(({ scope, subject, period, micros }) => ({ scope, subject, period, reserved: micros })),
    );
    const givenAt = new Set(given.map(placeKey));
    await ledger.replaceHolds(
      [build.build_id],
      [...holds.filter((hold) => !givenAt.has(placeKey(hold))), ...given],
    );
    await ledger.addToReservation(build.build_id, Math.min(...given.map(({ micros }) => micros)));
    return true;
  }

  return {
    total,

    /** Stops the build when its budget is used up. */
    async report(tx: Tx, build: BuildRow, said: ReportedUsage): Promise<Totals> {
      const now = clock.now();
      const ledger = ledgerStore(tx, build.brand_id);
      const totals = await total(tx, build, said, false);
      const growth = growthOf(build, totals);
      if (!hasGrown(growth)) {
        await ledger.hear(build.build_id, now);
        return totals;
      }
      await ledger.writeUsage(build.build_id, totals, now);
      const open = build.finished_at === null;
      const booked = await book(tx, build, { ...growth, silent: false }, !open);
      if (open && build.stop_requested_at === null && !(await goOn(tx, build, totals, booked))) {
        await ledger.requestStop(build.build_id, BUDGET_REACHED, now);
        workSignal.announce(tx, build.brand_id, build.workstation_id);
      }
      return totals;
    },

    /** Call it last, because all builds of the workspace wait for the tallies. */
    async close(tx: Tx, build: BuildRow, totals: Totals | undefined): Promise<void> {
      const growth = totals ? growthOf(build, totals) : NOTHING;
      const ledger = ledgerStore(tx, build.brand_id);
      const holds = await ledger.listHolds([build.build_id]);
      // Without a report the cost is unknown, which must not count as free.
      const silent =
        totals === undefined &&
        isUnmetered(build) &&
        build.started_at !== null &&
        !(await ledger.keepMoney(build.build_id)).unmetered;
      if (!hasGrown(growth) && holds.length === 0 && !silent) return;
      await book(tx, build, { ...growth, silent }, true);
      // Waiting builds may fit now.
      if (holds.length > 0) workSignal.announce(tx, build.brand_id);
    },
  };
}

export type Spending = ReturnType<typeof createSpending>;

const NOTHING: Growth = { first: false, tokens_in: 0, tokens_out: 0, micros: 0 };

function placesOf(
  { coder, profile }: Pick<BuildRow, 'coder' | 'profile'>,
  { project_id, task_id, agent_id }: Spender,
  day: string,
  {
    builds,
    unmetered,
    tokens_in,
    tokens_out,
    micros: spent,
  }: Pick<Growth, 'tokens_in' | 'tokens_out' | 'micros'> & { builds: number; unmetered: number },
): TallyChange[] {
  const month = monthOf(day);
  const grown = { builds, unmetered, tokens_in, tokens_out, spent };
  const at = (scope: string, subject: string, period: string): TallyChange => ({
    scope,
    subject,
    period,
    ...grown,
  });
  return [
    at('workspace', '', day),
    at('workspace', '', month),
    at('project', project_id, day),
    at('project', project_id, month),
    at('agent', agent_id ?? '', day),
    at('agent', agent_id ?? '', month),
    at('card', task_id, day),
    at('card', task_id, ''),
    at('coder', coder, day),
    at('profile', profile ?? '', day),
  ];
}

/** One statement cannot change a row twice, so changes to the same tally are summed. */
function merge(changes: readonly TallyChange[]): TallyChange[] {
  const merged = new Map<string, TallyChange>();
  for (const change of changes) {
    const key = placeKey(change);
    const before = merged.get(key);
    merged.set(
      key,
      before ? { ...before, ...change, reserved: (before.reserved ?? 0) + (change.reserved ?? 0) } : change,
    );
  }
  return [...merged.values()];
}

const STEPS = [80, 100] as const;

type Crossing = Pick<BuildRow, 'brand_id' | 'build_id' | 'task_id' | 'ref'>;

/** Notifies admins and webhooks once per period at 80 % and at 100 % of a budget. */
function createBudgetNotifications({ outbox, inbox }: Pick<BuildDeps, 'outbox' | 'inbox'>) {
  return async (
    tx: Tx,
    build: Crossing,
    limits: readonly Limit[],
    tallies: readonly Tally[],
    at: Date,
  ): Promise<void> => {
    const { brand_id: brandId, build_id: buildId, task_id: taskId } = build;
    const byPlace = new Map(tallies.map((tally) => [placeKey(tally), tally]));
    for (const limit of limits) {
      const tally = byPlace.get(placeKey(limit));
      if (!tally) continue;
      const { spent_micros: spent, told } = tally;
      const reached = STEPS.filter((step) => told < step && spent * 100 >= limit.micros * step);
      if (reached.length === 0) continue;
      await ledgerStore(tx, brandId).noteTold(limit, reached.at(-1)!);
      const users = await budgetStore(tx, brandId).listAdmins();
      for (const percent of reached) {
        const { scope, subject, period } = limit;
        await outbox.record(tx, [
          {
            brandId,
            type: 'budget.reached',
            at,
            data: {
              scope,
              subject: subject || null,
              period: period || null,
              percent,
              budget_usd: toUsd(limit.micros),
              spent_usd: toUsd(spent),
              build_id: buildId,
              task_id: taskId,
              ref: build.ref,
            },
          },
        ]);
        const excerpt = `${nameBudget(limit)} is ${percent === 100 ? 'spent' : `spent to ${percent} %`}: ${sayUsd(spent)} of ${sayUsd(limit.micros)}`;
        await inbox.notify(tx, [
          { brandId, kind: 'budget_reached', taskId, buildId, at, actor: null, excerpt, to: { users } },
        ]);
      }
    }
  };
}
