import pg from 'pg';
import type { BenchWorld } from '../row.js';

/** The size of a workspace; everything is ten times larger in the large one. */
export interface Size {
  boards: number;
  /** The number on each full board. */
  cards: number;
  fullBoards: number;
  people: number;
  desks: number;
  projects: number;
  workspaces: number;
  /** The number of each other kind of record: feed entries, lessons, memories, builds, messages, mails. */
  records: number;
}

export const LARGE: Size = {
  boards: 1_000,
  cards: 100_000,
  fullBoards: 10,
  people: 1_000,
  desks: 10_000,
  projects: 1_000,
  workspaces: 10_000,
  records: 100_000,
};

/** Keeps the number of full boards, so that the boards themselves grow. */
export const shrink = (size: Size, factor: number): Size => ({
  ...(Object.fromEntries(
    Object.entries(size).map(([name, count]) => [name, Math.max(1, Math.round(count / factor))]),
  ) as unknown as Size),
  fullBoards: size.fullBoards,
});

export interface Filled {
  boardId: string;
  cardId: string;
  projectId: string;
  deskId: string;
  webhookId: string;
  importId: string;
  memoryId: string;
}

export const AGENT = 'growth-agent';

export async function fillWorkspace(
  world: BenchWorld,
  size: Size,
  call: BenchWorld['call'],
): Promise<Filled> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  // When something fails, the service stops its database before this connection is closed.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    await client.query("set maintenance_work_mem = '256MB'");
    const makeIndexes = await dropIndexes(client);
    const filled = await fill(client, world, size, call);
    await makeIndexes();
    await client.query('vacuum analyze');
    return filled;
  } finally {
    await client.end();
  }
}

async function fill(
  client: pg.Client,
  world: BenchWorld,
  size: Size,
  call: BenchWorld['call'],
): Promise<Filled> {
  const { brandId, userId } = world;
  const run = (text: string, ...values: unknown[]) => client.query(text, values);
  await run(`update brands set plan = 'enterprise' where brand_id = $1`, brandId);
  await copyRows(client, 'brands', `brand_id = ${brandId}`, size.workspaces, { name: `'Workspace ' || n` });

  await fillPeople(run, brandId, size.people);
  const { boardId, cardId } = await fillBoards(client, world, size, call);
  await call('POST', `/api/v1/board/tasks/${cardId}/comments`, { body: 'The first of many.' });
  await copyRows(client, 'card_comments', `card_id = '${cardId}'`, size.records, {
    comment_id: 'gen_random_uuid()',
    created_at: `f.created_at - make_interval(secs => n)`,
  });

  const { project_id: projectId } = await call('POST', '/api/v1/projects', { name: 'Growth' });
  const project = `project_id = '${projectId}'`;
  await copyRows(client, 'projects', project, size.projects, {
    project_id: 'gen_random_uuid()',
    name: `'Project ' || n`,
  });
  await call('POST', '/api/v1/memory/entries:sync', {
    project_id: projectId,
    files: [{ path: 'lessons/growth/first.md', content: LESSON }],
  });
  await copyRows(client, 'lessons', project, size.records, {
    lesson_id: `'growth/lesson-' || n`,
    path: `'lessons/growth/lesson-' || n || '.md'`,
    title: `'Lesson ' || n`,
    stale_commit: `case when n % 10 = 0 then 'abc' end`,
  });
  await run(ADD_ANCHORS, projectId);

  const { id: memoryId } = await call('POST', '/api/v1/memory/memories', {
    agent_id: AGENT,
    kind: 'fact',
    title: 'The first of many',
    body: 'Releases are cut on Thursdays, by whoever has the watch.',
  });
  await copyRows(client, 'memories', `memory_id = '${memoryId}'`, size.records, {
    memory_id: 'gen_random_uuid()',
    title: `'Memory number ' || n`,
    body: `'Release ' || n || ' was cut on a Thursday, by watch ' || md5(n::text)`,
    kind: `(array['fact', 'decision', 'learning', 'preference'])[1 + n % 4]`,
    created_at: `f.created_at - make_interval(secs => n)`,
    updated_at: `f.created_at - make_interval(secs => n)`,
  });
  await run(ADD_CONVERSATIONS, brandId, AGENT, size.records);
  await run(ADD_HISTORY, brandId, memoryId, size.records);
  await run(ADD_AGENTS, brandId, size.people);

  const desk = await call('POST', '/api/v1/workstations', { name: 'Desk 1' });
  const deskId = String(desk['workstation_id']);
  await copyRows(client, 'desks', `desk_id = '${deskId}'`, size.desks, {
    desk_id: 'gen_random_uuid()',
    short_id: `left(md5(n::text), 8)`,
    name: `'Desk ' || n`,
    token_lookup: `md5(f.desk_id::text || n)`,
    token_hash: 'null',
    created_at: `f.created_at - make_interval(secs => n)`,
  });
  // A desk keeps at most a thousand events.
  await run(ADD_DESK_EVENTS, deskId, Math.ceil(size.records / 100));
  await run(ADD_UPDATES, deskId, brandId, userId, size.records);

  await run(ADD_BUILDS, brandId, projectId, deskId, size.records);
  await run(ADD_SPENDING, brandId, size.projects, size.records);
  await run(ADD_PROFILE);
  await run(ADD_HIRES, brandId, size.records);
  await run(ADD_INBOX, brandId, userId, boardId, size.records);
  await copyRows(
    client,
    'audit_log',
    `brand_id = ${brandId} and audit_id = (select max(audit_id) from audit_log)`,
    size.records,
    {
      at: `f.at - make_interval(secs => n)`,
      brand_id: String(brandId),
    },
  );
  await run(ADD_PROFILE_CHANGES, brandId, userId, size.records);

  const webhook = await call('POST', `/api/v1/brands/${brandId}/webhooks`, {
    url: 'https://example.com/growth',
    events: ['task.created'],
  });
  const webhookId = String(webhook['webhook_id']);
  await run(`update webhooks set enabled = false where webhook_id = $1`, webhookId);
  await run(ADD_DELIVERIES, brandId, webhookId, size.records);

  const { rows } = await run(ADD_IMPORT, brandId, boardId, size.records);
  await run(ADD_NODES, projectId, size.records);
  return {
    boardId,
    cardId,
    projectId: String(projectId),
    deskId,
    webhookId,
    importId: rows[0].import_id,
    memoryId: String(memoryId),
  };
}

