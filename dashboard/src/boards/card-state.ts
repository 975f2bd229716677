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

/** The card as it is now; a new one is added. */
export function putCard(cards: TileCard[], card: FullCard): TileCard[] {
  const tile = tileOf(card);
  const known = cards.some(({ id }) => id === card.id);
  return known ? cards.map((each) => (each.id === card.id ? tile : each)) : [...cards, tile];
}

export const replaceCard = (cards: TileCard[], card: TileCard): TileCard[] =>
  cards.map((each) => (each.id === card.id ? card : each));

/**
 * What an entry of the feed means for the cards on screen; null when it does not tell enough. One's own change has
 * given its version already.
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
  // Neither of them is a change of the card itself: its version stays, and a count is not told.
  if (entry.changes['attachment'] || entry.changes['build']) return null;
  const changed = applyChanges(card, entry.changes, board, entry.created_at);
  if (!changed) return null;
  return replaceCard(cards, { ...changed, version: isOwn ? card.version : card.version + 1 });
}

/** The card after a write; undefined where it went to a column that is not known yet. */
function applyChanges(card: TileCard, changes: Changes, board: Board, at: string): TileCard | undefined {
  const changed: TileCard = { ...card, ...shownChanges(changes), updated_at: at };
  const status = changes['status']?.to;
  if (status !== undefined) changed.completed_at = status === 'done' ? at : null;
  const columnName = changes['column']?.to;
  if (columnName === undefined) return changed;
  const column = board.columns.find(({ name }) => name === columnName);
  return column && { ...changed, column: { id: column.id, name: column.name } };
}

/** Cards after a write on many of them. */
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

/** The change that takes a receipt back. A move is undone by its column, which brings its status along. */
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
