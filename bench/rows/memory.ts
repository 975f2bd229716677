import { createCorpus, PEOPLE } from '../memory-corpus.js';
import type { BenchRow, BenchWorld } from '../row.js';
import { checkToken } from './identity.js';

const AGENT = 'bench-memory';
const MEMORIES = 300;
const QUESTION = "Where is Caroline's guitar, and why was it painted?";

async function fill(world: BenchWorld): Promise<Record<string, unknown>> {
  const corpus = createCorpus(11);
  for (let i = 0; i < MEMORIES; i += 10) {
    await Promise.all(
      Array.from({ length: 10 }, () =>
        world.call('POST', '/api/v1/memory/memories', {
          agent_id: AGENT,
          kind: 'fact',
          ...corpus.sentence(PEOPLE),
        }),
      ),
    );
  }
  return {};
}

export const rows: BenchRow[] = [
  {
    name: 'memory search',
    kind: 'read',
    setup: fill,
    request: (world) => ({
      method: 'POST',
      path: `/api/v1/memory/agents/${AGENT}/context?format=json&query=${encodeURIComponent(QUESTION)}`,
      headers: world.bearer,
    }),
    floor: (world) => ({
      statements: [
        checkToken(world),
        {
          text: `
            select memory_id, kind, title, body, description, tags, importance, set_confidence, created_at, updated_at, last_verified_at
            from memories,
              (select string_agg(quote_literal(lexeme), ' | ')::tsquery as question
               from unnest(tsvector_to_array(to_tsvector('english', $3))) as lexeme) as asked
            where agent_id = $1 and brand_id = $2 and status = 'active' and search @@ question
            order by ts_rank(search, question) desc limit 10`,
          values: [AGENT, world.brandId, QUESTION],
        },
      ],
    }),
  },
  {
    name: 'memory create',
    kind: 'write',
    request: (world) => ({
      method: 'POST',
      path: '/api/v1/memory/memories',
      headers: world.bearer,
      body: { agent_id: 'bench-writes', kind: 'fact', ...createCorpus(3).sentence(PEOPLE) },
    }),
    setup: async (world) =>
      world.call('POST', '/api/v1/memory/memories', {
        agent_id: 'bench-writes',
        kind: 'fact',
        title: 'First',
        body: 'First.',
      }),
    floor: (world) => ({
      statements: [
        checkToken(world),
        {
          text: `
            insert into memories (memory_id, brand_id, agent_id, kind, title, body, set_confidence, importance, created_at, updated_at, last_verified_at)
            values (gen_random_uuid(), $1, $2, 'fact', $3, $4, 0.8, 'normal', now(), now(), now())
            returning memory_id, title, body`,
          values: [world.brandId, 'bench-writes', ...Object.values(createCorpus(3).sentence(PEOPLE))],
        },
      ],
    }),
  },
  {
    name: 'memory stats',
    kind: 'read',
    request: (world) => ({ path: `/api/v1/memory/memories/stats?agent_id=${AGENT}`, headers: world.bearer }),
    floor: (world) => ({
      statements: [
        checkToken(world),
        {
          // Includes the displayed confidence, which decreases daily.
          text: `
            select kind, status, count(*), sum(memory_confidence(set_confidence, last_verified_at, importance, now()))
            from memories where brand_id = $1 and agent_id = $2 group by kind, status`,
          values: [world.brandId, AGENT],
        },
      ],
    }),
  },
];
