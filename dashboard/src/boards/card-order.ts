import type { Board, Column, TileCard } from '../api/boards.js';

/** The card to insert next to; when empty, the card keeps its position in the column. */
export interface Neighbour {
  before?: string;
  after?: string;
}

/** The same order as the service uses. */
export const compareCards = (a: TileCard, b: TileCard): number =>
  a.position - b.position || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** Done columns show the latest cards first because people do not order them manually. */
export const isNewestFirst = ({ status }: Pick<Column, 'status'>): boolean => status === 'done';

const compareDone = (a: TileCard, b: TileCard): number =>
  (b.completed_at ?? b.updated_at).localeCompare(a.completed_at ?? a.updated_at) || compareCards(a, b);

export function groupCards(
  board: Board,
  cards: readonly TileCard[],
  matches: (card: TileCard) => boolean,
): Map<string, TileCard[]> {
  const groups = new Map<string, TileCard[]>(board.columns.map(({ id }) => [id, []]));
  for (const card of cards) if (matches(card)) groups.get(card.column.id)?.push(card);
  for (const column of board.columns)
    groups.get(column.id)?.sort(isNewestFirst(column) ? compareDone : compareCards);
  return groups;
}

/** Predicts a moved card's position; the next read corrects it if the service decides otherwise. */
export function placeCard(
  cards: readonly TileCard[],
  card: TileCard,
  column: Column,
  neighbour: Neighbour,
): TileCard {
  const others = cards
    .filter(({ id, column: { id: columnId } }) => columnId === column.id && id !== card.id)
    .sort(compareCards);
  const status = card.column.id === column.id ? card.status : column.status;
  const isNewlyDone = status === 'done' && card.status !== 'done';
  const completed_at = isNewlyDone ? new Date().toISOString() : status === 'done' ? card.completed_at : null;
  const placed = { ...card, column: { id: column.id, name: column.name }, status, completed_at };
  const named = neighbour.before ?? neighbour.after;
  const at = others.findIndex(({ id }) => id === named);
  if (at === -1) return placed;
  const index = neighbour.before ? at : at + 1;
  return { ...placed, position: between(others[index - 1]?.position, others[index]?.position) };
}

function between(low: number | undefined, high: number | undefined): number {
  if (low === undefined) return (high ?? 1) - 1;
  return high === undefined ? low + 1 : low + (high - low) / 2;
}

export function stepNeighbour(
  shown: readonly TileCard[],
  cardId: string,
  step: 1 | -1,
): Neighbour | undefined {
  const at = shown.findIndex(({ id }) => id === cardId);
  const other = shown[at + step];
  if (at === -1 || !other) return undefined;
  return step === 1 ? { after: other.id } : { before: other.id };
}
