import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { Config } from './config/config.js';
import type { Database, DatabaseAddress } from './database/connection/connection.js';
import { createSessionLocks } from './database/connection/session-locks.js';
import { shareSecret } from './database/embedded/server-secrets.js';
import { Notifications } from './database/notifications/notifications.js';
import type { Clock } from './kernel/clock.js';
import { type LaggingReads, noLaggingReads } from './kernel/lagging-reads.js';
import { createReadyAnswers } from './services/answers/ready-answers.js';
import { memoryCache, redisCache } from './services/cache/cache.js';
import { type Embedder, noEmbedder } from './services/embedder/embedder.js';
import { embeddedEmbedder } from './services/embedder/embedder-embedded.js';
import { endpointEmbedder } from './services/embedder/embedder-endpoint.js';
import { createIdempotency } from './services/idempotency/idempotency.js';
import { createImageStore } from './services/images/images-configured.js';
import { recordRuns } from './services/jobs/job-runs.js';
import { createJobs } from './services/jobs/jobs.js';
import { createLaggingReads } from './services/lagging-reads/lagging-reads.js';
import { createRecentWriters, type RecentWriters } from './services/lagging-reads/recent-writers.js';
import { outboxMailer, smtpMailer } from './services/mail/mail-out.js';
import { noMesh } from './services/mesh/mesh.js';
import { newMeshKey } from './services/mesh/mesh-keys.js';
import { wireguardMesh } from './services/mesh/mesh-wireguard.js';
import { createMetrics } from './services/metrics/metrics.js';
import { showReplicas } from './services/metrics/replica-figures.js';
import { createModelClient } from './services/model/model.js';
import { watchOutcomes } from './services/outcomes/outcomes.js';
import { createRateLimits } from './services/rate-limits/rate-limits.js';
import { createRequestLimits } from './services/rate-limits/request-limits.js';
import { closeRedis, connectRedis } from './services/redis/redis.js';
import { createSecretBox } from './services/secrets/secret-box.js';

interface Needs {
  config: Config;
  database: Database;
  address: DatabaseAddress;
  logger: FastifyBaseLogger;
  clock: Clock;
  secretsKeys: [string, ...string[]];
}

/** What all rooms work with, chosen by the configuration. Nothing runs yet but the line to Redis. */
export function createEquipment({ config, database, address, logger: log, clock, secretsKeys }: Needs) {
  const { db, backgroundPool } = database;
  const redis = config.redisUrl ? connectRedis(config.redisUrl, log) : undefined;
  const metrics = createMetrics();
  const notifications = new Notifications({ ...address, log });
  const model = createModelClient(config.model ?? {});
  return {
    metrics,
    laggingReads: chooseLaggingReads(database, metrics.registry, () =>
      createRecentWriters({ db, notifications, redis }),
    ),
    cache: redis ? redisCache({ redis, clock }) : memoryCache({ clock }),
    rateLimits: createRateLimits({
      clock,
      redis: redis && { connection: redis, secret: secretsKeys[0] },
    }),
    requestLimits: createRequestLimits({
      perMinute: config.rateLimitPerMinute,
      clock,
      redis,
      onLimited: () => metrics.countRefused('limit'),
    }),
    notifications,
    readyAnswers: createReadyAnswers(notifications, clock),
    locks: createSessionLocks({ ...address, log }),
    secrets: createSecretBox(secretsKeys),
    images: watchOutcomes(
      createImageStore(imageSettings(config)),
      ['put', 'get', 'putFile', 'open', 'delete'],
      clock,
    ),
    mailer: watchOutcomes(
      chooseMailer(config, { mailDomain: config.mailDomain, clock, log }),
      ['send'],
      clock,
    ),
    model: model && watchOutcomes(model, ['completeJson'], clock),
    embedder: watchOutcomes(chooseEmbedder(config), ['embed'], clock),
    mesh: watchOutcomes(
      config.mesh === 'wireguard'
        ? wireguardMesh({
            cidr: config.meshCidr,
            endpoint: config.meshEndpoint,
            log,
            readPrivateKey: () => shareSecret(db, 'mesh_private_key', newMeshKey()),
          })
        : noMesh(),
      ['start', 'applyPeers'],
      clock,
    ),
    idempotency: createIdempotency({ db, clock, atomically: database.atomically }),
    jobs: createJobs({
      pool: backgroundPool,
      log,
      observe: metrics.observeJob,
      record: recordRuns(db, clock),
    }),

    /** What is still open once jobs and notifications have ended. */
    async close(): Promise<void> {
      this.requestLimits.stop();
      await this.locks.close();
      await this.embedder.close();
      await this.mailer.close();
      await this.cache.close();
      if (redis) await closeRedis(redis);
    },
  };
}

function chooseLaggingReads(
  { replicas }: Database,
  registry: Registry,
  createWriters: () => RecentWriters,
): LaggingReads {
  const count = showReplicas(registry, replicas);
  if (!replicas) return noLaggingReads;
  return createLaggingReads({ replicas, writers: createWriters(), onRecent: () => count('recent') });
}

function chooseMailer(config: Config, letters: Omit<Parameters<typeof smtpMailer>[0], 'url'>) {
  return config.smtpUrl
    ? smtpMailer({ ...letters, url: config.smtpUrl })
    : outboxMailer({ ...letters, folder: join(config.dataDir, 'outbox') });
}

function chooseEmbedder(config: Config): Embedder {
  if (config.embedding) return endpointEmbedder(config.embedding);
  return config.embedder === 'none' ? noEmbedder() : embeddedEmbedder();
}

function imageSettings(config: Config): Parameters<typeof createImageStore>[0] {
  if (config.images === 's3') return { kind: 's3', url: config.s3Url! };
  return config.images === 'none'
    ? { kind: 'none' }
    : { kind: 'disk', folder: join(config.dataDir, 'images') };
}

/** Which of the outer parts there are, in a word each. */
export const describeParts = (config: Config) => ({
  redis: config.redisUrl && 'redis',
  mesh: config.mesh === 'none' ? undefined : config.mesh,
  mail: config.smtpUrl ? 'smtp' : 'outbox folder',
  images: config.images === 'none' ? undefined : config.images,
  embedder: config.embedding ? 'endpoint' : config.embedder === 'none' ? undefined : config.embedder,
  model: config.model && 'endpoint',
});
