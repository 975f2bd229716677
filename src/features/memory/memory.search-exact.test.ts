import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp } from '../../../tests/support/app.js';
import { type MemoryWorld, startMemoryWorld } from '../../../tests/support/memory.js';
import { newId } from '../../kernel/ids.js';

let world: MemoryWorld;
let acme: Awaited<ReturnType<MemoryWorld['workspace']>>;
let other: Awaited<ReturnType<MemoryWorld['workspace']>>;

beforeAll(async () => {
  world = await startMemoryWorld();
  await world.freeze();
  acme = await world.workspace();
  other = await world.workspace();
});
afterAll(() => world.stop());

/** Creates many memories; the first through the API, so that the workspace owns the agent. */
async function makeMany(agent: string, memories: { title: string; body?: string }[]): Promise<void> {
  await acme.made({ agent_id: agent, body: 'A body', ...memories[0] });
  const rest = memories.slice(1);
  await sql`
    insert into memories (memory_id, brand_id, agent_id, kind, title, body, set_confidence, importance, created_at, updated_at, last_verified_at)
    select id, ${acme.brand.brand_id}, ${agent}, 'fact', title, body, 0.8, 'normal', ${world.clock.now()}, ${world.clock.now()}, ${world.clock.now()}
    from unnest(${rest.map(newId)}::uuid[], ${rest.map(({ title }) => title)}::text[], ${rest.map(({ body }) => body ?? 'A body')}::text[])
      as made (id, title, body)`.execute(world.db);
}

describe('Search order', () => {
  it('ranks a whole word above 85 memories with a longer word', async () => {
    const agent = world.agentId();
    await makeMany(agent, [
      { title: 'The backend runs on Java 21' },
      ...Array.from({ length: 85 }, (_, i) => ({
        title: `JavaScript note ${i}`,
        body: 'JavaScript, javascripting',
      })),
    ]);
    expect((await acme.titles(agent, 'java', { limit: '1' }))[0]).toBe('The backend runs on Java 21');
    expect(await acme.titles(agent, 'java', { limit: '50' })).toHaveLength(50);
  });

  it('does not depend on limit', async () => {
    const agent = world.agentId();
    const words = ['red', 'green', 'blue', 'small', 'large', 'door', 'window'];
    await makeMany(
      agent,
      Array.from({ length: 150 }, (_, i) => ({
        title: `${words[i % 7]} ${words[(i * 3) % 7]} ${i}`,
        body: Array.from({ length: i % 11 }, (_, j) => words[(i + j) % 5]).join(' ') || 'none',
      })),
    );
    for (const query of ['red', 'red door', 'which large window is green?', 'sma', 'redd']) {
      const all = (await acme.found(agent, { query, limit: '50' })).memories.map(({ id }) => id);
      for (const limit of ['1', '2', '7', '10', '31', '49']) {
        const some = (await acme.found(agent, { query, limit })).memories.map(({ id }) => id);
        expect(some).toEqual(all.slice(0, Number(limit)));
      }
    }
  });

  it.each([
    'invoice',
    'writer',
    'invoice writer',
    'invoice-writer',
    'invoiceWriter',
    'INVOICE_WRITER',
    'invoice_writer.ts',
  ])('matches words inside paths, URLs and identifiers: %s', async (query) => {
    const agent = world.agentId();
    const titles = ['A path', 'A name', 'A constant', 'An address', 'A class'];
    const bodies = [
      'src/billing/invoice-writer.ts holds it',
      'call invoiceWriter for it',
      'set INVOICE_WRITER to on',
      'see https://docs.example.com/invoice/writer?page=2#top',
      'an HTTPInvoiceWriter does it',
    ];
    await makeMany(agent, [
      ...titles.map((title, i) => ({ title, body: bodies[i]! })),
      { title: 'Something else', body: 'entirely' },
    ]);
    expect((await acme.titles(agent, query)).sort()).toEqual([...titles].sort());
  });
});

