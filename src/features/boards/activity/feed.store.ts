import { type RawBuilder, sql } from 'kysely';
import { type ActorIds, showActor } from '../../../kernel/actors.js';
import type { Db, Nullable, Tx } from '../../../platform/database/database.js';
import { hasEnabledWebhook } from '../../../platform/database/schema/sql-fragments.js';
import type { Action, ActivityEntry, Changes } from '../boards.schemas.js';
import { type EntryCounts, type EntryRange, findLandmark, STEP } from './feed-cursor.js';

export interface NewEntry {
  boardId: string;
  sequence: number;
  at: Date;
  action: Action;
  taskId: string | null;
  ref: string | null;
  cardVersion: number | null;
  /** Null when the service wrote the entry. */
  actor: ActorIds | null;
  changes: Changes;
}

interface EntryRow {
  sequence: number;
  id: string;
  action: Action;
  created_at: Date;
  task_id: string | null;
  ref: string | null;
  /** Null when the service wrote the entry. */
  actor_user_id: number | null;
  actor_person: string | null;
  actor_agent_id: string | null;
  actor_agent: string | null;
  /** JSON text. */
  changes: string;
}

const withoutChanges = (row: EntryRow): Omit<ActivityEntry, 'changes'> => ({
  id: row.id,
  action: row.action,
  created_at: row.created_at.toISOString(),
  task_id: row.task_id,
  ref: row.ref,
  actor:
    row.actor_user_id === null
      ? null
      : showActor({
          user_id: row.actor_user_id,
          person: row.actor_person,
          agent_id: row.actor_agent_id,
          agent: row.actor_agent,
        }),
});

export const writeEntry = (row: EntryRow): string =>
  `${JSON.stringify(withoutChanges(row)).slice(0, -1)},"changes":${row.changes}}`;

export const toEntry = (row: EntryRow): ActivityEntry => ({
  ...withoutChanges(row),
  changes: JSON.parse(row.changes),
});

export interface RecordedEntry {
  id: string;
  at: Date;
  task_id: string | null;
  /** Whether the workspace has an enabled webhook. */
  heard: boolean;
}

export const entriesOf = (entries: readonly NewEntry[]): RawBuilder<unknown> => {
  const rows = entries.map(({ actor, ...entry }) => ({ ...entry, ...actor }));
  return sql`entry as (
    select "boardId" as board_id, sequence, at, action, "taskId" as task_id, ref, "cardVersion" as card_version,
      "userId" as actor_user_id, "agentId" as actor_agent_id, changes
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e ("boardId" uuid, sequence bigint, at timestamptz, action text,
      "taskId" uuid, ref text, "cardVersion" int, "userId" int, "agentId" text, changes jsonb)
  )`;
};

export const boardsOf = (entries: readonly NewEntry[]): string[] => [
  ...new Set(entries.map(({ boardId }) => boardId)),
];

/** Ends a statement that has the entries in `entry`: inserts them and advances the boards, which the writer has locked. */
export const recording = (
  brandId: number,
  boardIds: string[],
  lastNumber: number | null = null,
): RawBuilder<RecordedEntry> => sql`
  advanced as (
    update boards b set last_sequence = newest.sequence, last_activity_at = newest.at,
      last_number = coalesce(${lastNumber}::int, b.last_number)
    from (select board_id, max(sequence) as sequence, max(at) as at from entry group by board_id) newest
    where b.board_id = newest.board_id and b.board_id = any(${boardIds}::uuid[]) and b.brand_id = ${brandId}
  )
  insert into board_activity
    (board_id, sequence, id, action, created_at, task_id, ref, card_version, actor_user_id, actor_agent_id, changes)
  select board_id, sequence, activity_id(at, sequence), action, at, task_id, ref, card_version, actor_user_id, actor_agent_id, changes
  from entry
  returning id, created_at as at, task_id, ${hasEnabledWebhook(brandId)} as heard`;

/** Separate columns, because JSON objects for the actors would be built and parsed for each entry. */
const shownOfEntry = sql`e.sequence, e.id, e.action, e.created_at, e.task_id, e.ref, e.actor_user_id, u.full_name as actor_person,
  e.actor_agent_id, a.name as actor_agent, e.changes::text as changes`;

const actorsOfEntries = sql`left join users u on u.user_id = e.actor_user_id left join agents a on a.agent_id = e.actor_agent_id`;

const entriesIn = (boardId: string, { oldest, newest }: EntryRange) =>
  sql`select * from board_activity where board_id = ${boardId} and sequence between ${oldest} and ${newest}`;

export function feedStore(db: Db | Tx, brandId: number) {
  return {
    /** The caller has locked the boards. */
    async record(entries: readonly NewEntry[], lastNumber?: number): Promise<RecordedEntry[]> {
      const { rows } = await sql<RecordedEntry>`
        with ${entriesOf(entries)}, ${recording(brandId, boardsOf(entries), lastNumber)}
      `.execute(db);
      return rows;
    },

    /** Entries of up to two ranges, newest first. */
    async listEntries(boardId: string, runs: EntryRange[]): Promise<EntryRow[]> {
      const { rows } = await sql<EntryRow>`
        select ${shownOfEntry}
        from (${sql.join(
          runs.map((run) => entriesIn(boardId, run)),
          sql` union all `,
        )}) e ${actorsOfEntries}
        order by e.sequence desc
      `.execute(db);
      return rows;
    },

    /** Entries of one card, newest first, and the updated counts. */
    async listEntriesOfCard(
      { boardId, cardId, known }: { boardId: string; cardId: string; known: EntryCounts },
      limit: number,
      offset: number,
    ): Promise<{ rows: EntryRow[]; known: EntryCounts }> {
      // The condition on the card alone lets an index answer the count and the offset.
      const ofCard = sql`from board_activity where task_id = ${cardId}`;
      const before = known.total - offset - limit;
      const landmark = findLandmark(known, before);
      type Counted = { added: number; newest: number | null; landmarks: number[] };
      const { rows } = await sql<Nullable<EntryRow> & Counted>`
        select since.*, ${shownOfEntry}
        from (
          select count(*) as added, max(sequence) as newest,
            coalesce(json_agg(sequence order by sequence) filter (where (${known.total}::int + number) % ${STEP} = 0), '[]') as landmarks
          from (
            select sequence, row_number() over (order by sequence) as number ${ofCard} and sequence > ${known.newest}
          ) numbered
        ) since
        left join lateral (
          select sequence ${ofCard} and sequence > ${landmark.sequence} order by sequence
          offset greatest(0, ${before - landmark.number}::bigint + since.added)
          limit greatest(0, least(${limit}::int, ${known.total - offset}::bigint + since.added))
        ) place on true
        left join board_activity e on e.board_id = ${boardId} and e.sequence = place.sequence
        ${actorsOfEntries}
        order by e.sequence desc
      `.execute(db);
      const { added, newest, landmarks } = rows[0]!;
      return {
        // An empty page is one row with the counts only.
        rows: rows.filter((row): row is EntryRow & Counted => row.id !== null),
        known: {
          total: known.total + added,
          newest: newest ?? known.newest,
          landmarks: [...known.landmarks, ...landmarks],
        },
      };
    },

    async listFieldsChangedSince(cardId: string, version: number): Promise<string[]> {
      const { rows } = await sql<{ field: string }>`
        select distinct field from board_activity, jsonb_object_keys(changes) field
        where task_id = ${cardId} and card_version > ${version} and action in ('task.updated', 'task.moved')
          and field <> 'build'
        order by field
      `.execute(db);
      return rows.map(({ field }) => field);
    },
  };
}
