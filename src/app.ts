import { join } from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from './config.js';
import { inBackground } from './database/background.js';
import type { Database, DatabaseAddress } from './database/connection.js';
import { isConnectionFailure } from './database/database-errors.js';
import { Notifications } from './database/notifications.js';
import { shareSecret } from './database/server-secrets.js';
import { createSessionLocks } from './database/session-locks.js';
import { boardRoutes } from './features/boards/boards.routes.js';
import { createBoardService } from './features/boards/boards.service.js';
import { buildJobs } from './features/builds/builds.jobs.js';
import { buildRoutes } from './features/builds/builds.routes.js';
import { createBuildService } from './features/builds/builds.service.js';
import { createExchange } from './features/builds/exchange.js';
import { coderProfileRoutes } from './features/coder-profiles/coder-profiles.routes.js';
import { createCoderProfileService, isProfileKey } from './features/coder-profiles/coder-profiles.service.js';
import { dashboardFiles } from './features/dashboard/dashboard.files.js';
import { dashboardRoutes } from './features/dashboard/dashboard.routes.js';
import { dataRequestJobs } from './features/data-requests/data-requests.jobs.js';
import { dataRequestRoutes } from './features/data-requests/data-requests.routes.js';
import { createDataRequestService } from './features/data-requests/data-requests.service.js';
import { hireJobs } from './features/hires/hires.jobs.js';
import { hireRoutes } from './features/hires/hires.routes.js';
import { createHireService } from './features/hires/hires.service.js';
import { identityJobs } from './features/identity/identity.jobs.js';
import { identityRoutes } from './features/identity/identity.routes.js';
import { createIdentityService } from './features/identity/identity.service.js';
import { createDoorCookies } from './features/identity/sessions/door-cookies.js';
import { createLessonFollower } from './features/lessons/follow/lesson-follower.js';
import { lessonJobs } from './features/lessons/lessons.jobs.js';
import { lessonRoutes } from './features/lessons/lessons.routes.js';
import { createLessonService } from './features/lessons/lessons.service.js';
import { mcpRoutes } from './features/mcp/mcp.routes.js';
import { createMcpService } from './features/mcp/mcp.service.js';
import { memoryJobs } from './features/memory/memory.jobs.js';
import { memoryRoutes } from './features/memory/memory.routes.js';
import { createMemoryService } from './features/memory/memory.service.js';
import { operatorRoutes } from './features/operator/operator.routes.js';
import { createOperatorService } from './features/operator/operator.service.js';
import { createTestClock } from './features/operator/test-clock.js';
import { projectJobs } from './features/projects/projects.jobs.js';
import { projectRoutes } from './features/projects/projects.routes.js';
import { createProjectService } from './features/projects/projects.service.js';
import { securityRoutes } from './features/system/security.routes.js';
import { systemRoutes } from './features/system/system.routes.js';
import { createSystemService } from './features/system/system.service.js';
import { webhookJobs } from './features/webhooks/webhooks.jobs.js';
import { webhookRoutes } from './features/webhooks/webhooks.routes.js';
import { createWebhookOutbox, createWebhookService } from './features/webhooks/webhooks.service.js';
import { workspaceJobs } from './features/workspaces/workspaces.jobs.js';
import { workspaceRoutes } from './features/workspaces/workspaces.routes.js';
import { createWorkspaceService } from './features/workspaces/workspaces.service.js';
import { workstationJobs } from './features/workstations/workstations.jobs.js';
import { workstationRoutes } from './features/workstations/workstations.routes.js';
import { createWorkstationService } from './features/workstations/workstations.service.js';
import type { Authenticators, SessionCookie } from './http/authentication.js';
import { assertComplete } from './http/declaration-check.js';
import { buildDocument } from './http/openapi.js';
import type { Route } from './http/route.js';
import { createHttpServer } from './http/server.js';
import { type Clock, MovableClock } from './kernel/clock.js';
import { type ApiError, notReachable, OUTAGE_RETRY_SECONDS, unavailable } from './kernel/errors.js';
import { memoryCache, redisCache } from './services/cache.js';
import { type Embedder, noEmbedder } from './services/embedder.js';
import { embeddedEmbedder } from './services/embedder-embedded.js';
import { endpointEmbedder } from './services/embedder-endpoint.js';
import { createIdempotency, idempotencyJobs } from './services/idempotency.js';
import { createImageStore } from './services/images-configured.js';
import { createJobs } from './services/jobs.js';
import { type MailIngress, startMailIngress } from './services/mail-in.js';
import { outboxMailer, smtpMailer } from './services/mail-out.js';
import { noMesh } from './services/mesh.js';
import { newMeshKey } from './services/mesh-keys.js';
import { wireguardMesh } from './services/mesh-wireguard.js';
import { createMetrics } from './services/metrics.js';
import { createModelClient } from './services/model.js';
import { createRateLimits } from './services/rate-limits.js';
import { closeRedis, connectRedis } from './services/redis.js';
import { createSecretBox } from './services/secret-box.js';
import { version } from './version.js';

