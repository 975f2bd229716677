import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld, WEEK } from '../../../../tests/support/memory.js';
import { rowsReadBy } from '../../../../tests/support/rows-read.js';
import { areWordsCommon, createWordCounts } from './word-counts.js';

let world: MemoryWorld;
let acme: Awaited<ReturnType<MemoryWorld['workspace']>>;

beforeAll(async () => {
  world = await startMemoryWorld();
  await world.freeze();
  acme = await world.workspace();
});
afterAll(() => world.stop());

const KINDS = ['decision', 'learning', 'pattern', 'preference', 'fact'];
const STATUSES = ['active', 'archived', 'merged'];

/** What the list says there is, beside what it shows. */
async function compareMemories(agentId: string): Promise<void> {
  for (const status of ['', ...STATUSES])
    for (const kind of ['', ...KINDS]) {
      const query = `${status && `&status=${status}`}${kind && `&kind=${kind}`}`;
      const { memories, total } = (await acme.get(`/memories?agent_id=${agentId}&limit=200${query}`)).json();
      expect([query, total]).toEqual([query, memories.length]);
    }
}

it('total of memories is exact for every filter, whatever became of them', async () => {
  const agent_id = world.agentId();
  const ids: string[] = [];
  for (let n = 0; n < 30; n += 1) ids.push((await acme.made({ agent_id, kind: KINDS[n % 5] })).id);
  await compareMemories(agent_id);
  for (const id of ids.slice(0, 10)) await acme.change(id, { status: 'archived' });
  for (const id of ids.slice(5, 10)) await acme.change(id, { status: 'active', kind: 'fact' });
  for (const id of ids.slice(20, 25)) await acme.change(id, { title: 'The same kind as before' });
  for (const id of ids.slice(3, 8)) await acme.remove(id);
  await compareMemories(agent_id);
  for (const name of ['one', 'two', 'three'])
    await acme.made({ agent_id, kind: 'learning', title: `Learned ${name}`, tags: ['ci'] });
  await world.runJob('memory-consolidate');
  expect((await acme.get(`/memories?agent_id=${agent_id}&status=merged`)).json().total).toBeGreaterThan(2);
  await compareMemories(agent_id);
});

it('total by words is exact with every question, whatever became of them meanwhile', async () => {
  const agent_id = world.agentId();
  const other = world.agentId();
  const totals = async () =>
    Promise.all(
      ['', '&status=active', '&kind=fact'].map(async (more) => {
        const { memories, total } = (
          await acme.get(`/memories?agent_id=${agent_id}&q=harbour&limit=200${more}`)
        ).json();
        expect(total).toBe(memories.length);
        return total;
      }),
    );
  expect(await totals()).toEqual([0, 0, 0]);
  const one = await acme.made({ agent_id, title: 'The harbour is dredged', kind: 'fact' });
  const two = await acme.made({ agent_id, title: 'The quay', body: 'Beside the harbour', kind: 'decision' });
  await acme.made({ agent_id: other, title: 'Another harbour', kind: 'fact' });
  expect([await totals(), await totals()]).toEqual([
    [2, 2, 1],
    [2, 2, 1],
  ]);
  await acme.change(one.id, { status: 'archived' });
  expect(await totals()).toEqual([2, 1, 1]);
  await acme.change(two.id, { kind: 'fact', body: 'Beside the lake' });
  expect(await totals()).toEqual([1, 0, 1]);
  await acme.remove(one.id);
  expect(await totals()).toEqual([0, 0, 0]);
});

it('total by words is counted once for those who turn pages', async () => {
  const agent_id = world.agentId();
  const { brand_id } = acme.brand;
  await acme.made({ agent_id, title: 'A lighthouse' });
  await sql`
    insert into memories (memory_id, brand_id, agent_id, kind, title, body, set_confidence, importance, created_at, updated_at, last_verified_at)
    select gen_random_uuid(), ${brand_id}, ${agent_id}, 'fact', 'Lighthouse ' || n, '', 0.8, 'normal', now(), now(), now()
    from generate_series(1, 499) n`.execute(world.db);
  await sql`analyze memories`.execute(world.db);
  const read = await rowsReadBy(world.db, ['memories'], [], async (tx) => {
    const count = createWordCounts(tx);
    for (let page = 1; page <= 3; page += 1)
      expect(await count(brand_id, { agentId: agent_id, q: 'lighthouse' })).toBe(500);
  });
  expect(read).toBeGreaterThanOrEqual(500);
  expect(read).toBeLessThan(1000);
});

it.each([
  [{ wanted: 51, total: 10_000, all: 10_000 }, true],
  [{ wanted: 51, total: 100, all: 1_000_000 }, false],
  [{ wanted: 10, total: 100, all: 1000 }, false],
  [{ wanted: 10, total: 101, all: 1000 }, true],
  [{ wanted: 51, total: 0, all: 0 }, false],
])(
  'words are common where a page of %o is full before as many are seen as have them: %s',
  (found, common) => {
    expect(areWordsCommon(found)).toBe(common);
  },
);

it('health tells the weeks in which memories came and went, also of those that changed again', async () => {
  const agent_id = world.agentId();
  const weeksOf = async () =>
    (await acme.get(`/memories/health?agent_id=${agent_id}&weeks=3`))
      .json()
      .weeks.map(({ created, archived, total }: Record<string, number>) => [created, archived, total]);
  const [one, two, three] = [
    await acme.made({ agent_id }),
    await acme.made({ agent_id }),
    await acme.made({ agent_id }),
  ];
  await acme.change(one.id, { status: 'archived' });
  await world.advance(WEEK);
  await acme.change(two.id, { status: 'archived' });
  expect(await weeksOf()).toEqual([
    [0, 0, 0],
    [3, 1, 2],
    [0, 1, 1],
  ]);
  await acme.change(one.id, { title: 'Corrected while out of use' });
  expect(await weeksOf()).toEqual([
    [0, 0, 0],
    [3, 0, 3],
    [0, 2, 1],
  ]);
  await acme.change(two.id, { status: 'active' });
  await acme.remove(three.id);
  expect(await weeksOf()).toEqual([
    [0, 0, 0],
    [2, 0, 2],
    [0, 1, 1],
  ]);
});

it('total of conversations is exact for every status, whatever became of them', async () => {
  const agent_id = world.agentId();
  const compare = async () => {
    for (const agent of [`agent_id=${agent_id}&`, ''])
      for (const status of ['', 'waiting', 'processing', 'done', 'failed']) {
        const query = `${agent}limit=500${status && `&status=${status}`}`;
        const { conversations, total } = (await acme.get(`/conversations?${query}`)).json();
        expect([query, total]).toEqual([query, conversations.length]);
      }
  };
  const push = (n: number) =>
    acme.push({
      agent_id,
      source_type: 'claude_code',
      external_id: `talk-${n}`,
      messages: [{ role: 'user', content: 'We decided to use tabs.' }],
    });
  for (let n = 0; n < 55; n += 1) await push(n);
  await compare();
  await sql`update memory_conversations set status = 'failed' where external_id in ('talk-1', 'talk-2')`.execute(
    world.db,
  );
  await compare();
  await world.runJob('memory-pickup');
  await compare();
  await push(55);
  await sql`delete from memory_conversations where external_id = 'talk-3'`.execute(world.db);
  await compare();
  expect((await acme.get(`/memories/health?agent_id=${agent_id}`)).json().conversations).toMatchObject({
    waiting: 1,
    failed: 2,
    done: 52,
  });
});
