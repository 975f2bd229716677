import type { Column, Status } from '../../api/boards.js';
import type { ListedCard, Wish } from './listed-card.js';

/** Changes for one or more cards. Each function returns undefined when the card already has the value. */

/** Uses the board's column for the status; without columns the service chooses one. */
export function statusWish(card: ListedCard, status: Status, columns?: readonly Column[]): Wish | undefined {
  if (card.status === status) return undefined;
  const here = columns?.find(({ id }) => id === card.column.id);
  const column = here?.status === status ? here : columns?.find((each) => each.status === status);
  return {
    set: { status },
    shown: { status, ...(column && { column: { id: column.id, name: column.name } }) },
  };
}

export function columnWish(card: ListedCard, { id, name, status }: Column): Wish | undefined {
  if (card.column.id === id && card.status === status) return undefined;
  return { set: { column_id: id }, shown: { column: { id, name }, status } };
}

export const personWish = (
  card: ListedCard,
  person: { user_id: number; name: string } | null,
): Wish | undefined =>
  card.assignee?.user_id === person?.user_id
    ? undefined
    : { set: { assignee: person?.user_id ?? null }, shown: { assignee: person } };

export const agentWish = (card: ListedCard, agentId: string | null): Wish | undefined =>
  card.assignee_agent_id === agentId
    ? undefined
    : { set: { assignee_agent_id: agentId }, shown: { assignee_agent_id: agentId } };

export function nobodyWish(card: ListedCard): Wish | undefined {
  const both = [personWish(card, null), agentWish(card, null)].filter((wish) => wish !== undefined);
  if (both.length === 0) return undefined;
  return {
    set: Object.assign({}, ...both.map(({ set }) => set)),
    shown: Object.assign({}, ...both.map(({ shown }) => shown)),
  };
}

export function labelWish(card: ListedCard, label: string, wanted: boolean): Wish | undefined {
  if (card.labels.includes(label) === wanted) return undefined;
  const labels = wanted ? [...card.labels, label] : card.labels.filter((each) => each !== label);
  return { set: { labels }, shown: { labels } };
}

export function fieldWish<K extends 'priority' | 'due_at' | 'archived' | 'title' | 'estimate_points'>(
  card: ListedCard,
  name: K,
  value: ListedCard[K],
): Wish | undefined {
  if (card[name] === value) return undefined;
  return { set: { [name]: value }, shown: { [name]: value } as Partial<ListedCard> };
}
