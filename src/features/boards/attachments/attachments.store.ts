import { sql } from 'kysely';
import type { ActorIds, ActorNames } from '../../../kernel/actors.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { actorNames } from '../../../platform/database/schema/sql-fragments.js';

export interface AttachmentRow {
  id: string;
  card_id: string;
  comment_id: string | null;
  name: string;
  content_type: string;
  bytes: number;
  has_thumbnail: boolean;
  author: ActorNames | null;
  created_at: Date;
  by_guest: boolean;
}

interface NewAttachment {
  id: string;
  cardId: string;
  commentId: string | null;
  name: string;
  contentType: string;
  bytes: number;
  hasThumbnail: boolean;
  author: ActorIds;
  byGuest: boolean;
  at: Date;
}

/** A database trigger computes the same key when an attachment is deleted. */
export const fileKeyOf = (brandId: number, attachmentId: string): string =>
  `attachments/${brandId}/${attachmentId}`;

const columns = sql`a.attachment_id as id, a.card_id, a.comment_id, a.name, a.content_type, a.bytes, a.has_thumbnail,
  ${actorNames(sql`a.author_user_id`, sql`a.author_agent_id`)} as author, a.created_at, a.by_guest`;

export function attachmentStore(db: Db | Tx, brandId: number) {
  return {
    /** Updates the card's count without changing its version. Undefined when the card is gone. */
    async insert(attachment: NewAttachment): Promise<{ ref: string; version: number } | undefined> {
      const { id, cardId, commentId, name, contentType, bytes, hasThumbnail, author, byGuest, at } =
        attachment;
      const { rows } = await sql<{ ref: string; version: number }>`
        with card as (
          update cards k set attachment_count = attachment_count + 1 from boards b
          where k.card_id = ${cardId} and k.brand_id = ${brandId} and b.board_id = k.board_id
          returning k.card_id, b.key || '-' || k.number as ref, k.version
        ), attachment as (
          insert into card_attachments (attachment_id, brand_id, card_id, comment_id, name, content_type, bytes, has_thumbnail,
            author_user_id, author_agent_id, by_guest, created_at)
          select ${id}::uuid, ${brandId}::int, card_id, ${commentId}::uuid, ${name}::text, ${contentType}::text, ${bytes}::int,
            ${hasThumbnail}::boolean, ${author.userId}::int, ${author.agentId}::text, ${byGuest}::boolean, ${at}::timestamptz
          from card
        )
        select ref, version from card`.execute(db);
      return rows[0];
    },

    async countOf(cardId: string): Promise<number | undefined> {
      const { rows } = await sql<{ attachment_count: number }>`
        select attachment_count from cards where card_id = ${cardId} and brand_id = ${brandId}`.execute(db);
      return rows[0]?.attachment_count;
    },

    async list(cardId: string): Promise<AttachmentRow[]> {
      const { rows } = await sql<AttachmentRow>`
        select ${columns} from card_attachments a
        where a.card_id = ${cardId} and a.brand_id = ${brandId} order by a.created_at, a.attachment_id`.execute(
        db,
      );
      return rows;
    },

    async listNames(cardIds: string[]): Promise<Pick<AttachmentRow, 'id' | 'card_id' | 'name'>[]> {
      const { rows } = await sql<Pick<AttachmentRow, 'id' | 'card_id' | 'name'>>`
        select a.attachment_id as id, a.card_id, a.name from card_attachments a
        where a.card_id = any(${cardIds}::uuid[]) and a.brand_id = ${brandId} order by a.created_at, a.attachment_id`.execute(
        db,
      );
      return rows;
    },

    async find(cardId: string, id: string): Promise<AttachmentRow | undefined> {
      const { rows } = await sql<AttachmentRow>`
        select ${columns} from card_attachments a
        where a.attachment_id = ${id} and a.card_id = ${cardId} and a.brand_id = ${brandId}`.execute(db);
      return rows[0];
    },

    async delete(cardId: string, id: string): Promise<{ ref: string; version: number } | undefined> {
      const { rows } = await sql<{ ref: string; version: number }>`
        with gone as (
          delete from card_attachments
          where attachment_id = ${id} and card_id = ${cardId} and brand_id = ${brandId} returning card_id
        )
        update cards k set attachment_count = attachment_count - 1 from gone, boards b
        where k.card_id = gone.card_id and b.board_id = k.board_id
        returning b.key || '-' || k.number as ref, k.version`.execute(db);
      return rows[0];
    },

    async countBytes(): Promise<number> {
      const { rows } = await sql<{ bytes: number }>`
        select bytes::float8 as bytes from attachment_tallies where brand_id = ${brandId}`.execute(db);
      return rows[0]?.bytes ?? 0;
    },

    /** False when the workspace would exceed the limit. */
    async addBytes(bytes: number, limit: number): Promise<boolean> {
      const { rows } = await sql`
        insert into attachment_tallies as t (brand_id, bytes) select ${brandId}, ${bytes} where ${bytes} <= ${limit}::bigint
        on conflict (brand_id) do update set bytes = t.bytes + excluded.bytes where t.bytes + excluded.bytes <= ${limit}
        returning 1`.execute(db);
      return rows.length > 0;
    },
  };
}

/** Spans all workspaces. */
export function unusedFileStore(db: Db | Tx) {
  return {
    async note(key: string, dueAt: Date): Promise<void> {
      await sql`insert into leftover_files (file_key, due_at) values (${key}, ${dueAt})`.execute(db);
    },

    /** False when the sweep job has taken it already. */
    async claim(key: string): Promise<boolean> {
      const { numAffectedRows } = await sql`delete from leftover_files where file_key = ${key}`.execute(db);
      return numAffectedRows === 1n;
    },

    async lockDue(now: Date, limit: number): Promise<string[]> {
      const { rows } = await sql<{ file_key: string }>`
        select file_key from leftover_files where due_at <= ${now} order by due_at limit ${limit}
        for update skip locked`.execute(db);
      return rows.map(({ file_key }) => file_key);
    },

    async remove(keys: string[]): Promise<void> {
      await sql`delete from leftover_files where file_key = any(${keys}::text[])`.execute(db);
    },

    async postpone(keys: string[], dueAt: Date): Promise<void> {
      await sql`update leftover_files set due_at = ${dueAt} where file_key = any(${keys}::text[])`.execute(
        db,
      );
    },
  };
}
