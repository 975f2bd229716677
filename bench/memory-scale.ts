import { parseArgs } from 'node:util';
import type pg from 'pg';
import { createSearchService } from '../src/features/memory/search/search.service.js';
import { quantise } from '../src/features/memory/search/vector-math.js';
import { systemClock } from '../src/kernel/clock.js';
import { silentLog } from '../src/kernel/log.js';
import { connectDatabase } from '../src/platform/database/connection/connection.js';
import { startScratchPostgres } from '../src/platform/database/embedded/embedded-scratch.js';
import { migrate } from '../src/platform/database/schema/migrate.js';
import { normalise } from '../src/platform/encoder/cosine.js';
import { noEmbedder } from '../src/platform/encoder/embedder.js';
import { embeddedEmbedder } from '../src/platform/encoder/embedder-embedded.js';
import { createCorpus, PEOPLE } from './memory-corpus.js';
import { reportRow } from './report.js';

/**
 * Measures search over many workspaces: latency, throughput compared with bare SQL, the effect of ten times
 * more memories in other workspaces, and that no results leak between workspaces.
 */
const { values: options } = parseArgs({
  options: {
    memories: { type: 'string', default: '250000' },
    workspaces: { type: 'string', default: '50' },
    searches: { type: 'string', default: '1000' },
    leaks: { type: 'string', default: '10000' },
    /** Measures again after multiplying the memories in other workspaces by this number. */
    neighbours: { type: 'string', default: '0' },
    /** Without an encoder. */
    words: { type: 'boolean', default: false },
  },
});
const workspaces = Number(options.workspaces);
const perWorkspace = Math.floor(Number(options.memories) / workspaces);
const corpus = createCorpus(7);
/** The number of different groups of people; workspaces reuse them. */
const KINDS_OF_WORKSPACES = 10;
const peopleOf = (brandId: number) =>
  PEOPLE.slice(brandId % KINDS_OF_WORKSPACES, (brandId % KINDS_OF_WORKSPACES) + 8);

const requestOf = (agent: number, query: string) => ({
  agentId: `agent-${agent}`,
  query,
  kinds: [],
  limit: 10,
  explain: false,
});

const BARE = `
  select memory_id, kind, title, body, description, tags, importance, created_at from memories,
    (select string_agg(quote_literal(lexeme), ' | ')::tsquery as question
     from unnest(tsvector_to_array(to_tsvector('english', $3))) as lexeme) as asked
  where agent_id = $1 and brand_id = $2 and status = 'active' and search @@ question
  order by ts_rank(search, question) desc limit 10`;

const server = await startScratchPostgres(silentLog);
const embedder = options.words ? noEmbedder() : embeddedEmbedder();
try {
  await migrate({ connection: server.connection, log: silentLog });
  const database = connectDatabase({
    connection: server.connection,
    poolSize: 10,
    statementTimeoutMs: 0,
    applicationName: 'bench',
    log: silentLog,
  });
  const search = createSearchService({
    db: database.db,
    clock: systemClock,
    log: silentLog,
    model: undefined,
    embedder,
  });
  const filler = await database.pool.connect();
  // Searches by agent do not use these indexes, and updating them would take most of the time.
  await filler.query('drop index memories_by_part, memories_by_word');
  const written = Math.min(workspaces, KINDS_OF_WORKSPACES);
  await fill(filler, written, perWorkspace);
  await copyWorkspaces(filler, written, workspaces);
  await measure('first search of each workspace', workspaces, workspaces);
  await measure('search', workspaces);
  await compareWithBareSql(database.pool);
  await lookForLeaks(Number(options.leaks));
  const factor = Number(options.neighbours);
  if (factor > 0) {
    await filler.query('drop index memories_agent_id_search_idx');
    await copyWorkspaces(filler, workspaces, workspaces * (1 + factor));
    await measure(`search with ${factor} times the neighbours`, workspaces);
  }
  filler.release();
  await embedder.close();
  await database.close();

  async function measure(name: string, among: number, searches = Number(options.searches)): Promise<void> {
    const times: number[] = [];
    const usedBefore = process.cpuUsage();
    for (let i = 0; i < searches; i += 1) {
      const brandId = 1 + (i % among);
      const startedAt = performance.now();
      await search.search(brandId, requestOf(brandId, corpus.question(peopleOf(brandId))));
      times.push(performance.now() - startedAt);
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(1);
    const { user, system } = process.cpuUsage(usedBefore);
    const used = ((user + system) / 1000 / searches).toFixed(1);
    reportRow(
      name,
      `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms; ${used} ms of this process each`,
    );
  }

  /** The baseline: the same words ranked by PostgreSQL alone. */
  async function compareWithBareSql(pool: pg.Pool): Promise<void> {
    await pool.query('create index on memories using gin (agent_id, search)');
    const asked = Array.from({ length: 300 }, (_, i) => {
      const brandId = 1 + (i % workspaces);
      return { brandId, question: corpus.question(peopleOf(brandId)) };
    });
    const bare = await perSecond(asked, async ({ brandId, question }) => {
      await pool.query({ name: 'bare', text: BARE, values: [`agent-${brandId}`, brandId, question] });
    });
    const ours = await perSecond(asked, ({ brandId, question }) =>
      search.search(brandId, requestOf(brandId, question)),
    );
    reportRow(
      'throughput',
      `${ours.toFixed(0)}/s, bare SQL ${bare.toFixed(0)}/s, ratio ${(ours / bare).toFixed(2)}`,
    );
  }

  async function lookForLeaks(times: number): Promise<void> {
    let leaks = 0;
    for (let i = 0; i < times; i += 20) {
      await Promise.all(
        Array.from({ length: Math.min(20, times - i) }, async () => {
          const asker = 1 + Math.floor(Math.random() * workspaces);
          const agent = 1 + Math.floor(Math.random() * workspaces);
          const { memories } = await search.search(asker, requestOf(agent, corpus.question(peopleOf(agent))));
          if (asker !== agent && memories.length > 0) leaks += 1;
        }),
      );
    }
    reportRow(`memories of another workspace in ${times} random searches`, String(leaks));
    if (leaks > 0) process.exitCode = 1;
  }
} finally {
  await server.stop();
}

async function perSecond<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  for (let i = 0; i < items.length; i += 8) await Promise.all(items.slice(i, i + 8).map(work));
  return items.length / ((performance.now() - startedAt) / 1000);
}

