import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';

export interface CommentRow {
  id: string | null;
  author_user_id: number | null;
  author_name: string | null;
  body: string;
  created_at: Date;
  total: number;
}

export function commentStore(db: Db | Tx, brandId: number) {
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
