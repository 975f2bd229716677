import type { Static } from 'typebox';
import { inTransaction } from '../../database/transaction.js';
import type { MemberCaller } from '../../kernel/access.js';
import { newId } from '../../kernel/ids.js';
import { excerptOf } from './boards.card-fields.js';
import type { PageWish } from './boards.card-service.js';
import { cardStore } from './boards.card-store.js';
import { type CommentRow, commentStore } from './boards.comment-store.js';
import {
  type BoardServiceOptions,
  entryTime,
  openBoard,
  recordHappening,
  requireLevel,
} from './boards.context.js';
import { cardNotFound } from './boards.errors.js';
import type { Comment } from './boards.schemas.js';
import { boardStore } from './boards.store.js';

type CommentRecord = Static<typeof Comment>;

export function createCommentService(options: BoardServiceOptions) {
  const { db, clock } = options;
  return {
    async addComment(caller: MemberCaller, cardId: string, body: string): Promise<CommentRecord> {
      return inTransaction(db, async (tx) => {
        const board = await boardStore(tx, caller.brandId).lockBoardOfCard(cardId, caller.userId);
        if (!board) throw cardNotFound();
        requireLevel(caller, board.guest_level, 'commenter', 'comment');
        const at = entryTime(board, clock);
        const id = newId();
        const card = await commentStore(tx, caller.brandId).addComment({
          id,
          cardId,
          authorId: caller.userId,
          body,
          at,
        });
        if (!card) throw cardNotFound();
        await recordHappening(options, tx, caller, board, at, {
          action: 'task.commented',
          changes: { comment: { from: null, to: excerptOf(body) } },
          task: { id: cardId, ...card },
        });
        const author = { user_id: caller.userId, name: caller.fullName };
        return { id, task_id: cardId, author, body, created_at: at.toISOString() };
      });
    },

    async listComments(caller: MemberCaller, cardId: string, { page, per_page }: PageWish) {
      const boardId = await cardStore(db, caller.brandId).findBoardOfCard(cardId);
      if (!boardId) throw cardNotFound();
      await openBoard(db, caller, boardId);
      const rows = await commentStore(db, caller.brandId).listComments(
        cardId,
        per_page,
        (page - 1) * per_page,
      );
      const comments = rows
        .filter((row): row is CommentRow & { id: string } => row.id !== null)
        .map((row) => ({
          id: row.id,
          task_id: cardId,
          author:
            row.author_user_id === null ? null : { user_id: row.author_user_id, name: row.author_name ?? '' },
          body: row.body,
          created_at: row.created_at.toISOString(),
        }));
      return { comments, total: rows[0]?.total ?? 0 };
    },
  };
}
