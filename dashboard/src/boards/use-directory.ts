import { useMemo } from 'react';
import { listEmployees, listHires } from '../api/agents.js';
import type { TileCard } from '../api/boards.js';
import { listAgents } from '../api/memory.js';
import { useResource } from '../api/resource.js';
import { listGuests, listMembers } from '../api/workspace.js';
import { useSession } from '../shell/session.js';

/** Excludes former members, deleted agents and canceled hires. */
export interface Directory {
  people: { user_id: number; name: string }[];
  agents: { agent_id: string; name: string }[];
  /** Names of all agents, including former ones, for the activity feed. */
  agentNames: ReadonlyMap<string, string>;
}

const FRESH_MS = 60_000;

/** Possible assignees. Guests see only the people whom the board itself names. */
export function useDirectory(cards: readonly TileCard[] | undefined, boardId?: string): Directory {
  const { user, role, brand } = useSession();
  const isMember = role !== 'guest';
  const members = useResource(
    isMember ? `members:${brand.brand_id}` : null,
    (signal) => listMembers(brand.brand_id, signal),
    { freshMs: FRESH_MS },
  );
  const guests = useResource(
    role === 'admin' && boardId ? `guests:${brand.brand_id}` : null,
    (signal) => listGuests(brand.brand_id, signal),
    { freshMs: FRESH_MS },
  );
  const agents = useResource(isMember ? 'agents' : null, listAgents, { freshMs: FRESH_MS });
  const hired = useResource(isMember ? 'agents:hired' : null, listHired, { freshMs: FRESH_MS });

  return useMemo(() => {
    const people = new Map<number, string>([[user.user_id, user.full_name]]);
    for (const { assignee } of isMember ? [] : (cards ?? []))
      if (assignee) people.set(assignee.user_id, assignee.name);
    const invited = (guests.data?.guests ?? []).filter(({ access }) =>
      access.some(({ resource_id }) => resource_id === boardId),
    );
    for (const person of [...(members.data?.members ?? []), ...invited])
      people.set(person.user_id, person.full_name);
    const agentNames = new Map((agents.data?.agents ?? []).map(({ agent_id, name }) => [agent_id, name]));
    const gone = new Set<string>();
    for (const { agent_id, name, canceled } of hired.data ?? []) {
      agentNames.set(agent_id, name);
      if (canceled) gone.add(agent_id);
    }
    for (const { agent_id, canceled } of hired.data ?? []) if (!canceled) gone.delete(agent_id);
    return {
      people: [...people].map(([user_id, name]) => ({ user_id, name })).sort(byName),
      agents: [...agentNames]
        .filter(([agent_id]) => !gone.has(agent_id))
        .map(([agent_id, name]) => ({ agent_id, name }))
        .sort(byName),
      agentNames,
    };
  }, [cards, members.data, guests.data, agents.data, hired.data, user, isMember, boardId]);
}

const byName = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name);

interface Hired {
  agent_id: string;
  name: string;
  canceled: boolean;
}

async function listHired(signal: AbortSignal): Promise<Hired[]> {
  const [{ hires }, { employees }] = await Promise.all([listHires(signal), listEmployees(signal)]);
  const names = new Map(employees.map(({ profile_id, name }) => [profile_id, name]));
  return hires.flatMap(({ agent_id, profile_id, status }) =>
    agent_id ? [{ agent_id, name: names.get(profile_id) ?? agent_id, canceled: status === 'canceled' }] : [],
  );
}
