import type { FoundCard, FoundCards } from '../api/work.js';
import { sentence } from '../ui/display.js';
import type { Grouping } from './filters.js';

export interface WorkGroup {
  name: string;
  cards: FoundCard[];
  /** The total, including cards that are not loaded yet; undefined when unknown. */
  count: number | undefined;
}

const STATUS_ORDER = ['in_review', 'blocked', 'in_progress', 'pending', 'done', 'canceled'];
const PRIORITY_ORDER = ['urgent', 'high', 'normal', 'medium', 'low', 'none'];
const DUE_ORDER = ['Overdue', 'Due today', 'Due this week', 'Later', 'No due date'];
const DAY_MS = 86_400_000;

/** Groups cards with the most urgent group first and keeps their order within a group. */
export function groupCards(
  cards: FoundCard[],
  grouping: Grouping,
  nameAgent: (agentId: string) => string,
  answer: { total: number; counts?: FoundCards['counts'] },
): WorkGroup[] {
  const groups = new Map<string, FoundCard[]>();
  for (const card of cards) {
    const name = nameOf(card, grouping, nameAgent);
    const group = groups.get(name);
    if (group) group.push(card);
    else groups.set(name, [card]);
  }
  const order = { status: STATUS_ORDER, priority: PRIORITY_ORDER, due: DUE_ORDER }[grouping as 'status'];
  const names = [...groups.keys()];
  if (order) names.sort((one, other) => place(order, one) - place(order, other));
  else names.sort((one, other) => one.localeCompare(other));
  const isWhole = cards.length >= answer.total;
  return names.map((name) => {
    const inIt = groups.get(name)!;
    return {
      name: order === DUE_ORDER ? name : sentence(name),
      cards: inIt,
      count: isWhole ? inIt.length : countOf(inIt, grouping, answer),
    };
  });
}

/** A group's count is the sum of the service's counts for all values of its cards. */
function countOf(
  cards: FoundCard[],
  grouping: Grouping,
  { total, counts }: { total: number; counts?: FoundCards['counts'] },
): number | undefined {
  if (grouping === 'none') return total;
  if (!counts) return undefined;
  const values = new Set(cards.map((card) => countedValue(card, grouping)));
  return counts.reduce((sum, { value, cards: count }) => sum + (values.has(value) ? count : 0), 0);
}

function countedValue(card: FoundCard, grouping: Grouping): string | null {
  if (grouping === 'board') return card.board_id;
  if (grouping === 'priority') return card.priority;
  if (grouping !== 'assignee') return card.status;
  if (card.assignee) return String(card.assignee.user_id);
  return card.assignee_agent_id && `agent:${card.assignee_agent_id}`;
}

const place = (order: string[], name: string): number => {
  const at = order.indexOf(name);
  return at === -1 ? order.length : at;
};

function nameOf(card: FoundCard, grouping: Grouping, nameAgent: (agentId: string) => string): string {
  switch (grouping) {
    case 'status':
      return card.status;
    case 'board':
      return card.board;
    case 'priority':
      return card.priority;
    case 'assignee':
      if (card.assignee) return card.assignee.name;
      return card.assignee_agent_id ? nameAgent(card.assignee_agent_id) : 'Unassigned';
    case 'due':
      return dueName(card.due_at);
    case 'none':
      return 'Cards';
  }
}

function dueName(due: string | null): string {
  if (!due) return 'No due date';
  const away = new Date(due).getTime() - Date.now();
  if (away < 0) return 'Overdue';
  if (new Date(due).toDateString() === new Date().toDateString()) return 'Due today';
  return away < 7 * DAY_MS ? 'Due this week' : 'Later';
}
