import type { Pool } from 'pg';
import { within } from '../../kernel/async.js';
import type { Clock } from '../../kernel/clock.js';
import type { Cache } from '../../platform/cache/cache.js';
import { ping } from '../../platform/database/connection/connection.js';
import type { PoolWaits } from '../../platform/database/connection/pools.js';
import type { Db } from '../../platform/database/database.js';
import type { ReplicaStatus } from '../../platform/database/replicas/replicas.js';
import type { Embedder } from '../../platform/encoder/embedder.js';
import type { Notifications } from '../../platform/events/notifications.js';
import { readQueue } from '../../platform/jobs/job-runs.store.js';
import { readGreeting } from '../../platform/mail/mail-out.js';
import { type Outcomes, outcomesOf } from '../../platform/metrics/metrics.js';

export interface PartState {
  /** `off`: not configured, or not run by this node. */
  status: 'ok' | 'late' | 'failed' | 'off';
  /** Seconds since the last sign of life, or age of the oldest waiting item. */
  age_seconds: number | null;
  detail: string | null;
}

export type Part = PartState & { name: string };

export interface PartsOptions {
  db: Db;
  clock: Clock;
  /** Connections reserved for when all others are in use. */
  urgentPool: Pool;
  waits: Pick<PoolWaits, 'oldestMs'>;
  readReplicas(): readonly { status: ReplicaStatus; staleMs: number }[];
  cache: Pick<Cache, 'ping'>;
  notifications: Pick<Notifications, 'healthy' | 'silentMs'>;
  /** The external services that are monitored. */
  outside: Record<OutsidePart, object | undefined>;
  embedder: Pick<Embedder, 'waiting'>;
  readOpenBuilds(): Promise<{ status: string; builds: number; oldest: number }[]>;
  readWebhookBacklog(): Promise<{ waiting: number; oldest_seconds: number }>;
  readHosts(): Promise<{ hosts: number; failing: number; oldest_seconds: number }>;
  /** Where this node receives mail; undefined when it does not. */
  mailAddress(): { host: string; port: number } | undefined;
  /** When this node last checked for due desks; undefined when it does not. */
  polledAt(): Date | undefined;
  isDraining(): boolean;
  configured: Record<'redis' | OutsidePart, string | undefined>;
}

type OutsidePart = 'mesh' | 'mail' | 'images' | 'embedder' | 'model';

const PATIENCE_MS = 1500;
const LATE_SECONDS = 60;
const LATE_POLL_SECONDS = 15;
const LATE_WAIT_MS = 1000;

const OFF: PartState = { status: 'off', age_seconds: null, detail: null };
const seconds = (milliseconds: number) => Math.max(0, Math.floor(milliseconds / 1000));

