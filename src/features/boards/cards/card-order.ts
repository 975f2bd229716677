import type { Tx } from '../../../database/database.js';
import { fieldRefused } from '../boards.errors.js';
import { cardOrderStore, type PlacedCard } from './card-order.store.js';

/** The neighbours that a body names. */
export interface Neighbours {
  before?: string;
  after?: string;
}

interface OrderedCard {
  id: string;
  position: number;
  column: { id: string };
}

/** How many cards are moved up at most before a wider stretch of the column is taken. */
const FIRST_STRETCH = 16;
/** Below it the numbers of a stretch are so close that they would touch again soon; large ones lie further apart. */
const leastStep = (highest: number): number => Math.max(2 ** -16, Math.abs(highest) * 2 ** -50);

export const namesNeighbour = ({ before, after }: Neighbours): boolean =>
  before !== undefined || after !== undefined;

/**
 * The position that puts a card right before or right after another one of the column. Where the numbers of the two that
 * it goes between touch, those after it move up, as few of them as it takes.
 */
export async function placeBeside(
  tx: Tx,
  brandId: number,
  columnId: string,
  card: OrderedCard,
  { before, after }: Neighbours,
): Promise<number> {
  const store = cardOrderStore(tx, brandId, columnId, card.id);
  const [field, neighbourId] =
    before === undefined ? (['after', after!] as const) : (['before', before] as const);
  const neighbour = neighbourId.toLowerCase() === card.id ? undefined : await store.findCard(neighbourId);
  if (!neighbour)
    throw fieldRefused(field, 'must name another card of the column in which the card will stand');

  const previous = field === 'after' ? neighbour : await store.findBefore(neighbour);
  const next = field === 'before' ? neighbour : (await store.listAfter(neighbour, 1))[0];
  const stands = { card_id: card.id, position: card.position };
  if (card.column.id === columnId && isBetween(previous, stands, next)) return card.position;
  if (!previous) return next!.position - 1;
  if (!next) return previous.position + 1;
  return middleOf(previous.position, next.position) ?? makeRoom(previous);

  /** Spreads the cards after `previous` evenly up to the first that need not move, and answers the place before them. */
  async function makeRoom({ card_id, position: lowest }: PlacedCard): Promise<number> {
    for (let length = FIRST_STRETCH; ; length *= 4) {
      const cards = await store.listAfter({ card_id, position: lowest }, length + 1);
      const isLast = cards.length <= length;
      const moved = isLast ? cards : cards.slice(0, length);
      const highest = cards.at(-1)!.position;
      const step = isLast ? Math.max(1, leastStep(highest)) : (highest - lowest) / (length + 2);
      if (step < leastStep(highest)) continue;
      await store.shift(moved.map((each, index) => ({ ...each, position: lowest + step * (index + 2) })));
      return lowest + step;
    }
  }
}

/** A number between two, or none when they touch. */
function middleOf(low: number, high: number): number | undefined {
  const middle = low + (high - low) / 2;
  return low < middle && middle < high ? middle : undefined;
}

const isBetween = (
  previous: PlacedCard | undefined,
  card: PlacedCard,
  next: PlacedCard | undefined,
): boolean => (!previous || comesBefore(previous, card)) && (!next || comesBefore(card, next));

/** The order of a column: by position, then by id. */
const comesBefore = (a: PlacedCard, b: PlacedCard): boolean =>
  a.position < b.position || (a.position === b.position && a.card_id < b.card_id);
