import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';

interface OwnCard {
  id: string;
  brand_id: number;
  ref: string;
  title: string;
  status: string;
  created: boolean;
  assigned: boolean;
  created_at: Date;
  updated_at: Date;
}

interface OwnComment {
  id: string;
  brand_id: number;
  ref: string;
  body: string;
  created_at: Date;
  agent_id: string | null;
}

interface OwnAttachment {
  id: string;
  brand_id: number;
  ref: string;
  name: string;
  content_type: string;
  bytes: number;
  created_at: Date;
  agent_id: string | null;
}

interface OwnActivity {
  id: string;
  board_id: string;
  action: string;
  ref: string | null;
  created_at: Date;
  changes: unknown;
  agent_id: string | null;
}

interface NamingEntry {
  board_id: string;
  sequence: number;
  changes: unknown;
}

const FIRST = '00000000-0000-0000-0000-000000000000';

const openTo = (userId: number) => sql`(
  exists (select from memberships m where m.brand_id = c.brand_id and m.user_id = ${userId} and m.active)
  or exists (select from guest_access g where g.kind = 'board' and g.resource_id = c.board_id and g.user_id = ${userId}))`;

/** Spans all workspaces. */
export const boardPersonStore = (db: Db, userId: number) => ({
  /** Only cards that the person can open. */
  async listCards(after = FIRST, limit: number): Promise<OwnCard[]> {
    const { rows } = await sql<OwnCard>`
      select k.card_id as id, k.brand_id, b.key || '-' || k.number as ref, k.title, k.status,
        coalesce(k.reporter_user_id = ${userId}, false) as created,
        coalesce(k.assignee_user_id = ${userId}, false) as assigned, k.created_at, k.updated_at
      from cards k join boards b using (board_id)
      where k.card_id in (
        (select c.card_id from cards c
         where c.reporter_user_id = ${userId} and c.card_id > ${after} and ${openTo(userId)}
         order by c.card_id limit ${limit})
        union
        (select c.card_id from cards c
         where c.assignee_user_id = ${userId} and c.card_id > ${after} and ${openTo(userId)}
         order by c.card_id limit ${limit}))
      order by k.card_id limit ${limit}`.execute(db);
    return rows;
  },

  async listComments(after = FIRST, limit: number): Promise<OwnComment[]> {
    const { rows } = await sql<OwnComment>`
      select c.comment_id as id, k.brand_id, b.key || '-' || k.number as ref, c.body, c.created_at, c.author_agent_id as agent_id
      from card_comments c join cards k using (card_id) join boards b using (board_id)
      where c.author_user_id = ${userId} and c.comment_id > ${after}
      order by c.comment_id limit ${limit}`.execute(db);
    return rows;
  },

  async listAttachments(after = FIRST, limit: number): Promise<OwnAttachment[]> {
    const { rows } = await sql<OwnAttachment>`
      select a.attachment_id as id, a.brand_id, b.key || '-' || k.number as ref, a.name, a.content_type, a.bytes, a.created_at,
        a.author_agent_id as agent_id
      from card_attachments a join cards k using (card_id) join boards b using (board_id)
      where a.author_user_id = ${userId} and a.attachment_id > ${after}
      order by a.attachment_id limit ${limit}`.execute(db);
    return rows;
  },

  async listActivity(after = FIRST, limit: number): Promise<OwnActivity[]> {
    const { rows } = await sql<OwnActivity>`
      select e.id, e.board_id, e.action, e.ref, e.created_at, e.changes, e.actor_agent_id as agent_id
      from board_activity e
      where e.actor_user_id = ${userId} and e.id > ${after} order by e.id limit ${limit}`.execute(db);
    return rows;
  },

  async listBoards(): Promise<string[]> {
    const { rows } = await sql<{ board_id: string }>`
      select board_id from boards where brand_id in (
        select brand_id from memberships where user_id = ${userId}
        union select brand_id from past_guests where user_id = ${userId})
      order by board_id`.execute(db);
    return rows.map(({ board_id }) => board_id);
  },

  /** A batch of a board's entries: its last sequence number, and the entries that name the person. */
  async listEntriesNaming(
    boardId: string,
    after: number,
    limit: number,
  ): Promise<{ last: number | null; entries: NamingEntry[] }> {
    const { rows } = await sql<{ last: number | null }>`
      select max(sequence) as last from (
        select sequence from board_activity
        where board_id = ${boardId} and sequence > ${after} order by sequence limit ${limit}) stretch`.execute(
      db,
    );
    const last = rows[0]!.last;
    if (last === null) return { last, entries: [] };
    const { rows: entries } = await sql<NamingEntry>`
      select board_id, sequence, changes from board_activity
      where board_id = ${boardId} and sequence > ${after} and sequence <= ${last}
        and jsonb_path_exists(changes, '$.**.user_id ? (@ == $id)', jsonb_build_object('id', ${userId}::integer))`.execute(
      db,
    );
    return { last, entries };
  },

  async rewrite(entries: NamingEntry[]): Promise<void> {
    await sql`
      update board_activity e set changes = t.changes
      from unnest(${entries.map(({ board_id }) => board_id)}::uuid[], ${entries.map(({ sequence }) => sequence)}::bigint[],
                  ${entries.map(({ changes }) => JSON.stringify(changes))}::jsonb[]) as t (board_id, sequence, changes)
      where e.board_id = t.board_id and e.sequence = t.sequence`.execute(db);
  },
});
