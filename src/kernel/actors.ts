import type { MemberCaller } from './access.js';

/** Whoever did something, as everybody reads it: a person, or an agent on their behalf. */
export interface Actor {
  user_id: number;
  name: string;
  /** Null: the person themselves. */
  agent_id: string | null;
}

/** The same as it is kept: people and agents get other names, so none is kept. */
export interface ActorIds {
  userId: number;
  agentId: string | null;
}

/** What a store finds of an actor; a name is null where its bearer is gone. */
export interface ActorNames {
  user_id: number;
  person: string | null;
  agent_id: string | null;
  agent: string | null;
}

/** The one place that says what an actor is called. */
export const nameActor = (person: string, agent: string | null): string =>
  agent === null ? person : `${agent} (for ${person})`;

export function showActor({ user_id, person, agent_id, agent }: ActorNames): Actor;
export function showActor(found: ActorNames | null): Actor | null;
export function showActor(found: ActorNames | null): Actor | null {
  if (!found) return null;
  const { user_id, person, agent_id, agent } = found;
  return { user_id, name: nameActor(person ?? '', agent ?? agent_id), agent_id };
}

type Acting = Pick<MemberCaller, 'userId' | 'fullName' | 'agent'>;

export const actorOf = ({ userId, fullName, agent }: Acting): Actor => ({
  user_id: userId,
  name: nameActor(fullName, agent?.name ?? null),
  agent_id: agent?.agentId ?? null,
});

export const actorIdsOf = ({ userId, agent }: Pick<Acting, 'userId' | 'agent'>): ActorIds => ({
  userId,
  agentId: agent?.agentId ?? null,
});