type Run = (text: string, ...values: unknown[]) => Promise<pg.QueryResult>;

async function fillPeople(run: Run, brandId: number, people: number): Promise<void> {
  const { rows } = await run(ADD_PEOPLE, people * 2);
  const ids = rows.map(({ user_id }) => user_id as number);
  await run(
    `insert into memberships (brand_id, user_id, role, joined_at)
     select $1, id, 'member', now() from unnest($2::int[]) id`,
    brandId,
    ids.slice(0, people),
  );
  await run(
    `insert into invitations (brand_id, email, role, token_hash, status, created_at, expires_at)
     select $1, 'invited' || n || '@example.com', 'member', md5(n::text), 'pending', now(), now() + interval '7 days'
     from generate_series(1, $2::int) n`,
    brandId,
    people,
  );
}

/** Creates boards with many cards, and more boards without any. */
async function fillBoards(
  client: pg.Client,
  world: BenchWorld,
  size: Size,
  call: BenchWorld['call'],
): Promise<{ boardId: string; cardId: string }> {
  const { brandId, userId } = world;
  let boardId = '';
  let cardId = '';
  // All boards get the same titles, so words are copied; computing them per card would take minutes.
  await client.query('alter table cards disable trigger cards_words_added');
  for (let made = 0; made < size.fullBoards; made += 1) {
    const board = await call('POST', '/api/v1/board/boards', { name: `Full board ${made}` });
    boardId = String(board['board_id']);
    const card = await call('POST', `/api/v1/board/boards/${boardId}/tasks`, { title: 'The first of many' });
    cardId = String(card['id']);
    await copyRows(
      client,
      'cards',
      `card_id = '${cardId}'`,
      size.cards,
      {
        card_id: 'gen_random_uuid()',
        number: 'n',
        position: 'n',
        title: `'Card number ' || n`,
        column_id: 'c.column_id',
        status: 'c.status',
        branch: `'feat/' || n`,
        pr_number: 'case when n % 3 = 0 then n end',
        pr_state: `case when n % 3 = 0 then 'open' end`,
        priority: `(array['low', 'normal', 'high', 'urgent'])[1 + n % 4]`,
        labels: `array['label-' || n % 20]`,
        due_at: `case when n % 7 = 0 then f.created_at + make_interval(mins => n) end`,
        assignee_user_id: `case when n % 5 = 0 then ${userId} end`,
        updated_at: `f.created_at - make_interval(secs => n)`,
      },
      'join board_columns c on c.board_id = f.board_id and c.position = n % 5',
    );
    await client.query('update boards set last_number = $2 where board_id = $1', [boardId, size.cards]);
  }
  await client.query('alter table cards enable trigger cards_words_added');
  await client.query(ADD_WORDS, [boardId]);
  await client.query(ADD_ENTRIES, [boardId, size.records]);
  await client.query(ADD_CARD_ENTRIES, [boardId, cardId, size.records]);
  await client.query('update boards set last_sequence = $2 where board_id = $1', [boardId, 2 * size.records]);
  await copyRows(client, 'boards', `board_id = '${boardId}'`, size.boards - size.fullBoards, {
    board_id: 'gen_random_uuid()',
    name: `'Board ' || n`,
    key: `'G' || n`,
    last_number: '0',
    last_sequence: '0',
  });
  await client.query(
    `insert into guest_access (brand_id, user_id, kind, resource_id, role, created_at)
     select $1, user_id, 'board', $2, 'viewer', now() from users u
     where not exists (select from memberships m where m.user_id = u.user_id)`,
    [brandId, boardId],
  );
  return { boardId, cardId };
}

