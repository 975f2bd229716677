import { PRIORITIES, STATUSES } from '../../api/boards.js';
import type { ListedCard } from '../selection/listed-card.js';

export const SORTS = ['title', 'status', 'assignee', 'priority', 'due', 'estimate', 'updated'] as const;
export type SortName = (typeof SORTS)[number];

export interface Sort {
  by: SortName;
  descending: boolean;
}

/** A leading minus in the URL means descending order. */
export function readSort(text: string | null): Sort | undefined {
  const descending = text?.startsWith('-') ?? false;
  const by = SORTS.find((name) => name === (descending ? text!.slice(1) : text));
  return by && { by, descending };
}

export const writeSort = ({ by, descending }: Sort): string => (descending ? `-${by}` : by);

/** The same column again reverses the order; dates and estimates start in descending order. */
export const nextSort = (present: Sort | undefined, by: SortName): Sort =>
  present?.by === by
    ? { by, descending: !present.descending }
    : { by, descending: by === 'updated' || by === 'estimate' };

type Key = number | string | null;

const place = (order: readonly string[], name: string): number => {
  const at = order.indexOf(name);
  return at === -1 ? order.length : at;
};

const KEYS: Record<SortName, (card: ListedCard, columns: readonly string[]) => Key> = {
  title: ({ title }) => title.toLowerCase(),
  status: ({ status, column }, columns) =>
    columns.length > 0 ? columns.indexOf(column.id) : place(STATUSES, status),
  assignee: ({ assignee, assignee_agent_id }) => assignee?.name.toLowerCase() ?? assignee_agent_id,
  priority: ({ priority }) => place(PRIORITIES, priority),
  due: ({ due_at }) => due_at,
  estimate: ({ estimate_points, estimate_minutes }) => estimate_points ?? estimate_minutes,
  updated: ({ updated_at }) => updated_at,
};

/** Stable sort; cards without a value come last in both directions. */
export function sortCards<C extends ListedCard>(
  cards: readonly C[],
  { by, descending }: Sort,
  columnIds: readonly string[] = [],
): C[] {
  const keyed = cards.map((card) => ({ card, key: KEYS[by](card, columnIds) }));
  const turn = descending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
    return turn * compare(a.key, b.key);
  });
  return keyed.map(({ card }) => card);
}

const words = new Intl.Collator(undefined, { numeric: true });
const compare = (a: Key, b: Key): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : words.compare(String(a), String(b));
