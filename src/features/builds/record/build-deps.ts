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

/** What the services of this feature need from outside. */
export interface BuildDeps {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  outbox: Pick<WebhookOutbox, 'record'>;
  inbox: InboxNotices;
  notifications: Notifications;
  registry: Registry;
  /** Signs cursors; the same on every node. */
  cursorSecret: string;
  /** Whether a credential that was accepted before still is; for streams. */
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
  /** Whose commits those are that a desk makes for a coder. */
  commitIdentity: { name: string; email: string };
}

/** What of a build its brief depends on: it may not be there yet. */
export type BriefedBuild = Pick<BuildRow, 'brand_id' | 'task_id' | 'local' | 'note' | 'continues'> &
  Partial<Pick<BuildRow, 'build_id' | 'reviewed_build_id' | 'rework_of'>>;

export interface WrittenBrief {
  text: string;
  /** It holds words of a guest, or of a coder that was given some. */
  guestWords: boolean;
}

/** What builds ask about the pull requests of their cards. */
export interface PullRequestsOfBuilds {
  /** Whether the project has a repository host, where an accepted build opens a pull request and its merge ends the card. */
  hasForge(db: Db | Tx, build: Pick<BuildRow, 'brand_id' | 'project_id'>): Promise<boolean>;
  /** The branch of the card's open pull request, to which later attempts are pushed. */
  findBranch(
    db: Db | Tx,
    build: Pick<BuildRow, 'brand_id' | 'project_id' | 'task_id'>,
  ): Promise<string | undefined>;
  /** Whether the card has an open pull request on a connected host. */
  hasOpenPullRequest(db: Db | Tx, build: Pick<BuildRow, 'brand_id' | 'task_id'>): Promise<boolean>;
  /** Whether the card's pull request was merged after the build was queued, or with this build's commits. */
  isMerged(
    db: Db | Tx,
    build: Pick<BuildRow, 'brand_id' | 'task_id' | 'build_id' | 'queued_at'>,
  ): Promise<boolean>;
  /** The card's error when its pull request was closed without a merge while the attempt ran. */
  findClosedSince(
    tx: Tx,
    build: Pick<BuildRow, 'brand_id' | 'task_id'>,
    since: Date,
  ): Promise<{ error_code: string; error_message: string } | undefined>;
  /** Call it in the transaction that records the push. */
  queueOpening(tx: Tx, build: BuildRow, branch: string): Promise<void>;
}

/** What the host said of the attempt before; it is data, whoever wrote it. */
export interface CameBack {
  because: ReworkReason[];
  pull_request: number;
  checks: { name: string; summary: string | null; log: string | null }[];
  comments: { path: string | null; line: number | null; author: string; body: string; at: string }[];
  /** In which the work and its base cannot be brought together. */
  files: string[];
}
