import { join } from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from './config/config.js';
import { version } from './config/config.js';
import { createDemoDesk } from './demo/desk/demo-desk.js';
import { createDemoHost } from './demo/host/demo-host.js';
import { createEquipment, describeParts } from './equipment.js';
import { boardJobs, boardRoutes, createBoardService } from './features/boards/index.js';
import { buildJobs, buildRoutes, buildTools, createBuildService } from './features/builds/index.js';
import {
  coderProfileRoutes,
  createCoderProfileService,
  isProfileKey,
} from './features/coder-profiles/index.js';
import {
  createDataRequestService,
  dataRequestJobs,
  dataRequestRoutes,
} from './features/data-requests/index.js';
import { createFiguresService, figuresRoutes } from './features/figures/index.js';
import {
  createForgeService,
  createPullRequestsOfBuilds,
  forgeJobs,
  forgeRoutes,
  type OpenForge,
} from './features/forges/index.js';
import { createHireService, hireJobs, hireRoutes } from './features/hires/index.js';
import {
  createIdentityService,
  createSignInCookies,
  identityJobs,
  identityRoutes,
} from './features/identity/index.js';
import { createImportService, importJobs, importRoutes } from './features/imports/index.js';
import { createInboxNotices, createInboxService, inboxJobs, inboxRoutes } from './features/inbox/index.js';
import { createLessonService, lessonJobs, lessonRoutes, startCodeThread } from './features/lessons/index.js';
import { createMcpService, mcpRoutes } from './features/mcp/index.js';
import { createMemoryService, memoryJobs, memoryRoutes } from './features/memory/index.js';
import {
  createOperatorService,
  createPartsService,
  createPlatformService,
  createTestClock,
  operatorRoutes,
  platformRoutes,
} from './features/operator/index.js';
import {
  createProjectService,
  projectJobs,
  projectRoutes,
  requireCardChecks,
} from './features/projects/index.js';
import { createSearchService, searchRoutes } from './features/search/index.js';
import {
  createSystemService,
  dashboardFiles,
  dashboardRoutes,
  securityRoutes,
  systemRoutes,
} from './features/system/index.js';
import { createViewService, viewRoutes } from './features/views/index.js';
import {
  createWebhookOutbox,
  createWebhookService,
  webhookJobs,
  webhookRoutes,
} from './features/webhooks/index.js';
import { createWorkspaceService, workspaceJobs, workspaceRoutes } from './features/workspaces/index.js';
import {
  createWorkstationService,
  workstationJobs,
  workstationRoutes,
} from './features/workstations/index.js';
import { describeInterface } from './interface-document.js';
import { credentialOf } from './kernel/access.js';
import { type Clock, MovableClock } from './kernel/clock.js';
import type { Database, DatabaseAddress } from './platform/database/connection/connection.js';
import { translateOutage } from './platform/database/connection/database-errors.js';
import { inBackground, urgently } from './platform/database/connection/pools.js';
import { assertComplete } from './platform/http/declaration/declaration-check.js';
import type { Route } from './platform/http/declaration/route.js';
import { idempotencyJobs } from './platform/http/idempotency/idempotency.js';
import type { Authenticators, SessionCookie } from './platform/http/request/authentication.js';
import { createHttpServer } from './platform/http/server/server.js';
import { readQueue } from './platform/jobs/job-runs.store.js';
import { type MailIngress, startMailIngress } from './platform/mail/mail-in.js';
import { showBacklog, showPools, showTraces } from './platform/metrics/metrics.js';

export interface Surroundings {
  config: Config;
  database: Database;
  address: DatabaseAddress;
  logger: FastifyBaseLogger;
  clock: Clock;
  /** Each of them grants access to the operator API. */
  adminKeys: readonly string[];
  /** Signs cursors. Shared by all nodes of one database. */
  cursorSecret: string;
  /** Keys for stored secrets. Shared by all nodes of one database. */
  secretsKeys: [string, ...string[]];
  /** Checks every response against its declared schema, for tests. */
  checkResponses?: boolean;
  /** Longest time that a request waits for a place. Tests raise it on a busy machine. */
  longestWaitMs?: number;
  /** Replaces the connection to repository hosts, for tests. */
  openForge?: OpenForge;
  /** Counts of sent and dropped spans, when tracing is on. */
  traces?: { sent: number; dropped: number };
}

