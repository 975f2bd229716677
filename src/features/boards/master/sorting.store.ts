import { type RawBuilder, sql } from 'kysely';
import { STATUSES } from '../board/columns.js';
import type { Counted, Sort, SortName, SortPlace } from './sorting.js';

/** An index has title, due date, priority and change by exactly these texts. */
const keyOf = (by: SortName): RawBuilder<unknown> =>
  by === 'title'
    ? sql`lower(k.title)`
    : by === 'status'
      ? sql`array_position(${sql.lit(`{${STATUSES.join()}}`)}::text[], k.status)`
      : by === 'assignee'
        ? sql`coalesce(
            (select lower(u.full_name) from users u where u.user_id = k.assignee_user_id), lower(k.assignee_agent_id))`
        : by === 'priority'
          ? sql`priority_rank(k.priority)`
          : by === 'due'
            ? sql`k.due_at`
            : by === 'estimate'
              ? sql`coalesce(k.estimate_points, k.estimate_minutes)::float8`
              : sql`k.updated_at`;

/** A value as it came with the last card of a page, compared as what it is. */
const placeOf = (by: SortName, key: string | null): RawBuilder<unknown> =>
  by === 'title' || by === 'assignee'
    ? sql`${key}::text`
    : by === 'status' || by === 'priority'
      ? sql`${key}::integer`
      : by === 'estimate'
        ? sql`${key}::float8`
        : sql`${key}::timestamptz`;

/** Not every card has one of these. */
const SOMETIMES: readonly SortName[] = ['assignee', 'due', 'estimate'];

/** Of the list, the cards that have something to be sorted by, or those that have nothing: they come last either way, by their ids. */
export interface Stretch {
  sort: Sort;
  isSorted: boolean;
  after: SortPlace | undefined;
}

export function stretchesOf(sort: Sort, after: SortPlace | undefined): Stretch[] {
  const isPast = after?.key === null;
  const sorted = { sort, isSorted: true, after };
  const unsorted = { sort, isSorted: false, after: isPast ? after : undefined };
  return [...(isPast ? [] : [sorted]), ...(SOMETIMES.includes(sort.by) ? [unsorted] : [])];
}

export const sortValue = ({ sort, isSorted }: Stretch): RawBuilder<unknown> =>
  isSorted ? sql`${keyOf(sort.by)}` : sql`null::text`;

/** The other way round is so to the last id: the same index has it. */
export const direction = ({ sort, isSorted }: Stretch): RawBuilder<unknown> =>
  isSorted && sort.descending ? sql`desc` : sql`asc`;

export const isWithin = (stretch: Stretch): RawBuilder<unknown> =>
  stretch.isSorted
    ? sql`and ${keyOf(stretch.sort.by)} is not null ${stretch.after ? isBeyond(stretch.sort, stretch.after) : sql``}`
    : sql`and ${keyOf(stretch.sort.by)} is null ${stretch.after ? sql`and k.card_id > ${stretch.after.id}::uuid` : sql``}`;

const isBeyond = ({ by, descending }: Sort, { key, id }: SortPlace): RawBuilder<unknown> =>
  descending
    ? sql`and ${keyOf(by)} <= ${placeOf(by, key)} and (${keyOf(by)} < ${placeOf(by, key)} or k.card_id < ${id}::uuid)`
    : sql`and ${keyOf(by)} >= ${placeOf(by, key)} and (${keyOf(by)} > ${placeOf(by, key)} or k.card_id > ${id}::uuid)`;

/** An agent's card is counted with its person, where it has one. */
export const COUNT_KEYS: Record<Counted, RawBuilder<string | null>> = {
  status: sql`k.status`,
  board: sql`k.board_id::text`,
  assignee: sql`coalesce(k.assignee_user_id::text, 'agent:' || k.assignee_agent_id)`,
  priority: sql`k.priority`,
};
