import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp } from '../../../tests/support/app.js';
import { type MemoryWorld, startMemoryWorld } from '../../../tests/support/memory.js';

type Workspace = Awaited<ReturnType<MemoryWorld['workspace']>>;

/** A readable stub for embeddings: one dimension per subject, larger for more of its words. */
const SUBJECTS = [
  ['feline', 'cat', 'kitten', 'purrs'],
  ['rain', 'storm', 'umbrella', 'weather'],
  ['money', 'invoice', 'payment', 'bill'],
];
const meaningOf = (text: string): number[] =>
  SUBJECTS.map((words) => words.filter((word) => text.toLowerCase().includes(word)).length);

/** An embedding endpoint on loopback that uses the real protocol. */
function startEndpoint() {
  const state = { broken: false, texts: [] as string[], server: undefined as Server | undefined };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { input } = JSON.parse(body) as { input: string[] };
    state.texts.push(...input);
    if (state.broken) response.writeHead(500).end('{}');
    else
      response.end(
        JSON.stringify({
          data: input.map((text, index) => ({ index, embedding: [...meaningOf(text), 0.01] })),
        }),
      );
  });
  return new Promise<typeof state & { url: string }>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      resolve(Object.assign(state, { server, url }));
    });
  });
}

const countVectors = async (world: MemoryWorld, agent: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from memory_vectors where agent_id = ${agent}`.execute(world.db);
  return rows[0]!.count;
};

describe('Search by meaning', () => {
  let endpoint: Awaited<ReturnType<typeof startEndpoint>>;
  let world: MemoryWorld;
  let acme: Workspace;
  let other: Workspace;
  beforeAll(async () => {
    endpoint = await startEndpoint();
    world = await startMemoryWorld({ EMBEDDING_URL: endpoint.url, EMBEDDING_NAME: 'first' });
    acme = await world.workspace();
    other = await world.workspace();
  });
  afterAll(async () => {
    await world.stop();
    endpoint.server!.close();
  });

  /** Embeds in the background what a write did not embed in time on a busy machine. */
  const haveVectors = () => world.runJob('memory-embed');

  async function threeSubjects() {
    const agent = world.agentId();
    await acme.made({ agent_id: agent, title: 'The kitten purrs', body: 'It is a happy cat.' });
    await acme.made({ agent_id: agent, title: 'Take an umbrella', body: 'A storm is coming.' });
    await acme.made({ agent_id: agent, title: 'Send the invoice', body: 'The payment is late.' });
    await haveVectors();
    return agent;
  }

  it('finds a memory that shares no word with the question', async () => {
    const agent = await threeSubjects();
    expect(await acme.titles(agent, 'What about the feline?')).toEqual(['The kitten purrs']);
    expect(await acme.titles(agent, 'Will there be rain?')).toEqual(['Take an umbrella']);
    expect(await acme.titles(agent, 'something else entirely?')).toEqual([]);
  });

  it('returns nothing for keywords that no memory contains, however close one is', async () => {
    const agent = await threeSubjects();
    for (const query of ['rain', 'xqzjvwkpt', 'rain weather', 'weather xqzjvwkpt'])
      expect(await acme.titles(agent, query), query).toEqual([]);
    expect(await acme.titles(agent, 'rain umbrella')).toEqual(['Take an umbrella']);
    expect(await acme.titles(agent, 'umbrela')).toEqual(['Take an umbrella']);
    expect(await acme.titles(agent, 'umbr')).toEqual(['Take an umbrella']);
  });

  it('ranks typed words above meaning', async () => {
    const agent = await threeSubjects();
    await acme.made({ agent_id: agent, title: 'Feline', body: 'Nothing more.' });
    await haveVectors();
    expect(await acme.titles(agent, 'feline')).toEqual(['Feline', 'The kitten purrs']);
  });

  it('explains the scores and weights of words, meaning and names', async () => {
    const agent = await threeSubjects();
    const answer = await acme.found(agent, { query: 'What about the feline Anna?', explain: 'true' });
    expect(answer.explain).toMatchObject({ tried: 'meaning' });
    expect(answer.memories[0]!.explain).toMatchObject({
      words: { value: 0, weight: 0.5 },
      meaning: { value: expect.closeTo(1, 1), weight: 1 },
      names: { value: 0, weight: 0.05 },
    });
    const byWords = await acme.found(agent, { query: 'kitten', explain: 'true' });
    expect(byWords.memories[0]!.explain).toMatchObject({
      words: { value: expect.any(Number), weight: 1 },
      meaning: { weight: 0 },
      names: { weight: 0 },
    });
  });

  it('reflects changed, archived and deleted memories', async () => {
    const agent = world.agentId();
    const { id } = await acme.made({ agent_id: agent, title: 'The kitten purrs', body: 'A cat.' });
    const twin = await acme.made({ agent_id: agent, title: 'The kitten purrs', body: 'A cat.' });
    await haveVectors();
    expect(await countVectors(world, agent)).toBe(1);
    await acme.change(id, { title: 'Take an umbrella', body: 'A storm.' });
    await haveVectors();
    expect(await acme.titles(agent, 'feline?')).toEqual(['The kitten purrs']);
    expect(await acme.titles(agent, 'rain?')).toEqual(['Take an umbrella']);
    expect(await countVectors(world, agent)).toBe(2);
    await acme.change(id, { status: 'archived' });
    expect(await acme.titles(agent, 'rain?')).toEqual([]);
    await acme.remove(id);
    expect(await countVectors(world, agent)).toBe(1);
    await acme.remove(twin.id);
    expect(await countVectors(world, agent)).toBe(0);
    const { rows } = await sql`select from memory_unembedded`.execute(world.db);
    expect(rows).toEqual([]);
  });

  it('never compares across workspaces', async () => {
    const agent = world.agentId();
    await other.made({ agent_id: agent, title: 'The kitten purrs', body: 'Of another workspace.' });
    const own = world.agentId();
    await acme.made({ agent_id: own, title: 'Take an umbrella', body: 'A storm is coming.' });
    await haveVectors();
    for (const query of ['feline?', 'the feline that purrs', 'feline']) {
      expect(await acme.found(agent, { query })).toEqual({ memories: [], count: 0, agent_id: agent });
      expect(await acme.titles(own, query)).toEqual([]);
    }
    // The same text gets two vectors, so that one workspace's reveals nothing about the other's.
    await acme.made({ agent_id: own, title: 'The kitten purrs', body: 'Of another workspace.' });
    await haveVectors();
    expect(await countVectors(world, agent)).toBe(1);
    expect(await countVectors(world, own)).toBe(2);
  });

  it('searches by words while the endpoint fails, and creates the vectors afterward', async () => {
    const down = await startEndpoint();
    const node = await startMemoryWorld({ EMBEDDING_URL: down.url });
    try {
      const there = await node.workspace();
      const agent = node.agentId();
      await there.made({ agent_id: agent, title: 'The kitten purrs', body: 'A cat.' });
      down.broken = true;
      const { id } = await there.made({ agent_id: agent, title: 'Take an umbrella', body: 'A storm.' });
      expect(await there.titles(agent, 'umbrella')).toEqual(['Take an umbrella']);
      expect(await there.titles(agent, 'is there a kitten?')).toEqual(['The kitten purrs']);
      expect(await there.titles(agent, 'feline?')).toEqual([]);
      expect(await node.runJob('memory-embed')).toMatchObject({ processed: 0, failed: 1 });
      down.broken = false;
      expect(await node.runJob('memory-embed')).toMatchObject({ processed: 1, failed: 0 });
      expect(await node.runJob('memory-embed')).toMatchObject({ processed: 0, failed: 0 });
      expect(await countVectors(node, agent)).toBe(2);
      await there.remove(id);
    } finally {
      await node.stop();
      down.server!.close();
    }
  });

  it('recreates all vectors when the model changes, and compares none of the old ones', async () => {
    const agent = await threeSubjects();
    const node = await startTestApp({
      database: world.database,
      env: { EMBEDDING_URL: endpoint.url, EMBEDDING_NAME: 'second' },
    });
    const titles = async () => {
      const url = `/api/v1/memory/agents/${agent}/context?format=json&query=${encodeURIComponent('feline?')}`;
      const response = await node.server.inject({ method: 'POST', url, headers: acme.bearer });
      return response.json().memories.map(({ title }: { title: string }) => title);
    };
    try {
      expect(await titles()).toEqual([]);
      await node.runJob('memory-embed');
      expect(await titles()).toEqual(['The kitten purrs']);
      const { rows } = await sql<{ model: string }>`
        select distinct model from memory_vectors`.execute(world.db);
      expect(rows).toEqual([{ model: 'endpoint:second' }]);
    } finally {
      await node.app.stop();
    }
  });

  it('accepts hostile texts of a megabyte', async () => {
    const agent = world.agentId();
    for (const text of [
      'kitten '.repeat(140_000),
      'aB.'.repeat(330_000),
      '\u{1f989}'.repeat(2 ** 17),
      ' x'.repeat(2 ** 19 - 1),
    ]) {
      const made = await acme.made({ agent_id: agent, title: text.trim().slice(0, 200), body: text });
      expect((await acme.change(made.id, { body: `${text}!` })).statusCode).toBe(200);
    }
    expect(endpoint.texts.every((text) => text.length <= 8000)).toBe(true);
    expect((await acme.search(agent, { query: 'kitten' })).statusCode).toBe(200);
  });
});

describe('Memories of an older version', () => {
  it('are reindexed in the background', async () => {
    const endpoint = await startEndpoint();
    const world = await startMemoryWorld({ EMBEDDING_URL: endpoint.url });
    try {
      const acme = await world.workspace();
      const agent = world.agentId();
      await acme.made({ agent_id: agent, title: 'The kitten purrs', body: 'A cat.' });
      await sql`alter table memories disable trigger user`.execute(world.db);
      await sql`update memories set words = null, text_hash = null, search = '', changed_in = '0'`.execute(
        world.db,
      );
      await sql`delete from memory_vectors`.execute(world.db);
      await sql`alter table memories enable trigger user`.execute(world.db);
      expect(await world.runJob('memory-embed')).toMatchObject({ processed: 1, failed: 0 });
      const { rows } = await sql`select from memories where words is null or text_hash is null`.execute(
        world.db,
      );
      expect(rows).toEqual([]);
      expect(await acme.titles(agent, 'feline?')).toEqual(['The kitten purrs']);
    } finally {
      await world.stop();
      endpoint.server!.close();
    }
  });
});

describe('The built-in encoder', () => {
  it('finds a memory that the question words differently', async () => {
    const world = await startMemoryWorld({ EMBEDDER: 'embedded' });
    try {
      const acme = await world.workspace();
      const agent = world.agentId();
      // Load the encoder once, so that the writes below need not wait for it.
      await world.app.embedder.embed(['warm'], AbortSignal.timeout(60_000));
      for (const title of [
        'Rollbacks are done by re-tagging the previous commit',
        'The office plants are watered on Fridays',
        'Invoices are numbered without gaps',
      ])
        await acme.made({ agent_id: agent, title, body: `${title}.` });
      await world.runJob('memory-embed');
      expect((await acme.titles(agent, 'the new version is broken, how do I go back?'))[0]).toContain(
        'Rollbacks',
      );
      for (const query of ['submarine', 'xqzjvwkpt', 'xqzjvwkpt blorf'])
        expect(await acme.titles(agent, query), query).toEqual([]);
      const { rows } =
        await sql`select distinct model, dimensions, length(vector) as bytes from memory_vectors`.execute(
          world.db,
        );
      expect(rows).toEqual([{ model: world.app.embedder.modelId, dimensions: 384, bytes: 388 }]);
    } finally {
      await world.stop();
    }
  });
});
