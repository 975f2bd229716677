import type { Registry } from 'prom-client';
import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { InboxNotices, WebhookOutbox } from '../../../platform/outbox/outbox.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { BoardService } from '../../boards/index.js';
import type { CoderProfileService } from '../../coder-profiles/index.js';
import type { IdentityService } from '../../identity/index.js';
import type { LessonService } from '../../lessons/index.js';
import type { MemoryService } from '../../memory/index.js';
import type { ProjectService } from '../../projects/index.js';
import type { WorkstationService } from '../../workstations/index.js';
import type { ReworkReason } from '../builds.schemas.js';
import type { BuildRow } from './builds.store.js';

export type Desks = Pick<WorkstationService, 'findBuilder' | 'listBuilders' | 'noteEvent' | 'reports'>;

export interface BuildDeps {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  outbox: Pick<WebhookOutbox, 'record'>;
  inbox: InboxNotices;
  notifications: Notifications;
  registry: Registry;
  /** Signs cursors. The same on every node. */
  cursorSecret: string;
  /** Whether a credential that was accepted before is still valid. Used by streams. */
  isStillValid(caller: MemberCaller): Promise<boolean>;
  boards: BoardService;
  coderProfiles: Pick<CoderProfileService, 'getProfile' | 'readBuildSettings'>;
  projects: ProjectService;
  desks: Desks;
  identity: Pick<IdentityService, 'findMember'>;
  memory: MemoryService;
  lessons: LessonService;
  pullRequests: PullRequestsOfBuilds;
  secrets: SecretBox;
  baseUrl: string;
  /** The git author of commits that a desk makes for a coder. */
  commitIdentity: { name: string; email: string };
}

/** The fields that a brief depends on. The build itself may not exist yet. */
export type BriefedBuild = Pick<BuildRow, 'brand_id' | 'task_id' | 'local' | 'note' | 'continues'> &
  Partial<Pick<BuildRow, 'build_id' | 'reviewed_build_id' | 'rework_of'>>;

export interface WrittenBrief {
  text: string;
  /** The brief holds text of a guest, or of a coder that has read such text. */
  guestWords: boolean;
}

/** Lets builds ask about the pull requests of their cards. */
export interface PullRequestsOfBuilds {
  /**
   * Whether the project has a repository host. Then an accepted build opens a pull request, and its merge
   * ends the card.
   */
  hasForge(db: Db | Tx, build: Pick<BuildRow, 'brand_id' | 'project_id'>): Promise<boolean>;
  /** The branch of the card's open pull request, to which later attempts are pushed. */
  findBranch(
    db: Db | Tx,
    build: Pick<BuildRow, 'brand_id' | 'project_id' | 'task_id'>,
  ): Promise<string | undefined>;
  hasOpenPullRequest(db: Db | Tx, build: Pick<BuildRow, 'brand_id' | 'task_id'>): Promise<boolean>;
  /** Whether the card's pull request was merged after the build was queued, or with this build's commits. */
  isMerged(
    db: Db | Tx,
    build: Pick<BuildRow, 'brand_id' | 'task_id' | 'build_id' | 'queued_at'>,
  ): Promise<boolean>;
  /** The card's error when its pull request was closed without a merge during the attempt. */
  findClosedSince(
    tx: Tx,
    build: Pick<BuildRow, 'brand_id' | 'task_id'>,
    since: Date,
  ): Promise<{ error_code: string; error_message: string } | undefined>;
  /** Call it in the transaction that records the push. */
  queueOpening(tx: Tx, build: BuildRow, branch: string): Promise<void>;
}

/** The host's report about the attempt before. Treat it as data, because anyone may have written it. */
export interface HostFeedback {
  because: ReworkReason[];
  pull_request: number;
  checks: { name: string; summary: string | null; log: string | null }[];
  comments: { path: string | null; line: number | null; author: string; body: string; at: string }[];
  /** The files that conflict with the base. */
  files: string[];
}
