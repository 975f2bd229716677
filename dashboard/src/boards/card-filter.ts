import type { TileCard } from '../api/boards.js';

/** The board filter, stored in the URL so that it can be bookmarked and shared. */
export interface CardFilter {
  q: string;
  assignee: string[];
  agent: string[];
  label: string[];
  priority: string[];
  status: string[];
  archived: boolean;
}

const LISTS = ['assignee', 'agent', 'label', 'priority', 'status'] as const;
export type ListName = (typeof LISTS)[number];

const listOf = (text: string | null): string[] => (text ? text.split(',').filter(Boolean) : []);

export function readFilter(query: URLSearchParams): CardFilter {
  const lists = Object.fromEntries(LISTS.map((name) => [name, listOf(query.get(name))]));
  return {
    ...(lists as Record<ListName, string[]>),
    q: query.get('q') ?? '',
    archived: query.get('archived') === 'yes',
  };
}

export const NO_FILTER: Record<string, null> = Object.fromEntries(
  [...LISTS, 'q', 'archived'].map((name) => [name, null]),
);

/** Combines values of one filter with OR and filters with AND. People and agents form one filter. */
export function matcherOf(filter: CardFilter, myId: number): (card: TileCard) => boolean {
  const words = filter.q.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const owned = filter.assignee.length > 0 || filter.agent.length > 0;
  return (card) => {
    if (card.archived !== filter.archived) return false;
    if (owned && !isOwned(card, filter, myId)) return false;
    if (filter.label.length > 0 && !card.labels.some((label) => filter.label.includes(label))) return false;
    if (filter.priority.length > 0 && !filter.priority.includes(card.priority)) return false;
    if (filter.status.length > 0 && !filter.status.includes(card.status)) return false;
    return words.length === 0 || hasWords(card, words);
  };
}

function isOwned(card: TileCard, { assignee, agent }: CardFilter, myId: number): boolean {
  const personId = card.assignee?.user_id;
  const wanted = assignee.map((id) => (id === 'me' ? String(myId) : id));
  if (personId !== undefined && wanted.includes(String(personId))) return true;
  if (card.assignee_agent_id && agent.includes(card.assignee_agent_id)) return true;
  return wanted.includes('none') && personId === undefined && !card.assignee_agent_id;
}

function hasWords(card: TileCard, words: string[]): boolean {
  const parts = [
    card.ref,
    card.title,
    card.assignee?.name,
    card.assignee_agent_id,
    card.branch,
    ...card.labels,
  ];
  const text = parts.filter(Boolean).join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}
