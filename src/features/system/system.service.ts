import type { Pool } from 'pg';
import { within } from '../../kernel/async.js';
import { type Clock, DAY, secondsFrom } from '../../kernel/clock.js';
import type { Cache } from '../../platform/cache/cache.js';
import { ping } from '../../platform/database/connection/connection.js';
import type { Metrics } from '../../platform/metrics/metrics.js';

interface SecurityTextOptions {
  clock: Clock;
  baseUrl: string;
  /** URIs in order of preference. */
  contacts: readonly string[];
}

const VALID_DAYS = 180;

/** The security.txt of RFC 9116; unchanged for a day. */
export function securityText({ clock, baseUrl, contacts }: SecurityTextOptions): string {
  const today = clock.now().toISOString().slice(0, 10);
  const expires = secondsFrom(new Date(`${today}T00:00:00.000Z`), VALID_DAYS * DAY);
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    `Policy: ${baseUrl}/security-policy`,
    '',
  ].join('\n');
}

export const securityPolicy = (contacts: readonly string[]): string =>
  `How to report a security fault of this Guildhall

Write to: ${contacts.join(', ')}

Say what you did, what happened and what should have happened: the request as you sent it, the X-Request-Id of the
answer, and the version from /api/v1/system/info. Send no data of other people and no working secrets.

You may test with accounts and workspaces of your own. Please do not read, change or delete what belongs to others, do
not flood the service, and give us time to mend the fault before you tell about it.

You get an answer from a person within three working days and news at least every two weeks until it is mended. Whoever
keeps to this page has nothing to fear from us, and is named with thanks if they like.
`;

const PATIENCE_MS = 1500;

export interface SystemOptions {
  pool: Pool;
  cache: Cache;
  /** The node is about to stop, so the load balancer should send nothing new. */
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
  // Concurrent health checks share one ping, so that they cannot use up the connections.
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
