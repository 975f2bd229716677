import type { Board, Column, TileCard } from '../api/boards.js';

/** Beside which card one goes; nowhere named, it keeps its own place in the column. */
export interface Neighbour {
  before?: string;
  after?: string;
}

/** As the service orders a column. */
export const compareCards = (a: TileCard, b: TileCard): number =>
  a.position - b.position || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** The cards of each column in their order. */
export function groupCards(
  board: Board,
  cards: readonly TileCard[],
  matches: (card: TileCard) => boolean,
): Map<string, TileCard[]> {
  const groups = new Map<string, TileCard[]>(board.columns.map(({ id }) => [id, []]));
  for (const card of cards) if (matches(card)) groups.get(card.column.id)?.push(card);
  for (const group of groups.values()) group.sort(compareCards);
  return groups;
}

/** Where a card stands once it was put there: the service will say the same, or the next reading corrects it. */
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
  const placed = { ...card, column: { id: column.id, name: column.name }, status };
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

/** The neighbour that moves a card by one step in what is shown of its column. */
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
