import { parseArgs } from 'node:util';
import { agentStore } from '../src/features/memory/agents/agents.store.js';
import { memoryStore } from '../src/features/memory/records/memory.store.js';
import { createSearchService } from '../src/features/memory/search/search.service.js';
import { createVectorService } from '../src/features/memory/search/vectors.service.js';
import { systemClock } from '../src/kernel/clock.js';
import { newId } from '../src/kernel/ids.js';
import { silentLog } from '../src/kernel/log.js';
import { connectDatabase } from '../src/platform/database/connection/connection.js';
import { startScratchPostgres } from '../src/platform/database/embedded/embedded-scratch.js';
import { migrate } from '../src/platform/database/schema/migrate.js';
import { embeddedEmbedder } from '../src/platform/encoder/embedder-embedded.js';
import { CODING_MEMORIES, CODING_QUESTIONS } from './recall-coding.js';
import { MEMORIES, QUESTIONS } from './recall-set.js';

/** Measures how well search answers questions in people's own words: `npm run bench -- recall [--misses]`. */
const { values: options } = parseArgs({ options: { misses: { type: 'boolean', default: false } } });

type Way = 'words' | 'meaning' | 'both';

const parseLines = (text: string): [string, string][] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const at = line.indexOf('|');
      return [line.slice(0, at), line.slice(at + 1)];
    });

const server = await startScratchPostgres(silentLog);
const { db, pool, close } = connectDatabase({
  connection: server.connection,
  poolSize: 4,
  applicationName: 'bench',
  log: silentLog,
});
const embedder = embeddedEmbedder();
const deps = { db, clock: systemClock, log: silentLog, model: undefined, embedder, wake: async () => {} };
const search = createSearchService(deps);
const brandId = 1;
try {
  await migrate({ connection: server.connection, log: silentLog });
  await pool.query(
    `insert into brands (name, plan, scope_ceiling, created_at) values ('Recall', 'team', '{}', $1)`,
    [systemClock.now()],
  );
  await measure('everyday', parseLines(MEMORIES), parseLines(QUESTIONS));
  await measure('coding', parseLines(CODING_MEMORIES), parseLines(CODING_QUESTIONS));
} finally {
  await embedder.close();
  await close();
  await server.stop();
}

async function measure(
  name: string,
  memories: [string, string][],
  questions: [string, string][],
): Promise<void> {
  const labels = await fill(name, memories);
  console.log(`${name}: ${questions.length} questions over ${labels.size} memories`);
  for (const way of ['words', 'meaning', 'both'] as const) {
    const figures = { 'R@10': 0, 'R@50': 0, MRR: 0 };
    for (const [query, expected] of questions) {
      const found = (await ask(name, query, way)).map((id) => labels.get(id)!);
      const wanted = expected.split(',');
      const place = found.findIndex((label) => wanted.includes(label));
      const share = (most: number) =>
        wanted.filter((label) => found.slice(0, most).includes(label)).length / wanted.length;
      figures['R@10'] += share(10) / questions.length;
      figures['R@50'] += share(50) / questions.length;
      figures.MRR += (place < 0 ? 0 : 1 / (place + 1)) / questions.length;
      if (options.misses && way === 'both' && (place < 0 || place >= 10))
        console.log(
          `  ${place < 0 ? 'missed' : `place ${place + 1}`}: ${query} (${expected}; first ${found[0] ?? 'nothing'})`,
        );
    }
    const shown = Object.entries(figures).map(([figure, value]) => `${figure} ${value.toFixed(3)}`);
    console.log(`  ${way.padEnd(8)} ${shown.join('  ')}`);
  }
}

async function ask(agentId: string, query: string, way: Way): Promise<string[]> {
  const by = way === 'both' ? undefined : way;
  const { memories } = await search.search(brandId, {
    agentId,
    query,
    kinds: [],
    limit: 50,
    explain: false,
    by,
  });
  return memories.map(({ id }) => id);
}

/** Each line is a label and a sentence, or a label, a title and a body. */
async function fill(agentId: string, memories: [string, string][]): Promise<Map<string, string>> {
  const now = systemClock.now();
  const store = memoryStore(db, brandId);
  await agentStore(db, brandId).claim({ agentId, now });
  const labels = new Map<string, string>();
  for (const [label, text] of memories) {
    const [title, body = `${text}.`] = text.split('|') as [string, string?];
    const memoryId = newId();
    labels.set(memoryId, label);
    await store.insert(
      {
        memoryId,
        agentId,
        kind: 'fact',
        title,
        body,
        description: null,
        tags: [],
        confidence: 0.8,
        importance: 'normal',
      },
      now,
    );
  }
  await createVectorService(deps).tend(new AbortController().signal);
  return labels;
}
