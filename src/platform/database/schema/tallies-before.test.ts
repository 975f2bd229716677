import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';

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
  await call('PATCH', `/board/tasks/${ids[1]}`, { archived: true, pr_url: 'https://example.com/1' });
  const { project_id } = await call('POST', '/projects', { name: 'Van' });
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
}

it.each([
  ['0531_archived_cards', 'card_tallies', 'board_id, column_id, status, has_pr, archived', ['cards']],
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