/** Creating indexes that enforce nothing after all rows is faster than updating them with each row. */
async function dropIndexes(client: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = 'public'::regnamespace and not i.indisunique and c.relname = any($1)`,
    [FILLED],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return async () => {
    for (const { definition } of rows) await client.query(definition);
  };
}

/** The tables that grow most and have the most indexes. */
const FILLED = [
  'cards',
  'card_words',
  'card_comments',
  'board_activity',
  'lessons',
  'memories',
  'memory_history',
  'builds',
];

/** Copies the first row; `set` gives the columns that differ, as SQL over `f` (the first row) and `n`. */
async function copyRows(
  client: pg.Client,
  table: string,
  first: string,
  count: number,
  set: Record<string, string>,
  join = '',
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attidentity = '' and attgenerated = ''`,
    [table],
  );
  const columns = rows.map(({ name }) => name);
  const values = columns.map((name) => set[name] ?? `f.${name}`);
  const { rowCount } = await client.query(
    `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')}
     from ${table} f cross join generate_series(2, $1::int) n ${join} where f.${first}`,
    [count],
  );
  if (rowCount === 0 && count > 1) throw new Error(`There is nothing to copy in ${table}`);
}

const LESSON = '---\ntype: rule\nanchors: ["src/growth/first.ts"]\n---\nCut releases on Thursdays.\n';

const ADD_PEOPLE = `
  insert into users (email, full_name, kind, created_at)
  select 'person' || n || '@example.com', 'Person ' || n, 'person', now() from generate_series(1, $1::int) n
  returning user_id`;

const ADD_WORDS = `
  with known as materialized (
    select number, search_words(brand_id, title, card_text(null, null)) as words from cards where board_id = $1
  )
  insert into card_words (text_id, card_id, board_id, brand_id, changed_at, words)
  select card_id, card_id, board_id, brand_id, updated_at, words
  from cards join known using (number) where brand_id = (select brand_id from boards where board_id = $1)
  on conflict (text_id) do nothing`;

const ADD_ENTRIES = `
  insert into board_activity (board_id, sequence, id, action, created_at, task_id, ref, card_version, actor_user_id, changes)
  select b.board_id, n, gen_random_uuid(), 'task.updated', b.created_at, k.card_id, b.key || '-' || k.number, 2, b.created_by,
    '{"title": {"from": "Before", "to": "After"}}'
  from generate_series(3, $2::int) n join boards b on b.board_id = $1
  join cards k on k.board_id = $1 and k.number = 2 + n % (b.last_number - 1)`;

/** One card that was changed very often. */
const ADD_CARD_ENTRIES = `
  insert into board_activity (board_id, sequence, id, action, created_at, task_id, ref, card_version, actor_user_id, changes)
  select b.board_id, $3::int + n, gen_random_uuid(), 'task.updated', b.created_at, $2, b.key || '-1', 2, b.created_by,
    '{"title": {"from": "Before", "to": "After"}}'
  from generate_series(1, $3::int) n join boards b on b.board_id = $1`;

const ADD_ANCHORS = `
  insert into lesson_anchors (lesson_no, position, brand_id, project_id, written, path, kind)
  select lesson_no, 0, brand_id, project_id, lesson_id || '.ts', lesson_id || '.ts', 'file'
  from lessons where project_id = $1 and lesson_id <> 'growth/first'`;

const ADD_CONVERSATIONS = `
  insert into memory_conversations (conversation_id, brand_id, agent_id, source_type, external_id, status, created_at, updated_at)
  select gen_random_uuid(), $1, $2, 'codex', 'conversation-' || n, case when n % 50 = 0 then 'failed' else 'done' end,
    now() - make_interval(secs => n), now() from generate_series(1, $3::int) n`;

const ADD_HISTORY = `
  insert into memory_history (brand_id, memory_id, at, action, changes)
  select $1, $2, now() - make_interval(secs => n), 'changed', '{"importance": {"from": "normal", "to": "high"}}'
  from generate_series(1, $3::int) n`;

const ADD_AGENTS = `
  insert into agents (agent_id, name, brand_id, created_at)
  select 'growth-' || n, 'Agent ' || n, $1, now() from generate_series(1, $2::int) n`;

const ADD_DESK_EVENTS = `
  insert into desk_events (desk_id, at, kind, from_status, to_status, reason)
  select $1, now() - make_interval(secs => $2::int - n), 'status', 'active', 'unreachable', 'No answer' from generate_series(1, $2::int) n`;

