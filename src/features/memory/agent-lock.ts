import { sql } from 'kysely';
import type { Tx } from '../../database/database.js';

/** Until the transaction ends, nobody else learns for, consolidates or exports this agent, on any node. */
export async function lockAgent(tx: Tx, agentId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`memory-agent:${agentId}`}, 0))`.execute(tx);
}
