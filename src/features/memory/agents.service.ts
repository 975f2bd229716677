import type { Tx } from '../../database/database.js';
import { agentRegistry, agentStore, lockAgent, type NewAgent } from './agents.store.js';

/** Agents belong to memory; whoever else makes or retires one asks here, as part of their own transaction. */

/** An id that is taken violates `agents_pkey`. */
export const registerAgent = (tx: Tx, agent: NewAgent) => agentRegistry(tx).insert(agent);

/** An agent with a directory of its own. False: the id is somebody else's. */
export async function claimAgentWithDirectory(
  tx: Tx,
  brandId: number,
  agent: { agentId: string; name: string; now: Date },
): Promise<boolean> {
  if (!(await agentStore(tx, brandId).claim(agent))) return false;
  await agentRegistry(tx).setDirectoryRemoved(agent.agentId, null);
  return true;
}

/**
 * To be called before the directory is removed. It waits for an export that is writing there; after the commit none
 * writes there again.
 */
export async function retireAgentDirectory(tx: Tx, agentId: string, now: Date): Promise<void> {
  await lockAgent(tx, agentId);
  await agentRegistry(tx).setDirectoryRemoved(agentId, now);
}
