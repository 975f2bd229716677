import { type RawBuilder, sql } from 'kysely';
import { type ActorIds, showActor } from '../../../kernel/actors.js';
import type { Db, Nullable, Tx } from '../../../platform/database/database.js';
import { isHeard } from '../../../platform/database/schema/heard.js';
import type { Changes } from '../boards.schemas.js';
import type { Action, ActivityEntry } from './feed.schemas.js';
import type { Stretch } from './feed-cursor.js';
import { type KnownEntries, landmarkWithin, STEP } from './known-entries.js';

export interface NewEntry {
  boardId: string;
  sequence: number;
  at: Date;
  action: Action;
  taskId: string | null;
  ref: string | null;
  cardVersion: number | null;
  /** Null: the service itself. */
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
  /** Null: the service itself. */
  actor_user_id: number | null;
  actor_person: string | null;
  actor_agent_id: string | null;
  actor_agent: string | null;
  /** JSON, as it is stored. */
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

/** An entry as JSON. */
export const writeEntry = (row: EntryRow): string =>
  `${JSON.stringify(withoutChanges(row)).slice(0, -1)},"changes":${row.changes}}`;

export const toEntry = (row: EntryRow): ActivityEntry => ({
  ...withoutChanges(row),
  changes: JSON.parse(row.changes),
});

/** What became of an entry that was written. */
export interface RecordedEntry {
  id: string;
  at: Date;
  task_id: string | null;
  /** Somebody outside may want to be told of it; found out here, so that it costs no statement where nobody does. */
  heard: boolean;
}

/** A common table expression, `entry`, with entries for `recording`. */
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

/**
 * The end of every statement that writes entries: what `entry` holds, and the boards' places in their feeds, which nobody can
 * have moved: the writer holds the boards.
 */
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
  returning id, created_at as at, task_id, ${isHeard(brandId)} as heard`;

/** Who did it column by column: a page has many entries, and an object for each is made and read again. */
const shownOfEntry = sql`e.sequence, e.id, e.action, e.created_at, e.task_id, e.ref, e.actor_user_id, u.full_name as actor_person,
  e.actor_agent_id, a.name as actor_agent, e.changes::text as changes`;

/** Joined: most entries of a page are of the same few, of whom each is looked up once. */
const actorsOfEntries = sql`left join users u on u.user_id = e.actor_user_id left join agents a on a.agent_id = e.actor_agent_id`;

const entriesIn = (boardId: string, { oldest, newest }: Stretch) =>
  sql`select * from board_activity where board_id = ${boardId} and sequence between ${oldest} and ${newest}`;

export function feedStore(db: Db | Tx, brandId: number) {
  return {
    /** Entries of boards that the writer holds. */
    async record(entries: readonly NewEntry[], lastNumber?: number): Promise<RecordedEntry[]> {
      const { rows } = await sql<RecordedEntry>`
        with ${entriesOf(entries)}, ${recording(brandId, boardsOf(entries), lastNumber)}
      `.execute(db);
      return rows;
    },

    /** Up to two runs of the feed, newest first. */
    async listEntries(boardId: string, runs: Stretch[]): Promise<EntryRow[]> {
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

    /** What is told of one card, newest first, and what is known of its entries then. */
    async listEntriesOfCard(
      { boardId, cardId, known }: { boardId: string; cardId: string; known: KnownEntries },
      limit: number,
      offset: number,
    ): Promise<{ rows: EntryRow[]; known: KnownEntries }> {
      // A card stays on its board. By the card alone the index tells how many there are and what is skipped, without the entries.
      const ofCard = sql`from board_activity where task_id = ${cardId}`;
      const before = known.total - offset - limit;
      const landmark = landmarkWithin(known, before);
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
        // An empty page is one row, of what was counted alone.
        rows: rows.filter((row): row is EntryRow & Counted => row.id !== null),
        known: {
          total: known.total + added,
          newest: newest ?? known.newest,
          landmarks: [...known.landmarks, ...landmarks],
        },
      };
    },

    /** The fields of a card that were written after it had the version; what entries tell of its builds is no field. */
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
