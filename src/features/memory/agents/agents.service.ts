import { newId } from '../../../kernel/ids.js';
import { sha256Hex } from '../../../kernel/secrets.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import type { MemoryDeps } from '../records/memory.record.js';
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

/** Which agent a program is in a repository: made on first use, the same one ever after. */
export const createAgentResolver = ({ db, clock }: Pick<MemoryDeps, 'db' | 'clock'>) => ({
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

/**
 * The one spelling of a repository's address: `git@Host:team/app.git`, `ssh://git@host:2222/team/app` and
 * `https://host/team/app/` are one repository. Who asks, how and at which port is not part of it.
 */
function canonicalRepository(address: string): string {
  const text = address.trim();
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme) {
    const [, host = '', path = ''] = /^(?:[^@/]*@)?([^/]*)(.*)$/s.exec(rest) ?? [];
    return scheme.toLowerCase() === 'file'
      ? `file:${nameHost(host)}${namePath(path)}`
      : nameHost(host) + namePath(path);
  }
  // A letter before a colon is a drive.
  const [, host, path = ''] = /^(?:[^@/:]+@)?(\[[^\]]+\]|[^/:@]{2,}):(.*)$/s.exec(text) ?? [];
  if (host !== undefined) return nameHost(host) + namePath(`/${path}`);
  return `file:${namePath(text.replaceAll('\\', '/'))}`;
}

const nameHost = (host: string) => host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();

const namePath = (path: string) =>
  decode(path)
    .split('/')
    .filter((part, i) => part !== '' && !(part === '.' && i > 0))
    .join('/')
    .replace(/(?:\/|^)\.git$/, '')
    .replace(/\.git$/, '')
    .replace(/^(?=.)/, '/');

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** What people call it: the last part, in the letters that an agent_id may have. */
function nameOfRepository(canonical: string): string {
  const last = canonical.split('/').at(-1) ?? '';
  const plain = last
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain.slice(0, LONGEST_NAME).replace(/-+$/, '') || 'repository';
}

const LONGEST_NAME = 150;
