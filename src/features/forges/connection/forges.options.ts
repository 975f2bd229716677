import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { InboxNotices } from '../../../platform/outbox/inbox-notices.js';
import type { WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { BoardService } from '../../boards/index.js';
import type { BuildService } from '../../builds/index.js';
import type { StillAllowed } from '../../identity/index.js';
import type { ProjectService } from '../../projects/index.js';
import type { OpenForge } from '../adapter/forge.js';

/** What the rooms of this feature are given. */
export interface ForgeOptions {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  secrets: SecretBox;
  notifications: Notifications;
  outbox: Pick<WebhookOutbox, 'tell'>;
  inbox: Pick<InboxNotices, 'tell' | 'settle'>;
  cursorSecret: string;
  baseUrl: string;
  version: string;
  /** Networks beside the internet that hosts may be in. */
  forgeNetworks: readonly string[];
  /** How hosts are spoken to, where it is not over the network; for tests. */
  openForge?: OpenForge;
  /** Hosts of our own on loopback, such as that of the demo world, which may be spoken to all the same. */
  trustedOrigins(): readonly string[];
  boards: BoardService;
  projects: ProjectService;
  /** Made after this feature, which it asks in its turn where accepted work goes on. */
  builds(): BuildService;
  requireStillAdmin: StillAllowed['requireStillAdmin'];
}