/** Interleaves the workspaces, so that the memories of one are not stored next to each other. */
async function fill(client: pg.PoolClient, count: number, each: number): Promise<void> {
  const now = systemClock.now();
  await client.query(
    `insert into brands (name, plan, scope_ceiling, created_at) select 'Workspace ' || n, 'team', '{}', $2 from generate_series(1, $1) n`,
    [count, now],
  );
  await client.query(
    `insert into agents (agent_id, name, brand_id, created_at) select 'agent-' || n, 'Agent', n, $2 from generate_series(1, $1) n`,
    [count, now],
  );
  const batch = 100;
  for (let i = 0; i < each; i += batch) {
    const brands: number[] = [];
    const titles: string[] = [];
    const bodies: string[] = [];
    for (let j = 0; j < Math.min(batch, each - i); j += 1) {
      for (let brandId = 1; brandId <= count; brandId += 1) {
        const { title, body } = corpus.sentence(peopleOf(brandId));
        brands.push(brandId);
        titles.push(title);
        bodies.push(body);
      }
    }
    await client.query(
      `insert into memories (memory_id, brand_id, agent_id, kind, title, body, set_confidence, importance, created_at, updated_at, last_verified_at)
       select gen_random_uuid(), brand, 'agent-' || brand, (array['fact', 'decision', 'learning', 'preference'])[1 + n % 4], title, body,
         0.5 + 0.5 * random(), (array['low', 'normal', 'normal', 'high'])[1 + n % 4], at, at, at
       from unnest($1::int[], $2::text[], $3::text[]) with ordinality as made (brand, title, body, n),
         lateral (select $4::timestamptz - n % 200 * interval '1 day' as at) as moment`,
      [brands, titles, bodies, now],
    );
  }
  await fillVectors(client, count);
}

/**
 * Copies the first workspaces until there are enough, because computing search words again would take hours.
 */
async function copyWorkspaces(client: pg.PoolClient, count: number, upTo: number): Promise<void> {
  const copy = async (table: string, others: Record<string, string>, first: number) => {
    const { rows } = await client.query<{ name: string }>(
      "select column_name as name from information_schema.columns where table_name = $1 and is_generated = 'NEVER'",
      [table],
    );
    const columns = rows.map(({ name }) => name);
    const values = columns.map((name) => others[name] ?? name);
    await client.query(
      `insert into ${table} (${columns.join(', ')}) overriding system value
       select ${values.join(', ')} from ${table} where brand_id <= ${Math.min(count, upTo - first)}`,
    );
  };
  // Disables triggers and foreign key checks.
  await client.query('set session_replication_role = replica');
  for (let first = count; first < upTo; first += count) {
    const brand = `brand_id + ${first}`;
    const owned = { brand_id: brand, agent_id: `'agent-' || ${brand}` };
    await copy('brands', owned, first);
    await copy('agents', owned, first);
    await copy('memories', { ...owned, memory_id: 'gen_random_uuid()' }, first);
    await copy('memory_vectors', owned, first);
  }
  await client.query('set session_replication_role = origin');
  await client.query('vacuum analyze memories, memory_vectors');
}

/** Inserts random vectors: they take as long to compare, and real ones would take half an hour to compute. */
async function fillVectors(client: pg.PoolClient, count: number): Promise<void> {
  for (let brandId = 1; brandId <= count; brandId += 1) {
    const { rows } = await client.query<{ text_hash: Buffer }>(
      'select distinct text_hash from memories where brand_id = $1',
      [brandId],
    );
    const vectors = rows.map(() =>
      quantise(normalise(Float32Array.from({ length: 384 }, () => Math.random() - 0.5))),
    );
    await client.query(
      `insert into memory_vectors (agent_id, brand_id, model, text_hash, dimensions, vector)
       select 'agent-' || $1::int, $1, $2, text_hash, 384, vector from unnest($3::bytea[], $4::bytea[]) as made (text_hash, vector)`,
      [brandId, embedder.modelId, rows.map((row) => row.text_hash), vectors],
    );
  }
  await client.query('truncate memory_unembedded');
}
