import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.js';
import type { Answered, Notice } from '../../platform/outbox/inbox-notices.js';

export interface ChangedInbox {
  brand_id: number;
  user_id: number;
}

/** Whoever can open the board: members of its workspace, and its guests. */
const canOpen = sql`(
  exists (select from memberships m where m.brand_id = k.brand_id and m.user_id = person.user_id and m.active)
  or exists (select from guest_access g where g.kind = 'board' and g.resource_id = k.board_id and g.user_id = person.user_id)
)`;

export const noticeStore = (tx: Tx) => ({
  /** An item for each who should know and can open the card; answers whose inboxes have changed. */
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
    const { rows: told } = await sql<ChangedInbox>`
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
    return told;
  },

  /** What is done is read; answers whose inboxes have changed. */
  async settle({ brandId, kind, taskId, buildId, until, at }: Answered): Promise<ChangedInbox[]> {
    const { rows } = await sql<ChangedInbox>`
      update inbox_items i set done_at = ${at}, read_at = coalesce(i.read_at, ${at}), snoozed_until = null
      where i.task_id = ${taskId} and i.brand_id = ${brandId} and i.kind = ${kind} and i.done_at is null
        and (i.build_id = ${buildId} or i.created_at <= ${until})
      returning i.brand_id, i.user_id
    `.execute(tx);
    return rows;
  },

  /** People who can open the board and have one of the names, whole or before the `@` of their address. */
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
