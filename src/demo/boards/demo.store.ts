import { sql } from 'kysely';
import type { Action } from '../../features/boards/activity/feed.schemas.js';
import type { Changes } from '../../features/boards/boards.schemas.js';
import type { Tx } from '../../platform/database/database.js';

export type Row = Record<string, unknown>;

export interface FeedRow {
  board_id: string;
  sequence: number;
  action: Action;
  created_at: string;
  task_id: unknown;
  ref: string | null;
  actor_user_id: number;
  changes: Changes;
}

/** Whole histories at once, which no request could write. */
export function demoStore(tx: Tx, brandId: number) {
  /** Only the columns that the story tells of: the others keep what the database gives them. */
  const insertRows = async (table: 'cards' | 'card_bodies' | 'card_comments', rows: Row[]) => {
    if (rows.length === 0) return;
    const name = sql.table(table);
    const columns = sql.join([...new Set(rows.flatMap(Object.keys))].map((column) => sql.ref(column)));
    await sql`
      insert into ${name} (${columns})
      select ${columns} from jsonb_populate_recordset(null::${name}, ${JSON.stringify(rows)}::jsonb)
    `.execute(tx);
  };

  return {
    async insertCards(cards: Row[], bodies: Row[], comments: Row[]): Promise<void> {
      await insertRows('cards', cards);
      await insertRows('card_bodies', bodies);
      await insertRows('card_comments', comments);
    },

    async insertFeed(boardId: string, feed: FeedRow[], lastNumber: number): Promise<void> {
      await sql`
        insert into board_activity (board_id, sequence, id, action, created_at, task_id, ref, actor_user_id, changes)
        select board_id, sequence, activity_id(created_at, sequence), action, created_at, task_id, ref, actor_user_id, changes
        from jsonb_populate_recordset(null::board_activity, ${JSON.stringify(feed)}::jsonb)
      `.execute(tx);
      await sql`
        update boards set last_number = ${lastNumber}, last_sequence = ${feed.length}, last_activity_at = ${feed.at(-1)!.created_at}
        where board_id = ${boardId} and brand_id = ${brandId}
      `.execute(tx);
    },
  };
}
