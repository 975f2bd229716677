import type { Registry } from 'prom-client';
import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { InboxNotices } from '../../../platform/outbox/inbox-notices.js';
import type { WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import type { BoardService } from '../../boards/index.js';
import type { CoderProfileService } from '../../coder-profiles/index.js';
import type { ProjectService } from '../../projects/index.js';
import type { WorkstationService } from '../../workstations/index.js';
import type { BuildParts } from './builds.parts.js';

export type Desks = Pick<WorkstationService, 'findBuilder' | 'listBuilders' | 'noteEvent' | 'reports'>;

/** What the rooms of this feature are given. */
export interface BuildOptions {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  outbox: Pick<WebhookOutbox, 'tell'>;
  inbox: Pick<InboxNotices, 'tell' | 'settle'>;
  notifications: Notifications;
  registry: Registry;
  /** Signs cursors; the same on every node. */
  cursorSecret: string;
  /** Whether a credential that was accepted before still is; for streams. */
  holdsStill(caller: MemberCaller): Promise<boolean>;
  boards: Pick<
    BoardService,
    'getCard' | 'findCardToBuild' | 'listCardNames' | 'followCard' | 'noteSignsOfLife' | 'noteProgress'
  >;
  coderProfiles: Pick<CoderProfileService, 'getProfile' | 'readBuildSettings'>;
  projects: Pick<ProjectService, 'findProject' | 'checks'>;
  desks: Desks;
  parts: BuildParts;
  /** Whose commits those are that a desk makes for a coder. */
  commitIdentity: { name: string; email: string };
}
