import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { ImageStore } from '../../../platform/images/images.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { InboxNotices } from '../../../platform/outbox/inbox-notices.js';
import type { WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import type { GuestAccessService } from '../../identity/index.js';

/** What the rooms of this feature are given. */
export interface BoardServiceOptions {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Pick<Jobs, 'trigger'>;
  /** Where the bytes of attachments lie. */
  images: ImageStore;
  notifications: Pick<Notifications, 'announce' | 'subscribe' | 'onGap'>;
  outbox: WebhookOutbox;
  inbox: InboxNotices;
  /** Signs cursors; the same on every node. */
  cursorSecret: string;
  isProfileKey: (key: string) => boolean;
  /** Throws where a card asks for checks in a form that is none. */
  requireCardChecks: (checks: unknown) => void;
  /** Whether the caller's credential would still be accepted. */
  /** Throws when the caller has stopped being an admin, or their credential has ended, since the request came in. */
  requireStillAdmin: (tx: Tx, caller: MemberCaller) => Promise<void>;
  holdsStill: (caller: MemberCaller) => Promise<boolean>;
  /** Runs a write after which somebody may open more or less than before. */
  changeIdentities: <T>(work: (tx: Tx) => Promise<T>, inside?: Db | Tx) => Promise<T>;
  guestAccess: GuestAccessService;
}
