import { connectDatabase } from '../src/database/connection.js';
import { startScratchPostgres } from '../src/database/embedded-scratch.js';
import { migrate } from '../src/database/migrate.js';
import { memoryStore } from '../src/features/memory/memory.store.js';
import { createSearchService } from '../src/features/memory/search/search.service.js';
import { systemClock } from '../src/kernel/clock.js';
import { newId } from '../src/kernel/ids.js';
import { silentLog } from '../src/kernel/log.js';
import { MEMORIES, QUESTIONS } from './recall-set.js';

/** How well search answers questions in people's own words: `npm run bench:recall [-- --misses]`. */
const showMisses = process.argv.includes('--misses');
const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split('|') as [string, string]);
const now = systemClock.now();
const brandId = 1;
const agentId = 'recall';

const server = await startScratchPostgres(silentLog);
const { db, pool, close } = connectDatabase({
  connection: server.connection,
  poolSize: 4,
  applicationName: 'bench',
  log: silentLog,
});
try {
  await migrate({ connection: server.connection, log: silentLog });
  await pool.query(
    `insert into brands (name, plan, scope_ceiling, created_at) values ('Recall', 'team', '{}', $1)`,
    [now],
  );
  const store = memoryStore(db, brandId);
  await store.claimAgent(agentId, now);
  const labels = new Map<string, string>();
  for (const [label, sentence] of lines(MEMORIES)) {
    const memoryId = newId();
    labels.set(memoryId, label);
    await store.insert(
      {
        memoryId,
        agentId,
        kind: 'fact',
        title: sentence,
        body: `${sentence}.`,
        description: null,
        tags: [],
        confidence: 0.8,
        importance: 'normal',
      },
      now,
    );
  }

  const search = createSearchService({ db, clock: systemClock, log: silentLog, model: undefined });
  const questions = lines(QUESTIONS);
  let recall = 0;
  let reciprocal = 0;
  let first = 0;
  for (const [query, expected] of questions) {
    const { memories } = await search.search(brandId, {
      agentId,
      query,
      kinds: [],
      limit: 10,
      explain: false,
    });
    const found = memories.map(({ id }) => labels.get(id)!);
    const wanted = expected.split(',');
    const place = found.findIndex((label) => wanted.includes(label));
    recall += wanted.filter((label) => found.includes(label)).length / wanted.length;
    reciprocal += place < 0 ? 0 : 1 / (place + 1);
    first += place === 0 ? 1 : 0;
    if (showMisses && place !== 0)
      console.log(
        `${place < 0 ? 'missed' : `place ${place + 1}`}: ${query} (${expected}; first ${found[0] ?? 'nothing'})`,
      );
  }
  const mean = (sum: number) => (sum / questions.length).toFixed(3);
  console.log(
    `${questions.length} questions over ${labels.size} memories: recall@10 ${mean(recall)}, MRR ${mean(reciprocal)}, first ${mean(first)}`,
  );
} finally {
  await close();
  await server.stop();
}
