import type { ActorIds } from '../../kernel/actors.js';
import type { Tx } from '../database/database.js';

export const INBOX_KINDS = [
  'assigned',
  'mentioned',
  'commented',
  'build_failed',
  'review_asked',
  'build_stalled',
  'budget_reached',
  'push_failed',
  'login_refused',
  'pr_merged',
  'pr_checks_failed',
  'pr_changes_requested',
] as const;
export type InboxKind = (typeof INBOX_KINDS)[number];

/** Something that people should know of a card. */
export interface Notice {
  brandId: number;
  kind: InboxKind;
  taskId: string;
  at: Date;
  /** Whose deed it is: people are not told of their own, but of what an agent of theirs does. Null: the service itself. */
  actor: ActorIds | null;
  buildId?: string;
  excerpt: string | null;
  to: Recipients;
  /** They are told otherwise. */
  except?: readonly number[];
}

/** People by id, and whoever is what on the card at the time. */
export interface Recipients {
  users?: readonly number[];
  assignee?: boolean;
  reporter?: boolean;
  watchers?: boolean;
}

/** What is done for everybody: what asked for it of the card, up to a moment, and of the build whenever it was. */
export interface Answered {
  brandId: number;
  kind: InboxKind;
  taskId: string;
  buildId: string;
  until: Date;
  at: Date;
}

/** How features tell people, without knowing how they read it. */
export interface InboxNotices {
  /** Belongs into the transaction of what it tells; those who cannot open the card's board are left out. */
  tell(tx: Tx, notices: readonly Notice[]): Promise<void>;
  /** What was asked of people has been answered: for everybody, their items are done. */
  settle(tx: Tx, answered: Answered): Promise<void>;
  /** Whether a text calls one of these names, which are nobody's. */
  calls(text: string, names: readonly string[]): boolean;
  /** The people whom a text calls by name, of those who can open the board. */
  findMentioned(tx: Tx, place: { brandId: number; boardId: string }, text: string): Promise<number[]>;
}
