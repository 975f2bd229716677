import type { ActorIds } from '../../kernel/actors.js';
import type { Db, Tx } from '../database/database.js';

export const INBOX_KINDS = [
  'assigned',
  'mentioned',
  'commented',
  'build_failed',
  'review_asked',
  'build_stalled',
  'build_question',
  'budget_reached',
  'push_failed',
  'login_refused',
  'pr_merged',
  'pr_checks_failed',
  'pr_changes_requested',
] as const;
export type InboxKind = (typeof INBOX_KINDS)[number];

/** An event on a card that appears in the inboxes of its recipients. */
export interface Notice {
  brandId: number;
  kind: InboxKind;
  taskId: string;
  at: Date;
  /**
   * People get no notice of their own actions, but they do of their agents' actions. Null means the service
   * itself.
   */
  actor: ActorIds | null;
  buildId?: string;
  excerpt: string | null;
  to: Recipients;
  /** People who get another notice of the same event. */
  except?: readonly number[];
}

/** People by id, and by their role on the card at the time. */
interface Recipients {
  users?: readonly number[];
  assignee?: boolean;
  reporter?: boolean;
  watchers?: boolean;
}

/** Selects the items to mark as done: items of the card up to `until`, and items of the build at any time. */
export interface SettledItems {
  brandId: number;
  kind: InboxKind;
  taskId: string;
  buildId: string;
  until: Date;
  at: Date;
}

export interface InboxNotices {
  /** Call this in the transaction of the event. Leaves out people who cannot open the card's board. */
  notify(tx: Tx, notices: readonly Notice[]): Promise<void>;
  /** Marks the items as done for everyone. */
  settle(tx: Tx, settled: SettledItems): Promise<void>;
  /** Whether a text mentions one of these names, which belong to no person. */
  mentions(text: string, names: readonly string[]): boolean;
  /** Returns the people mentioned in a text who can open the board. */
  findMentioned(tx: Tx, place: { brandId: number; boardId: string }, text: string): Promise<number[]>;
}

export const WEBHOOK_EVENTS = [
  'task.created',
  'task.updated',
  'task.moved',
  'task.commented',
  'task.deleted',
  'board.created',
  'board.updated',
  'build.queued',
  'build.started',
  'build.checking',
  'build.finished',
  'build.accepted',
  'build.reworked',
  'build.pushed',
  'budget.reached',
  'pr.merged',
  'pr.checks_failed',
  'pr.changes_requested',
  'desk.ready',
  'desk.unreachable',
  'hire.active',
  'hire.canceled',
  'memory.created',
  'lesson.stale',
  'member.joined',
  'member.left',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export interface WebhookMessage {
  brandId: number;
  type: WebhookEvent;
  at: Date;
  /** The ids of the record, and the fields that most receivers would otherwise request. */
  data: Record<string, unknown>;
}

export interface WebhookOutbox {
  /**
   * Call this in the transaction of the change. Writes nothing for a workspace without an enabled webhook.
   */
  record(tx: Tx, messages: readonly WebhookMessage[]): Promise<void>;
  /** Whether the workspace has an enabled webhook, so that a caller can skip preparing messages. */
  hasSubscribers(db: Db | Tx, brandId: number): Promise<boolean>;
}
