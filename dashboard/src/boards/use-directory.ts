import { useMemo } from 'react';
import { listEmployees, listHires } from '../api/agents.js';
import type { TileCard } from '../api/boards.js';
import { listAgents } from '../api/memory.js';
import { useResource } from '../api/resource.js';
import { listMembers } from '../api/workspace.js';
import { useSession } from '../shell/session.js';

export interface Directory {
  people: { user_id: number; name: string }[];
  agents: { agent_id: string; name: string }[];
}

const FRESH_MS = 60_000;

/** Everybody a card can be given to. A guest knows the people that the board itself names. */
export function useDirectory(cards: readonly TileCard[] | undefined): Directory {
  const { user, role, brand } = useSession();
  const isMember = role !== 'guest';
  const members = useResource(
    isMember ? `members:${brand.brand_id}` : null,
    (signal) => listMembers(brand.brand_id, signal),
    { freshMs: FRESH_MS },
  );
  const agents = useResource(isMember ? 'agents' : null, listAgents, { freshMs: FRESH_MS });
  const hired = useResource(isMember ? 'agents:hired' : null, listHired, { freshMs: FRESH_MS });

  return useMemo(() => {
    const people = new Map<number, string>([[user.user_id, user.full_name]]);
    const named = new Map<string, string>();
    for (const { assignee, assignee_agent_id: agent } of cards ?? []) {
      if (assignee) people.set(assignee.user_id, assignee.name);
      if (agent) named.set(agent, agent);
    }
    for (const member of members.data?.members ?? []) people.set(member.user_id, member.full_name);
    for (const { agent_id, name } of agents.data?.agents ?? []) named.set(agent_id, name);
    for (const { agent_id, name } of hired.data ?? []) named.set(agent_id, name);
    return {
      people: [...people].map(([user_id, name]) => ({ user_id, name })).sort(byName),
      agents: [...named].map(([agent_id, name]) => ({ agent_id, name })).sort(byName),
    };
  }, [cards, members.data, agents.data, hired.data, user]);
}

const byName = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name);

/** Employees who work here, by the id that their agent has. */
async function listHired(signal: AbortSignal): Promise<Directory['agents']> {
  const [{ hires }, { employees }] = await Promise.all([listHires(signal), listEmployees(signal)]);
  const names = new Map(employees.map(({ profile_id, name }) => [profile_id, name]));
  return hires.flatMap(({ agent_id, profile_id, status }) =>
    agent_id && status !== 'canceled' ? [{ agent_id, name: names.get(profile_id) ?? agent_id }] : [],
  );
}
