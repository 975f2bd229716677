import { type RawBuilder, sql } from 'kysely';
import type { GuestLevel } from '../../../kernel/access.js';
import type { ActorIds } from '../../../kernel/actors.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { boardsOf, entriesOf, type NewEntry, type RecordedEntry, recording } from '../activity/feed.store.js';
import type { Column } from '../board/columns.js';
import type { Action, Changes } from '../boards.schemas.js';
import type { Bodies } from './card-fields.js';
import { standardColumns, standardJoins, toStandardCard, WRITABLE_COLUMNS } from './card-pages.store.js';
import type { FullCard, StandardCard } from './cards.schemas.js';
import { bodiesBytes } from './export-markdown.js';
import type { CardRow, Thing } from './field-kinds.js';

interface CardOnBoard<Card> {
  card: Card;
  columns: Column[];
  /** Names of the texts last written by a guest. */
  guestWritten: string[];
}

export interface FoundCard extends Omit<CardOnBoard<FullCard>, 'columns'> {
  /** The build that set its status, if any. */
  statusOfBuild: string | null;
}

export interface CardDraft extends CardOnBoard<StandardCard> {
  layout: number;
  last_activity_at: Date;
  guest_level: GuestLevel | null;
}

export interface PreparedChange {
  boardId: string;
  layout: number;
  taskId: string;
  ref: string;
  version: number;
  at: Date;
  action: Action;
  actor: ActorIds;
  changes: Changes;
  row: Record<string, unknown>;
}

const columnsOfCard = sql<Column[]>`(
  select json_agg(json_build_object('id', each.column_id, 'name', each.name, 'status', each.status) order by each.position)
  from board_columns each where each.board_id = k.board_id
)`;

const guestTexts = sql`coalesce(k.guest_written, '{}') as guest_written`;

/** The same statement text whichever columns change, so that PostgreSQL can reuse the plan. */
const writableColumns = sql.raw(WRITABLE_COLUMNS.join(', '));
const patchedColumns = sql.raw(WRITABLE_COLUMNS.map((name) => `p.${name}`).join(', '));
const patchedBy = (row: RawBuilder<unknown>) =>
  sql`(${writableColumns}) = (select ${patchedColumns} from jsonb_populate_record(k, ${row}) p)`;
const patched = (row: Record<string, unknown>) => patchedBy(sql`${JSON.stringify(row)}::jsonb`);

export interface CardProgress {
  card: string;
  percent: number;
}

