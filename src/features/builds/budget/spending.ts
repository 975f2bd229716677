import { dayIn, monthOf } from '../../../kernel/time-zones.js';
import type { Tx } from '../../../platform/database/database.js';
import type { WorkBell } from '../record/build-news.js';
import type { BuildOptions } from '../record/builds.options.js';
import type { BuildRow } from '../record/builds.store.js';
import { createBudgetNews } from './budget-news.js';
import { allowanceOf, type Limit, placeKey, reservationOf, type Spender } from './budgets.js';
import { budgetStore } from './budgets.store.js';
import { type Hold, ledgerStore, type MoneyOfBuild, type Tally, type TallyChange } from './ledger.store.js';
import { toMicros } from './micros.js';
import { priceStore } from './prices.store.js';
import { addUp, type Growth, growthOf, hasGrown, type SaidUsage, type Totals } from './totals.js';

export const BUDGET_REACHED = 'Budget reached';

interface SpendingDeps extends Pick<BuildOptions, 'clock' | 'outbox' | 'inbox'> {
  bell: Pick<WorkBell, 'announce'>;
}

/** How a build grows; `silent`: it has ended without any usage. */
type Booking = Growth & { silent: boolean };

interface Booked {
  spender: Spender;
  money: MoneyOfBuild;
  day: string;
  holds: Hold[];
  limits: Limit[];
  tallies: Map<string, Tally>;
}

/** How what builds spend is written down: on the build, in the ledger and in the tallies, in one transaction that holds the build. */
export function createSpending({ clock, outbox, inbox, bell }: SpendingDeps) {
  const tellOfBudgets = createBudgetNews({ outbox, inbox });

  /** What a build shows after what was said of it. */
  async function total(tx: Tx, build: BuildRow, said: SaidUsage, final: boolean): Promise<Totals> {
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

  /** What it spent leaves what was set aside for it; what was set aside in a period that is over is free. */
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

  /** By how much the counts change; a build counted without usage that reports some late stays one build. */
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
    // Everybody in the workspace waits for these rows, so they are taken last.
    const tallies = await ledger.move(
      merge([...placesOf(build, spender, day, { ...growth, ...counts }), ...changes]),
    );
    if (growth.micros > 0) await tellOfBudgets(tx, build, limits, tallies, now);
    return {
      spender,
      money,
      day,
      holds: kept,
      limits,
      tallies: new Map(tallies.map((tally) => [placeKey(tally), tally])),
    };
  }

  /** What it was given is used up somewhere: a little more, where there is some. False when there is none. */
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

    /** A report while it runs: the build is told to stop where there is no more money for it. */
    async report(tx: Tx, build: BuildRow, said: SaidUsage): Promise<Totals> {
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
        bell.announce(tx, build.brand_id, build.workstation_id);
      }
      return totals;
    },

    /** At the end: what it spent last, and nothing is set aside for it any more. Comes last, as tallies are held by all. */
    async close(tx: Tx, build: BuildRow, totals: Totals | undefined): Promise<void> {
      const growth = totals ? growthOf(build, totals) : NOTHING;
      const ledger = ledgerStore(tx, build.brand_id);
      const holds = await ledger.listHolds([build.build_id]);
      // Its coder reported nothing: what the build cost is unknown, and it must not pass for free.
      const silent =
        totals === undefined &&
        build.tokens_in === null &&
        build.started_at !== null &&
        !(await ledger.keepMoney(build.build_id)).unmetered;
      if (!hasGrown(growth) && holds.length === 0 && !silent) return;
      await book(tx, build, { ...growth, silent }, true);
      // Somebody may have waited for what is free now.
      if (holds.length > 0) bell.announce(tx, build.brand_id);
    },
  };
}

export type Spending = ReturnType<typeof createSpending>;

const NOTHING: Growth = { first: false, tokens_in: 0, tokens_out: 0, micros: 0 };

/** Wherever what a build spends is counted. */
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

/** A row can be changed once in a statement. */
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
