import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';
import type { Stretch } from './boards.feed.js';
import type { Action, ActivityEntry, Changes } from './boards.schemas.js';

export interface NewEntry {
  boardId: string;
  sequence: number;
  at: Date;
  action: Action;
  taskId: string | null;
  ref: string | null;
  cardVersion: number | null;
  actorId: number;
  changes: Changes;
}

export interface PreparedChange {
  boardId: string;
  layout: number;
  cardId: string;
  ref: string;
  version: number;
  at: Date;
  action: Action;
  actorId: number;
  changes: Changes;
  row: Record<string, unknown>;
}

interface EntryRow {
  sequence: number;
  id: string;
  action: Action;
  created_at: Date;
  task_id: string | null;
  ref: string | null;
  actor_user_id: number | null;
  actor_name: string | null;
  changes: Changes;
}

/** What a write may set on a card, besides its version and time of change. */
const CHANGEABLE = [
  'column_id project_id title task_type status position priority labels assignee_user_id assignee_agent_id',
  'reporter_user_id watcher_user_ids parent_id description_excerpt due_at start_at estimate_points estimate_minutes',
  'time_spent_minutes agent_context environment_id runtime hire_id attempt max_attempts queued_at claimed_at started_at',
  'completed_at last_heartbeat_at progress_percent branch base_branch commit_sha pr_number pr_url pr_state checks_state',
  'review_state merged_at deploy_url cost_usd tokens_in tokens_out error_code error_message checklist_done checklist_total',
  'source external_url archived',
].flatMap((line) => line.split(' '));

const columnNames = sql.raw(CHANGEABLE.join(', '));
const patchedColumns = sql.raw(CHANGEABLE.map((name) => `p.${name}`).join(', '));

export const toEntry = (row: EntryRow): ActivityEntry => ({
  id: row.id,
  action: row.action,
  created_at: row.created_at.toISOString(),
  task_id: row.task_id,
  ref: row.ref,
  actor: row.actor_user_id === null ? null : { user_id: row.actor_user_id, name: row.actor_name ?? '' },
  changes: row.changes,
});

const NO_RUN: Stretch = { oldest: 1, newest: 0 };

export function activityStore(db: Db | Tx, brandId: number) {
  const insertion = (entry: NewEntry) => sql`
    insert into board_activity
      (board_id, sequence, id, action, created_at, task_id, ref, card_version, actor_user_id, changes)
    values (${entry.boardId}, ${entry.sequence}, activity_id(${entry.at}::timestamptz, ${entry.sequence}::bigint), ${entry.action}, ${entry.at}, ${entry.taskId}, ${entry.ref},
      ${entry.cardVersion}, ${entry.actorId}, ${JSON.stringify(entry.changes)}::jsonb)
  `;

  return {
    /** The entry and the board's place in its feed, which nobody can have moved: the writer holds the board. */
    async record(entry: NewEntry, lastNumber: number | null = null): Promise<void> {
      await sql`
        with entry as (${insertion(entry)})
        update boards set last_sequence = ${entry.sequence}, last_activity_at = ${entry.at},
          last_number = coalesce(${lastNumber}::int, last_number)
        where board_id = ${entry.boardId} and brand_id = ${brandId}
      `.execute(db);
    },

    /** A change and its entry in one statement, whose text is the same whatever is changed. */
    async recordCardChange(entry: NewEntry, row: Record<string, unknown>): Promise<void> {
      await sql`
        with entry as (${insertion(entry)}),
        card as (
          update cards k set (${columnNames}) = (
            select ${patchedColumns} from jsonb_populate_record(k, ${JSON.stringify(row)}::jsonb) p
          ), updated_at = ${entry.at}, version = ${entry.cardVersion}
          where k.card_id = ${entry.taskId} and k.brand_id = ${brandId}
        )
        update boards set last_sequence = ${entry.sequence}, last_activity_at = ${entry.at}
        where board_id = ${entry.boardId} and brand_id = ${brandId}
      `.execute(db);
    },

    /**
     * A change that was prepared without holding the board: it happens only if the card still has the version and the
     * board the columns that the writer saw, and says whether it did. The board is held for this statement alone.
     */
    async tryCardChange(change: PreparedChange): Promise<boolean> {
      const { rows } = await sql`
        with board as (
          select b.board_id, b.last_sequence + 1 as sequence, greatest(b.last_activity_at, ${change.at}::timestamptz) as at
          from boards b where b.board_id = ${change.boardId} and b.brand_id = ${brandId} and b.layout = ${change.layout}
          for no key update
        ), card as (
          update cards k set (${columnNames}) = (
            select ${patchedColumns} from jsonb_populate_record(k, ${JSON.stringify(change.row)}::jsonb) p
          ), updated_at = board.at, version = k.version + 1
          from board where k.card_id = ${change.cardId} and k.version = ${change.version}
          returning k.version
        ), advanced as (
          update boards b set last_sequence = board.sequence, last_activity_at = board.at
          from board, card where b.board_id = board.board_id
        )
        insert into board_activity
          (board_id, sequence, id, action, created_at, task_id, ref, card_version, actor_user_id, changes)
        select board.board_id, board.sequence, activity_id(board.at, board.sequence), ${change.action}, board.at,
          ${change.cardId}, ${change.ref}, card.version, ${change.actorId}, ${JSON.stringify(change.changes)}::jsonb
        from board, card
        returning sequence
      `.execute(db);
      return rows.length === 1;
    },

    /** Up to two runs of the feed, newest first. */
    async listEntries(boardId: string, [first = NO_RUN, second = NO_RUN]: Stretch[]): Promise<EntryRow[]> {
      const { rows } = await sql<EntryRow>`
        select e.sequence, e.id, e.action, e.created_at, e.task_id, e.ref, e.actor_user_id, u.full_name as actor_name, e.changes
        from (
          select * from board_activity
          where board_id = ${boardId} and sequence between ${first.oldest} and ${first.newest}
          union all
          select * from board_activity
          where board_id = ${boardId} and sequence between ${second.oldest} and ${second.newest}
        ) e left join users u on u.user_id = e.actor_user_id
        order by e.sequence desc
      `.execute(db);
      return rows;
    },

    /** The fields of a card that were written after it had the version. */
    async listFieldsChangedSince(cardId: string, version: number): Promise<string[]> {
      const { rows } = await sql<{ field: string }>`
        select distinct field from board_activity, jsonb_object_keys(changes) field
        where task_id = ${cardId} and card_version > ${version} and action in ('task.updated', 'task.moved')
        order by field
      `.execute(db);
      return rows.map(({ field }) => field);
    },
  };
}
