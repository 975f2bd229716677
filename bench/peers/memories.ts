import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { embeddedEmbedder } from '../../src/platform/encoder/embedder-embedded.js';
import { median } from '../measure.js';
import { createCorpus, PEOPLE } from '../memory-corpus.js';
import type { BenchWorld } from '../row.js';
import { installPeer } from './install.js';

const AGENT = 'peers';
const MEMORIES = 1000;
const ASKS = 50;

interface Mem0 {
  add(text: string, options: object): Promise<unknown>;
  search(query: string, options: object): Promise<{ results: unknown[] }>;
}

/**
 * Compares search over the same memories with the same encoder. mem0 stores texts unchanged (`infer: false`),
 * because its extraction needs a language model. It runs in this process with an in-memory store; Guildhall
 * answers over HTTP from a database.
 */
export async function compareMemories(world: BenchWorld, rounds: number): Promise<string[][]> {
  const { version, resolve } = installPeer('mem0ai');
  process.env['MEM0_TELEMETRY'] = 'false';
  const embedder = embeddedEmbedder();
  try {
    const encode = async (texts: string[]) => (await embedder.embed(texts)).map((vector) => [...vector]);
    const { Memory } = (await import(pathToFileURL(resolve('oss')).href)) as {
      Memory: new (config: object) => Mem0;
    };
    const model = { embedQuery: async (text: string) => (await encode([text]))[0], embedDocuments: encode };
    const theirs = new Memory({
      disableHistory: true,
      embedder: { provider: 'langchain', config: { model, embeddingDims: 384 } },
      vectorStore: {
        provider: 'memory',
        config: { collectionName: AGENT, dimension: 384, dbPath: ':memory:' },
      },
      llm: {
        provider: 'langchain',
        config: { model: { invoke: () => Promise.reject(new Error('no model')) } },
      },
    });
    await fill(world, theirs);
    const corpus = createCorpus(23);
    const ours: number[] = [];
    const mem0: number[] = [];
    const time = async (times: number[], work: () => Promise<unknown>) => {
      const began = performance.now();
      await work();
      times.push(performance.now() - began);
    };
    const roundsOf = { ours: [] as number[], mem0: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      ours.length = 0;
      mem0.length = 0;
      for (let n = 0; n < ASKS; n += 1) {
        const question = corpus.question(PEOPLE);
        const address = `/api/v1/memory/agents/${AGENT}/context?format=json&query=${encodeURIComponent(question)}`;
        const turns = [
          () => time(ours, () => world.call('POST', address)),
          () => time(mem0, () => theirs.search(question, { filters: { user_id: AGENT }, topK: 10 })),
        ];
        for (const turn of n % 2 === 0 ? turns : turns.toReversed()) await turn();
      }
      roundsOf.ours.push(median(ours));
      roundsOf.mem0.push(median(mem0));
    }
    const [our, their] = [median(roundsOf.ours), median(roundsOf.mem0)];
    return [
      [
        `search over ${MEMORIES} memories: mem0 ${version}, without a model`,
        `${our.toFixed(1)} ms`,
        `${their.toFixed(1)} ms`,
        (their / our).toFixed(1),
        '',
        '',
      ],
    ];
  } finally {
    await embedder.close();
  }
}

async function fill(world: BenchWorld, theirs: Mem0): Promise<void> {
  const corpus = createCorpus(11);
  for (let n = 0; n < MEMORIES; n += 1) {
    const sentence = corpus.sentence(PEOPLE);
    await world.call('POST', '/api/v1/memory/memories', { agent_id: AGENT, kind: 'fact', ...sentence });
    await theirs.add(`${sentence.title} ${sentence.body}`, { userId: AGENT, infer: false });
  }
  await allEncoded(world);
}

/** Waits for the vectors, which are computed after the answer and change the search. */
async function allEncoded(world: BenchWorld): Promise<void> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query('select count(*)::int as waiting from memory_unembedded');
      if (rows[0].waiting === 0) return;
      await wait(500);
    }
  } finally {
    await client.end();
  }
}
