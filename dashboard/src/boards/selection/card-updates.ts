import type { Column, Status } from '../../api/boards.js';
import type { CardUpdate, ListedCard } from './listed-card.js';

/** Changes for one or more cards. Each function returns undefined when the card already has the value. */

/** Uses the board's column for the status; without columns the service chooses one. */
export function statusUpdate(
  card: ListedCard,
  status: Status,
  columns?: readonly Column[],
): CardUpdate | undefined {
  if (card.status === status) return undefined;
  const here = columns?.find(({ id }) => id === card.column.id);
  const column = here?.status === status ? here : columns?.find((each) => each.status === status);
  return {
    set: { status },
    shown: { status, ...(column && { column: { id: column.id, name: column.name } }) },
  };
}

export function columnUpdate(card: ListedCard, { id, name, status }: Column): CardUpdate | undefined {
  if (card.column.id === id && card.status === status) return undefined;
  return { set: { column_id: id }, shown: { column: { id, name }, status } };
}

export const personUpdate = (
  card: ListedCard,
  person: { user_id: number; name: string } | null,
): CardUpdate | undefined =>
  card.assignee?.user_id === person?.user_id
    ? undefined
    : { set: { assignee: person?.user_id ?? null }, shown: { assignee: person } };

export const agentUpdate = (card: ListedCard, agentId: string | null): CardUpdate | undefined =>
  card.assignee_agent_id === agentId
    ? undefined
    : { set: { assignee_agent_id: agentId }, shown: { assignee_agent_id: agentId } };

export function unassignUpdate(card: ListedCard): CardUpdate | undefined {
  const both = [personUpdate(card, null), agentUpdate(card, null)].filter((update) => update !== undefined);
  if (both.length === 0) return undefined;
  return {
    set: Object.assign({}, ...both.map(({ set }) => set)),
    shown: Object.assign({}, ...both.map(({ shown }) => shown)),
  };
}

export function labelUpdate(card: ListedCard, label: string, wanted: boolean): CardUpdate | undefined {
  if (card.labels.includes(label) === wanted) return undefined;
  const labels = wanted ? [...card.labels, label] : card.labels.filter((each) => each !== label);
  return { set: { labels }, shown: { labels } };
}

export function fieldUpdate<K extends 'priority' | 'due_at' | 'archived' | 'title' | 'estimate_points'>(
  card: ListedCard,
  name: K,
  value: ListedCard[K],
): CardUpdate | undefined {
  if (card[name] === value) return undefined;
  return { set: { [name]: value }, shown: { [name]: value } as Partial<ListedCard> };
}
