import Fastify from 'fastify';
import pg from 'pg';
import type { BareFloor } from './row.js';

/** The floor: Fastify and pg without other layers, on the same database with as many connections. */
export interface FloorOrder {
  name: string;
  floor: BareFloor;
}

const databaseUrl = process.env['FLOOR_DATABASE_URL'];
const pool = databaseUrl
  ? new pg.Pool({ connectionString: databaseUrl, max: Number(process.env['FLOOR_POOL_SIZE'] ?? 10) })
  : undefined;
pool?.on('error', () => undefined);

type Answer = () => Promise<unknown>;
const answers = new Map<string, Answer>();

function prepare({ name, floor }: FloorOrder): Answer {
  if ('json' in floor) return async () => floor.json;
  if (!pool) throw new Error(`The floor of ${name} needs a database`);
  // Named statements are prepared once per connection.
  const queries = floor.statements.map((statement, index) => ({ name: `${name}-${index}`, ...statement }));
  return async () => {
    let rows: unknown[] = [];
    for (const query of queries) rows = (await pool.query(query)).rows;
    return rows;
  };
}

const app = Fastify({ logger: false });
app.get<{ Params: { name: string } }>('/:name', (request, reply) => {
  const answer = answers.get(request.params.name);
  return answer ? answer() : reply.code(404).send({ detail: 'Not found' });
});

process.on('message', (order: FloorOrder) => {
  try {
    answers.set(order.name, prepare(order));
    process.send?.({ defined: order.name });
  } catch (error) {
    process.send?.({ fault: (error as Error).message });
  }
});
process.on('disconnect', () => process.exit());
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ url });
