import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../../kernel/clock.js';
import type { ReadOutcome, Replicas } from '../database/replicas/replicas.js';

export interface Metrics {
  observeRequest(request: { method: string; route: string; status: number; seconds: number }): void;
  observeJob(pass: {
    name: string;
    processed: number;
    failed: number;
    threw: boolean;
    seconds: number;
  }): void;
  countRefused(reason: string): void;
  registry: Registry;
  contentType: string;
  render(): Promise<string>;
}

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const RUN_SECONDS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300];

/** A separate registry, so that several apps in one process do not share metrics. */
export function createMetrics(options: { defaults?: boolean } = {}): Metrics {
  const registry = new Registry();
  if (options.defaults ?? true) collectDefaultMetrics({ register: registry, prefix: 'guildhall_' });
  const requests = new Histogram({
    name: 'guildhall_http_request_duration_seconds',
    help: 'Time from request to answer, by declared route',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  const runs = new Histogram({
    name: 'guildhall_job_pass_duration_seconds',
    help: 'Time of one run of a background job',
    labelNames: ['job', 'outcome'],
    buckets: RUN_SECONDS,
    registers: [registry],
  });
  const items = new Counter({
    name: 'guildhall_job_items_total',
    help: 'Items that background jobs processed',
    labelNames: ['job', 'outcome'],
    registers: [registry],
  });
  const refused = new Counter({
    name: 'guildhall_http_requests_refused_total',
    help: 'Requests that were refused early, by reason: overload, share (of the workspace while it is busy), limit, streams',
    labelNames: ['reason'],
    registers: [registry],
  });
  return {
    countRefused: (reason) => refused.inc({ reason }),
    observeRequest: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status: String(status) }, seconds),
    observeJob({ name, processed, failed, threw, seconds }) {
      runs.observe({ job: name, outcome: threw ? 'error' : 'ok' }, seconds);
      items.inc({ job: name, outcome: 'processed' }, processed);
      items.inc({ job: name, outcome: 'failed' }, failed);
    },
    registry,
    contentType: registry.contentType,
    render: () => registry.metrics(),
  };
}

interface PoolFigures {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
}

/** Database connections by pool, and how long requests wait for one. */
export function showPools(
  registry: Registry,
  pools: Record<string, PoolFigures>,
  observeWaits: (listener: (seconds: number) => void) => void,
): void {
  new Gauge({
    name: 'guildhall_database_connections',
    help: 'Connections to the database, by pool and state; waiting: requests that wait for one',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
        this.set({ pool, state: 'busy' }, totalCount - idleCount);
        this.set({ pool, state: 'idle' }, idleCount);
        this.set({ pool, state: 'waiting' }, waitingCount);
      }
    },
  });
  const waits = new Histogram({
    name: 'guildhall_database_wait_seconds',
    help: 'How long requests waited for a connection when none was free',
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  observeWaits((seconds) => waits.observe(seconds));
}

interface Backlog {
  name: string;
  waiting: number;
  oldest_seconds: number;
}

/** Queued work. Names that are no longer reported show 0. */
export function showBacklog(
  registry: Registry,
  { metric, help, label }: { metric: string; help: string; label: string },
  read: () => Promise<Backlog[]>,
): void {
  let reading: Promise<Backlog[]> | undefined;
  /** Both metrics share one query. */
  const readOnce = () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const show = (name: string, what: string, figureOf: (backlog: Backlog) => number) =>
    new Gauge({
      name: `guildhall_${metric}_${name}`,
      help: `${help}: ${what}`,
      labelNames: [label],
      registers: [registry],
      async collect() {
        const backlogs = await readOnce();
        this.reset();
        for (const backlog of backlogs) this.set({ [label]: backlog.name }, figureOf(backlog));
      },
    });
  show('waiting', 'how many wait', ({ waiting }) => waiting);
  show('age_seconds', 'how long the oldest waits', ({ oldest_seconds }) => oldest_seconds);
}

export function showTraces(registry: Registry, counts: { sent: number; dropped: number }): void {
  new Gauge({
    name: 'guildhall_trace_spans',
    help: 'Spans that were sent to the collector since the start, and dropped spans',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.set({ outcome: 'sent' }, counts.sent);
      this.set({ outcome: 'dropped' }, counts.dropped);
    },
  });
}

/** Registers where lagging reads ran and the age of the replicas. Returns a counter for other outcomes. */
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

/** When an external component last worked and last failed. */
export interface Outcomes {
  /** Undefined if it has not happened since the start of the node. */
  readonly succeededAt: Date | undefined;
  readonly failedAt: Date | undefined;
}

const NEVER_ASKED: Outcomes = { succeededAt: undefined, failedAt: undefined };

const watched = new WeakMap<object, Outcomes>();

/** A proxy that records when these calls last succeeded and failed. */
export function watchOutcomes<Part extends object>(
  part: Part,
  calls: readonly (keyof Part)[],
  clock: Clock,
): Part {
  const outcomes: { -readonly [At in keyof Outcomes]: Outcomes[At] } = { ...NEVER_ASKED };
  const watch =
    (call: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]) => {
      try {
        const answer = await call.apply(part, args);
        outcomes.succeededAt = clock.now();
        return answer;
      } catch (error) {
        // An aborted call does not show that the component failed.
        if ((error as Error | undefined)?.name !== 'AbortError') outcomes.failedAt = clock.now();
        throw error;
      }
    };
  const replaced = new Map<PropertyKey, unknown>(
    calls.map((name) => [name, watch(part[name] as Parameters<typeof watch>[0])]),
  );
  const proxy = new Proxy(part, {
    get: (target, name) => (replaced.has(name) ? replaced.get(name) : Reflect.get(target, name, target)),
    set: (target, name, value) =>
      replaced.has(name) ? Boolean(replaced.set(name, value)) : Reflect.set(target, name, value, target),
  });
  watched.set(proxy, outcomes);
  return proxy;
}

/** Returns the outcomes of a component that `watchOutcomes` wrapped. */
export const outcomesOf = (part: object | undefined): Outcomes => (part && watched.get(part)) || NEVER_ASKED;
