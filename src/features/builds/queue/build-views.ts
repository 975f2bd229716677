import type { Reservations } from '../budget/reservations.js';
import type { BuildView } from '../builds.schemas.js';
import { SHOWN_TAIL } from '../checks/checks.schemas.js';
import { checkStore, type ShownCheck } from '../checks/checks.store.js';
import { OPEN_POLICY } from '../policy/policy.service.js';
import { policyStore } from '../policy/policy.store.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { BuildRow } from '../record/builds.store.js';
import { viewBuild } from '../record/builds.views.js';
import { reviewerStore } from '../record/reviewer.store.js';
import type { ShownReview } from '../review.schemas.js';
import { queueStore } from './queue.store.js';
import { explainWaiting } from './waiting.js';

/** Only a single build includes log tails and review comments. Desks are read only when a build waits. */
export function createBuildViews({ db, desks, reservations }: BuildDeps & { reservations: Reservations }) {
  async function listChecks(rows: readonly BuildRow[], tails: boolean): Promise<ShownCheck[]> {
    const checked = rows.filter(({ checking_at }) => checking_at !== null);
    if (checked.length === 0) return [];
    const store = checkStore(db, checked[0]!.brand_id);
    return tails
      ? store.listWithTails(checked[0]!.build_id, SHOWN_TAIL)
      : store.listOf(checked.map(({ build_id }) => build_id));
  }

  const findFailedSetup = async ({ brand_id, build_id, checking_at }: BuildRow) =>
    checking_at === null ? undefined : checkStore(db, brand_id).findFailedSetup(build_id);

  async function listReviews(rows: readonly BuildRow[], whole: boolean): Promise<Map<string, ShownReview[]>> {
    const asked = rows.filter(({ review_wanted_at }) => review_wanted_at !== null);
    const shown = new Map<string, ShownReview[]>();
    if (asked.length === 0) return shown;
    const ids = asked.map(({ build_id }) => build_id);
    for (const { reviewed_build_id, build_id, verdict } of await reviewerStore(db, asked[0]!.brand_id).listOf(
      ids,
    )) {
      const review = {
        build_id,
        verdict: verdict?.verdict ?? null,
        ...(whole && { comments: verdict?.comments ?? [] }),
      };
      shown.set(reviewed_build_id, [...(shown.get(reviewed_build_id) ?? []), review]);
    }
    return shown;
  }

  async function showAll(rows: readonly BuildRow[], now: Date, tails = false): Promise<BuildView[]> {
    const byBuild = new Map<string, BuildView['checks']>();
    for (const { build_id, ...check } of await listChecks(rows, tails))
      byBuild.set(build_id, [...(byBuild.get(build_id) ?? []), check]);
    const reviews = await listReviews(rows, tails);
    const failed_setup = tails ? await findFailedSetup(rows[0]!) : undefined;
    const partsOf = ({ build_id }: BuildRow) => ({
      checks: byBuild.get(build_id) ?? [],
      reviews: reviews.get(build_id) ?? [],
      ...(failed_setup && { failed_setup }),
    });
    const waiting = rows.find(({ status }) => status === 'queued');
    if (!waiting) return rows.map((row) => viewBuild(row, now, undefined, partsOf(row)));
    const builders = await desks.listBuilders(waiting.brand_id);
    const askings = await queueStore(db, waiting.brand_id).listAskings();
    const { enabled } = (await policyStore(db, waiting.brand_id).find()) ?? OPEN_POLICY;
    const queued = rows.filter(({ status }) => status === 'queued');
    const unpaid = await reservations.explain(db, waiting.brand_id, queued);
    const byDesk = new Map(askings.map((asking) => [asking.desk_id, asking]));
    return rows.map((row) =>
      viewBuild(
        row,
        now,
        row.status === 'queued'
          ? explainWaiting(row, builders, byDesk, { enabled, unpaid: unpaid.get(row.build_id) }, now)
          : undefined,
        partsOf(row),
      ),
    );
  }

  return {
    showAll,
    show: async (row: BuildRow, now: Date): Promise<BuildView> => (await showAll([row], now, true))[0]!,
  };
}

export type BuildViews = ReturnType<typeof createBuildViews>;
