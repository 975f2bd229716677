import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';

let world: World;
let acme: Awaited<ReturnType<World['workspace']>>;

beforeAll(async () => {
  world = await startTestApp({ env: { EMBEDDER: 'none' } });
  acme = await world.workspace();
  await fill();
});
afterAll(() => world.stop());

const call = async (
  method: 'POST' | 'PATCH',
  path: string,
  payload: object,
  headers: Record<string, string> = acme.bearer,
) => {
  const answer = await world.inject({ method, url: `/api/v1${path}`, headers, payload });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer.json();
};

/** Some of everything that is tallied, in more than one state. */
async function fill(): Promise<void> {
  const { brand_id } = acme.brand;
  const { board_id } = await call('POST', '/board/boards', { name: 'Roadmap' });
  const ids: string[] = [];
  for (const title of ['One', 'Two', 'Three'])
    ids.push((await call('POST', `/board/boards/${board_id}/tasks`, { title })).id);
  await call('PATCH', `/board/tasks/${ids[0]}`, { status: 'done' });
  for (const kind of ['fact', 'fact', 'decision']) {
    const { id } = await call('POST', '/memory/memories', { agent_id: 'ada', kind, title: kind, body: kind });
    if (kind === 'decision') await call('PATCH', `/memory/memories/${id}`, { status: 'archived' });
  }
  for (const external_id of ['one', 'two'])
    await call('POST', '/memory/conversations', {
      agent_id: 'ada',
      source_type: 'codex',
      external_id,
      messages: [{ role: 'user', content: 'Hello' }],
    });
  await sql`update memory_conversations set status = 'failed' where external_id = 'two'`.execute(world.db);
  const { project_id } = await call('POST', '/projects', { name: 'Van' });
  await call('POST', '/memory/entries:sync', {
    project_id,
    files: ['a', 'b'].map((name) => ({
      path: `lessons/van/${name}.md`,
      content: '---\ntype: rule\n---\nGo.\n',
    })),
  });
  const desk = await call('POST', '/workstations', { name: 'Desk' }, { cookie: acme.cookie });
  await sql`
    insert into machine_updates (update_id, desk_id, brand_id, status, requested_by, requested_by_name, requested_at)
    select gen_random_uuid(), ${desk.workstation_id}, ${brand_id}, 'done', ${acme.admin.user_id}, 'Ada', now()
    from generate_series(1, 3)`.execute(world.db);
  await sql`
    insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, coder, branch, base_branch, base_sha, queued_at,
      finished_at, outcome, tokens_in, cost_usd)
    select gen_random_uuid(), ${brand_id}, gen_random_uuid(), 'A-1', ${project_id}, 1, 'claude', 'b', 'main', 'a',
      now() - n * interval '5 days', now(), case when n % 2 = 0 then 'succeeded' else 'failed' end, n, 0.1
    from generate_series(1, 5) n`.execute(world.db);
  await sql`
    insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, coder, branch, base_branch, base_sha, queued_at,
      finished_at, outcome)
    select gen_random_uuid(), ${brand_id}, ${ids[0]}, 'A-2', ${project_id}, n, 'claude', 'b', 'main', 'a', now(), now(), 'succeeded'
    from generate_series(1, 3) n`.execute(world.db);
  await sql`
    insert into inbox_items (item_id, brand_id, user_id, kind, board_id, task_id, created_at, read_at, done_at, snoozed_until)
    select gen_random_uuid(), ${brand_id}, ${acme.admin.user_id}, 'assigned', ${board_id}, ${ids[1]}, now(),
      case when n > 2 then now() end, case when n > 6 then now() end, case when n = 1 then now() end
    from generate_series(1, 8) n`.execute(world.db);
}

