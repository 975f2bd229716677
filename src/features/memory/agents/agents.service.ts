import type { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { sha256Hex } from '../../../kernel/secrets.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { agentRegistry, agentStore, lockAgent, type NewAgent } from './agents.store.js';
import { canonicalRepository, nameOfRepository } from './repository-address.js';

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

/** Which agent a program is in a repository: made on first use, the same one ever after. */
export const createAgentResolver = ({ db, clock }: { db: Db; clock: Clock }) => ({
  async resolveAgent(brandId: number, asked: { program: string; repository: string }): Promise<string> {
    const repository = canonicalRepository(asked.repository);
    const key = { program: asked.program.toLowerCase(), digest: sha256Hex(repository), repository };
    const known = await agentStore(db, brandId).findForRepository(key);
    if (known !== undefined) return known;
    return inTransaction(db, async (tx) => {
      const store = agentStore(tx, brandId);
      await store.lockRepositories();
      const meanwhile = await store.findForRepository(key);
      if (meanwhile !== undefined) return meanwhile;
      const name = `${key.program}-${nameOfRepository(repository)}`;
      // The plain name first: an agent that the workspace has under it from before goes on remembering.
      for (const agentId of [name, `${name}-${key.digest.slice(0, 6)}`])
        if (await store.bindToRepository(agentId, key, clock.now())) return agentId;
      const agentId = `${name}-${newId()}`;
      await store.bindToRepository(agentId, key, clock.now());
      return agentId;
    });
  },
});
