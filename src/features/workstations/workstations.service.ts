import type { Registry } from 'prom-client';
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Db } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/events/notifications.js';
import type { ImageStore } from '../../platform/images/images.js';
import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { Mesh } from '../../platform/mesh/mesh.js';
import type { WebhookOutbox } from '../../platform/outbox/outbox.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { CallerChecks } from '../identity/index.js';
import { createAvailability } from './desks/availability.service.js';
import { createDeskKeys, deskAuthenticator } from './desks/desk-keys.js';
import { createBuilderDesks, createDeskService } from './desks/desks.service.js';
import { createEnvironmentService } from './desks/environments.service.js';
import { fleetStore } from './desks/fleet.store.js';
import { createDeskImages, IMAGE_LEFT_CHANNEL } from './desks/images.service.js';
import { createMeshPeers } from './desks/mesh-peers.js';
import type { ServiceAddress } from './installer/installer.js';
import { createDeskChecker } from './polling/desk-checker.js';
import { createDeskPoller, createPollMetrics, showDesks } from './polling/desk-poller.js';
import { createDeskReports, DESK_CHECK_CHANNEL } from './reports/reports.service.js';
import { networkRules } from './sidecar/desk-address.js';
import { sidecarClient } from './sidecar/sidecar-client.js';
import { createUpdateRunner } from './updates/update-runner.js';
import { createMachineUpdates } from './updates/updates.service.js';

interface WorkstationOptions {
  db: Db;
  clock: Clock;
  log: Log;
  /** Read on use, because a service on a free port learns its address after the start. */
  address: ServiceAddress;
  deskNetworks: readonly string[];
  mesh: Mesh;
  images: ImageStore;
  notifications: Notifications;
  outbox: Pick<WebhookOutbox, 'record'>;
  registry: Registry;
  secrets: SecretBox;
  requireStillSignedIn: CallerChecks['requireStillSignedIn'];
}

export type { BuilderDesk } from './desks/desks.service.js';

export type WorkstationService = ReturnType<typeof createWorkstationService>;

/** A tunnel completes its first handshake within two keepalives of the hub's start. */
const MESH_GRACE_SECONDS = 60;

export function createWorkstationService(options: WorkstationOptions) {
  const { db, clock, log, mesh, notifications, address, registry } = options;
  const networkRule = networkRules(mesh, options.deskNetworks);
  const meshPeers = createMeshPeers(options);
  const images = createDeskImages(options);
  const client = sidecarClient();
  const keys = createDeskKeys(options.secrets);
  const checker = createDeskChecker({ db, clock, client, networkRule, outbox: options.outbox, keys });
  const graceSeconds = mesh.network ? MESH_GRACE_SECONDS : 0;
  const poller = createDeskPoller({
    db,
    clock,
    log,
    checker,
    moveKeys: (signal) => keys.moveAll(db, signal),
    graceSeconds,
    metrics: createPollMetrics(registry),
  });
  const updateRunner = createUpdateRunner({ db, clock, log, client, address, networkRule, keys });
  showDesks(registry, () => fleetStore(db).countByStatus());
  const endings: (() => void)[] = [];

  return {
    ...createDeskService({ ...options, images, meshPeers, keys }),
    ...createEnvironmentService({ db, clock, networkRule }),
    ...createBuilderDesks({ db, clock, keys }),
    images,
    reports: createDeskReports({ db, clock, mesh, meshPeers, notifications, networkRule }),
    updates: createMachineUpdates({ db, clock }),
    availability: createAvailability({ db, clock }),
    address,
    authenticateDesk: deskAuthenticator(db, keys),
    pollAll: poller.checkAll,
    polledAt: poller.lastTickAt,
    runUpdates: updateRunner.runUpdates,

    /** For nodes that run background jobs. The mesh hub starts first, because checks go through it. */
    async start(): Promise<void> {
      await meshPeers.start();
      endings.push(
        notifications.subscribe<{ imageKey: string }>(IMAGE_LEFT_CHANNEL, ({ imageKey }) =>
          images.forget(imageKey),
        ),
        notifications.subscribe<{ deskId: string }>(DESK_CHECK_CHANNEL, ({ deskId }) =>
          poller.checkSoon(deskId),
        ),
      );
      poller.start();
    },

    async stop(): Promise<void> {
      for (const end of endings.splice(0)) end();
      await poller.stop();
      await meshPeers.stop();
    },
  };
}

/** The poller checks due desks on its own schedule. The job desk-poll checks all of them on demand. */
export const workstationJobs = (workstations: WorkstationService): JobDefinition[] => [
  {
    name: 'desk-poll',
    description: 'Checks every desk, due or not.',
    run: ({ signal }) => workstations.pollAll(signal),
  },
  {
    name: 'machine-updates',
    description: 'Sends requested updates to desks and follows them.',
    schedule: { everySeconds: 30 },
    run: ({ signal }) => workstations.runUpdates(signal),
  },
];
