import type { MemberCaller } from '../../../kernel/access.js';
import { type ActorNames, actorIdsOf, actorOf, showActor } from '../../../kernel/actors.js';
import { newId } from '../../../kernel/ids.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { entryTime, recordActivity, writerOf } from '../activity/activity.js';
import { notifyOfComment } from '../activity/notices.js';
import { type BoardServiceOptions, lockBoardOfCard, openBoard, requireLevel } from '../board/board-access.js';
import type { LockedBoard } from '../board/boards.store.js';
import { excerptOf } from '../board/text.js';
import { cardNotFound, commentNotFound, neitherAuthorNorAdmin, notTheAuthor } from '../boards.errors.js';
import type { Comment, PageQuery } from '../boards.schemas.js';
import { cardStore } from '../cards/cards.store.js';
import { type CommentRow, commentStore } from './comments.store.js';

interface Authored {
  author: ActorNames | null;
}

/** A person and their agent are different authors. */
export const isAuthor = ({ userId, agent }: MemberCaller, { author }: Authored): boolean =>
  author?.user_id === userId && author.agent_id === (agent?.agentId ?? null);

/** People can delete what their agents wrote. */
export const answersFor = (caller: MemberCaller, thing: Authored): boolean =>
  isAuthor(caller, thing) || (caller.agent === null && thing.author?.user_id === caller.userId);

export function createCommentService(options: BoardServiceOptions) {
  const { db, clock, onComment } = options;
  return {
    async permitComment(caller: MemberCaller, cardId: string): Promise<void> {
      const boardId = await cardStore(db, caller.brandId).findBoardOfCard(cardId);
      if (!boardId) throw cardNotFound();
      const board = await openBoard(db, caller, boardId);
      requireLevel(caller, board.guest_level, 'commenter', 'comment');
    },

    async addComment(caller: MemberCaller, cardId: string, body: string): Promise<Comment> {
      const comment = await inTransaction(db, async (tx) => {
        const board = await lockBoardOfCard(tx, caller, cardId);
        requireLevel(caller, board.guest_level, 'commenter', 'comment');
        const at = entryTime(board, clock);
        const id = newId();
        const card = await commentStore(tx, caller.brandId).addComment({
          id,
          cardId,
          author: actorIdsOf(caller),
          body,
          at,
          byGuest: caller.role === 'guest',
        });
        if (!card) throw cardNotFound();
        await record(tx, caller, board, cardId, card, { from: null, to: body });
        return { id, task_id: cardId, author: actorOf(caller), body, created_at: at.toISOString() };
      });
      await onComment(caller, cardId, body);
      return comment;
    },

    /** Newest first, without an access check. */
    listLatestComments: (brandId: number, cardId: string, limit: number): Promise<CommentRow[]> =>
      commentStore(db, brandId).listLatest(cardId, limit),

    async changeComment(
      caller: MemberCaller,
      cardId: string,
      commentId: string,
      body: string,
    ): Promise<Comment> {
      return inTransaction(db, async (tx) => {
        const { board, comment } = await openComment(tx, caller, cardId, commentId);
        if (!isAuthor(caller, comment)) throw notTheAuthor();
        if (comment.body !== body) {
          await commentStore(tx, caller.brandId).changeBody(commentId, body, caller.role === 'guest');
          await record(tx, caller, board, cardId, comment, { from: comment.body, to: body });
        }
        return toComment(cardId, { ...comment, body });
      });
    },

    async deleteComment(caller: MemberCaller, cardId: string, commentId: string): Promise<void> {
      await inTransaction(db, async (tx) => {
        const { board, comment } = await openComment(tx, caller, cardId, commentId);
        if (!answersFor(caller, comment) && caller.role !== 'admin') throw neitherAuthorNorAdmin();
        await commentStore(tx, caller.brandId).deleteComment(cardId, commentId);
        await record(tx, caller, board, cardId, comment, { from: comment.body, to: null });
      });
    },

    async listComments(caller: MemberCaller, cardId: string, { page, per_page }: PageQuery) {
      const boardId = await cardStore(db, caller.brandId).findBoardOfCard(cardId);
      if (!boardId) throw cardNotFound();
      await openBoard(db, caller, boardId);
      const store = commentStore(db, caller.brandId);
      const { rows, total } = await store.listComments(cardId, per_page, (page - 1) * per_page);
      return {
        comments: rows.map((row) => ({
          ...toComment(cardId, row),
          ...(row.by_guest && { from_guest: true as const }),
        })),
        total,
      };
    },
  };

  async function openComment(tx: Tx, caller: MemberCaller, cardId: string, commentId: string) {
    const board = await lockBoardOfCard(tx, caller, cardId);
    requireLevel(caller, board.guest_level, 'commenter', 'comment');
    const comment = await commentStore(tx, caller.brandId).findComment(cardId, commentId);
    if (!comment) throw commentNotFound();
    return { board, comment };
  }

  async function record(
    tx: Tx,
    caller: MemberCaller,
    board: LockedBoard,
    cardId: string,
    { ref, version }: { ref: string; version: number },
    { from, to }: { from: string | null; to: string | null },
  ): Promise<void> {
    const at = entryTime(board, clock);
    await recordActivity(options, tx, writerOf(caller), board, at, {
      action: 'task.commented',
      changes: { comment: { from: excerptOf(from), to: excerptOf(to) } },
      task: { id: cardId, ref, version },
    });
    await notifyOfComment(options, tx, caller, { boardId: board.board_id, taskId: cardId, at }, { from, to });
  }
}

const toComment = (cardId: string, row: CommentRow): Comment => ({
  id: row.id,
  task_id: cardId,
  author: showActor(row.author),
  body: row.body,
  created_at: row.created_at.toISOString(),
});
