import { sql } from 'kysely';
import type { ActorNames } from '../../kernel/actors.js';
import type { TimePlace } from '../../kernel/cursor.js';
import type { Db, Nullable, Tx } from '../../platform/database/database.js';
import { actorNames, firstOf } from '../../platform/database/schema/sql-fragments.js';
import type { InboxKind, Notice, SettledItems } from '../../platform/outbox/outbox.js';
import { type InboxQuery, LARGEST_PAGE } from './inbox.schemas.js';

export interface ItemRow {
  item_id: string;
  kind: InboxKind;
  at: Date;
  read_at: Date | null;
  done_at: Date | null;
  /** Null once this time has passed. */
  snoozed_until: Date | null;
  actor: ActorNames | null;
  task_id: string;
  ref: string;
  title: string;
  status: string;
  board_id: string;
  build_id: string | null;
  excerpt: string | null;
}

export interface Counts {
  unread: number;
  total_open: number;
  total_snoozed: number;
  /** When the next snooze ends. */
  next_back: Date | null;
}

/** Undefined fields keep their values. */
export interface ItemChanges {
  read?: boolean | undefined;
  done?: boolean | undefined;
  snoozedUntil?: Date | null | undefined;
}

interface PageQuery extends Omit<InboxQuery, 'cursor'> {
  after: TimePlace | undefined;
}

/** A guest sees items of boards that they can still open. */
export interface Owner {
  brandId: number;
  userId: number;
  isGuest: boolean;
}