export function createPartsService(options: PartsOptions) {
  const { db, clock, urgentPool, waits, cache, notifications, configured, outside } = options;
  const startedAt = clock.now();
  const since = (moment: Date) => seconds(clock.now().getTime() - moment.getTime());

  const outsideState = (name: OutsidePart, more = ''): PartState => {
    const what = configured[name];
    if (what === undefined) return OFF;
    const { succeededAt, failedAt } = outcomesOf(outside[name]);
    const heardAt = latest(succeededAt, failedAt);
    return {
      status: heardAt !== undefined && heardAt === failedAt ? 'failed' : 'ok',
      age_seconds: since(heardAt ?? startedAt),
      detail: `${what}${more}; ${describeOutcomes({ succeededAt, failedAt }, since)}`,
    };
  };

  const readers: Record<string, () => Promise<PartState> | PartState> = {
    async database() {
      const answers = await ping(urgentPool, PATIENCE_MS);
      const waitMs = waits.oldestMs();
      return {
        status: !answers ? 'failed' : waitMs > LATE_WAIT_MS ? 'late' : 'ok',
        age_seconds: seconds(waitMs),
        detail: answers ? 'age_seconds: how long the oldest request waits for a connection' : null,
      };
    },

    replicas() {
      const replicas = options.readReplicas();
      if (replicas.length === 0) return OFF;
      const statuses = replicas.map(({ status }) => status);
      const stalest = Math.max(...replicas.map(({ staleMs }) => staleMs));
      const fresh = statuses.filter((status) => status === 'fresh').length;
      return {
        status: statuses.includes('away') ? 'failed' : statuses.includes('behind') ? 'late' : 'ok',
        age_seconds: Number.isFinite(stalest) ? seconds(stalest) : null,
        detail: `${fresh} of ${replicas.length} answer reads; age_seconds: how old the oldest of them can be`,
      };
    },

    async redis() {
      if (!configured.redis) return OFF;
      await cache.ping();
      return { status: 'ok', age_seconds: 0, detail: 'It answered now' };
    },

    listener: () => ({
      status: notifications.healthy ? 'ok' : 'failed',
      age_seconds: Number.isFinite(notifications.silentMs) ? seconds(notifications.silentMs) : null,
      detail: notifications.healthy ? null : 'Caches are not used until then',
    }),

    async jobs() {
      const queue = await readQueue(db, clock.now());
      const oldest = Math.max(0, ...queue.map(({ oldest_seconds }) => oldest_seconds));
      return waitingState(
        queue.reduce((sum, { waiting }) => sum + waiting, 0),
        oldest,
      );
    },

    poller() {
      const at = options.polledAt();
      if (!at) return OFF;
      const age = seconds(clock.now().getTime() - at.getTime());
      return { status: age > LATE_POLL_SECONDS ? 'late' : 'ok', age_seconds: age, detail: null };
    },

    async webhooks() {
      const { waiting, oldest_seconds } = await options.readWebhookBacklog();
      return waitingState(waiting, oldest_seconds);
    },

    /** Never late: builds wait for desks, and that says nothing about the service. */
    async builds() {
      const open = await options.readOpenBuilds();
      const queued = open.find(({ status }) => status === 'queued');
      const begun = open.reduce((sum, { status, builds }) => (status === 'queued' ? sum : sum + builds), 0);
      return {
        status: 'ok',
        age_seconds: Math.floor(queued?.oldest ?? 0),
        detail: `${queued?.builds ?? 0} wait for a desk, ${begun} are with one`,
      };
    },

    /** A host that does not answer is its team's problem; a host that was not polled is ours. */
    async forges() {
      const { hosts, failing, oldest_seconds } = await options.readHosts();
      if (hosts === 0) return OFF;
      return {
        status: oldest_seconds > LATE_SECONDS ? 'late' : 'ok',
        age_seconds: oldest_seconds,
        detail: `${hosts} ${hosts === 1 ? 'project has a host' : 'projects have a host'}, ${failing} of them not answering`,
      };
    },

    mesh: () => outsideState('mesh'),
    mail: () => outsideState('mail'),

    async mail_in() {
      const address = options.mailAddress();
      if (!address) return OFF;
      const greeting = await readGreeting(address, PATIENCE_MS);
      if (!greeting.startsWith('220 '))
        return { status: 'failed', age_seconds: null, detail: 'It does not greet' };
      return { status: 'ok', age_seconds: 0, detail: 'It answered now' };
    },

    images: () => outsideState('images'),
    embedder: () => outsideState('embedder', `, ${options.embedder.waiting} wait`),
    model: () => outsideState('model'),
  };

  return {
    async readParts() {
      const parts = await Promise.all(
        Object.entries(readers).map(async ([name, read]): Promise<Part> => {
          const state = await within(PATIENCE_MS, Promise.resolve().then(read)).catch(
            (): PartState => ({ status: 'failed', age_seconds: null, detail: 'It does not answer' }),
          );
          return { name, ...state };
        }),
      );
      const isWell = parts.every(({ status }) => status === 'ok' || status === 'off');
      const status = options.isDraining() ? 'draining' : isWell ? 'healthy' : 'degraded';
      return { status: status as 'draining' | 'healthy' | 'degraded', timestamp: clock.now(), parts };
    },
  };
}

export type PartsService = ReturnType<typeof createPartsService>;

/** On a tie returns the second, which is the failure. */
const latest = (one: Date | undefined, two: Date | undefined): Date | undefined =>
  one && two ? (one > two ? one : two) : (one ?? two);

function describeOutcomes({ succeededAt, failedAt }: Outcomes, since: (moment: Date) => number): string {
  const said = [
    succeededAt && `last success ${since(succeededAt)} s ago`,
    failedAt && `last failure ${since(failedAt)} s ago`,
  ].filter((words) => words !== undefined);
  return said.length > 0 ? said.join(', ') : 'not used since the start of this node';
}

const waitingState = (waiting: number, oldest: number): PartState => ({
  status: oldest > LATE_SECONDS ? 'late' : 'ok',
  age_seconds: oldest,
  detail: `${waiting} wait`,
});
