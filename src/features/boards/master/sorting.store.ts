import { type RawBuilder, sql } from 'kysely';
import { STATUSES } from '../columns.js';
import type { Counted, Sort, SortName, SortPlace } from './sorting.js';

const instant = (column: RawBuilder<unknown>) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`;

/** Each as a text that sorts as the thing itself does; null where a card has nothing to be sorted by. */
const KEYS: Record<SortName, RawBuilder<unknown>> = {
  title: sql`lower(k.title)`,
  status: sql`array_position(${sql.lit(`{${STATUSES.join()}}`)}::text[], k.status)::text`,
  assignee: sql`coalesce(
    (select lower(u.full_name) from users u where u.user_id = k.assignee_user_id), lower(k.assignee_agent_id))`,
  priority: sql`coalesce(array_position('{urgent,high,normal,low}'::text[], k.priority), 5)::text`,
  due: instant(sql`k.due_at`),
  estimate: sql`to_char(coalesce(k.estimate_points, k.estimate_minutes)::numeric, 'FM0000000000000000.000000')`,
  updated: instant(sql`k.updated_at`),
};

/** Cards that have nothing to be sorted by come last either way. */
export const keyOf = ({ by, descending }: Sort): RawBuilder<string> =>
  descending
    ? sql<string>`coalesce('1' || ${KEYS[by]}, '0')`
    : sql<string>`coalesce('0' || ${KEYS[by]}, '1')`;

export const orderOf = ({ descending }: Sort): RawBuilder<unknown> =>
  descending ? sql`k.sort_key desc, k.card_id` : sql`k.sort_key, k.card_id`;

export const followsInSort = ({ descending }: Sort, after: SortPlace | undefined): RawBuilder<unknown> => {
  if (!after) return sql``;
  const beyond = descending ? sql`k.sort_key < ${after.key}` : sql`k.sort_key > ${after.key}`;
  return sql`where ${beyond} or (k.sort_key = ${after.key} and k.card_id > ${after.id}::uuid)`;
};

/** An agent's card is counted with its person, where it has one. */
export const COUNT_KEYS: Record<Counted, RawBuilder<string | null>> = {
  status: sql`k.status`,
  board: sql`k.board_id::text`,
  assignee: sql`coalesce(k.assignee_user_id::text, 'agent:' || k.assignee_agent_id)`,
  priority: sql`k.priority`,
};
