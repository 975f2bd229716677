import { nameActor } from './actors.js';

/** What stands in the place of an erased person's name. */
export const FORMER_MEMBER = 'Former member';

/** In the place of their address, which has to differ from everybody else's; nobody can be invited or sign in by it. */
export const formerAddress = (userId: number): string => `${FORMER_MEMBER} ${userId}`;

/** The same value, with `Former member` in the place of each of the addresses, in whatever text. */
export function withoutAddresses(value: unknown, userId: number, addresses: readonly string[]): unknown {
  if (addresses.length === 0) return value;
  const spelled = addresses.map((address) => address.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|');
  // A longer address that ends or goes on otherwise is somebody else's.
  const pattern = new RegExp(`(?<![^\\s"'<>(),:;=/])(?:${spelled})(?![\\w-]|\\.\\w)`, 'giu');
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return part.replace(pattern, formerAddress(userId));
    if (Array.isArray(part)) return part.map(clean);
    if (part === null || typeof part !== 'object') return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, clean(inner)]));
  };
  return clean(value);
}

/** The same value, with another name wherever the person is named. */
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
