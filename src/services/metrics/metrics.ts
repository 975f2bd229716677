import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export interface Metrics {
  observeRequest(request: { method: string; route: string; status: number; seconds: number }): void;
  observeJob(pass: {
    name: string;
    processed: number;
    failed: number;
    threw: boolean;
    seconds: number;
  }): void;
  /** For figures a feature keeps itself. */
  registry: Registry;
  contentType: string;
  render(): Promise<string>;
}

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const PASS_SECONDS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300];

/** A registry of its own, so that several apps in one process (tests) do not share figures. */
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
  const passes = new Histogram({
    name: 'guildhall_job_pass_duration_seconds',
    help: 'Time of one background pass',
    labelNames: ['job', 'outcome'],
    buckets: PASS_SECONDS,
    registers: [registry],
  });
  const items = new Counter({
    name: 'guildhall_job_items_total',
    help: 'What background passes worked on',
    labelNames: ['job', 'outcome'],
    registers: [registry],
  });
  return {
    observeRequest: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status: String(status) }, seconds),
    observeJob({ name, processed, failed, threw, seconds }) {
      passes.observe({ job: name, outcome: threw ? 'error' : 'ok' }, seconds);
      items.inc({ job: name, outcome: 'processed' }, processed);
      items.inc({ job: name, outcome: 'failed' }, failed);
    },
    registry,
    contentType: registry.contentType,
    render: () => registry.metrics(),
  };
}
