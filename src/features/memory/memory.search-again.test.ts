import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld, WEEK } from '../../../tests/support/memory.js';

let world: MemoryWorld;
let acme: Awaited<ReturnType<MemoryWorld['workspace']>>;
beforeAll(async () => {
  world = await startMemoryWorld();
  await world.freeze();
  acme = await world.workspace();
});
afterAll(() => world.stop());

describe('a search that was asked before', () => {
  it('answers confidence and caveat as they are by now', async () => {
    const agent = world.agentId();
    for (const [i, importance] of ['low', 'normal', 'high', 'critical'].entries())
      await acme.made({ agent_id: agent, title: `Heron ${i}`, importance, confidence: 0.41 + i * 0.1234567 });
    for (const weeks of [0, 0.5, 3, 5]) {
      await world.advance(weeks * WEEK);
      const { memories } = await acme.found(agent, { query: 'heron' });
      expect(memories).toHaveLength(4);
      for (const { id, stale = false, stale_caveat = null, ...shown } of memories)
        expect((await acme.read(id)).json()).toMatchObject({ id, stale, stale_caveat, ...shown });
    }
  });

  it('shows every change of what it has shown', async () => {
    const agent = world.agentId();
    const { id } = await acme.made({ agent_id: agent, title: 'An egret', body: 'It stands.' });
    const shown = async () => (await acme.found(agent, { query: 'egret' })).memories;
    await shown();
    for (const change of [
      { title: 'The egret' },
      { body: 'It flies.' },
      { description: 'A bird' },
      { tags: ['bird'] },
      { kind: 'decision' },
      { confidence: 0.5 },
      { importance: 'high' },
      { description: null },
    ]) {
      await world.advance(60);
      await acme.change(id, change);
      expect(await shown()).toMatchObject([{ ...change, updated_at: world.clock.now().toISOString() }]);
    }
  });

  it('shows what was written in another transaction while it was answered', async () => {
    const agent = world.agentId();
    const { id } = await acme.made({ agent_id: agent, title: 'A bittern', body: 'It hides.' });
    const shown = async () =>
      (await acme.found(agent, { query: 'bittern' })).memories.map(({ body }) => body);
    const open = await world.db.startTransaction().execute();
    await sql`update memories set body = 'It booms.' where memory_id = ${id}`.execute(open);
    expect(await shown()).toEqual(['It hides.']);
    await open.commit().execute();
    expect(await shown()).toEqual(['It booms.']);
    expect(await shown()).toEqual(['It booms.']);
  });

  it('reads no memory again that it has shown', async () => {
    const agent = world.agentId();
    for (const name of ['one', 'two', 'three'])
      await acme.made({ agent_id: agent, title: `Stork ${name}`, body: 'It nests.' });
    await acme.titles(agent, 'stork');
    // What is hidden from the triggers is hidden from the index too: only who reads the row would see it.
    await sql`alter table memories disable trigger user`.execute(world.db);
    await sql`update memories set body = 'Unseen.' where agent_id = ${agent}`.execute(world.db);
    await sql`alter table memories enable trigger user`.execute(world.db);
    const { memories } = await acme.found(agent, { query: 'stork' });
    expect(memories.map(({ body }) => body)).toEqual(['It nests.', 'It nests.', 'It nests.']);
  });
});