export function cardStore(db: Db | Tx, brandId: number) {
  return {
    async findCard(cardId: string): Promise<FoundCard | undefined> {
      const { rows } = await sql<
        CardRow & Bodies & { guest_written: string[]; status_of_build: string | null }
      >`
        select ${standardColumns}, ${guestTexts}, k.status_of_build, bodies.instructions, bodies.result
        from cards k ${standardJoins} left join card_bodies bodies on bodies.card_id = k.card_id
        where k.card_id = ${cardId} and k.brand_id = ${brandId}
      `.execute(db);
      const row = rows[0];
      if (!row) return undefined;
      return {
        card: { ...toStandardCard(row), instructions: row.instructions, result: row.result },
        guestWritten: row.guest_written,
        statusOfBuild: row.status_of_build,
      };
    },

    /** Whether a guest wrote a text of the card or a comment, or attached a file. */
    async holdsGuestWords(cardId: string): Promise<boolean> {
      const { rows } = await sql<{ holds: boolean }>`
        select coalesce(k.guest_written, '{}') <> '{}'
          or exists (select from card_comments c where c.card_id = k.card_id and c.by_guest)
          or exists (select from card_attachments a where a.card_id = k.card_id and a.by_guest) as holds
        from cards k where k.card_id = ${cardId} and k.brand_id = ${brandId}`.execute(db);
      return rows[0]?.holds ?? false;
    },

    /** Read without a lock and without long texts. */
    async findDraft(cardId: string, userId: number): Promise<CardDraft | undefined> {
      const { rows } = await sql<
        CardRow & Omit<CardDraft, 'card' | 'guestWritten'> & { guest_written: string[] }
      >`
        select ${standardColumns}, ${guestTexts}, ${columnsOfCard} as columns, b.layout, b.last_activity_at, (
          select g.role from guest_access g
          where g.kind = 'board' and g.resource_id = b.board_id and g.user_id = ${userId} and g.brand_id = ${brandId}
        ) as guest_level
        from cards k ${standardJoins}
        where k.card_id = ${cardId} and k.brand_id = ${brandId}
      `.execute(db);
      const row = rows[0];
      if (!row) return undefined;
      const { columns, layout, last_activity_at, guest_level, guest_written: guestWritten } = row;
      return { card: toStandardCard(row), columns, guestWritten, layout, last_activity_at, guest_level };
    },

    async findBoardOfCard(cardId: string): Promise<string | undefined> {
      const { rows } = await sql<{ board_id: string }>`
        select board_id from cards where card_id = ${cardId} and brand_id = ${brandId}
      `.execute(db);
      return rows[0]?.board_id;
    },

    async insertCard(row: Record<string, unknown>): Promise<void> {
      await sql`
        insert into cards select * from jsonb_populate_record(null::cards, ${JSON.stringify(row)}::jsonb)
      `.execute(db);
    },

    /** Without long texts. */
    async listCardsOnBoards(cardIds: string[]): Promise<Omit<CardOnBoard<StandardCard>, 'columns'>[]> {
      const { rows } = await sql<CardRow & { guest_written: string[] }>`
        select ${standardColumns}, ${guestTexts} from cards k ${standardJoins}
        where k.card_id = any(${cardIds}::uuid[]) and k.brand_id = ${brandId}
      `.execute(db);
      return rows.map((row) => ({ card: toStandardCard(row), guestWritten: row.guest_written }));
    },

    /** Writes changes and entries in one statement. The caller has locked the boards. */
    async changeCards(
      changes: readonly { entry: NewEntry; row: Record<string, unknown> }[],
    ): Promise<RecordedEntry[]> {
      const entries = changes.map(({ entry }) => entry);
      const rows = changes.map(({ entry, row }) => ({ card_id: entry.taskId, row }));
      const { rows: recorded } = await sql<RecordedEntry>`
        with ${entriesOf(entries)}, card as (
          update cards k set ${patchedBy(sql`change."row"`)}, updated_at = entry.at, version = entry.card_version
          from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as change (card_id uuid, "row" jsonb)
            join entry on entry.task_id = change.card_id
          where k.card_id = change.card_id and k.brand_id = ${brandId}
            and k.card_id = any(${rows.map(({ card_id }) => card_id)}::uuid[])
        ), ${recording(brandId, boardsOf(entries))}
      `.execute(db);
      return recorded;
    },

    /** Applies a prepared change. Does nothing if the card's version or the board's columns have changed. */
    async tryChange(change: PreparedChange): Promise<RecordedEntry | undefined> {
      const { rows } = await sql<RecordedEntry>`
        with board as (
          select b.board_id, b.last_sequence + 1 as sequence, greatest(b.last_activity_at, ${change.at}::timestamptz) as at
          from boards b where b.board_id = ${change.boardId} and b.brand_id = ${brandId} and b.layout = ${change.layout}
          for no key update
        ), card as (
          update cards k set ${patched(change.row)}, updated_at = board.at, version = k.version + 1
          from board where k.card_id = ${change.taskId} and k.version = ${change.version}
          returning k.card_id, k.version
        ), entry as (
          select board.*, ${change.action}::text as action, card.card_id as task_id, ${change.ref}::text as ref,
            card.version as card_version, ${change.actor.userId}::int as actor_user_id,
            ${change.actor.agentId}::text as actor_agent_id, ${JSON.stringify(change.changes)}::jsonb as changes
          from board, card
        ), ${recording(brandId, [change.boardId])}
      `.execute(db);
      return rows[0];
    },

    async noteSignsOfLife(cardIds: string[], at: Date): Promise<void> {
      await sql`
        update cards set last_heartbeat_at = ${at}
        where brand_id = ${brandId} and card_id = any(${cardIds}::uuid[])
          and (last_heartbeat_at is null or last_heartbeat_at < ${at})`.execute(db);
    },

    async noteProgress(progress: readonly CardProgress[], at: Date): Promise<void> {
      await sql`
        update cards c set progress_percent = p.percent, last_heartbeat_at = ${at}
        from json_to_recordset(${JSON.stringify(progress)}) as p (card uuid, percent int)
        where c.brand_id = ${brandId} and c.card_id = p.card
          and (c.progress_percent, c.last_heartbeat_at) is distinct from (p.percent, ${at}::timestamptz)`.execute(
        db,
      );
    },

    async saveBodies(cardId: string, bodies: Bodies): Promise<void> {
      const { instructions, result } = bodies;
      await sql`
        insert into card_bodies (card_id, instructions, result, export_bytes)
        values (${cardId}, ${instructions}, ${result}, ${bodiesBytes(bodies)})
        on conflict (card_id) do update set
          instructions = excluded.instructions, result = excluded.result, export_bytes = excluded.export_bytes
      `.execute(db);
    },

    async saveBlockers(cardId: string, blockerIds: string[]): Promise<void> {
      await sql`
        with kept as (
          insert into card_blockers (card_id, blocker_id) select ${cardId}, unnest(${blockerIds}::uuid[])
          on conflict do nothing
        )
        delete from card_blockers where card_id = ${cardId} and blocker_id <> all(${blockerIds}::uuid[])
      `.execute(db);
    },

    async deleteCard(cardId: string): Promise<void> {
      await sql`delete from cards where card_id = ${cardId} and brand_id = ${brandId}`.execute(db);
    },

    /** A title written by a guest is replaced by the card's ref. */
    async listFinished(agentId: string, after: { updatedAt: Date; id: string } | undefined, limit: number) {
      const { rows } = await sql<FinishedRow>`
        select k.card_id as id, b.key || '-' || k.number as ref, b.name as board, coalesce(own.title, b.key || '-' || k.number) as title,
          k.task_type, own.instructions, own.result, k.completed_at, k.updated_at
        from cards k join boards b using (board_id) left join card_bodies bodies using (card_id)
        cross join lateral (
          select case when 'title' = any(k.guest_written) then null else k.title end as title,
            case when 'instructions' = any(k.guest_written) then null else bodies.instructions end as instructions,
            case when 'result' = any(k.guest_written) then null else bodies.result end as result
        ) own
        where k.brand_id = ${brandId} and k.assignee_agent_id = ${agentId} and k.status = 'done'
          and (k.updated_at, k.card_id) > (${after?.updatedAt ?? '-infinity'}::timestamptz, ${after?.id ?? NIL}::uuid)
          and coalesce(own.title, own.instructions, own.result) is not null
        order by k.updated_at, k.card_id limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}

const NIL = '00000000-0000-0000-0000-000000000000';

interface FinishedRow {
  id: string;
  ref: string;
  board: string;
  title: string;
  task_type: string;
  instructions: string | null;
  result: string | null;
  completed_at: Date | null;
  updated_at: Date;
}

export interface CardName {
  card_id: string;
  board_id: string;
  title: string;
  pr_number: number | null;
  pr_url: string | null;
  pr_state: string | null;
}

export const referenceStore = (db: Db | Tx, brandId: number) => ({
  /** Names of the people who can open the board. */
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

  /** The people whom the board already shows, on a card or in its activity. */
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

  /** Locks the cards, so that they exist until the reference is committed. */
  async findBoardsOfCards(cardIds: string[]): Promise<Map<string, string>> {
    if (cardIds.length === 0) return new Map();
    const { rows } = await sql<{ card_id: string; board_id: string }>`
      select card_id, board_id from cards where brand_id = ${brandId} and card_id = any(${cardIds}::uuid[])
      order by card_id for key share
    `.execute(db);
    return new Map(rows.map(({ card_id, board_id }) => [card_id, board_id]));
  },

  async findCardNames(cardIds: string[]): Promise<CardName[]> {
    if (cardIds.length === 0) return [];
    const { rows } = await sql<CardName>`
      select card_id, board_id, title, pr_number, pr_url, pr_state from cards where brand_id = ${brandId} and card_id = any(${cardIds}::uuid[])
    `.execute(db);
    return rows;
  },

  /** Whether `cardId` is `ancestorId` or a descendant of it. */
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