/** `now` decides which items are snoozed and which became unread after a snooze. */
export function inboxStore(db: Db | Tx, { brandId, userId, isGuest }: Owner, now: Date) {
  // Guests have a separate statement, because PostgreSQL would plan a shared one on each query.
  const owned = isGuest
    ? sql`i.brand_id = ${brandId} and i.user_id = ${userId} and exists (
        select from guest_access g where g.kind = 'board' and g.resource_id = i.board_id and g.user_id = ${userId})`
    : sql`i.brand_id = ${brandId} and i.user_id = ${userId}`;
  const isSnoozed = sql`coalesce(i.snoozed_until > ${now}, false)`;
  const readAt = sql`case when i.snoozed_until <= ${now} and i.read_at < i.snoozed_until then null else i.read_at end`;
  const isOpen = sql`i.done_at is null and not ${isSnoozed}`;
  const shownColumns = sql`
    i.item_id, i.kind, i.created_at as at, ${readAt} as read_at, i.done_at,
    case when ${isSnoozed} then i.snoozed_until end as snoozed_until, ${actorNames(sql`i.actor_user_id`, sql`i.actor_agent_id`)} as actor,
    k.card_id as task_id, b.key || '-' || k.number as ref, k.title, k.status, k.board_id, i.build_id, i.excerpt`;
  const joined = sql`
    join cards k on k.card_id = i.task_id join boards b on b.board_id = k.board_id`;
  const counted = sql`
    select count(*) filter (where ${isOpen})::int as total_open, count(*) filter (where ${isOpen} and ${readAt} is null)::int as unread,
      count(*) filter (where ${isSnoozed}) as total_snoozed, min(i.snoozed_until) filter (where ${isSnoozed}) as next_back
    from inbox_items i where ${owned} and i.done_at is null`;
  const matching = ({ kind, unread, board_id, project_id, user_id }: PageQuery) => sql`
    ${kind ? sql`and i.kind = ${kind}` : sql``}
    ${unread === undefined ? sql`` : sql`and (${readAt} is null) = ${unread}::boolean`}
    ${board_id ? sql`and i.board_id = ${board_id}::uuid` : sql``}
    ${project_id ? sql`and exists (select from cards k where k.card_id = i.task_id and k.project_id = ${project_id}::uuid)` : sql``}
    ${user_id === undefined ? sql`` : sql`and i.actor_user_id = ${user_id}`}`;

  return {
    /** A page, newest first, and the counts over all pages. */
    async list(query: PageQuery): Promise<{ rows: ItemRow[]; counts: Counts }> {
      const { state, limit, after } = query;
      const inState =
        state === 'open'
          ? sql`and ${isOpen}`
          : state === 'snoozed'
            ? sql`and i.done_at is null and ${isSnoozed}`
            : state === 'done'
              ? sql`and i.done_at is not null`
              : sql``;
      const follows = after
        ? sql`and i.created_at <= ${after.at} and (i.created_at < ${after.at} or i.item_id > ${after.id}::uuid)`
        : sql``;
      const matched = sql`
        select * from inbox_items i where ${owned} ${inState} ${matching(query)} ${follows}
        order by i.created_at desc, i.item_id`;
      const { rows } = await sql<Nullable<ItemRow> & Counts>`
        with counted as (${counted}), page as (
          select ${shownColumns} from (${firstOf(matched, limit, LARGEST_PAGE + 1)}) i ${joined}
        )
        select counted.*, page.* from counted left join page on true
        order by page.at desc, page.item_id
      `.execute(db);
      const { unread, total_open, total_snoozed, next_back } = rows[0]!;
      const items = rows.filter((row): row is ItemRow & Counts => row.item_id !== null);
      return { rows: items, counts: { unread, total_open, total_snoozed, next_back } };
    },

    async readCounts(): Promise<Counts> {
      const { rows } = await sql<Counts>`${counted}`.execute(db);
      return rows[0]!;
    },

    async find(itemId: string): Promise<ItemRow | undefined> {
      const { rows } = await sql<ItemRow>`
        select ${shownColumns} from inbox_items i ${joined} where i.item_id = ${itemId} and ${owned}
      `.execute(db);
      return rows[0];
    },

    /**
     * Done items are also read and not snoozed, and snoozed items are not done. Returns the number of items.
     */
    async change(itemIds: string[], { read, done, snoozedUntil }: ItemChanges): Promise<number> {
      const nowDone = done ?? (snoozedUntil ? false : null);
      const isDone = sql`coalesce(${nowDone}::boolean, i.done_at is not null)`;
      const snoozed = snoozedUntil === undefined ? sql`i.snoozed_until` : sql`${snoozedUntil}::timestamptz`;
      const { numAffectedRows } = await sql`
        update inbox_items i set
          read_at = case ${isDone} or ${read ?? null}::boolean when true then coalesce(${readAt}, ${now}) when false then null else i.read_at end,
          done_at = case ${nowDone}::boolean when true then coalesce(i.done_at, ${now}) when false then null else i.done_at end,
          snoozed_until = case when not ${isDone} then ${snoozed} end
        where i.item_id = any(${itemIds}::uuid[]) and ${owned}
      `.execute(db);
      return Number(numAffectedRows ?? 0);
    },

    /** Null means all open items. */
    async finish(itemIds: string[] | null): Promise<number> {
      const { rows } = await sql<{ done: number }>`
        with finished as (
          update inbox_items i set done_at = ${now}, read_at = coalesce(${readAt}, ${now}), snoozed_until = null
          where ${owned} and i.done_at is null
            and (i.item_id = any(${itemIds}::uuid[]) or ${itemIds}::uuid[] is null and not ${isSnoozed})
          returning 1
        )
        select count(*) as done from finished
      `.execute(db);
      return rows[0]!.done;
    },

    async removeAll(): Promise<void> {
      await sql`delete from inbox_items where brand_id = ${brandId} and user_id = ${userId}`.execute(db);
    },
  };
}

const FIRST = '00000000-0000-0000-0000-000000000000';

interface OwnItem {
  id: string;
  brand_id: number;
  kind: string;
  task_id: string;
  excerpt: string | null;
  created_at: Date;
  read_at: Date | null;
  done_at: Date | null;
  snoozed_until: Date | null;
}

/** The items in a person's data export, with excerpts only from boards that they can still open. */
export async function listItemsOf(db: Db, userId: number, after = FIRST, limit: number): Promise<OwnItem[]> {
  const { rows } = await sql<OwnItem>`
    select i.item_id as id, i.brand_id, i.kind, i.task_id,
      case when exists (
          select from memberships m where m.brand_id = i.brand_id and m.user_id = i.user_id and m.active)
        or exists (
          select from guest_access g where g.kind = 'board' and g.resource_id = i.board_id and g.user_id = i.user_id)
        then i.excerpt end as excerpt,
      i.created_at, i.read_at, i.done_at, i.snoozed_until
    from inbox_items i
    where i.user_id = ${userId} and i.item_id > ${after} order by i.item_id limit ${limit}
  `.execute(db);
  return rows;
}

