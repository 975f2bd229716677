import type { Db, Tx } from '../database/database.js';

/** What a webhook can ask to be told of. */
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
  /** The ids of the record, and what a receiver should not have to ask for. */
  data: Record<string, unknown>;
}

/** How features tell the world outside, without knowing who listens. */
export interface WebhookOutbox {
  /** Belongs into the transaction of what it tells; writes nothing for a workspace in which nobody listens. */
  tell(tx: Tx, messages: readonly WebhookMessage[]): Promise<void>;
  /** Whether anybody listens at all: for a write that is no transaction unless there is something to tell. */
  isHeard(db: Db | Tx, brandId: number): Promise<boolean>;
}
