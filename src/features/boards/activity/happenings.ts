import type { MemberCaller } from '../../../kernel/access.js';
import { actorOf } from '../../../kernel/actors.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Tx } from '../../../platform/database/database.js';
import type { WebhookMessage } from '../../../platform/outbox/webhook-outbox.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import type { LockedBoard } from '../board/boards.store.js';
import type { Changes } from '../boards.schemas.js';
import type { Action, ActivityEntry } from './feed.schemas.js';
import { feedStore, type NewEntry, type RecordedEntry } from './feed.store.js';

export const ACTIVITY_CHANNEL = 'guildhall_board_activity';

export interface Happening {
  action: Action;
  changes: Changes;
  task?: { id: string; ref: string; version: number };
  /** Given when the write gave out a card's number. */
  lastNumber?: number;
}

/** Never before an earlier entry of the board, even when the clocks of two nodes differ. */
export const entryTime = (board: Pick<LockedBoard, 'last_activity_at'>, clock: Clock): Date =>
  new Date(Math.max(clock.now().getTime(), board.last_activity_at.getTime()));

/** The next entry of a board that the writer holds. */
export function nextEntry(
  actor: Writer['actor'],
  board: LockedBoard,
  at: Date,
  { action, changes, task }: Happening,
): NewEntry {
  board.last_sequence += 1;
  return {
    boardId: board.board_id,
    sequence: board.last_sequence,
    at,
    action,
    taskId: task?.id ?? null,
    ref: task?.ref ?? null,
    cardVersion: task?.version ?? null,
    actor: actor && { userId: actor.user_id, agentId: actor.agent_id },
    changes,
  };
}

/** Wakes up whoever follows the feed, after the commit. */
export const announce = (
  { notifications }: Pick<BoardServiceOptions, 'notifications'>,
  tx: Tx,
  boardId: string,
): void => notifications.announce(tx, ACTIVITY_CHANNEL, boardId);

export type ToldEntry = Pick<NewEntry, 'boardId' | 'action' | 'taskId' | 'ref' | 'changes'>;

/** Who wrote an entry; nobody where the service follows work that is done for a card. */
export interface Writer {
  brandId: number;
  actor: ActivityEntry['actor'];
}

export const writerOf = (caller: MemberCaller): Writer => ({
  brandId: caller.brandId,
  actor: actorOf(caller),
});

/** Tells those outside who listen, if there are any, and the pages that follow the feed, of what was written. */
export async function tellOfEntries(
  { outbox, notifications }: Pick<BoardServiceOptions, 'notifications' | 'outbox'>,
  tx: Tx,
  writer: Writer,
  entries: readonly ToldEntry[],
  recorded: readonly RecordedEntry[],
): Promise<void> {
  const byCard = new Map(recorded.map((each) => [each.task_id, each]));
  const messages = entries.flatMap((entry) => {
    const written = byCard.get(entry.taskId)!;
    return written.heard ? [messageOf(writer, entry, written)] : [];
  });
  if (messages.length > 0) await outbox.tell(tx, messages);
  for (const boardId of new Set(entries.map((entry) => entry.boardId)))
    announce({ notifications }, tx, boardId);
}

function messageOf(
  { brandId, actor }: Writer,
  { boardId, action, taskId, ref, changes }: ToldEntry,
  { id, at }: RecordedEntry,
): WebhookMessage {
  const entry: ActivityEntry = {
    id,
    action,
    created_at: at.toISOString(),
    task_id: taskId,
    ref,
    actor,
    changes,
  };
  const ids = { board_id: boardId, ...(taskId !== null && { task_id: taskId, ref }) };
  return { brandId, type: action, at, data: { ...ids, entry } };
}

/** Writes the one entry of a write, and tells of it. */
export async function recordHappening(
  options: Pick<BoardServiceOptions, 'notifications' | 'outbox'>,
  tx: Tx,
  writer: Writer,
  board: LockedBoard,
  at: Date,
  happening: Happening,
): Promise<void> {
  const entry = nextEntry(writer.actor, board, at, happening);
  const recorded = await feedStore(tx, writer.brandId).record([entry], happening.lastNumber);
  await tellOfEntries(options, tx, writer, [entry], recorded);
}
