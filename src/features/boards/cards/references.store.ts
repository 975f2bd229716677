import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Thing } from './field-kinds.js';

export interface CardName {
  card_id: string;
  board_id: string;
  title: string;
  pr_number: number | null;
  pr_url: string | null;
  pr_state: string | null;
}

/** What a card may name, looked up before the card is written. */
export const referenceStore = (db: Db | Tx, brandId: number) => ({
  /** Names of those among the people who can open the board. */
  async findPeople(userIds: number[], boardId: string): Promise<Map<number, string>> {
    if (userIds.length === 0) return new Map();
    const { rows } = await sql<{ user_id: number; full_name: string }>`
      select u.user_id, u.full_name from users u where u.user_id = any(${userIds}::int[]) and (
        exists (select from memberships m where m.user_id = u.user_id and m.brand_id = ${brandId} and m.active)
        or exists (select from guest_access g where g.kind = 'board' and g.resource_id = ${boardId} and g.user_id = u.user_id)
      )
    `.execute(db);
    return new Map(rows.map(({ user_id, full_name }) => [user_id, full_name]));
  },

  /** Those among the people whom the board shows to everybody who can open it: on a card, or in the feed. */
  async listShownPeople(userIds: number[], boardId: string): Promise<Set<number>> {
    if (userIds.length === 0) return new Set();
    const { rows } = await sql<{ user_id: number }>`
      select person.user_id from unnest(${userIds}::int[]) as person (user_id) where
        exists (select from board_activity a where a.board_id = ${boardId} and a.actor_user_id = person.user_id)
        or exists (select from cards c where c.board_id = ${boardId} and (
          c.assignee_user_id = person.user_id or c.reporter_user_id = person.user_id or person.user_id = any(c.watcher_user_ids)))
    `.execute(db);
    return new Set(rows.map(({ user_id }) => user_id));
  },

  /** Which of the things there are in this workspace. */
  async findThings({
    project,
    environment,
    hire,
    agent,
  }: Partial<Record<Thing, string>>): Promise<Set<Thing>> {
    const { rows } = await sql<{ thing: Thing }>`
      select 'project' as thing from projects where project_id = ${project}::uuid and brand_id = ${brandId}
      union all select 'environment' from desks where desk_id = ${environment}::uuid and brand_id = ${brandId}
      union all select 'hire' from hires where hire_id = ${hire}::uuid and brand_id = ${brandId}
      union all select 'agent' from agents where agent_id = ${agent}::text and brand_id = ${brandId}
    `.execute(db);
    return new Set(rows.map(({ thing }) => thing));
  },

  /** The cards stay there until the transaction ends: what names them must not point to nothing. */
  async findBoardsOfCards(cardIds: string[]): Promise<Map<string, string>> {
    if (cardIds.length === 0) return new Map();
    const { rows } = await sql<{ card_id: string; board_id: string }>`
      select card_id, board_id from cards where brand_id = ${brandId} and card_id = any(${cardIds}::uuid[])
      order by card_id for key share
    `.execute(db);
    return new Map(rows.map(({ card_id, board_id }) => [card_id, board_id]));
  },

  /** What cards are called and where they stand, for lists of other things that name them. */
  async findCardNames(cardIds: string[]): Promise<CardName[]> {
    if (cardIds.length === 0) return [];
    const { rows } = await sql<CardName>`
      select card_id, board_id, title, pr_number, pr_url, pr_state from cards where brand_id = ${brandId} and card_id = any(${cardIds}::uuid[])
    `.execute(db);
    return rows;
  },

  /** Whether `cardId` is `ancestorId` or stands below it. */
  async descendsFrom(cardId: string, ancestorId: string): Promise<boolean> {
    const { rows } = await sql<{ found: boolean }>`
      with recursive line as (
        select card_id, parent_id from cards where card_id = ${cardId} and brand_id = ${brandId}
        union
        select up.card_id, up.parent_id from cards up join line on up.card_id = line.parent_id
      )
      select exists (select from line where card_id = ${ancestorId}) as found
    `.execute(db);
    return rows[0]!.found;
  },
});
