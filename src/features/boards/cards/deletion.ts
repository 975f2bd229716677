import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf, showActor } from '../../../kernel/actors.js';
import { newId } from '../../../kernel/ids.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { ActivityEntry } from '../activity/feed.schemas.js';
import { entryTime, type Writer, writerOf } from '../activity/happenings.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import { boardStore, type GoingCard, type LockedBoard } from '../board/boards.store.js';
import { deletionOf } from './card-changes.js';

/** So many cards are in memory at once, and in one statement. */
const CARDS_AT_ONCE = 1000;

type Options = Pick<BoardServiceOptions, 'outbox' | 'clock'>;

/** The feed goes with the board, so its end is no entry of it: those outside are told, and whoever follows it finds it kept. */
export async function deleteAndTell(
  options: Options,
  tx: Tx,
  caller: MemberCaller,
  board: LockedBoard,
): Promise<void> {
  const { outbox, clock } = options;
  const { brandId } = caller;
  const at = entryTime(board, clock);
  const id = newId();
  if (await outbox.isHeard(tx, brandId)) {
    await tellOfCards(options, tx, writerOf(caller), board, at);
    const { actor } = writerOf(caller);
    const entry = boardEntry({ id, at, actor });
    await outbox.tell(tx, [{ brandId, type: entry.action, at, data: { board_id: board.board_id, entry } }]);
  }
  await boardStore(tx, brandId).deleteBoard(board.board_id, { id, at, by: actorIdsOf(caller) });
}

async function tellOfCards(
  { outbox }: Options,
  tx: Tx,
  { brandId, actor }: Writer,
  { board_id, key }: LockedBoard,
  at: Date,
): Promise<void> {
  const tell = (card: GoingCard) => {
    const { card_id: task_id, entry_id: id, number, title, status, column_name: column } = card;
    const ref = `${key}-${number}`;
    const changes = deletionOf({ title, status, column });
    const action = 'task.deleted' as const;
    const entry: ActivityEntry = { id, action, created_at: at.toISOString(), task_id, ref, actor, changes };
    return { brandId, type: action, at, data: { board_id, task_id, ref, entry } };
  };
  const store = boardStore(tx, brandId);
  for (let after = 0, more = true; more; ) {
    const cards = await store.listGoingCards(board_id, after, CARDS_AT_ONCE, at);
    await outbox.tell(tx, cards.map(tell));
    after = cards.at(-1)?.number ?? after;
    more = cards.length === CARDS_AT_ONCE;
  }
}

/** What is told last of a board that is gone; nothing of one that never was. */
export async function findLastEntry(
  db: Db,
  brandId: number,
  boardId: string,
): Promise<ActivityEntry | undefined> {
  const gone = await boardStore(db, brandId).findDeletion(boardId);
  if (!gone?.id || !gone.at) return undefined;
  const { id, at, actor } = gone;
  return boardEntry({ id, at, actor: showActor(actor) });
}

const boardEntry = ({ id, at, actor }: { id: string; at: Date; actor: ActivityEntry['actor'] }) =>
  ({
    id,
    action: 'board.updated',
    created_at: at.toISOString(),
    task_id: null,
    ref: null,
    actor,
    changes: { deleted: { from: false, to: true } },
  }) satisfies ActivityEntry;
