import { Counter, Gauge, type Registry } from 'prom-client';
import type { CheckOutcome } from './desk-checker.js';

export interface PollMetrics {
  countCheck(outcome: CheckOutcome): void;
  showWaiting(checks: number): void;
}

export function createPollMetrics(registry: Registry): PollMetrics {
  const checks = new Counter({
    name: 'guildhall_desk_checks_total',
    help: 'Health checks of desks, by what they found',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const waiting = new Gauge({
    name: 'guildhall_desk_checks_waiting',
    help: 'Health checks that are due and not begun',
    registers: [registry],
  });
  return {
    countCheck: (outcome) => checks.inc({ outcome }),
    showWaiting: (count) => waiting.set(count),
  };
}

export function showDesks(
  registry: Registry,
  count: () => Promise<{ status: string; desks: number }[]>,
): void {
  new Gauge({
    name: 'guildhall_desks',
    help: 'Desks by status',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      for (const { status, desks } of await count()) this.set({ status }, desks);
    },
  });
}
