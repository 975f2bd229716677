import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import { DAY, dayOf, HOUR, lastWeeks, secondsFrom } from '../../kernel/clock.js';
import type { FiguresAnswer } from './figures.routes.js';

let world: World;
let acme: Awaited<ReturnType<World['workspace']>>;
const WEEK = 7 * DAY;

beforeAll(async () => {
  world = await startTestApp({ env: { EMBEDDER: 'none' } });
  await world.freeze();
  // Wednesday noon, so that no day or week ends during the test.
  const monday = lastWeeks(world.clock.now(), 1)[0]!;
  const noon = secondsFrom(monday, WEEK + 2 * DAY + 12 * HOUR);
  await world.advance((noon.getTime() - world.clock.now().getTime()) / 1000);
  acme = await world.workspace();
});
afterAll(() => world.stop());

const call = (method: 'GET' | 'POST' | 'PATCH', path: string, payload?: object) =>
  world.inject({ method, url: `/api/v1${path}`, headers: acme.bearer, payload });

const read = async (query = ''): Promise<FiguresAnswer> =>
  (await call('GET', `/brands/${acme.brand.brand_id}/figures${query}`)).json();

const ago = (seconds: number) => secondsFrom(world.clock.now(), -seconds);

describe('GET /api/v1/brands/{brand_id}/figures', () => {
  it('lists the Mondays of twelve weeks by default, oldest first, with zeros for weeks without activity', async () => {
    const { weeks, cards, memories, builds, desks } = await read();
    expect(weeks).toEqual(lastWeeks(world.clock.now(), 12).map(dayOf));
    expect(cards).toEqual(weeks.map((week) => ({ week, made: 0, done: 0 })));
    expect(memories).toEqual(weeks.map((week) => ({ week, total: 0 })));
    expect([builds, desks]).toEqual([[], []]);
  });

  it('counts created and completed cards by week', async () => {
    const { board_id } = (await call('POST', '/board/boards', { name: 'Roadmap' })).json();
    const ids: string[] = [];
    for (const title of ['One', 'Two', 'Three'])
      ids.push((await call('POST', `/board/boards/${board_id}/tasks`, { title })).json().id);
    await sql`update cards set created_at = ${ago(2 * WEEK)} where card_id = ${ids[0]}`.execute(world.db);
    expect((await call('PATCH', `/board/tasks/${ids[0]}`, { status: 'done' })).statusCode).toBe(200);
    const { cards } = await read('?weeks=3');
    expect(cards.map(({ made, done }) => [made, done])).toEqual([
      [1, 0],
      [0, 0],
      [2, 1],
    ]);
    expect((await read('?weeks=1')).cards).toEqual([cards[2]]);
  });

  it('handles cards that were reopened, moved to another board or deleted', async () => {
    const before = (await read('?weeks=1')).cards[0]!;
    const [one, two] = [
      (await call('POST', '/board/boards', { name: 'One' })).json(),
      (await call('POST', '/board/boards', { name: 'Two' })).json(),
    ];
    const ids: string[] = [];
    for (const title of ['A', 'B', 'C', 'D'])
      ids.push((await call('POST', `/board/boards/${one.board_id}/tasks`, { title })).json().id);
    const since = async () => {
      const { made, done } = (await read('?weeks=1')).cards[0]!;
      return [made - before.made, done - before.done];
    };
    for (const id of ids.slice(0, 3)) await call('PATCH', `/board/tasks/${id}`, { status: 'done' });
    expect(await since()).toEqual([4, 3]);
    await call('PATCH', `/board/tasks/${ids[0]}`, { status: 'pending' });
    await sql`update cards set board_id = ${two.board_id}, column_id = (
        select column_id from board_columns where board_id = ${two.board_id} order by position limit 1)
      where card_id = ${ids[1]}`.execute(world.db);
    expect(await since()).toEqual([4, 2]);
    expect(
      (await world.inject({ method: 'DELETE', url: `/api/v1/board/tasks/${ids[2]}`, headers: acme.bearer }))
        .statusCode,
    ).toBe(204);
    expect(await since()).toEqual([3, 1]);
    await sql`delete from boards where board_id = ${two.board_id}`.execute(world.db);
    expect(await since()).toEqual([2, 0]);
  });

  it('adds up builds by week and coder', async () => {
    const insert = (coder: string, queued: Date, outcome: string | null, tokens: number | null) =>
      sql`insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, coder, wall_minutes, branch, base_branch,
            base_sha, queued_at, finished_at, outcome, tokens_in, tokens_out, cost_usd)
          values (${crypto.randomUUID()}, ${acme.brand.brand_id}, ${crypto.randomUUID()}, 'A-1', ${crypto.randomUUID()}, 1, ${coder},
            30, 'b', 'main', ${'0'.repeat(40)}, ${queued}, ${outcome ? queued : null}, ${outcome}, ${tokens}, ${tokens},
            ${tokens === null ? null : tokens / 1000})`.execute(world.db);
    await insert('claude', ago(WEEK), 'succeeded', 1000);
    await insert('claude', ago(WEEK), 'failed', 500);
    await insert('codex', ago(WEEK), 'succeeded', 10);
    await insert('claude', ago(0), null, null);
    await insert('claude', ago(20 * WEEK), 'succeeded', 7);
    const { builds, weeks } = await read('?weeks=2');
    expect(builds).toEqual([
      {
        week: weeks[0],
        coder: 'claude',
        builds: 2,
        succeeded: 1,
        tokens_in: 1500,
        tokens_out: 1500,
        cost_usd: 1.5,
      },
      {
        week: weeks[0],
        coder: 'codex',
        builds: 1,
        succeeded: 1,
        tokens_in: 10,
        tokens_out: 10,
        cost_usd: 0.01,
      },
      { week: weeks[1], coder: 'claude', builds: 1, succeeded: 0, tokens_in: 0, tokens_out: 0, cost_usd: 0 },
    ]);
  });

  it('counts the outcomes of builds as the builds report them', async () => {
    const summed = async () => {
      const { rows } = await sql`
        select to_char(date_trunc('week', queued_at at time zone 'UTC'), 'YYYY-MM-DD') as week, coder,
          count(*) filter (where kind = 'build') as builds,
          count(*) filter (where kind = 'build' and outcome = 'succeeded') as succeeded,
          coalesce(sum(tokens_in), 0)::bigint as tokens_in, coalesce(sum(tokens_out), 0)::bigint as tokens_out,
          coalesce(sum(cost_usd::numeric), 0)::float8 as cost_usd
        from builds where brand_id = ${acme.brand.brand_id} and queued_at >= ${ago(30 * WEEK)} group by 1, 2 order by 1, 2`.execute(
        world.db,
      );
      return rows;
    };
    const compare = async () => expect((await read('?weeks=40')).builds).toEqual(await summed());
    // More changes than are kept separately before they are merged into totals.
    for (let n = 0; n < 55; n += 1)
      await sql`
        insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, kind, coder, branch, base_branch, base_sha, queued_at)
        values (${crypto.randomUUID()}, ${acme.brand.brand_id}, ${crypto.randomUUID()}, ${`B-${n}`}, ${crypto.randomUUID()}, 1,
          ${n % 10 === 0 ? 'review' : 'build'}, ${n % 3 ? 'claude' : 'gemini'}, 'b', 'main', 'a', ${ago((n % 4) * WEEK)})`.execute(
        world.db,
      );
    await compare();
    for (let n = 0; n < 50; n += 1)
      await sql`
        update builds set outcome = ${n % 2 ? 'succeeded' : 'failed'}, finished_at = ${ago(0)}, tokens_in = ${n}, cost_usd = ${n / 7}
        where ref = ${`B-${n}`}`.execute(world.db);
    await compare();
    await sql`update builds set tokens_out = 5, cost_usd = 0.1 where ref in ('B-7', 'B-8', 'B-51')`.execute(
      world.db,
    );
    await sql`delete from builds where ref in ('B-0', 'B-9', 'B-54')`.execute(world.db);
    await compare();
    await sql`delete from builds where ref like 'B-%'`.execute(world.db);
    await compare();
  });

  it('returns the number of memories in use at the end of each week', async () => {
    const make = async (created: Date) => {
      const { id } = (
        await call('POST', '/memory/memories', { agent_id: 'ada', kind: 'fact', title: 't', body: 'b' })
      ).json();
      await sql`update memories set created_at = ${created} where memory_id = ${id}`.execute(world.db);
      return id as string;
    };
    await make(ago(10 * WEEK));
    await make(ago(WEEK));
    const gone = await make(ago(WEEK));
    await call('PATCH', `/memory/memories/${gone}`, { status: 'archived' });
    expect((await read('?weeks=3')).memories.map(({ total }) => total)).toEqual([1, 3, 2]);
  });

  it("returns each desk's ready time per day from its timeline", async () => {
    const ordered = await world.inject({
      method: 'POST',
      url: '/api/v1/workstations',
      headers: { cookie: acme.cookie },
      payload: { name: 'Desk' },
    });
    const { workstation_id } = ordered.json();
    await sql`update desks set created_at = ${ago(4 * DAY)}, status = 'unreachable' where desk_id = ${workstation_id}`.execute(
      world.db,
    );
    await sql`delete from desk_events where desk_id = ${workstation_id}`.execute(world.db);
    const event = (at: Date, from: string, to: string) =>
      sql`insert into desk_events (desk_id, at, kind, from_status, to_status)
          values (${workstation_id}, ${at}, 'status', ${from}, ${to})`.execute(world.db);
    // Ready from midnight of the day before yesterday until six this morning.
    await event(ago(2 * DAY + 12 * HOUR), 'provisioned', 'active');
    await event(ago(6 * HOUR), 'active', 'unreachable');
    const desk = (await read()).desks[0]!;
    expect([desk.workstation_id, desk.name, desk.days.length]).toEqual([workstation_id, 'Desk', 14]);
    expect(desk.days.slice(-4).map(({ ready_minutes }) => ready_minutes)).toEqual([0, 1440, 1440, 360]);
    expect(desk.days.at(-1)!.day).toBe(dayOf(world.clock.now()));
    expect(desk.ready_share).toBe(0.5625);
  });

  it('excludes other workspaces, and refuses weeks outside 1 to 52', async () => {
    const other = await world.workspace();
    const url = `/api/v1/brands/${other.brand.brand_id}/figures`;
    const { cards, builds, desks } = (await world.inject({ url, headers: other.bearer })).json();
    expect(cards.every(({ made }: { made: number }) => made === 0)).toBe(true);
    expect([builds, desks]).toEqual([[], []]);
    expect((await world.inject({ url, headers: acme.bearer })).statusCode).toBe(404);
    for (const weeks of [0, 53])
      expect((await call('GET', `/brands/${acme.brand.brand_id}/figures?weeks=${weeks}`)).statusCode).toBe(
        422,
      );
  });
});
