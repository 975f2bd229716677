import type { MemberCaller } from '../../../kernel/access.js';
import { actorOf } from '../../../kernel/actors.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Tx } from '../../../platform/database/database.js';
import type { WebhookMessage } from '../../../platform/outbox/outbox.js';
import type { BoardServiceOptions } from '../board/board-access.js';
import type { LockedBoard } from '../board/boards.store.js';
import type { Action, ActivityEntry, Changes } from '../boards.schemas.js';
import { feedStore, type NewEntry, type RecordedEntry } from './feed.store.js';

export const ACTIVITY_CHANNEL = 'guildhall_board_activity';

export interface Activity {
  action: Action;
  changes: Changes;
  task?: { id: string; ref: string; version: number };
  /** Set when the write created a card. */
  lastNumber?: number;
}

/** Never earlier than the board's last entry, even when the clocks of two nodes differ. */
export const entryTime = (board: Pick<LockedBoard, 'last_activity_at'>, clock: Clock): Date =>
  new Date(Math.max(clock.now().getTime(), board.last_activity_at.getTime()));

export function nextEntry(
  actor: Writer['actor'],
  board: LockedBoard,
  at: Date,
  { action, changes, task }: Activity,
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

/** Notifies followers of the board's activity after the commit. */
export const announce = (
  { notifications }: Pick<BoardServiceOptions, 'notifications'>,
  tx: Tx,
  boardId: string,
): void => notifications.announce(tx, ACTIVITY_CHANNEL, boardId);

export type PublishedEntry = Pick<NewEntry, 'boardId' | 'action' | 'taskId' | 'ref' | 'changes'>;

/** The author of an entry, or null when the service writes on its own. */
export interface Writer {
  brandId: number;
  actor: ActivityEntry['actor'];
}

export const writerOf = (caller: MemberCaller): Writer => ({
  brandId: caller.brandId,
  actor: actorOf(caller),
});

export async function publishEntries(
  { outbox, notifications }: Pick<BoardServiceOptions, 'notifications' | 'outbox'>,
  tx: Tx,
  writer: Writer,
  entries: readonly PublishedEntry[],
  recorded: readonly RecordedEntry[],
): Promise<void> {
  const byCard = new Map(recorded.map((each) => [each.task_id, each]));
  const messages = entries.flatMap((entry) => {
    const written = byCard.get(entry.taskId)!;
    return written.heard ? [messageOf(writer, entry, written)] : [];
  });
  if (messages.length > 0) await outbox.record(tx, messages);
  for (const boardId of new Set(entries.map((entry) => entry.boardId)))
    announce({ notifications }, tx, boardId);
}

function messageOf(
  { brandId, actor }: Writer,
  { boardId, action, taskId, ref, changes }: PublishedEntry,
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

export async function recordActivity(
  options: Pick<BoardServiceOptions, 'notifications' | 'outbox'>,
  tx: Tx,
  writer: Writer,
  board: LockedBoard,
  at: Date,
  activity: Activity,
): Promise<void> {
  const entry = nextEntry(writer.actor, board, at, activity);
  const recorded = await feedStore(tx, writer.brandId).record([entry], activity.lastNumber);
  await publishEntries(options, tx, writer, [entry], recorded);
}
