import type { Pool } from 'pg';
import type { Clock } from '../../kernel/clock.js';
import { within } from '../../kernel/deadline.js';
import type { Cache } from '../../platform/cache/cache.js';
import { ping } from '../../platform/database/connection/connection.js';
import type { Metrics } from '../../platform/metrics/metrics.js';
import { securityPolicy, securityText } from './security-text.js';

const PATIENCE_MS = 1500;

export interface SystemOptions {
  pool: Pool;
  cache: Cache;
  /** The node is about to stop: nothing new is to be sent to it. */
  isDraining(): boolean;
  metrics: Metrics;
  clock: Clock;
  version: string;
  environment: string;
  baseUrl: string;
  securityContacts: readonly string[];
  openApiText: () => string;
}

export type SystemService = ReturnType<typeof createSystemService>;

export function createSystemService({
  pool,
  cache,
  isDraining,
  metrics,
  clock,
  version,
  environment,
  baseUrl,
  securityContacts: contacts,
  openApiText,
}: SystemOptions) {
  // Health checks that overlap share one ping, so that no number of them keeps the connections busy.
  let pinging: Promise<[boolean, boolean]> | undefined;
  const pingParts = () => {
    pinging ??= Promise.all([ping(pool, PATIENCE_MS), answersInTime(cache.ping())]).finally(() => {
      pinging = undefined;
    });
    return pinging;
  };

  return {
    info: { name: 'guildhall', version, environment, docs_url: '/docs' },
    openApiText,
    securityText: () => securityText({ clock, baseUrl, contacts }),
    securityPolicy: () => securityPolicy(contacts),
    metricsContentType: metrics.contentType,
    renderMetrics: () => metrics.render(),

    async readHealth() {
      const [database, redis] = await pingParts();
      return {
        status: isDraining()
          ? ('draining' as const)
          : database && redis
            ? ('healthy' as const)
            : ('degraded' as const),
        timestamp: clock.now(),
        services: { database: stateOf(database), redis: stateOf(redis) },
      };
    },
  };
}

const stateOf = (connected: boolean) => (connected ? ('connected' as const) : ('unreachable' as const));

const answersInTime = (question: Promise<void>): Promise<boolean> =>
  within(PATIENCE_MS, question).then(
    () => true,
    () => false,
  );
