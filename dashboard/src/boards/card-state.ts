import {
  type ActivityEntry,
  type Board,
  type CardOutcome,
  type Changes,
  type FullCard,
  type Receipt,
  TILE_FIELDS,
  type TileCard,
} from '../api/boards.js';

export const cardsKey = (boardId: string): string => `cards:${boardId}`;

const TILE_KEYS = [
  'id',
  'ref',
  'title',
  'status',
  'column',
  'assignee',
  'branch',
  'pr_number',
  'pr_url',
  'pr_state',
  'checks_state',
  ...TILE_FIELDS,
] as const satisfies readonly (keyof TileCard)[];

const tileOf = (card: FullCard): TileCard =>
  Object.fromEntries(TILE_KEYS.map((key) => [key, card[key]])) as unknown as TileCard;

export function putCard(cards: TileCard[], card: FullCard): TileCard[] {
  const tile = tileOf(card);
  const known = cards.some(({ id }) => id === card.id);
  return known ? cards.map((each) => (each.id === card.id ? tile : each)) : [...cards, tile];
}

export const replaceCard = (cards: TileCard[], card: TileCard): TileCard[] =>
  cards.map((each) => (each.id === card.id ? card : each));

/**
 * Applies a feed entry to the visible cards. Returns null when the entry lacks the details.
 * The response to the user's own change has already set the new version.
 */
export function applyEntry(
  cards: TileCard[],
  entry: ActivityEntry,
  board: Board,
  isOwn: boolean,
): TileCard[] | null {
  if (entry.action === 'task.deleted') return cards.filter(({ id }) => id !== entry.task_id);
  const card = cards.find(({ id }) => id === entry.task_id);
  if (!card || entry.action === 'task.created' || entry.action === 'task.commented') return null;
  // These entries do not increase the card's version, and they carry no new counts.
  if (entry.changes['attachment'] || entry.changes['build']) return null;
  const changed = applyChanges(card, entry.changes, board, entry.created_at);
  if (!changed) return null;
  return replaceCard(cards, { ...changed, version: isOwn ? card.version : card.version + 1 });
}

/** Returns undefined when the target column is unknown. */
function applyChanges(card: TileCard, changes: Changes, board: Board, at: string): TileCard | undefined {
  const changed: TileCard = { ...card, ...shownChanges(changes), updated_at: at };
  const status = changes['status']?.to;
  if (status !== undefined) changed.completed_at = status === 'done' ? at : null;
  const columnName = changes['column']?.to;
  if (columnName === undefined) return changed;
  const column = board.columns.find(({ name }) => name === columnName);
  return column && { ...changed, column: { id: column.id, name: column.name } };
}

export function applyOutcomes(cards: TileCard[], outcomes: readonly CardOutcome[], board: Board): TileCard[] {
  const byCard = new Map(outcomes.map((outcome) => [outcome.task_id, outcome]));
  const at = new Date().toISOString();
  return cards.map((card) => {
    const outcome = byCard.get(card.id);
    if (!outcome || outcome.version === null || outcome.version < card.version) return card;
    const changed = applyChanges(card, outcome.changed, board, at) ?? card;
    return { ...changed, version: outcome.version };
  });
}

const TOLD_KEYS: ReadonlySet<string> = new Set(TILE_KEYS.filter((key) => key !== 'column'));

const shownChanges = (changes: Changes): Partial<TileCard> =>
  Object.fromEntries(
    Object.entries(changes)
      .filter(([field]) => TOLD_KEYS.has(field))
      .map(([field, { to }]) => [field, to]),
  );

/** Returns the change that undoes a write. Restoring the column also restores the status. */
export function undoOf({
  changed,
  from_column,
}: Pick<Receipt, 'changed' | 'from_column'>): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [field, { from }] of Object.entries(changed)) {
    if (field === 'column' || (field === 'status' && from_column !== null)) continue;
    body[field] = from;
  }
  if (from_column !== null) body['column'] = from_column;
  return body;
}