const ADD_UPDATES = `
  insert into machine_updates (update_id, desk_id, brand_id, status, requested_by, requested_by_name, requested_at, finished_at)
  select gen_random_uuid(), $1, $2, 'done', $3, 'Bench Admin', now() - make_interval(secs => n), now()
  from generate_series(1, $4::int) n`;

const ADD_BUILDS = `
  insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, coder, branch, base_branch, base_sha, queued_at,
    workstation_id, claimed_at, started_at, finished_at, outcome, risk_score, accepted_at, reworked_at, result)
  select gen_random_uuid(), $1, k.card_id, 'G-' || k.number, $2, 1, (array['claude', 'codex'])[1 + n % 2], 'feat/' || n, 'main', md5('base'),
    now() - make_interval(secs => n), $3, now(), now(), now() - make_interval(secs => n),
    (array['succeeded', 'succeeded', 'failed', 'canceled'])[1 + n % 4], n % 100,
    case when n % 4 = 0 and n % 8 = 0 then now() end, null, 'Did what was asked.'
  from (select card_id, number, row_number() over ()::int as n from cards where brand_id = $1 limit $4::int) k`;

const ADD_SPENDING = `
  insert into spend_tallies (brand_id, scope, subject, period, builds, tokens_in, tokens_out, spent_micros)
  select $1, scope, subject, period, 1, 100, 100, 1000 from (
    select 'workspace' as scope, '' as subject, to_char(now() - make_interval(days => n), 'YYYY-MM-DD') as period from generate_series(0, 29) n
    union all
    select 'project', project_id::text, to_char(now(), 'YYYY-MM-DD')
    from (select project_id from projects where brand_id = $1 limit $2::int) p
    union all
    select 'card', card_id::text, to_char(now(), 'YYYY-MM-DD') from (select card_id from cards where brand_id = $1 limit $3::int) k
  ) spent`;

const ADD_PROFILE = `
  insert into catalog_profiles (profile_id, name, created_at, updated_at) values (gen_random_uuid(), 'Reviewer', now(), now())`;

const ADD_HIRES = `
  insert into hires (hire_id, brand_id, profile_id, status, employee_name, builder, template, agent_id, created_at, built_at,
    last_period_end, effective_at, disabled_at, workspace_removed_at)
  select gen_random_uuid(), $1, p.profile_id, 'canceled', 'Employee ' || n, false, '{}', 'hired-' || n, now() - make_interval(secs => n),
    now(), now(), now(), now(), now()
  from generate_series(1, $2::int) n cross join (select profile_id from catalog_profiles limit 1) p`;

const ADD_INBOX = `
  insert into inbox_items (item_id, brand_id, user_id, kind, board_id, task_id, created_at, done_at)
  select gen_random_uuid(), $1, $2, 'assigned', $3, k.card_id, now() - make_interval(secs => n), case when n % 2 = 0 then now() end
  from (select card_id, row_number() over ()::int as n from cards where board_id = $3 limit $4::int) k`;

const ADD_PROFILE_CHANGES = `
  insert into coder_profile_changes (brand_id, id, profile_key, field, old_value, new_value, actor_user_id, actor_role, created_at)
  select $1, n, 'claude.coding', 'effort', 'low', 'high', $2, 'brand_admin', now() from generate_series(1, $3::int) n`;

const ADD_DELIVERIES = `
  with messages as (
    insert into webhook_messages (event_id, brand_id, type, body, created_at)
    select gen_random_uuid(), $1, 'task.created', '{}', now() - make_interval(secs => n) from generate_series(1, $3::int) n
    returning event_id, created_at
  )
  insert into webhook_deliveries (delivery_id, webhook_id, event_id, status, created_at)
  select gen_random_uuid(), $2, event_id, 'delivered', created_at from messages`;

const ADD_IMPORT = `
  with made as (
    insert into card_imports (import_id, brand_id, board_id, source, name, status, mapping, counts, found, created_at, finished_at)
    values (gen_random_uuid(), $1, $2, 'csv', 'growth.csv', 'done', '{}', '{}', '{}', now(), now()) returning import_id
  ), rows as (
    insert into card_import_rows (import_id, seq, brand_id, record, status)
    select import_id, n, $1, '{"title": "A card"}', 'made' from made cross join generate_series(1, $3::int) n
  )
  select import_id from made`;

const ADD_NODES = `
  insert into code_nodes (project_id, node_no, node_id, kind, path, parent_no, live)
  select $1, n, gen_random_uuid(), case when n = 1 then 'folder' else 'file' end,
    case when n = 1 then '/' else 'src/m' || n % 1000 || '/f' || n || '.ts' end, case when n > 1 then 1 end, true
  from generate_series(1, $2::int) n`;