/** Deletes up to `limit` old items of all workspaces and returns their number. */
export async function deleteItemsBefore(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ item_id: string }>`
    delete from inbox_items where ctid = any(array(
      select ctid from inbox_items where created_at < ${before} and (snoozed_until is null or snoozed_until < ${before})
      order by created_at limit ${limit}
    )) returning item_id
  `.execute(db);
  return rows.length;
}

export interface ChangedInbox {
  brand_id: number;
  user_id: number;
}

/** Whether `person` can open the board of card `k`. */
const canOpen = sql`(
  exists (select from memberships m where m.brand_id = k.brand_id and m.user_id = person.user_id and m.active)
  or exists (select from guest_access g where g.kind = 'board' and g.resource_id = k.board_id and g.user_id = person.user_id)
)`;

export const noticeStore = (tx: Tx) => ({
  /** Adds an item for each recipient who can open the card. Returns the changed inboxes. */
  async write(notices: readonly Notice[]): Promise<ChangedInbox[]> {
    const rows = notices.map(({ to, except = [], actor, ...notice }) => ({
      ...notice,
      ...actor,
      users: to.users ?? [],
      assignee: to.assignee === true,
      reporter: to.reporter === true,
      watchers: to.watchers === true,
      except,
    }));
    const { rows: changed } = await sql<ChangedInbox>`
      insert into inbox_items
        (item_id, brand_id, user_id, kind, board_id, task_id, build_id, actor_user_id, actor_agent_id, excerpt, created_at)
      select gen_random_uuid(), k.brand_id, person.user_id, n.kind, k.board_id, k.card_id, n."buildId", n."userId",
        n."agentId", n.excerpt, n.at
      from json_to_recordset(${JSON.stringify(rows)}) as n ("brandId" int, kind text, "taskId" uuid, at timestamptz,
        "userId" int, "agentId" text, "buildId" uuid, excerpt text, users int[], assignee boolean, reporter boolean, watchers boolean,
        "except" int[])
      join cards k on k.card_id = n."taskId" and k.brand_id = n."brandId"
      cross join lateral (
        select distinct listed.user_id from unnest(
          n.users
          || case when n.assignee then array[k.assignee_user_id] else '{}' end
          || case when n.reporter then array[k.reporter_user_id] else '{}' end
          || case when n.watchers then k.watcher_user_ids else '{}' end
        ) as listed (user_id)
        where listed.user_id is not null and (n."agentId" is not null or listed.user_id is distinct from n."userId")
          and listed.user_id <> all(n."except")
      ) person
      where ${canOpen}
      on conflict do nothing
      returning brand_id, user_id
    `.execute(tx);
    return changed;
  },

  /** Marks the items as done and read. Returns the changed inboxes. */
  async settle({ brandId, kind, taskId, buildId, until, at }: SettledItems): Promise<ChangedInbox[]> {
    const { rows } = await sql<ChangedInbox>`
      update inbox_items i set done_at = ${at}, read_at = coalesce(i.read_at, ${at}), snoozed_until = null
      where i.task_id = ${taskId} and i.brand_id = ${brandId} and i.kind = ${kind} and i.done_at is null
        and (i.build_id = ${buildId} or i.created_at <= ${until})
      returning i.brand_id, i.user_id
    `.execute(tx);
    return rows;
  },

  /** People who can open the board and have one of the names as full name or as local part of their email. */
  async findNamed(
    brandId: number,
    boardId: string,
    names: readonly string[],
  ): Promise<{ user_id: number; name: string }[]> {
    const { rows } = await sql<{ user_id: number; name: string }>`
      select u.user_id, known.name from (
        select m.user_id from memberships m where m.brand_id = ${brandId} and m.active
        union
        select g.user_id from guest_access g
        where g.kind = 'board' and g.resource_id = ${boardId} and g.brand_id = ${brandId}
      ) person
      join users u on u.user_id = person.user_id
      cross join lateral (
        values (lower(regexp_replace(btrim(u.full_name), '\\s+', ' ', 'g'))), (lower(split_part(u.email::text, '@', 1)))
      ) as known (name)
      where known.name = any(${[...names]}::text[])
    `.execute(tx);
    return rows;
  },
});