export type App = ReturnType<typeof createApp>;

/** Composition root, where all features are connected. Nothing runs before `start`. */
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
  longestWaitMs,
  openForge,
  traces,
}: Surroundings) {
  const log = logger;
  const { db, urgentPool, waits } = database;

  const equipment = createEquipment({ config, database, address, logger, clock, secretsKeys });
  const { cache, rateLimits, metrics, notifications, locks, secrets, images, mailer, model } = equipment;
  const { embedder, mesh, idempotency, jobs, requestLimits, laggingReads, readyAnswers } = equipment;

  const cookie: SessionCookie = config.baseUrl.startsWith('https:')
    ? { name: '__Host-guildhall_session', secure: true }
    : { name: 'guildhall_session', secure: false };

  const outbox = createWebhookOutbox({ notifications });
  const notices = createInboxNotices({ notifications });
  const views = createViewService({ db, clock });
  const identity = createIdentityService({
    db,
    clock,
    log,
    notifications,
    rateLimits,
    jobs,
    outbox,
    removeBelongings: async (tx, brandId, userId) => {
      await inbox.deleteInbox(tx, brandId, userId);
      await views.deleteViews(tx, brandId, userId);
    },
    secrets,
    adminKeys,
    sessionLifetimes: config.sessionLifetimes,
    oidc: config.oidc,
    baseUrl: config.baseUrl,
  });
  const { isStillValid, requireStillAdmin, requireStillSignedIn } = identity;
  const inbox = createInboxService({ db, clock, notifications, cursorSecret, isStillValid });
  const coderProfiles = createCoderProfileService({ db, clock });
  const boards = createBoardService({
    db,
    clock,
    log,
    jobs,
    images,
    notifications,
    outbox,
    inbox: notices,
    cursorSecret,
    isProfileKey,
    requireCardChecks,
    changeIdentities: identity.changeIdentities,
    guestAccess: identity.guests,
    isStillValid,
    requireStillAdmin,
    onComment: (caller, cardId, body) => builds.handleCardComment(caller, cardId, body),
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
    cursorSecret,
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
  let openApiText: string | undefined;
  let draining = false;
  const isDraining = () => draining;
  const system = createSystemService({
    pool: urgentPool,
    cache,
    isDraining,
    metrics,
    clock,
    version,
    environment: config.environment,
    baseUrl: config.baseUrl,
    securityContacts: config.securityContacts,
    openApiText: () => {
      openApiText ??= JSON.stringify(describeInterface(routes));
      return openApiText;
    },
  });

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
    secrets,
    requireStillSignedIn,
  });
  // Desks on loopback can be reached only without a mesh.
  const demoDesk = mesh.network
    ? undefined
    : createDemoDesk({ folder: join(config.dataDir, 'demo-desk'), log });

  const { dataDir, agentsDir, sourcesDir, repositoriesDir } = config;
  const hires = createHireService({
    db,
    clock,
    log,
    cache,
    jobs,
    desks: workstations,
    outbox,
    agentsDir,
    tokens: identity.tokens,
  });

  const projects = createProjectService({
    db,
    clock,
    log,
    jobs,
    notifications,
    locks,
    secrets,
    address,
    startCodeThread,
    isStillValid,
    requireStillAdmin,
    repositoriesDir,
    mirrorsDir: join(dataDir, 'mirrors'),
    gitNetworks: config.gitNetworks,
    findForgeToken: (project) => forges.access.findToken(project),
  });
  const lessons = createLessonService({ db, clock, log, jobs, outbox, embedder, projects, cursorSecret });
  const webhooks = createWebhookService({
    db,
    clock,
    log,
    secrets,
    notifications,
    cursorSecret,
    networks: config.webhookNetworks,
    version,
    notifyAdmins: workspaces.mails.notifyAdmins,
    requireStillAdmin,
  });

  const builds = createBuildService({
    db,
    clock,
    log,
    jobs,
    outbox,
    inbox: notices,
    notifications,
    registry: metrics.registry,
    cursorSecret,
    isStillValid,
    boards,
    coderProfiles,
    projects,
    desks: workstations,
    identity,
    memory,
    lessons,
    secrets,
    baseUrl: config.baseUrl,
    pullRequests: createPullRequestsOfBuilds({ clock, jobs }),
    commitIdentity: config.commitIdentity,
  });

  // Only with an unshared embedded database, and never in production.
  const demoHost =
    config.environment !== 'production' && config.databaseUrl === undefined
      ? createDemoHost({ folder: join(dataDir, 'simulated-host'), baseUrl: config.baseUrl, clock, log })
      : undefined;
  const forges = createForgeService({
    db,
    clock,
    log,
    jobs,
    secrets,
    notifications,
    outbox,
    inbox: notices,
    cursorSecret,
    baseUrl: config.baseUrl,
    version,
    forgeNetworks: config.forgeNetworks,
    ...(openForge && { openForge }),
    trustedOrigins: () => demoHost?.origins() ?? [],
    boards,
    projects,
    builds,
    requireStillAdmin,
  });
  const imports = createImportService({
    db,
    clock,
    log,
    jobs,
    cursorSecret,
    boards,
    findHost: forges.access.find,
  });

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
    personalDataOwners: [memory, inbox, views, builds],
    places: { images, mailer, removeMirror, dataDir, agentsDir, sourcesDir, repositoriesDir },
  });

  const authenticators: Authenticators = {
    ...identity.authenticators,
    desk: workstations.authenticateDesk,
    build: builds.coders.authenticate,
  };

  jobs.register([
    ...idempotencyJobs(idempotency),
    ...identityJobs(identity),
    ...workspaceJobs(workspaces),
    ...boardJobs(boards),
    ...workstationJobs(workstations),
    ...hireJobs({ db, clock, hires }),
    ...memoryJobs(memory),
    ...projectJobs(projects),
    ...lessonJobs(lessons),
    ...dataRequestJobs(dataRequests),
    ...buildJobs(builds),
    ...forgeJobs(forges),
    ...webhookJobs(webhooks),
    ...inboxJobs(inbox),
    ...importJobs(imports),
  ]);

  const tools = buildTools(builds);
  const mcp = createMcpService({
    routes: () => [...routes, ...tools],
    version,
    log,
    cursorSecret,
    laggingReads,
    names: boards.names,
    embedder,
    translateError: translateOutage,
  });

  const parts = createPartsService({
    db,
    clock,
    urgentPool,
    waits,
    readReplicas: () => database.replicas?.states() ?? [],
    cache,
    notifications,
    embedder,
    outside: { mesh, mail: mailer, images, embedder, model },
    readOpenBuilds: builds.readOpen,
    readWebhookBacklog: webhooks.readBacklog,
    readHosts: forges.readHosts,
    mailAddress: () => mailIngress?.address,
    polledAt: workstations.polledAt,
    isDraining,
    configured: describeParts(config),
  });
  showPools(
    metrics.registry,
    {
      requests: database.pool,
      background: database.backgroundPool,
      urgent: urgentPool,
      ...Object.fromEntries(database.replicaPools.map(({ pool }, at) => [`replica-${at + 1}`, pool])),
    },
    waits.observe,
  );
  if (traces) showTraces(metrics.registry, traces);
  showBacklog(
    metrics.registry,
    { metric: 'jobs', help: 'Queued runs of background jobs', label: 'job' },
    () => readQueue(db, clock.now()),
  );
  showBacklog(metrics.registry, { metric: 'outbox', help: 'Queued deliveries', label: 'to' }, async () => [
    { name: 'webhooks', ...(await webhooks.readBacklog()) },
  ]);

  const routes: Route[] = [
    ...systemRoutes(system),
    ...securityRoutes(system),
    ...identityRoutes(identity, cookie),
    ...operatorRoutes(operator, jobs, testClock),
    ...platformRoutes(
      createPlatformService({ db, clock, identity, jobs, version, role: config.role, cursorSecret }),
      parts,
    ),
    ...coderProfileRoutes(coderProfiles),
    ...workspaceRoutes(workspaces),
    ...figuresRoutes(createFiguresService({ clock, boards, builds, memory, desks: workstations })),
    ...boardRoutes(boards),
    ...importRoutes(imports),
    ...memoryRoutes(memory),
    ...workstationRoutes(workstations),
    ...hireRoutes(hires),
    ...projectRoutes(projects),
    ...lessonRoutes(lessons),
    ...dataRequestRoutes(dataRequests, createSignInCookies(cookie)),
    ...buildRoutes(builds),
    ...forgeRoutes(forges),
    ...webhookRoutes(webhooks),
    ...inboxRoutes(inbox),
    ...viewRoutes(views),
    ...searchRoutes(
      createSearchService({ routes: () => routes, boards, workspaces, memory, lessons, builds, projects }),
    ),
    ...mcpRoutes(mcp),
    ...dashboardRoutes(dashboardFiles(), { oidc: config.oidc !== undefined }),
  ];
  assertComplete([...routes, ...tools]);

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
    forges,
    demoDesk,
    demoHost,
    lessons,
    dataRequests,
    builds,
    webhooks,
    inbox,
    views,
    notices,
    images,
    mailer,
    model,
    embedder,
    notifications,
    cache,
    mailAddress: () => mailIngress?.address,

    /** Starts the shared services and creates the web server, which does not listen yet. */
    async start({ workers }: { workers: boolean }): Promise<FastifyInstance> {
      await inBackground(async () => {
        await notifications.start();
        await database.replicas?.start(clock);
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
        spoolFolder: join(config.dataDir, 'spool'),
        names: boards.names,
        answerOnce: idempotency.once,
        laggingReads,
        readyAnswers,
        urgently,
        isDraining,
        // Heartbeats of desks are never rate limited.
        limit: (caller) => {
          if (caller.kind !== 'desk') requestLimits.take(caller.brandId, credentialOf(caller)!);
        },
        load: { databaseWaitMs: waits.oldestMs, onRefused: metrics.countRefused, longestWaitMs },
        translateError: translateOutage,
        observe: (route, method, status, seconds) =>
          metrics.observeRequest({ route, method, status, seconds }),
      });
      await server.ready();
      if (config.mailListen) {
        mailIngress = await startMailIngress({
          listen: config.mailListen,
          mailDomain: config.mailDomain,
          folder: join(config.dataDir, 'mail'),
          findMailbox: workspaces.mailAddresses.findMailbox,
          rateLimits,
          clock,
          log,
        });
      }
      if (workers) {
        await inBackground(async () => {
          await demoHost?.start();
          await jobs.start();
          await workstations.start();
          await demoDesk?.start();
          webhooks.start();
        });
      }
      return server;
    },

    /** From now on the health check reports that this node is about to stop. */
    drain(): void {
      draining = true;
    },

    /** Stops in reverse order: no new requests, running requests, background work, then the connections. */
    async stop(): Promise<void> {
      builds.stopWaiting();
      await server?.close();
      await mcp.close();
      await mailIngress?.stop();
      await webhooks.stop();
      await jobs.stop();
      await forges.stop();
      await builds.stop();
      demoDesk?.stop();
      await workstations.stop();
      await demoHost?.stop();
      await identity.stop();
      await database.replicas?.stop();
      await notifications.stop();
      await projects.close();
      await equipment.close();
    },
  };
}