it.each([
  ['0512_memory_tallies', 'memory_tallies', 'agent_id, kind, status, made_week, left_week', ['memories']],
  ['0512_memory_tallies', 'conversation_tallies', 'agent_id, status', ['conversations']],
  ['0513_week_tallies', 'card_weeks', 'board_id, week', ['made', 'done']],
  ['0513_week_tallies', 'build_weeks', 'week, coder', ['ended', 'succeeded', 'tokens_in', 'cost_usd']],
  ['0514_inbox_tallies', 'inbox_tallies', 'user_id, board_id', ['open', 'unread']],
  ['0515_update_tallies', 'machine_update_tallies', 'desk_id', ['updates']],
  ['0517_lesson_tallies', 'lesson_tallies', 'project_id, type, stale', ['lessons']],
  ['0525_workspace_tally', 'workspace_tally', 'only_one', ['workspaces']],
  ['0522_superseded_builds', 'build_tallies', 'workstation_id, coder, outcome, review', ['builds']],
])('%s: what was there before is tallied in %s as if it had come since', async (file, table, keys, sums) => {
  const read = async () => {
    const summed = sums.map((name) => `sum(${name})::float8 as ${name}`).join(', ');
    const { rows } = await sql
      .raw(
        `select ${keys}, ${summed} from ${table} group by ${keys} having sum(${sums[0]}) <> 0 order by ${keys}`,
      )
      .execute(world.db);
    return rows;
  };
  const kept = await read();
  expect(kept.length).toBeGreaterThan(0);
  const migration = await readFile(new URL(`../migrations/${file}.sql`, import.meta.url), 'utf8');
  const [, backfill] = new RegExp(`^(insert into ${table} .*?);$`, 'ms').exec(migration)!;
  await sql.raw(`delete from ${table}`).execute(world.db);
  await sql.raw(backfill!).execute(world.db);
  expect(await read()).toEqual(kept);
});

it('0522_superseded_builds: an attempt that was followed by another one is known as such', async () => {
  const read = async () =>
    (
      await sql<{
        superseded: boolean;
      }>`select superseded from builds where ref = 'A-2' order by attempt`.execute(world.db)
    ).rows;
  const followed = [true, true, false].map((superseded) => ({ superseded }));
  expect(await read()).toEqual(followed);
  await sql`update builds set superseded = false`.execute(world.db);
  const migration = await readFile(
    new URL('../migrations/0522_superseded_builds.sql', import.meta.url),
    'utf8',
  );
  const [, backfill] = /^(update builds .*?);$/ms.exec(migration)!;
  await sql.raw(backfill!).execute(world.db);
  expect(await read()).toEqual(followed);
});

it('0520_numbered_hires: those that were there before are numbered in each workspace as they were made', async () => {
  const brands = [acme.brand.brand_id, (await world.workspace()).brand.brand_id];
  await sql`
    with profile as (
      insert into catalog_profiles (profile_id, name, created_at, updated_at) values (gen_random_uuid(), 'Ada', now(), now())
      returning profile_id
    )
    insert into hires (hire_id, brand_id, profile_id, status, employee_name, builder, template, agent_id, created_at,
      last_period_end, effective_at)
    select gen_random_uuid(), brand_id, profile_id, 'canceled', 'Ada', false, '{}', 'ada' || brand_id || n, now() + n * interval '1 hour', now(), now()
    from generate_series(1, 3) n, unnest(${brands}::int[]) brand_id, profile`.execute(world.db);
  const read = async () =>
    (await sql<{ number: number }>`select number from hires order by brand_id, created_at`.execute(world.db))
      .rows;
  const numbers = [1, 2, 3, 1, 2, 3].map((number) => ({ number }));
  expect(await read()).toEqual(numbers);
  await sql`update hires set number = 100 - number`.execute(world.db);
  const migration = await readFile(new URL('../migrations/0520_numbered_hires.sql', import.meta.url), 'utf8');
  const [, backfill] = /^(update hires .*?);$/ms.exec(migration)!;
  await sql.raw(backfill!).execute(world.db);
  expect(await read()).toEqual(numbers);
});
