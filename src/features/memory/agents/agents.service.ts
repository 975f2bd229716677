import { newId } from '../../../kernel/ids.js';
import { sha256Hex } from '../../../kernel/secrets.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import type { MemoryDeps } from '../records/memory.record.js';
import { agentRegistry, agentStore, lockAgent, type NewAgent } from './agents.store.js';

/** For other features that create or retire an agent within their own transaction. */

/** A taken id violates `agents_pkey`. */
export const registerAgent = (tx: Tx, agent: NewAgent) => agentRegistry(tx).insert(agent);

/** Registers an agent with its own directory. False when the id belongs to another workspace. */
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
 * Call this before removing the directory: it waits for a running export, and later ones no longer write
 * there.
 */
export async function retireAgentDirectory(tx: Tx, agentId: string, now: Date): Promise<void> {
  await lockAgent(tx, agentId);
  await agentRegistry(tx).setDirectoryRemoved(agentId, now);
}

/** Returns the agent of a program in a repository and creates it on first use. */
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
      // Try the plain name first, so that an agent that already has it keeps its memories.
      for (const agentId of [name, `${name}-${key.digest.slice(0, 6)}`])
        if (await store.bindToRepository(agentId, key, clock.now())) return agentId;
      const agentId = `${name}-${newId()}`;
      await store.bindToRepository(agentId, key, clock.now());
      return agentId;
    });
  },
});

/**
 * Normalizes a repository address: `git@Host:team/app.git`, `ssh://git@host:2222/team/app` and
 * `https://host/team/app/` are the same repository. Ignores user, protocol and port.
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
  // One character before a colon is a Windows drive.
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

/** The last part of the path, limited to the characters of an agent_id. */
function nameOfRepository(canonical: string): string {
  const last = canonical.split('/').at(-1) ?? '';
  const plain = last
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain.slice(0, LONGEST_NAME).replace(/-+$/, '') || 'repository';
}

const LONGEST_NAME = 150;
