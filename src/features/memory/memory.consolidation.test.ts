import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld } from '../../../tests/support/memory.js';

let world: MemoryWorld;
let acme: Awaited<ReturnType<MemoryWorld['workspace']>>;

beforeAll(async () => {
  world = await startMemoryWorld();
  await world.freeze();
  acme = await world.workspace();
});
afterAll(() => world.stop());

async function learnings(tags: string[][], fields: object[] = []) {
  const agent_id = world.agentId();
  const made = [];
  for (const [i, of] of tags.entries())
    made.push(
      await acme.made({
        agent_id,
        kind: 'learning',
        title: `Learning ${i}`,
        body: `Body ${i}`,
        tags: of,
        ...fields[i],
      }),
    );
  return { agent_id, made };
}

const patternOf = async (agent_id: string) => (await acme.found(agent_id, { kinds: 'pattern' })).memories;

describe('memory-consolidate', () => {
  it('merges learnings that share a tag into one pattern with all tags, the mean confidence and kept sources', async () => {
    const { agent_id, made } = await learnings(
      [['ci', 'a'], ['ci'], ['b', 'ci'], ['ci']],
      [
        { confidence: 0.5 },
        { confidence: 0.6 },
        { confidence: 0.7 },
        { confidence: 0.9, importance: 'high' },
      ],
    );
    await world.runJob('memory-consolidate');
    const [pattern, ...more] = await patternOf(agent_id);
    expect(more).toEqual([]);
    const record = (await acme.read(pattern!.id)).json();
    expect(record).toMatchObject({
      kind: 'pattern',
      confidence: 0.675,
      tags: ['ci', 'a', 'b'],
      importance: 'high',
      merged_from: made.map(({ id }) => id),
    });
    for (const { id, body } of made) {
      expect((await acme.read(id)).json()).toMatchObject({ status: 'merged', merged_into: pattern!.id });
      expect(record.body).toContain(body);
    }
    expect((await acme.stats(`?agent_id=${agent_id}`)).json()).toMatchObject({
      total_active: 1,
      total_merged: 4,
      by_kind: { pattern: 1 },
    });
  });

  it('runs with the pickup job', async () => {
    const { agent_id } = await learnings([['x'], ['x'], ['x']]);
    await world.runJob('memory-pickup');
    expect(await patternOf(agent_id)).toHaveLength(1);
  });

  it('leaves two learnings, other kinds and archived memories unchanged', async () => {
    const { agent_id, made } = await learnings([['t'], ['t'], ['t'], ['t']], [{}, {}, { kind: 'fact' }]);
    await acme.change(made[3]!.id, { status: 'archived' });
    await world.runJob('memory-consolidate');
    expect(await patternOf(agent_id)).toEqual([]);
  });

  it('merges each learning once, even in concurrent runs', async () => {
    const { agent_id, made } = await learnings([['p'], ['p', 'q'], ['p', 'q'], ['q'], ['q']]);
    await Promise.all([
      world.runJob('memory-consolidate'),
      world.app.memory.consolidateAll(new AbortController().signal),
      world.runJob('memory-pickup'),
    ]);
    const patterns = await Promise.all(
      (await patternOf(agent_id)).map(async ({ id }) => (await acme.read(id)).json()),
    );
    const merged = patterns.flatMap(({ merged_from }) => merged_from);
    expect(new Set(merged).size).toBe(merged.length);
    expect(merged.sort()).toEqual(
      made
        .slice(1)
        .map(({ id }) => id)
        .sort(),
    );
  });
});

