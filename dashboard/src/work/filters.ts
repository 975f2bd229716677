import { STATUSES } from '../api/boards.js';
import type { CardFilter } from '../api/work.js';
import { readSort, type Sort, writeSort } from '../boards/list/sort.js';

/** Filters in the URL; each value is a comma-separated list. */
export const FILTERS = [
  'status',
  'assignee',
  'agent',
  'priority',
  'labels',
  'board_ids',
  'due',
  'q',
] as const;
export type FilterName = (typeof FILTERS)[number];
export type Filters = Partial<Record<FilterName, string>>;

export const GROUPINGS = ['status', 'board', 'assignee', 'priority', 'due', 'none'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export const OPEN_STATES = 'pending,in_progress,in_review,blocked';
const DAY_MS = 86_400_000;
const DUE_DAYS: Record<string, number> = { overdue: 0, today: 1, week: 7 };

export interface View {
  name: string;
  query: string;
}

export const USUAL_VIEWS: View[] = [
  { name: 'My work', query: `assignee=me&status=${OPEN_STATES}` },
  { name: 'With agents', query: `agent=any&status=${OPEN_STATES}` },
  { name: 'Waits for review', query: 'status=in_review&group=board' },
  { name: 'Blocked', query: 'status=blocked&group=board' },
  { name: 'Everything open', query: `status=${OPEN_STATES}&group=board` },
];

/** Reads filters from a URL; without any, the user's own open work. */
export function readFilters(query: URLSearchParams): {
  filters: Filters;
  group: Grouping;
  sort: Sort | undefined;
} {
  const source = query.size > 0 ? query : new URLSearchParams(USUAL_VIEWS[0]!.query);
  const filters: Filters = {};
  for (const name of FILTERS) {
    const value = source.get(name);
    if (value) filters[name] = value;
  }
  filters.status &&= knownStates(filters.status);
  const group = GROUPINGS.find((each) => each === source.get('group')) ?? 'status';
  return { filters, group, sort: readSort(source.get('sort')) };
}

/** Drops unknown states: a mistyped or outdated URL would show an empty list labeled "Any". */
const knownStates = (list: string): string =>
  list
    .split(',')
    .filter((each) => STATUSES.some((status) => status === each))
    .join(',');

export function writeFilters(filters: Filters, group: Grouping, sort?: Sort): string {
  const query = new URLSearchParams();
  for (const name of FILTERS) if (filters[name]) query.set(name, filters[name]);
  if (group !== 'status') query.set('group', group);
  if (sort) query.set('sort', writeSort(sort));
  // A URL without filters means the user's own work, so mark "everything" explicitly.
  if (!FILTERS.some((name) => query.has(name))) query.set('group', group);
  return query.toString().replaceAll('%2C', ',');
}

/** A normalized query, so that equal views compare equal. */
export function canonical(query: string): string {
  const { filters, group, sort } = readFilters(new URLSearchParams(query));
  return writeFilters(filters, group, sort);
}

export function questionOf(
  { due, ...rest }: Filters,
  group: Grouping,
  sort: Sort | undefined,
  now = Date.now(),
): CardFilter {
  const days = due === undefined ? undefined : DUE_DAYS[due];
  return {
    ...rest,
    limit: 100,
    ...(sort && { sort: writeSort(sort) as CardFilter['sort'] }),
    ...(group !== 'none' && group !== 'due' && { count_by: group }),
    ...(days !== undefined && { due_before: new Date(endOfDay(now, days)).toISOString() }),
  };
}

/** Midnight after `days` days in the user's time zone; 0 returns `now`. */
function endOfDay(now: number, days: number): number {
  if (days === 0) return now;
  const midnight = new Date(now + (days - 1) * DAY_MS);
  return midnight.setHours(24, 0, 0, 0);
}
