/** The words of other programs for the priorities that boards know. Other words stay as they are. */
const PRIORITIES: Record<string, string | null> = {
  highest: 'urgent',
  blocker: 'urgent',
  critical: 'urgent',
  major: 'high',
  medium: 'normal',
  minor: 'low',
  lowest: 'low',
  trivial: 'low',
  none: null,
  'no priority': null,
};

export function readPriority(word: string | null): string | null {
  const key = word?.toLowerCase() ?? null;
  return key !== null && Object.hasOwn(PRIORITIES, key) ? PRIORITIES[key]! : key;
}
