import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Db, Tx } from '../../database/database.js';
import { inTransaction } from '../../database/transaction.js';
import type { MemberCaller } from '../../kernel/access.js';
import { newId } from '../../kernel/ids.js';
import { excerptOf } from './boards.card-fields.js';
import type { PageWish } from './boards.card-service.js';
import { cardStore } from './boards.card-store.js';
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

interface CommentRow {
  id: string | null;
  author_user_id: number | null;
  author_name: string | null;
  body: string;
  created_at: Date;
  total: number;
}

function commentStore(db: Db | Tx, brandId: number) {
  return {
    /** The comment, and the card's count of them; a comment is no change of the card itself. */
    async addComment(comment: { id: string; cardId: string; authorId: number; body: string; at: Date }) {
      const { rows } = await sql<{ ref: string; version: number }>`
        with comment as (
          insert into card_comments (comment_id, card_id, author_user_id, body, created_at)
          values (${comment.id}, ${comment.cardId}, ${comment.authorId}, ${comment.body}, ${comment.at})
        )
        update cards k set comment_count = comment_count + 1 from boards b
        where k.card_id = ${comment.cardId} and k.brand_id = ${brandId} and b.board_id = k.board_id
        returning b.key || '-' || k.number as ref, k.version
      `.execute(db);
      return rows[0];
    },

    async listComments(cardId: string, limit: number, offset: number): Promise<CommentRow[]> {
      const { rows } = await sql<CommentRow>`
        select card.comment_count as total, page.* from cards card
        left join lateral (
          select c.comment_id as id, c.author_user_id, u.full_name as author_name, c.body, c.created_at
          from card_comments c left join users u on u.user_id = c.author_user_id
          where c.card_id = card.card_id order by c.created_at, c.comment_id limit ${limit} offset ${offset}
        ) page on true
        where card.card_id = ${cardId} and card.brand_id = ${brandId}
        order by page.created_at, page.id
      `.execute(db);
      return rows;
    },
  };
}

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
