import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { Config } from './config/config.js';
import type { Clock } from './kernel/clock.js';
import { memoryCache, redisCache } from './platform/cache/cache.js';
import { createReadyAnswers } from './platform/cache/ready-answers.js';
import { closeRedis, connectRedis } from './platform/cache/redis.js';
import type { Database, DatabaseAddress } from './platform/database/connection/connection.js';
import { createSessionLocks } from './platform/database/connection/session-locks.js';
import {
  createLaggingReads,
  createRecentWriters,
  type LaggingReads,
  noLaggingReads,
  type RecentWriters,
} from './platform/database/replicas/lagging-reads.js';
import { shareSecret } from './platform/database/server-secrets.js';
import { type Embedder, endpointEmbedder, noEmbedder } from './platform/encoder/embedder.js';
import { embeddedEmbedder } from './platform/encoder/embedder-embedded.js';
import { Notifications } from './platform/events/notifications.js';
import { createIdempotency } from './platform/http/idempotency/idempotency.js';
import { createImageStore } from './platform/images/images-s3.js';
import { recordRuns } from './platform/jobs/job-runs.store.js';
import { createJobs } from './platform/jobs/jobs.js';
import { createRateLimits } from './platform/limits/rate-limits.js';
import { createRequestLimits } from './platform/limits/request-limits.js';
import { outboxMailer, smtpMailer } from './platform/mail/mail-out.js';
import { noMesh } from './platform/mesh/mesh.js';
import { newMeshKey, wireguardMesh } from './platform/mesh/mesh-wireguard.js';
import { createMetrics, showReplicas, watchOutcomes } from './platform/metrics/metrics.js';
import { createModelClient } from './platform/model/model.js';
import { createSecretBox } from './platform/secrets/secret-box.js';

interface Needs {
  config: Config;
  database: Database;
  address: DatabaseAddress;
  logger: FastifyBaseLogger;
  clock: Clock;
  secretsKeys: [string, ...string[]];
}

/** Creates the services that all features use, as configured. Only the connection to Redis is opened here. */
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

    /** Closes what is still open after jobs and notifications have ended. */
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

/** Describes each configured external component in one word. */
export const describeParts = (config: Config) => ({
  redis: config.redisUrl && 'redis',
  mesh: config.mesh === 'none' ? undefined : config.mesh,
  mail: config.smtpUrl ? 'smtp' : 'outbox folder',
  images: config.images === 'none' ? undefined : config.images,
  embedder: config.embedding ? 'endpoint' : config.embedder === 'none' ? undefined : config.embedder,
  model: config.model && 'endpoint',
});
