import { Counter, Gauge } from 'prom-client';
import { OPEN_STATUSES } from './builds.schemas.js';
import { dueBuildStore } from './lifecycle/lifecycle.store.js';
import type { BuildDeps } from './record/build-deps.js';

export function createBuildMetrics({ db, clock, registry }: BuildDeps) {
  const readOpen = () => dueBuildStore(db).countOpen(clock.now());
  const age = new Gauge({
    name: 'guildhall_build_queue_age_seconds',
    help: 'How long the oldest build waits that no desk has claimed',
    registers: [registry],
  });
  new Gauge({
    name: 'guildhall_builds_open',
    help: 'Builds that are not finished, by status',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      const counts = await readOpen();
      for (const status of OPEN_STATUSES)
        this.set({ status }, counts.find((count) => count.status === status)?.builds ?? 0);
      age.set(counts.find(({ status }) => status === 'queued')?.oldest ?? 0);
    },
  });
  const finished = new Counter({
    name: 'guildhall_builds_finished_total',
    help: 'Builds that ended, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return { readOpen, countFinished: (outcome: string): void => finished.inc({ outcome }) };
}
