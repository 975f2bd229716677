import { join } from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from './config/config.js';
import { createDemoDesk } from './demo/desk/demo-desk.js';
import { createDemoHost } from './demo/host/demo-host.js';
import { createEquipment, describeParts } from './equipment.js';
import { boardJobs } from './features/boards/boards.jobs.js';
import { boardRoutes } from './features/boards/boards.routes.js';
import { createBoardService } from './features/boards/boards.service.js';
import { buildJobs } from './features/builds/builds.jobs.js';
import { buildRoutes } from './features/builds/builds.routes.js';
import { createBuildService } from './features/builds/builds.service.js';
import { createExchange } from './features/builds/exchange.js';
import { coderProfileRoutes } from './features/coder-profiles/coder-profiles.routes.js';
import { createCoderProfileService, isProfileKey } from './features/coder-profiles/coder-profiles.service.js';
import { dataRequestJobs } from './features/data-requests/data-requests.jobs.js';
import { dataRequestRoutes } from './features/data-requests/data-requests.routes.js';
import { createDataRequestService } from './features/data-requests/data-requests.service.js';
import { figuresRoutes } from './features/figures/figures.routes.js';
import { createFiguresService } from './features/figures/figures.service.js';
import type { OpenForge } from './features/forges/adapter/forge.js';
import { forgeJobs } from './features/forges/forges.jobs.js';
import { forgeRoutes } from './features/forges/forges.routes.js';
import { createForgeService } from './features/forges/forges.service.js';
import { hireJobs } from './features/hires/hires.jobs.js';
import { hireRoutes } from './features/hires/hires.routes.js';
import { createHireService } from './features/hires/hires.service.js';
import { identityJobs } from './features/identity/identity.jobs.js';
import { identityRoutes } from './features/identity/identity.routes.js';
import { createIdentityService } from './features/identity/identity.service.js';
import { createDoorCookies } from './features/identity/sessions/door-cookies.js';
import { importJobs } from './features/imports/imports.jobs.js';
import { importRoutes } from './features/imports/imports.routes.js';
import { createImportService } from './features/imports/imports.service.js';
import { inboxJobs } from './features/inbox/inbox.jobs.js';
import { inboxRoutes } from './features/inbox/inbox.routes.js';
import { createInboxNotices, createInboxService } from './features/inbox/inbox.service.js';
import { startCodeThread } from './features/lessons/follow/code-thread.js';
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
import { createPartsService } from './features/operator/parts.service.js';
import { platformRoutes } from './features/operator/platform.routes.js';
import { createPlatformService } from './features/operator/platform.service.js';
import { createTestClock } from './features/operator/test-clock.js';
import { projectJobs } from './features/projects/projects.jobs.js';
import { projectRoutes } from './features/projects/projects.routes.js';
import { createProjectService, requireCardChecks } from './features/projects/projects.service.js';
import { searchRoutes } from './features/search/search.routes.js';
import { createSearchService } from './features/search/search.service.js';
import { dashboardFiles } from './features/system/dashboard/dashboard.files.js';
import { dashboardRoutes } from './features/system/dashboard/dashboard.routes.js';
import { securityRoutes } from './features/system/security.routes.js';
import { systemRoutes } from './features/system/system.routes.js';
import { createSystemService } from './features/system/system.service.js';
import { viewRoutes } from './features/views/views.routes.js';
import { createViewService } from './features/views/views.service.js';
import { webhookJobs } from './features/webhooks/webhooks.jobs.js';
import { webhookRoutes } from './features/webhooks/webhooks.routes.js';
import { createWebhookOutbox, createWebhookService } from './features/webhooks/webhooks.service.js';
import { workspaceJobs } from './features/workspaces/workspaces.jobs.js';
import { workspaceRoutes } from './features/workspaces/workspaces.routes.js';
import { createWorkspaceService } from './features/workspaces/workspaces.service.js';
import { workstationJobs } from './features/workstations/workstations.jobs.js';
import { workstationRoutes } from './features/workstations/workstations.routes.js';
import { createWorkstationService } from './features/workstations/workstations.service.js';
import { describeInterface } from './interface-document.js';
import { type Clock, MovableClock } from './kernel/clock.js';
import { credentialOf } from './kernel/request-context.js';
import { version } from './kernel/version.js';
import { inBackground, urgently } from './platform/database/connection/background.js';
import type { Database, DatabaseAddress } from './platform/database/connection/connection.js';
import { translateOutage } from './platform/database/connection/outages.js';
import { assertComplete } from './platform/http/declaration/declaration-check.js';
import type { Route } from './platform/http/declaration/route.js';
import { idempotencyJobs } from './platform/http/idempotency/idempotency.js';
import type { Authenticators, SessionCookie } from './platform/http/request/authentication.js';
import { createHttpServer } from './platform/http/server/server.js';
import { readQueue } from './platform/jobs/job-runs.js';
import { type MailIngress, startMailIngress } from './platform/mail/mail-in.js';
import { showBacklog, showPools, showTraces } from './platform/metrics/metrics.js';

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
  /** How long a request waits for its turn at most; for tests on a busy machine. */
  longestWaitMs?: number;
  /** How hosts of repositories are spoken to, where it is not over the network; for tests. */
  openForge?: OpenForge;
  /** What became of the traces, where they are gathered. */
  traces?: { sent: number; dropped: number };
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
      await inbox.forgetLeaver(tx, brandId, userId);
      await views.forgetLeaver(tx, brandId, userId);
    },
    secrets,
    adminKeys,
    sessionLifetimes: config.sessionLifetimes,
    oidc: config.oidc,
    baseUrl: config.baseUrl,
  });
  const { holdsStill, requireStillAdmin, requireStillSignedIn } = identity;
  const inbox = createInboxService({ db, clock, notifications, cursorSecret, holdsStill });
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
    holdsStill,
    requireStillAdmin,
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
    : createDemoDesk({
        folder: join(config.dataDir, 'demo-desk'),
        log,
        loadRelease: workstations.installation.loadRelease,
      });

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
    holdsStill,
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
    tellAdmins: workspaces.adminLetters.tellAdmins,
    requireStillAdmin,
  });

  // Where nobody else shares the database, and never in production.
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
    builds: () => builds,
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
    outbox,
    inbox: notices,
    wayHome: forges.wayHome,
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
    personalRooms: [memory, inbox, views, exchange],
    places: { images, mailer, removeMirror, dataDir, agentsDir, sourcesDir, repositoriesDir },
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
    holdsStill,
    boards,
    coderProfiles,
    projects,
    desks: workstations,
    parts: exchange.parts,
    commitIdentity: config.commitIdentity,
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
    ...boardJobs(boards),
    ...workstationJobs(workstations),
    ...hireJobs({ db, clock, hires }),
    ...memoryJobs(memory),
    ...projectJobs(projects),
    ...lessonJobs(lessons),
    ...dataRequestJobs(dataRequests),
    ...buildJobs(builds),
    ...exchange.pushJobs,
    ...forgeJobs(forges),
    ...webhookJobs(webhooks),
    ...inboxJobs(inbox),
    ...importJobs(imports),
  ]);

  const mcp = createMcpService({
    routes: () => [...routes, ...exchange.tools],
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
  showBacklog(metrics.registry, { metric: 'jobs', help: 'Background passes', label: 'job' }, () =>
    readQueue(db, clock.now()),
  );
  showBacklog(metrics.registry, { metric: 'outbox', help: 'What is to be sent', label: 'to' }, async () => [
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
    ...dataRequestRoutes(dataRequests, createDoorCookies(cookie)),
    ...buildRoutes(builds),
    ...exchange.routes(builds),
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
  assertComplete([...routes, ...exchange.tools]);

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
    /** Where mail comes in, once it does. */
    mailAddress: () => mailIngress?.address,

    /** Brings up what the web server and the workers share, and the server itself; it does not listen yet. */
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
        // A desk says that it is alive: it is never told to be silent.
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

    /** From now on health says that this node is about to stop. */
    drain(): void {
      draining = true;
    },

    /** In the reverse order: no new requests, running ones end, then the background, then the connections. */
    async stop(): Promise<void> {
      builds.stop();
      await server?.close();
      await mcp.close();
      await mailIngress?.stop();
      await webhooks.stop();
      await jobs.stop();
      await forges.stop();
      await exchange.stop();
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
