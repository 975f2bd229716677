import type { BuildOptions } from '../builds.options.js';
import type { BuildView } from '../builds.schemas.js';
import type { BuildRow } from '../builds.store.js';
import { viewBuild } from '../builds.views.js';
import { OPEN_POLICY } from './policy.service.js';
import { policyStore } from './policy.store.js';
import { queueStore } from './queue.store.js';
import { explainWaiting } from './waiting.js';

/** Builds as they are shown; the desks are looked at once, and only when something waits for one. */
export function createBuildViews({ db, desks }: Pick<BuildOptions, 'db' | 'desks'>) {
  async function showAll(rows: readonly BuildRow[], now: Date): Promise<BuildView[]> {
    const waiting = rows.find(({ status }) => status === 'queued');
    if (!waiting) return rows.map((row) => viewBuild(row, now, undefined));
    const builders = await desks.listBuilders(waiting.brand_id);
    const askings = await queueStore(db, waiting.brand_id).listAskings();
    const { enabled } = (await policyStore(db, waiting.brand_id).find()) ?? OPEN_POLICY;
    const byDesk = new Map(askings.map((asking) => [asking.desk_id, asking]));
    return rows.map((row) =>
      viewBuild(
        row,
        now,
        row.status === 'queued' ? explainWaiting(row, builders, byDesk, enabled, now) : undefined,
      ),
    );
  }

  return {
    showAll,
    show: async (row: BuildRow, now: Date): Promise<BuildView> => (await showAll([row], now))[0]!,
  };
}

export type BuildViews = ReturnType<typeof createBuildViews>;
