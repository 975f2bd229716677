import { Counter, Gauge, type Registry } from 'prom-client';
import type { Route } from '../../http/route.js';
import { HOUR } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { JobDefinition } from '../../services/jobs.js';
import { DemoDesk } from './demo-desk.js';
import { deskReportRoutes, installRoutes } from './desk.routes.js';
import { DeskChecker } from './desk-checker.js';
import { DeskPoller } from './desk-poller.js';
import { DeskReportService, deskAuthenticator } from './desk-reports.service.js';
import { meshAddressStore } from './desk-reports.store.js';
import { fleetStore } from './fleet.store.js';
import { machineUpdateRoutes } from './machine-updates.routes.js';
import { UpdateRunner } from './machine-updates.runner.js';
import { MachineUpdateService } from './machine-updates.service.js';
import { sidecarClient } from './sidecar-client.js';
import { loadSidecarRelease } from './sidecar-release.js';
import { workstationJobs } from './workstations.jobs.js';
import { workstationRoutes } from './workstations.routes.js';
import {
  DESK_CHECK_CHANNEL,
  MESH_PEERS_CHANNEL,
  type WorkstationOptions,
  WorkstationService,
} from './workstations.service.js';

export interface WorkstationFeatureOptions extends WorkstationOptions {
  log: Log;
  registry: Registry;
  /** Where the demo world keeps the desk that runs on loopback. */
  demoFolder: string;
}

/** A tunnel has its first handshake within two keepalives of the hub's start. */
const MESH_GRACE_SECONDS = 60;
const MESH_REFRESH_MS = HOUR * 1000;

/** Everything about desks, joined: what can be asked, what happens unasked, and when it starts and stops. */
export function createWorkstations(options: WorkstationFeatureOptions) {
  const { db, clock, log, mesh, notifications, address, registry } = options;
  const service = new WorkstationService(options);
  const reports = new DeskReportService({ db, clock, mesh, notifications, workstations: service });
  const updates = new MachineUpdateService({ db, clock });
  const client = sidecarClient();
  const networkRule = (desk: { mesh_address: string | null }) => service.networkRule(desk);
  const checker = new DeskChecker({ db, clock, client, networkRule });
  const poller = new DeskPoller({
    db,
    clock,
    log,
    checker,
    graceSeconds: mesh.network ? MESH_GRACE_SECONDS : 0,
    ...pollMetrics(registry),
  });
  const runner = new UpdateRunner({
    db,
    clock,
    log,
    client,
    address,
    loadRelease: loadSidecarRelease,
    networkRule,
  });
  const demoDesk = mesh.network
    ? undefined
    : new DemoDesk({ folder: options.demoFolder, log, loadRelease: loadSidecarRelease });
  countDesks(registry, () => fleetStore(db).countByStatus());

  const routes: Route[] = [
    ...workstationRoutes(service),
    ...deskReportRoutes(reports),
    ...installRoutes(address, loadSidecarRelease),
    ...machineUpdateRoutes(updates),
  ];
  const jobs: JobDefinition[] = workstationJobs(poller, runner);
  const endings: (() => void)[] = [];

  return {
    service,
    demoDesk,
    routes,
    jobs,
    authenticateDesk: deskAuthenticator(db),

    /** On nodes that work in the background: the hub first, then the checks that go through it. */
    async start(): Promise<void> {
      await mesh.start(mesh.network ? await meshAddressStore(db).listPeers() : []);
      const refreshPeers = () =>
        service
          .applyMeshPeers()
          .catch((error) => log.warn({ err: error }, 'The mesh could not be brought up to date'));
      endings.push(
        notifications.subscribe<{ imageKey?: string | null }>(MESH_PEERS_CHANNEL, async ({ imageKey }) => {
          await refreshPeers();
          await service.images.forget(imageKey ?? null);
        }),
        notifications.subscribe<{ deskId: string }>(DESK_CHECK_CHANNEL, ({ deskId }) =>
          poller.checkSoon(deskId),
        ),
        notifications.onGap(() => void refreshPeers()),
      );
      const timer = setInterval(() => void refreshPeers(), MESH_REFRESH_MS).unref();
      endings.push(() => clearInterval(timer));
      poller.start();
      await demoDesk?.start();
    },

    async stop(): Promise<void> {
      for (const end of endings.splice(0)) end();
      demoDesk?.stop();
      await poller.stop();
      await mesh.stop();
    },
  };
}

function pollMetrics(registry: Registry) {
  const checks = new Counter({
    name: 'guildhall_desk_checks_total',
    help: 'Health checks of desks, by what they found',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const lag = new Gauge({
    name: 'guildhall_desk_checks_waiting',
    help: 'Health checks that are due and not begun',
    registers: [registry],
  });
  return { checks, lag };
}

function countDesks(registry: Registry, count: () => Promise<{ status: string; desks: number }[]>): void {
  new Gauge({
    name: 'guildhall_desks',
    help: 'Desks by status',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      for (const { status, desks } of await count()) this.set({ status }, desks);
    },
  });
}