describe('POST /api/v1/memory/memories/{memory_id}/unmerge', () => {
  it('restores the sources permanently', async () => {
    const { agent_id, made } = await learnings([['u'], ['u'], ['u']]);
    await world.runJob('memory-consolidate');
    const [pattern] = await patternOf(agent_id);
    const response = await acme.send('POST', `/memories/${pattern!.id}/unmerge`);
    expect(response.statusCode).toBe(200);
    expect(response.json().pattern).toMatchObject({ id: pattern!.id, status: 'archived' });
    expect(response.json().restored.map(({ id }: { id: string }) => id)).toEqual(made.map(({ id }) => id));
    await world.runJob('memory-consolidate');
    expect((await acme.stats(`?agent_id=${agent_id}`)).json()).toMatchObject({
      total_active: 3,
      total_archived: 1,
      total_merged: 0,
    });
    expect((await acme.send('POST', `/memories/${pattern!.id}/unmerge`)).statusCode).toBe(409);
  });

  it('answers 409 for a memory that was not consolidated and 404 in another workspace', async () => {
    const { made } = await learnings([['v']]);
    expect((await acme.send('POST', `/memories/${made[0]!.id}/unmerge`)).statusCode).toBe(409);
    const other = await world.workspace();
    expect((await other.send('POST', `/memories/${made[0]!.id}/unmerge`)).statusCode).toBe(404);
  });
});

describe('DELETE of a source of a pattern', () => {
  it('removes its text from the pattern, and deletes the pattern with its last source', async () => {
    const { agent_id, made } = await learnings([['w'], ['w'], ['w']]);
    await world.runJob('memory-consolidate');
    const [pattern] = await patternOf(agent_id);
    await acme.remove(made[0]!.id);
    const after = (await acme.read(pattern!.id)).json();
    expect(after.body).not.toContain('Body 0');
    expect(after.body).toContain('Body 1');
    expect(after.merged_from).toEqual([made[1]!.id, made[2]!.id]);
    await acme.remove(made[1]!.id);
    await acme.remove(made[2]!.id);
    expect((await acme.read(pattern!.id)).statusCode).toBe(404);
  });

  it('keeps text that a person added to the pattern', async () => {
    const { agent_id, made } = await learnings([['o'], ['o'], ['o']]);
    await world.runJob('memory-consolidate');
    const [pattern] = await patternOf(agent_id);
    await acme.change(pattern!.id, {
      title: 'Mine',
      body: `In short: it breaks.\n${pattern!.body}\nAsk Ada.`,
    });
    await acme.remove(made[1]!.id);
    expect((await acme.read(pattern!.id)).json()).toMatchObject({
      title: 'Mine',
      body: 'In short: it breaks.\n- Learning 0: Body 0\n- Learning 2: Body 2\nAsk Ada.',
    });
  });

  it('removes its text even after the learning was unmerged', async () => {
    const { agent_id, made } = await learnings([['n'], ['n'], ['n']]);
    await world.runJob('memory-consolidate');
    const [pattern] = await patternOf(agent_id);
    expect((await acme.change(made[0]!.id, { status: 'active' })).json()).toMatchObject({
      status: 'active',
      merged_into: null,
    });
    await acme.remove(made[0]!.id);
    await acme.send('POST', `/memories/${pattern!.id}/unmerge`);
    await acme.remove(made[1]!.id);
    const after = (await acme.read(pattern!.id)).json();
    expect(after).toMatchObject({
      status: 'archived',
      body: '- Learning 2: Body 2',
      merged_from: [made[2]!.id],
    });
  });

  it('leaves no trace when it runs during a consolidation', async () => {
    const { agent_id, made } = await learnings([['m'], ['m'], ['m'], ['m']]);
    const holder = new pg.Client(world.database.connection);
    await holder.connect();
    try {
      // The consolidation has locked the first learnings and waits for the last.
      await holder.query('begin');
      await holder.query('select from memories where memory_id = $1 for update', [made[3]!.id]);
      const consolidation = world.runJob('memory-consolidate');
      await waitForWaiting(1);
      const removal = acme.remove(made[0]!.id);
      await waitForWaiting(2);
      await holder.query('commit');
      await consolidation;
      expect((await removal).statusCode).toBe(204);
    } finally {
      await holder.end();
    }
    const [pattern] = await patternOf(agent_id);
    const record = (await acme.read(pattern!.id)).json();
    expect(record.merged_from).toEqual(made.slice(1).map(({ id }) => id));
    expect(JSON.stringify(record)).not.toMatch(/Learning 0|Body 0/);
  });
});

/** Waits until this many statements of the database wait for a lock. */
const waitForWaiting = (statements: number) =>
  expect
    .poll(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        world.db,
      );
      return rows.length;
    })
    .toBe(statements);
