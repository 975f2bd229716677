import { type Clock, secondsFrom } from '../../kernel/clock.js';
import type { Cache } from '../../platform/cache/cache.js';
import type { Db } from '../../platform/database/database.js';
import { agentNotFound } from './hires.errors.js';
import { GRANT_CACHE_SECONDS, hasTools } from './hires.rules.js';
import type { Grants } from './hires.schemas.js';
import { findAgentTools } from './packages.store.js';

interface CachedGrants {
  brandId: number;
  grants: Grants;
}

/**
 * What an agent's tools are allowed at the gateway. An answer is kept for a minute and nothing takes it back earlier:
 * that minute is what `marketplace_disable_at` promises, on a node that heard of a cancel as on one that did not.
 */
export function createGrantReader({ db, clock, cache }: { db: Db; clock: Clock; cache: Cache }) {
  async function readFresh(agentId: string): Promise<CachedGrants | undefined> {
    const now = clock.now();
    const agent = await findAgentTools(db, agentId);
    if (!agent || agent.brand_id === null) return undefined;
    const { status, cancel_at_period_end, effective_at } = agent;
    const open =
      status !== null &&
      hasTools({ status, cancel_at_period_end: cancel_at_period_end ?? false, effective_at }, now);
    const on = new Set(agent.enabled);
    const tools = [...new Set(agent.packages)].map((name) => ({
      package: name,
      enabled: open && on.has(name),
    }));
    const cachedUntil = secondsFrom(now, GRANT_CACHE_SECONDS).toISOString();
    return { brandId: agent.brand_id, grants: { agent_id: agentId, tools, cached_until: cachedUntil } };
  }

  return async function readGrants(brandId: number, agentId: string): Promise<Grants> {
    const key = `grants:${agentId}`;
    let found = await cache.get<CachedGrants>(key);
    if (!found) {
      found = await readFresh(agentId);
      if (found) await cache.set(key, found, GRANT_CACHE_SECONDS);
    }
    if (found?.brandId !== brandId) throw agentNotFound();
    return found.grants;
  };
}
