import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export type Row = Record<string, unknown>;

export interface KnownPerson {
  user_id: number;
  full_name: string;
  email: string;
}

export const arrivalStore = (db: Db | Tx, brandId: number) => ({
  /** People with these addresses who can open the board. */
  async findPeople(emails: string[], boardId: string): Promise<KnownPerson[]> {
    if (emails.length === 0) return [];
    const { rows } = await sql<KnownPerson>`
      select u.user_id, u.full_name, lower(u.email::text) as email from users u
      where u.email = any(${emails}::citext[]) and (
        exists (select from memberships m where m.user_id = u.user_id and m.brand_id = ${brandId} and m.active)
        or exists (select from guest_access g
          where g.kind = 'board' and g.resource_id = ${boardId} and g.brand_id = ${brandId} and g.user_id = u.user_id)
      )`.execute(db);
    return rows;
  },

  /** Undefined for former members. */
  async findMember(
    userId: number,
    agentId: string | null,
  ): Promise<{ role: 'admin' | 'member'; person: string; agent: string | null } | undefined> {
    const { rows } = await sql<{ role: 'admin' | 'member'; person: string; agent: string | null }>`
      select m.role, u.full_name as person,
        (select a.name from agents a where a.agent_id = ${agentId}::text and a.brand_id = ${brandId}) as agent
      from memberships m join users u using (user_id)
      where m.brand_id = ${brandId} and m.user_id = ${userId} and m.active`.execute(db);
    return rows[0];
  },

  async findByAddress(boardId: string, urls: string[]): Promise<Map<string, string>> {
    if (urls.length === 0) return new Map();
    const { rows } = await sql<{ external_url: string; card_id: string }>`
      select k.external_url, k.card_id from unnest(${urls}::text[]) as asked (url)
      join cards k on k.board_id = ${boardId} and md5(k.external_url) = md5(asked.url) and k.external_url = asked.url
      where k.brand_id = ${brandId}`.execute(db);
    return new Map(rows.map(({ external_url, card_id }) => [external_url, card_id]));
  },

  /** Locks the cards that are still on the board. */
  async holdCards(boardId: string, cardIds: string[]): Promise<Set<string>> {
    if (cardIds.length === 0) return new Set();
    const { rows } = await sql<{ card_id: string }>`
      select card_id from cards where brand_id = ${brandId} and board_id = ${boardId} and card_id = any(${cardIds}::uuid[])
      order by card_id for key share`.execute(db);
    return new Set(rows.map(({ card_id }) => card_id));
  },

  async insertCards(
    cards: Row[],
    { bodies, comments, blockers }: Record<'bodies' | 'comments' | 'blockers', Row[]>,
  ): Promise<void> {
    await sql`insert into cards select * from jsonb_populate_recordset(null::cards, ${JSON.stringify(cards)}::jsonb)`.execute(
      db,
    );
    if (bodies.length > 0)
      await sql`
        insert into card_bodies (card_id, instructions, result, export_bytes)
        select card_id, instructions, result, export_bytes
        from jsonb_populate_recordset(null::card_bodies, ${JSON.stringify(bodies)}::jsonb)`.execute(db);
    if (comments.length > 0)
      await sql`
        insert into card_comments (comment_id, card_id, author_user_id, author_agent_id, body, created_at, by_guest)
        select comment_id, card_id, author_user_id, author_agent_id, body, created_at, by_guest
        from jsonb_populate_recordset(null::card_comments, ${JSON.stringify(comments)}::jsonb)`.execute(db);
    if (blockers.length > 0)
      await sql`
        insert into card_blockers (card_id, blocker_id)
        select card_id, blocker_id from jsonb_populate_recordset(null::card_blockers, ${JSON.stringify(blockers)}::jsonb)
        on conflict do nothing`.execute(db);
  },
});
