import { sql } from 'kysely';
import type { ActorIds, ActorNames } from '../../../kernel/actors.js';
import type { Db, Nullable, Tx } from '../../../platform/database/database.js';
import { actorNames } from '../../../platform/database/schema/sql-fragments.js';

export interface CommentRow {
  id: string;
  author: ActorNames | null;
  body: string;
  created_at: Date;
  by_guest: boolean;
}

export interface FoundComment extends CommentRow {
  ref: string;
  version: number;
}

const author = actorNames(sql`c.author_user_id`, sql`c.author_agent_id`);

export function commentStore(db: Db | Tx, brandId: number) {
  return {
    /** Updates the card's count without changing its version. Undefined when the card is gone. */
    async addComment(comment: {
      id: string;
      cardId: string;
      author: ActorIds;
      body: string;
      at: Date;
      byGuest: boolean;
    }) {
      const { rows } = await sql<{ ref: string; version: number }>`
        with card as (
          update cards k set comment_count = comment_count + 1 from boards b
          where k.card_id = ${comment.cardId} and k.brand_id = ${brandId} and b.board_id = k.board_id
          returning k.card_id, b.key || '-' || k.number as ref, k.version
        ), comment as (
          insert into card_comments (comment_id, card_id, author_user_id, author_agent_id, body, created_at, by_guest)
          select ${comment.id}::uuid, card_id, ${comment.author.userId}::int, ${comment.author.agentId}::text, ${comment.body}::text,
            ${comment.at}::timestamptz, ${comment.byGuest}::boolean
          from card
        )
        select ref, version from card
      `.execute(db);
      return rows[0];
    },

    async findComment(cardId: string, commentId: string): Promise<FoundComment | undefined> {
      const { rows } = await sql<FoundComment>`
        select c.comment_id as id, ${author} as author, c.body, c.created_at, c.by_guest,
          b.key || '-' || k.number as ref, k.version
        from card_comments c join cards k using (card_id) join boards b using (board_id)
        where c.comment_id = ${commentId} and c.card_id = ${cardId} and k.brand_id = ${brandId}
      `.execute(db);
      return rows[0];
    },

    async changeBody(commentId: string, body: string, byGuest: boolean): Promise<void> {
      await sql`
        update card_comments c set body = ${body}, by_guest = ${byGuest} from cards k
        where c.comment_id = ${commentId} and k.card_id = c.card_id and k.brand_id = ${brandId}
      `.execute(db);
    },

    /** Attachments of the comment are deleted and uncounted too. */
    async deleteComment(cardId: string, commentId: string): Promise<void> {
      await sql`
        with gone as (
          delete from card_comments where comment_id = ${commentId} and card_id = ${cardId} returning card_id
        )
        update cards k set comment_count = comment_count - 1,
          attachment_count = attachment_count - (select count(*) from card_attachments where comment_id = ${commentId})
        from gone
        where k.card_id = gone.card_id and k.brand_id = ${brandId}
      `.execute(db);
    },

    /** Reads from the nearer end of the index. */
    async listComments(
      cardId: string,
      limit: number,
      offset: number,
    ): Promise<{ rows: CommentRow[]; total: number }> {
      const { rows } = await sql<Nullable<CommentRow> & { total: number }>`
        select card.comment_count as total, page.* from cards card
        left join lateral (
          select c.comment_id as id, ${author} as author, c.body, c.created_at, c.by_guest
          from (
            (select comment_id from card_comments
            where card_id = card.card_id and ${offset}::bigint <= card.comment_count / 2
            order by created_at, comment_id limit ${limit} offset ${offset})
            union all
            (select comment_id from card_comments
            where card_id = card.card_id and ${offset}::bigint > card.comment_count / 2
            order by created_at desc, comment_id desc
            limit greatest(0, least(${limit}::bigint, card.comment_count - ${offset}::bigint))
            offset greatest(0, card.comment_count - ${offset}::bigint - ${limit}::bigint))
          ) place join card_comments c using (comment_id)
        ) page on true
        where card.card_id = ${cardId} and card.brand_id = ${brandId}
        order by page.created_at, page.id
      `.execute(db);
      // An empty page is one row with only the total.
      const comments = rows.filter((row): row is CommentRow & { total: number } => row.id !== null);
      return { rows: comments, total: rows[0]?.total ?? 0 };
    },

    async listLatest(cardId: string, limit: number): Promise<CommentRow[]> {
      const { rows } = await sql<CommentRow>`
        select c.comment_id as id, ${author} as author, c.body, c.created_at, c.by_guest
        from card_comments c join cards k using (card_id)
        where c.card_id = ${cardId} and k.brand_id = ${brandId}
        order by c.created_at desc, c.comment_id desc limit ${limit}`.execute(db);
      return rows;
    },
  };
}