describe('Search', () => {
  it('accepts its parameters in a JSON body', async () => {
    const agent = world.agentId();
    await acme.made({ agent_id: agent, title: 'Falcons nest here' });
    await acme.made({ agent_id: agent, title: 'Falcons were chosen', kind: 'decision' });
    const ask = (path: string, payload: object, query = '') =>
      acme.send('POST', `/agents/${agent}/${path}${query}`, payload);
    for (const path of ['context', 'context/relevant']) {
      const titles = async (payload: object, query?: string) =>
        (await ask(path, { query: 'falcons', format: 'json', ...payload }, query))
          .json()
          .memories.map(({ title }: { title: string }) => title);
      expect(await titles({})).toHaveLength(2);
      expect(await titles({ kinds: 'decision' })).toEqual(['Falcons were chosen']);
      expect(await titles({ kinds: ['fact'] })).toEqual(['Falcons nest here']);
      expect(await titles({ limit: 1 })).toHaveLength(1);
      expect(await titles({ limit: 1 }, '?limit=2')).toHaveLength(2);
      expect(await titles({ query: 'chosen' }, '?query=nest')).toEqual(['Falcons nest here']);
      expect((await ask(path, { query: 'falcons' })).headers['content-type']).toContain('yaml');
      expect((await ask(path, { query: 'falcons', format: 'md' })).headers['content-type']).toContain(
        'markdown',
      );
      expect((await ask(path, { query: 'falcons', explain: true, format: 'json' })).json()).toHaveProperty(
        'explain',
      );
      for (const refused of [
        { limit: 0 },
        { limit: 51 },
        { limit: '5' },
        { kinds: ['rumour'] },
        { kinds: 'rumour' },
        { format: 'xml' },
        { agent: 'x' },
      ])
        expect((await ask(path, { query: 'falcons', ...refused })).statusCode).toBe(422);
    }
    expect((await ask('context', {})).statusCode).toBe(200);
    expect((await ask('context/relevant', {})).statusCode).toBe(422);
    expect((await ask('context/relevant', { query: ' ' })).statusCode).toBe(422);
  });

  it('accepts a query of one megabyte', async () => {
    const agent = world.agentId();
    await acme.made({ agent_id: agent, title: 'Falcons nest here' });
    for (const text of [
      'falcon '.repeat(150_000),
      'aB.'.repeat(350_000),
      'x'.repeat(2 ** 20),
      '"'.repeat(2 ** 19),
      '\u{1f989}'.repeat(2 ** 18),
    ]) {
      const response = await acme.send('POST', `/agents/${agent}/context`, { query: text, format: 'json' });
      expect(response.statusCode).toBe(200);
    }
  });

  it("counts left-out memories only in the caller's workspace", async () => {
    const agent = world.agentId();
    await other.made({ agent_id: agent, title: 'Falcons of another workspace' });
    const archived = await other.made({ agent_id: agent, title: 'Falcons that left' });
    await other.change(archived.id, { status: 'archived' });
    await other.made({ agent_id: agent, title: 'Falcons hunt', confidence: 0.1 });
    await other.made({ agent_id: agent, title: 'Falcons chosen', kind: 'decision' });
    const none = { archived: 0, merged: 0, low_confidence: 0, other_kind: 0 };
    for (const query of ['falcon', '', 'falcno', 'which falcon was chosen?']) {
      const answer = await acme.found(agent, { query, kinds: 'fact', explain: 'true' });
      expect([answer.memories, answer.explain!.left_out]).toEqual([[], none]);
      const own = await other.found(agent, { query, kinds: 'fact', explain: 'true' });
      expect(own.explain!.left_out).toEqual({ archived: 1, merged: 0, low_confidence: 1, other_kind: 1 });
    }
    // A row of another workspace under the same agent id, which no request can create.
    await sql`
      insert into memories (memory_id, brand_id, agent_id, kind, title, body, set_confidence, importance, status, created_at, updated_at, last_verified_at)
      select gen_random_uuid(), ${acme.brand.brand_id}, agent_id, kind, title, body, set_confidence, importance, status, created_at, updated_at, last_verified_at
      from memories where memory_id = ${archived.id}`.execute(world.db);
    for (const workspace of [acme, other]) {
      const answer = await workspace.found(agent, { query: 'falcon', explain: 'true' });
      expect(answer.explain!.left_out.archived).toBe(1);
      expect(answer.memories.every(({ title }) => title !== 'Falcons that left')).toBe(true);
    }
  });
});

describe('A written memory is found at once', () => {
  it('on every node, as are a change, an archive and a delete', async () => {
    const agent = world.agentId();
    const node = await startTestApp({ database: world.database });
    const found = async (server: typeof node.server | typeof world.server, query: string) => {
      const url = `/api/v1/memory/agents/${agent}/context?format=json&query=${query}`;
      const response = await server.inject({ method: 'POST', url, headers: acme.bearer });
      return response.json().memories.map(({ title }: { title: string }) => title);
    };
    try {
      for (const server of [world.server, node.server]) expect(await found(server, 'heron')).toEqual([]);
      const { id } = await acme.made({ agent_id: agent, title: 'A heron stands' });
      const steps: [() => Promise<unknown>, string, string[]][] = [
        [async () => {}, 'heron', ['A heron stands']],
        [() => acme.change(id, { title: 'An egret stands' }), 'heron', []],
        [async () => {}, 'egret', ['An egret stands']],
        [() => acme.change(id, { status: 'archived' }), 'egret', []],
        [() => acme.change(id, { status: 'active' }), 'egret', ['An egret stands']],
        [() => acme.remove(id), 'egret', []],
      ];
      for (const [change, query, expected] of steps) {
        await change();
        for (const server of [world.server, node.server])
          expect(await found(server, query)).toEqual(expected);
      }
    } finally {
      await node.app.stop();
    }
  });

  it('even when a transaction that started earlier commits later', async () => {
    const agent = world.agentId();
    await acme.made({ agent_id: agent, title: 'The first crane' });
    const insert = (title: string) => sql`
      insert into memories (memory_id, brand_id, agent_id, kind, title, body, set_confidence, importance, created_at, updated_at, last_verified_at)
      values (${newId()}, ${acme.brand.brand_id}, ${agent}, 'fact', ${title}, 'x', 0.8, 'normal', ${world.clock.now()}, ${world.clock.now()}, ${world.clock.now()})`;
    const early = await world.db.startTransaction().execute();
    await insert('The early crane').execute(early);
    await acme.made({ agent_id: agent, title: 'The late crane' });
    expect(await acme.titles(agent, 'crane')).toHaveLength(2);
    await early.commit().execute();
    expect((await acme.titles(agent, 'crane')).sort()).toEqual([
      'The early crane',
      'The first crane',
      'The late crane',
    ]);
  });

  it('even when an older version wrote it and the background job has not reindexed it', async () => {
    const agent = world.agentId();
    const { id } = await acme.made({ agent_id: agent, title: 'See src/billing/ledger-store.ts' });
    await sql`alter table memories disable trigger memories_index`.execute(world.db);
    await sql`update memories set words = null, search = to_tsvector('english', title), changed_in = pg_current_xact_id()
      where memory_id = ${id}`.execute(world.db);
    await sql`alter table memories enable trigger memories_index`.execute(world.db);
    expect(await acme.titles(agent, 'ledger')).toHaveLength(1);
    expect(await acme.titles(agent, 'led')).toHaveLength(1);
  });
});
