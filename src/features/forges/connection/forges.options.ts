import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { InboxNotices, WebhookOutbox } from '../../../platform/outbox/outbox.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { BoardService } from '../../boards/index.js';
import type { BuildService } from '../../builds/index.js';
import type { CallerChecks } from '../../identity/index.js';
import type { ProjectService } from '../../projects/index.js';
import type { OpenForge } from '../adapter/forge.js';

export interface ForgeOptions {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  secrets: SecretBox;
  notifications: Notifications;
  outbox: Pick<WebhookOutbox, 'record'>;
  inbox: Pick<InboxNotices, 'notify' | 'settle'>;
  cursorSecret: string;
  baseUrl: string;
  version: string;
  /** Private networks in which hosts are allowed. */
  forgeNetworks: readonly string[];
  /** Replaces the network in tests. */
  openForge?: OpenForge;
  /** Our own hosts on loopback that may be called, such as the demo host. */
  trustedOrigins(): readonly string[];
  boards: BoardService;
  projects: ProjectService;
  builds: BuildService;
  requireStillAdmin: CallerChecks['requireStillAdmin'];
}
