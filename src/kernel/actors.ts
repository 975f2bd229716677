import type { MemberCaller } from './access.js';

/** The person who did something, or the agent that did it for a person. */
export interface Actor {
  user_id: number;
  name: string;
  agent_id: string | null;
}

/** An actor as stored. Names are left out because they change. */
export interface ActorIds {
  userId: number;
  agentId: string | null;
}

/** An actor as read by a store. A name is null when the person or agent no longer exists. */
export interface ActorNames {
  user_id: number;
  person: string | null;
  agent_id: string | null;
  agent: string | null;
}

/** Every actor name is built here. */
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

/** Shown instead of the name of an erased person. */
export const FORMER_MEMBER = 'Former member';

/** Replaces the address of an erased person. It is unique and cannot be used for invitations or sign-in. */
export const formerAddress = (userId: number): string => `${FORMER_MEMBER} ${userId}`;

export function withoutAddresses(value: unknown, userId: number, addresses: readonly string[]): unknown {
  if (addresses.length === 0) return value;
  const spelled = addresses.map((address) => address.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|');
  // A longer address that contains this one belongs to another user.
  const pattern = new RegExp(`(?<![^\\s"'<>(),:;=/])(?:${spelled})(?![\\w-]|\\.\\w)`, 'giu');
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return part.replace(pattern, formerAddress(userId));
    if (Array.isArray(part)) return part.map(clean);
    if (part === null || typeof part !== 'object') return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, clean(inner)]));
  };
  return clean(value);
}

/** Replaces the person's name in every object that has the person's id. */
export function withoutName(value: unknown, userId: number): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutName(item, userId));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutName(inner, userId)] as const);
  const copy = Object.fromEntries(entries);
  if (copy['user_id'] !== userId) return copy;
  const agentId = copy['agent_id'];
  const name = nameActor(FORMER_MEMBER, typeof agentId === 'string' ? agentId : null);
  return {
    ...copy,
    ...('name' in copy && { name }),
    ...('full_name' in copy && { full_name: FORMER_MEMBER }),
  };
}

/** One list of a person's exported data, read page by page. */
export interface PersonalPart {
  name: string;
  /** The last page has no `next`. */
  page(after: string | undefined): Promise<{ items: object[]; next?: string }>;
}

export const wholePart = (name: string, read: () => Promise<object[]>): PersonalPart => ({
  name,
  page: async () => ({ items: await read() }),
});

const PAGE = 500;

/** For lists without a size limit. `idOf` reads the column that the list is ordered by. */
export const pagedPart = <Row extends object>(
  name: string,
  idOf: (row: Row) => string,
  read: (after: string | undefined, limit: number) => Promise<Row[]>,
): PersonalPart => ({
  name,
  async page(after) {
    const items = await read(after, PAGE);
    return items.length === PAGE ? { items, next: idOf(items.at(-1)!) } : { items };
  },
});
