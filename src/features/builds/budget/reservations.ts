import { dayIn, monthOf } from '../../../kernel/clock.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { BuildRow } from '../record/builds.store.js';
import { budgetStore, type Hold, ledgerStore, type Tally } from './budget.store.js';
import {
  type Allowance,
  allowanceOf,
  type Limit,
  nameBudget,
  placeKey,
  reservationOf,
  sayUsd,
} from './budgets.js';

type Wanting = Pick<BuildRow, 'build_id' | 'project_id'>;

export interface Refusal {
  limit: Limit;
  reason: string;
}

interface Left {
  spent: number;
  reserved: number;
}

/** Reserves money before a build is handed out, so that parallel builds cannot exceed a budget. */
export function createReservations({ clock }: BuildDeps) {
  /** Undefined when no budget applies, which is the usual case. */
  async function readAllowances(db: Db | Tx, brandId: number, builds: readonly Wanting[]) {
    const spenders = await ledgerStore(db, brandId).listSpenders(builds.map(({ build_id }) => build_id));
    const agents = spenders.flatMap(({ agent_id }) => agent_id ?? []);
    const projects = spenders.map(({ project_id }) => project_id);
    const store = budgetStore(db, brandId);
    const rows = await store.list(projects, agents);
    if (rows.length === 0) return undefined;
    const day = dayIn(await store.findTimezone(), clock.now());
    const byBuild = new Map(
      spenders.map((spender) => [spender.build_id, { spender, allowance: allowanceOf(rows, spender, day) }]),
    );
    return { day, byBuild };
  }

  const limitsOf = (allowances: Iterable<{ allowance: Allowance }>): Limit[] => [
    ...new Map(
      [...allowances].flatMap(({ allowance }) => allowance.limits.map((limit) => [placeKey(limit), limit])),
    ).values(),
  ];

  const readLeft = (tallies: readonly Tally[]): Map<string, Left> =>
    new Map(
      tallies.map((tally) => [
        placeKey(tally),
        { spent: tally.spent_micros, reserved: tally.reserved_micros },
      ]),
    );

  return {
    /**
     * Reserves for one build after another and returns the refusals. Frees reservations of earlier claims.
     */
    async reserve(tx: Tx, brandId: number, builds: readonly Wanting[]): Promise<Map<string, Refusal>> {
      const refusals = new Map<string, Refusal>();
      const allowances = await readAllowances(tx, brandId, builds);
      if (!allowances) return refusals;
      const ledger = ledgerStore(tx, brandId);
      const ids = builds.map(({ build_id }) => build_id);
      const former = await ledger.listHolds(ids);
      // Every transaction locks the workspace's tally first, which prevents deadlocks.
      const first = { scope: 'workspace', subject: '', period: monthOf(allowances.day) };
      const changes = new Map(
        [first, ...limitsOf(allowances.byBuild.values())].map(({ scope, subject, period }) => [
          placeKey({ scope, subject, period }),
          { scope, subject, period, reserved: 0 },
        ]),
      );
      for (const { scope, subject, period, micros } of former) {
        const key = placeKey({ scope, subject, period });
        const change = changes.get(key) ?? { scope, subject, period, reserved: 0 };
        changes.set(key, { ...change, reserved: change.reserved - micros });
      }
      const left = readLeft(await ledger.move([...changes.values()]));
      const given: Hold[] = [];
      for (const { build_id } of builds) {
        const { spender, allowance } = allowances.byBuild.get(build_id)!;
        const amount = reservationOf(allowance);
        const refusal = findRefusal(allowance.limits, left, amount);
        if (refusal) {
          refusals.set(build_id, refusal);
          continue;
        }
        for (const { scope, subject, period } of allowance.limits) {
          left.get(placeKey({ scope, subject, period }))!.reserved += amount;
          given.push({ build_id, scope, subject, period, micros: amount });
        }
        await ledger.setReservation(spender, allowance.ceiling, amount);
      }
      await ledger.move(sumUp(given));
      await ledger.replaceHolds(ids, given);
      return refusals;
    },

    async explain(db: Db, brandId: number, builds: readonly Wanting[]): Promise<Map<string, string>> {
      const reasons = new Map<string, string>();
      const allowances = await readAllowances(db, brandId, builds);
      if (!allowances) return reasons;
      const left = readLeft(
        await ledgerStore(db, brandId).listTallies(limitsOf(allowances.byBuild.values())),
      );
      for (const [buildId, { allowance }] of allowances.byBuild) {
        const refusal = findRefusal(allowance.limits, left, reservationOf(allowance));
        if (refusal) reasons.set(buildId, refusal.reason);
      }
      return reasons;
    },

    async release(tx: Tx, brandId: number, buildId: string): Promise<boolean> {
      const ledger = ledgerStore(tx, brandId);
      const holds = await ledger.listHolds([buildId]);
      if (holds.length === 0) return false;
      await ledger.move(sumUp(holds.map((hold) => ({ ...hold, micros: -hold.micros }))));
      await ledger.replaceHolds([buildId], []);
      return true;
    },
  };
}

export type Reservations = ReturnType<typeof createReservations>;

function findRefusal(
  limits: readonly Limit[],
  left: ReadonlyMap<string, Left>,
  amount: number,
): Refusal | undefined {
  for (const limit of limits) {
    const { spent, reserved } = left.get(placeKey(limit)) ?? { spent: 0, reserved: 0 };
    const rest = limit.micros - spent - reserved;
    if (rest >= amount) continue;
    const has = `has ${sayUsd(Math.max(0, rest))} left of ${sayUsd(limit.micros)}`;
    return { limit, reason: `${nameBudget(limit)} ${has}, and this build needs ${sayUsd(amount)}` };
  }
  return undefined;
}

function sumUp(holds: readonly Hold[]) {
  const changes = new Map<string, Omit<Hold, 'build_id' | 'micros'> & { reserved: number }>();
  for (const { scope, subject, period, micros } of holds) {
    const key = placeKey({ scope, subject, period });
    const reserved = (changes.get(key)?.reserved ?? 0) + micros;
    changes.set(key, { scope, subject, period, reserved });
  }
  return [...changes.values()];
}
