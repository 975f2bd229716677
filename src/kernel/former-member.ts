/** What stands in the place of an erased person's name. */
export const FORMER_MEMBER = 'Former member';

/** In the place of their address, which has to differ from everybody else's; nobody can be invited or sign in by it. */
export const formerAddress = (userId: number): string => `${FORMER_MEMBER} ${userId}`;

/** The same value, with another name wherever the person is named. */
export function withoutName(value: unknown, userId: number): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutName(item, userId));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutName(inner, userId)] as const);
  const copy = Object.fromEntries(entries);
  return copy['user_id'] === userId && 'name' in copy ? { ...copy, name: FORMER_MEMBER } : copy;
}
