import { Counter, Gauge, type Registry } from 'prom-client';
import type { ReadOutcome, Replicas } from '../database/replicas/replicas.js';

/** Reads that may be a moment old by who answered them, and how old the replicas are. Answers with what counts one more. */
export function showReplicas(
  registry: Registry,
  replicas: Pick<Replicas, 'observe' | 'states'> | undefined,
): (outcome: ReadOutcome | 'recent') => void {
  const reads = new Counter({
    name: 'guildhall_replica_reads_total',
    help: 'Reads that may be a moment old: answered by a replica, or why the primary was asked (recent: the caller wrote lately)',
    labelNames: ['outcome'],
    registers: [registry],
  });
  new Gauge({
    name: 'guildhall_replica_staleness_seconds',
    help: 'How old what a replica holds can be at most; +Inf when nothing is known of it',
    labelNames: ['replica'],
    registers: [registry],
    collect() {
      for (const [at, { staleMs }] of (replicas?.states() ?? []).entries())
        this.set({ replica: String(at + 1) }, staleMs / 1000);
    },
  });
  const count = (outcome: ReadOutcome | 'recent') => reads.inc({ outcome });
  replicas?.observe(count);
  return count;
}
