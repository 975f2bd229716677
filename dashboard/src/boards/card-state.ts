import type { ActivityEntry, Board, Changes, Column, FullCard, Receipt, SummaryCard } from '../api/boards.js';

export const cardsKey = (boardId: string): string => `cards:${boardId}`;

const numberOf = (card: SummaryCard): number => Number(card.ref.slice(card.ref.lastIndexOf('-') + 1));

/** Cards stand in the order of their numbers unless somebody arranged them; a reload brings the exact order. */
function insert(cards: SummaryCard[], card: SummaryCard): SummaryCard[] {
  const rest = cards.filter(({ id }) => id !== card.id);
  const at = rest.findIndex(
    (other) => other.column.id === card.column.id && numberOf(other) > numberOf(card),
  );
  return at === -1 ? [...rest, card] : rest.toSpliced(at, 0, card);
}

export function moveTo(cards: SummaryCard[], cardId: string, column: Column): SummaryCard[] {
  const card = cards.find(({ id }) => id === cardId);
  if (!card || card.column.id === column.id) return cards;
  return insert(cards, { ...card, column: { id: column.id, name: column.name }, status: column.status });
}

export const summaryOf = ({
  id,
  ref,
  title,
  status,
  column,
  assignee,
  branch,
  pr_number,
  pr_url,
  pr_state,
  checks_state,
}: FullCard): SummaryCard => ({
  id,
  ref,
  title,
  status,
  column,
  assignee,
  branch,
  pr_number,
  pr_url,
  pr_state,
  checks_state,
});

/** The card as it is now; a new one is added. */
export function putCard(cards: SummaryCard[], card: FullCard): SummaryCard[] {
  const before = cards.find(({ id }) => id === card.id);
  const summary = summaryOf(card);
  if (before?.column.id === card.column.id)
    return cards.map((each) => (each.id === card.id ? summary : each));
  return insert(cards, summary);
}

const SHOWN_FIELDS = [
  'title',
  'status',
  'assignee',
  'branch',
  'pr_number',
  'pr_url',
  'pr_state',
  'checks_state',
];

/** What an entry of the feed means for the cards on screen; null when it does not tell enough. */
export function applyEntry(cards: SummaryCard[], entry: ActivityEntry, board: Board): SummaryCard[] | null {
  if (entry.action === 'task.deleted') return cards.filter(({ id }) => id !== entry.task_id);
  if (entry.action === 'task.commented') return cards;
  const card = cards.find(({ id }) => id === entry.task_id);
  if (!card || entry.action === 'task.created') return null;
  const changed: SummaryCard = { ...card, ...shownChanges(entry.changes) };
  const columnName = entry.changes['column']?.to;
  if (columnName === undefined) return cards.map((each) => (each.id === card.id ? changed : each));
  const column = board.columns.find(({ name }) => name === columnName);
  if (!column) return null;
  if (column.id === card.column.id) return cards.map((each) => (each.id === card.id ? changed : each));
  return insert(cards, { ...changed, column: { id: column.id, name: column.name } });
}

const shownChanges = (changes: Changes): Partial<SummaryCard> =>
  Object.fromEntries(
    Object.entries(changes)
      .filter(([field]) => SHOWN_FIELDS.includes(field))
      .map(([field, { to }]) => [field, to]),
  );

/** The change that takes a receipt back. A move is undone by its column, which brings its status along. */
export function undoOf({ changed, from_column }: Receipt): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [field, { from }] of Object.entries(changed)) {
    if (field === 'column' || (field === 'status' && from_column !== null)) continue;
    body[field] = from;
  }
  if (from_column !== null) body['column'] = from_column;
  return body;
}
