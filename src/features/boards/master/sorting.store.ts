import { type RawBuilder, sql } from 'kysely';
import { STATUSES } from '../columns.js';
import type { Counted, Sort, SortName, SortPlace } from './sorting.js';

interface Key {
  /** An index has title, due date, priority and change by exactly these texts. */
  value: RawBuilder<unknown>;
  type: RawBuilder<unknown>;
  /** Whether every card has it. */
  always: boolean;
}

const KEYS: Record<SortName, Key> = {
  title: { value: sql`lower(k.title)`, type: sql`text`, always: true },
  status: {
    value: sql`array_position(${sql.lit(`{${STATUSES.join()}}`)}::text[], k.status)`,
    type: sql`integer`,
    always: true,
  },
  assignee: {
    value: sql`coalesce(
      (select lower(u.full_name) from users u where u.user_id = k.assignee_user_id), lower(k.assignee_agent_id))`,
    type: sql`text`,
    always: false,
  },
  priority: { value: sql`priority_rank(k.priority)`, type: sql`smallint`, always: true },
  due: { value: sql`k.due_at`, type: sql`timestamptz`, always: false },
  estimate: {
    value: sql`coalesce(k.estimate_points, k.estimate_minutes)::float8`,
    type: sql`float8`,
    always: false,
  },
  updated: { value: sql`k.updated_at`, type: sql`timestamptz`, always: true },
};

/** A stretch of the list: which cards, and in which order they come. The other way round is so to the last id: the same index has it. */
export interface Stretch {
  condition: RawBuilder<unknown>;
  value: RawBuilder<unknown>;
  direction: RawBuilder<unknown>;
}

const theOnesAfter = ({ value, type }: Key, descending: boolean, { key, id }: SortPlace) => {
  const place = sql`${key}::${type}`;
  return descending
    ? sql`and ${value} <= ${place} and (${value} < ${place} or k.card_id < ${id}::uuid)`
    : sql`and ${value} >= ${place} and (${value} > ${place} or k.card_id > ${id}::uuid)`;
};

/** Cards that have nothing to be sorted by come last either way, by their ids. */
export function stretchesOf({ by, descending }: Sort, after: SortPlace | undefined): Stretch[] {
  const key = KEYS[by];
  const sorted = {
    condition: after
      ? theOnesAfter(key, descending, after)
      : key.always
        ? sql``
        : sql`and ${key.value} is not null`,
    value: key.value,
    direction: descending ? sql`desc` : sql`asc`,
  };
  const isPast = after?.key === null;
  const unsorted = {
    condition: sql`and ${key.value} is null ${isPast ? sql`and k.card_id > ${after.id}::uuid` : sql``}`,
    value: sql`null::text`,
    direction: sql`asc`,
  };
  return [...(isPast ? [] : [sorted]), ...(key.always ? [] : [unsorted])];
}

/** An agent's card is counted with its person, where it has one. */
export const COUNT_KEYS: Record<Counted, RawBuilder<string | null>> = {
  status: sql`k.status`,
  board: sql`k.board_id::text`,
  assignee: sql`coalesce(k.assignee_user_id::text, 'agent:' || k.assignee_agent_id)`,
  priority: sql`k.priority`,
};