export interface Surroundings {
  config: Config;
  database: Database;
  address: DatabaseAddress;
  logger: FastifyBaseLogger;
  clock: Clock;
  /** Any of them opens the operator surface. */
  adminKeys: readonly string[];
  /** Signs cursors; shared by all nodes of one database. */
  cursorSecret: string;
  /** Seal what is kept secret; shared by all nodes of one database. */
  secretsKeys: [string, ...string[]];
  /** Hold every answer against its declared schema; for tests. */
  checkResponses?: boolean;
}

export type App = ReturnType<typeof createApp>;

/** The composition root: the only place where rooms are joined. Nothing runs before `start`. */
export function createApp({
  config,
  database,
  address,
  logger,
  clock,
  adminKeys,
  cursorSecret,
  secretsKeys,
  checkResponses = false,
}: Surroundings) {
  const log = logger;
  const { db, pool, backgroundPool } = database;

  const redis = config.redisUrl ? connectRedis(config.redisUrl, log) : undefined;
  const cache = redis ? redisCache({ redis, clock }) : memoryCache({ clock });
  const rateLimits = createRateLimits({ clock, redis });
  const metrics = createMetrics();
  const notifications = new Notifications({ ...address, log });
  const locks = createSessionLocks({ ...address, log });
  const secrets = createSecretBox(secretsKeys);
  const images = createImageStore(imageSettings(config));
  const letters = { mailDomain: config.mailDomain, clock, log };
  const mailer = config.smtpUrl
    ? smtpMailer({ ...letters, url: config.smtpUrl })
    : outboxMailer({ ...letters, folder: join(config.dataDir, 'outbox') });
  const model = createModelClient(config.model ?? {});
  const embedder = chooseEmbedder(config);
  const idempotency = createIdempotency({ db, clock, atomically: database.atomically });
  const jobs = createJobs({ pool: backgroundPool, log, observe: metrics.observeJob });

  const cookie: SessionCookie = config.baseUrl.startsWith('https:')
    ? { name: '__Host-guildhall_session', secure: true }
    : { name: 'guildhall_session', secure: false };

  const outbox = createWebhookOutbox({ notifications });
  const identity = createIdentityService({
    db,
    clock,
    log,
    notifications,
    rateLimits,
    jobs,
    outbox,
    secrets,
    adminKeys,
    sessionLifetimes: config.sessionLifetimes,
    oidc: config.oidc,
    baseUrl: config.baseUrl,
  });
  const coderProfiles = createCoderProfileService({ db, clock });
  const boards = createBoardService({
    db,
    clock,
    notifications,
    outbox,
    cursorSecret,
    isProfileKey,
    changeIdentities: identity.changeIdentities,
    guestAccess: identity.guests,
    holdsStill: identity.holdsStill,
  });
  const memory = createMemoryService({
    db,
    clock,
    log,
    model,
    embedder,
    jobs,
    outbox,
    agentsDir: config.agentsDir,
    sourcesDir: config.sourcesDir,
    cards: boards,
  });
  const workspaces = createWorkspaceService({
    db,
    clock,
    log,
    identity,
    images,
    mailer,
    boards,
    baseUrl: config.baseUrl,
    mailDomain: config.mailDomain,
    cursorSecret,
    rateLimits,
  });
  const operator = createOperatorService({ db, clock, identity, workspaces, cursorSecret });
  const testClock = clock instanceof MovableClock ? createTestClock({ db, notifications, clock }) : undefined;
  const system = createSystemService({
    pool,
    cache,
    metrics,
    clock,
    version,
    environment: config.environment,
    baseUrl: config.baseUrl,
    securityContacts: config.securityContacts,
    openApiText: () => openApiText,
  });

  const mesh =
    config.mesh === 'wireguard'
      ? wireguardMesh({
          cidr: config.meshCidr,
          endpoint: config.meshEndpoint,
          log,
          readPrivateKey: () => shareSecret(db, 'mesh_private_key', newMeshKey()),
        })
      : noMesh();
  const workstations = createWorkstationService({
    db,
    clock,
    log,
    address: config,
    deskNetworks: config.deskNetworks,
    mesh,
    images,
    notifications,
    outbox,
    registry: metrics.registry,
    demoFolder: join(config.dataDir, 'demo-desk'),
  });

  const hires = createHireService({
    db,
    clock,
    log,
    cache,
    jobs,
    desks: workstations,
    outbox,
    agentsDir: config.agentsDir,
  });

  const follower = createLessonFollower({ db, clock, jobs, outbox });
  const projects = createProjectService({
    db,
    clock,
    log,
    jobs,
    notifications,
    locks,
    secrets,
    follower,
    holdsStill: identity.holdsStill,
    repositoriesDir: config.repositoriesDir,
    mirrorsDir: join(config.dataDir, 'mirrors'),
    gitNetworks: config.gitNetworks,
  });
  const lessons = createLessonService({
    db,
    clock,
    log,
    jobs,
    outbox,
    embedder,
    projects,
    cursorSecret,
  });
  const webhooks = createWebhookService({
    db,
    clock,
    log,
    secrets,
    notifications,
    cursorSecret,
    networks: config.webhookNetworks,
    version,
    tellAdmins: workspaces.adminLetters.tellAdmins,
  });

  const { dataDir, agentsDir, sourcesDir, repositoriesDir } = config;
  const { removeMirror } = projects;
  const dataRequests = createDataRequestService({
    db,
    clock,
    log,
    jobs,
    locks,
    rateLimits,
    identity,
    workspaces,
    boards,
    desks: workstations,
    webhooks,
    places: { images, removeMirror, dataDir, agentsDir, sourcesDir, repositoriesDir },
  });

  const exchange = createExchange({
    db,
    clock,
    log,
    jobs,
    secrets,
    baseUrl: config.baseUrl,
    identity,
    boards,
    memory,
    projects,
    lessons,
  });
  const builds = createBuildService({
    db,
    clock,
    log,
    jobs,
    outbox,
    notifications,
    registry: metrics.registry,
    cursorSecret,
    holdsStill: identity.holdsStill,
    boards,
    coderProfiles,
    projects,
    desks: workstations,
    parts: exchange.parts,
  });

  const authenticators: Authenticators = {
    ...identity.authenticators,
    desk: workstations.authenticateDesk,
    build: exchange.authenticateCoder,
  };

  jobs.register([
    ...idempotencyJobs(idempotency),
    ...identityJobs(identity),
    ...workspaceJobs(workspaces),
    ...workstationJobs(workstations),
    ...hireJobs({ db, clock, hires }),
    ...memoryJobs(memory),
    ...projectJobs(projects),
    ...lessonJobs(lessons),
    ...dataRequestJobs(dataRequests),
    ...buildJobs(builds),
    ...exchange.pushJobs,
    ...webhookJobs(webhooks),
  ]);

  const mcp = createMcpService({
    routes: () => [...routes, ...exchange.tools],
    version,
    log,
    cursorSecret,
    translateError: translateOutage,
  });

  const routes: Route[] = [
    ...systemRoutes(system),
    ...securityRoutes(system),
    ...identityRoutes(identity, cookie),
    ...operatorRoutes(operator, jobs, testClock),
    ...coderProfileRoutes(coderProfiles),
    ...workspaceRoutes(workspaces),
    ...boardRoutes(boards),
    ...memoryRoutes(memory),
    ...workstationRoutes(workstations),
    ...hireRoutes(hires),
    ...projectRoutes(projects),
    ...lessonRoutes(lessons),
    ...dataRequestRoutes(dataRequests, createDoorCookies(cookie)),
    ...buildRoutes(builds),
    ...exchange.routes(builds),
    ...webhookRoutes(webhooks),
    ...mcpRoutes(mcp),
    ...dashboardRoutes(dashboardFiles(), { oidc: config.oidc !== undefined }),
  ];
  assertComplete([...routes, ...exchange.tools]);
  const openApiText = JSON.stringify(describeInterface(routes));

  let server: FastifyInstance | undefined;
  let mailIngress: MailIngress | undefined;

  return {
    config,
    clock,
    db,
    routes,
    jobs,
    identity,
    operator,
    boards,
    memory,
    workstations,
    coderProfiles,
    hires,
    workspaces,
    projects,
    lessons,
    dataRequests,
    builds,
    webhooks,
    images,
    mailer,
    model,
    embedder,
    notifications,
    cache,
    /** Where mail comes in, once it does. */
    mailAddress: () => mailIngress?.address,

    /** Brings up what the web server and the workers share, and the server itself; it does not listen yet. */
    async start({ workers }: { workers: boolean }): Promise<FastifyInstance> {
      await inBackground(async () => {
        await notifications.start();
        await testClock?.follow();
        await boards.start();
        await identity.start();
      });
      server = await createHttpServer({
        routes,
        authenticators,
        baseUrl: config.baseUrl,
        cookie,
        logger,
        trustedProxies: config.trustedProxies,
        checkResponses,
        answerOnce: idempotency.once,
        translateError: translateOutage,
        observe: (route, method, status, seconds) =>
          metrics.observeRequest({ route, method, status, seconds }),
      });
      await server.ready();
      if (config.mailListen) {
        const { mailDomain, mailListen: listen } = config;
        const { findMailbox } = workspaces.mailAddresses;
        mailIngress = await startMailIngress({
          listen,
          mailDomain,
          folder: join(config.dataDir, 'mail'),
          findMailbox,
          rateLimits,
          clock,
          log,
        });
      }
      if (workers) {
        await inBackground(async () => {
          await jobs.start();
          await workstations.start();
          webhooks.start();
        });
      }
      return server;
    },

    /** In the reverse order: no new requests, running ones end, then the background, then the connections. */
    async stop(): Promise<void> {
      builds.stop();
      await server?.close();
      await mcp.close();
      await mailIngress?.stop();
      await webhooks.stop();
      await jobs.stop();
      await workstations.stop();
      await identity.stop();
      await notifications.stop();
      await projects.close();
      await locks.close();
      await embedder.close();
      await mailer.close();
      await cache.close();
      if (redis) await closeRedis(redis);
    },
  };
}

export const describeInterface = (routes: Route[]): object =>
  buildDocument(routes, {
    title: 'Guildhall',
    version,
    description: 'The workplace of teams that work with coding agents.',
  });

/** What callers are told while the database is away, except where a route has words of its own for it. */
const translateOutage = (error: unknown): ApiError | undefined =>
  isConnectionFailure(error) ? unavailable(notReachable('The database'), OUTAGE_RETRY_SECONDS) : undefined;

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
