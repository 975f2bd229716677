import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld } from '../../../../tests/support/memory.js';
import { silentLog } from '../../../kernel/log.js';
import { type Embedder, EmbeddingUnavailable } from '../../../platform/encoder/embedder.js';
import { createSearchService } from './search.service.js';
import { quantise } from './vector-math.js';

let world: MemoryWorld;
beforeAll(async () => {
  world = await startMemoryWorld();
});
afterAll(() => world.stop());

const MODEL = 'sleeper';
const VECTOR = Float32Array.of(0.6, 0.8);

/** An encoder whose start time the test controls. */
function createSleeper() {
  const asked: string[][] = [];
  let settle = { resolve() {}, reject(_: Error) {} };
  const started = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const embedder: Embedder = {
    modelId: MODEL,
    dimensions: VECTOR.length,
    asleep: true,
    waiting: 0,
    async embed(texts) {
      asked.push(texts);
      await started;
      return texts.map(() => VECTOR);
    },
    close: async () => {},
  };
  return { embedder, asked, started, start: settle.resolve, fail: settle.reject };
}

/** Two memories equally close to the question for the encoder, and a search with explanations. */
async function makeSearch(embedder: Embedder) {
  const workspace = await world.workspace();
  const agent = world.agentId();
  await workspace.made({ agent_id: agent, title: 'The kitten purrs', body: 'A cat.' });
  await workspace.made({ agent_id: agent, title: 'It rains', body: 'A storm.' });
  await sql`
    insert into memory_vectors (agent_id, brand_id, model, text_hash, dimensions, vector)
    select agent_id, brand_id, ${MODEL}, text_hash, ${VECTOR.length}, ${quantise(VECTOR)} from memories
    where agent_id = ${agent}`.execute(world.db);
  const { search } = createSearchService({
    db: world.db,
    clock: world.clock,
    log: silentLog,
    model: undefined,
    embedder,
  });
  return async (query: string) => {
    const request = { agentId: agent, query, kinds: [], limit: 10, explain: true };
    const { memories } = await search(workspace.brand.brand_id, request);
    return memories.map(({ title, explain }) => ({ title, ...explain }));
  };
}

const byWords = [
  {
    title: 'The kitten purrs',
    words: { value: expect.any(Number), weight: 1 },
    meaning: { value: null, weight: 0 },
  },
];
const byBoth = [
  { title: 'The kitten purrs', meaning: { value: expect.closeTo(1, 2), weight: 1 } },
  { title: 'It rains', meaning: { value: expect.closeTo(1, 2), weight: 1 } },
];

describe('A search while the encoder sleeps', () => {
  it('uses words and reports that, and uses both once the encoder runs', async () => {
    const { embedder, asked, start } = createSleeper();
    const search = await makeSearch(embedder);
    expect(await search('Who is the kitten?')).toMatchObject(byWords);
    expect(await search('Where is the kitten?')).toMatchObject(byWords);
    expect(asked).toEqual([['Who is the kitten?']]);
    start();
    await expect.poll(() => search('Who is the kitten?')).toMatchObject(byBoth);
    expect(asked).toHaveLength(1);
    Object.assign(embedder, { asleep: false });
    expect(await search('Where is the kitten?')).toMatchObject(byBoth);
    expect(asked).toHaveLength(2);
  });

  it('continues with words when the encoder does not start', async () => {
    const { embedder, asked, started, fail } = createSleeper();
    const search = await makeSearch(embedder);
    expect(await search('Who is the kitten?')).toMatchObject(byWords);
    fail(new EmbeddingUnavailable('it does not start'));
    await started.catch(() => {});
    expect(await search('Who is the kitten?')).toMatchObject(byWords);
    expect(asked).toHaveLength(1);
  });
});
