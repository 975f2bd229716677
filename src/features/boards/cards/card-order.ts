import type { Tx } from '../../../platform/database/database.js';
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

/** How many cards are moved at most before a wider stretch of the column is taken. */
const FIRST_STRETCH = 16;
/** Below it the numbers of a stretch are so close that they would touch again soon; large ones lie further apart. */
const leastStep = (largest: number): number => Math.max(2 ** -16, largest * 2 ** -50);

export const namesNeighbour = ({ before, after }: Neighbours): boolean =>
  before !== undefined || after !== undefined;

/**
 * The position that puts a card right before or right after another one of the column. Where the numbers of the two that
 * it goes between touch, those after it move up or those before it down, as few of them as it takes.
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
  const next = field === 'before' ? neighbour : await store.findAfter(neighbour);
  const stands = { card_id: card.id, position: card.position };
  if (card.column.id === columnId && isBetween(previous, stands, next)) return card.position;
  if (!previous) return next!.position - 1;
  if (!next) return previous.position + 1;
  return middleOf(previous.position, next.position) ?? makeRoom(previous, next);

  /** Spreads the cards on one side evenly up to the first that need not move, and answers the place beside them. */
  async function makeRoom(low: PlacedCard, high: PlacedCard): Promise<number> {
    for (let length = FIRST_STRETCH; ; length *= 4)
      for (const [from, side] of [[low, 'after'] as const, [high, 'before'] as const]) {
        const { cards, largest, beyond } = await store.findStretch(from, side, length);
        const away = side === 'after' ? 1 : -1;
        const least = leastStep(Math.max(largest, Math.abs(from.position)));
        const step = beyond === null ? Math.max(1, least) : Math.abs(beyond - from.position) / (cards + 2);
        if (step < least) continue;
        await store.spread(from, side, cards, away * step);
        return from.position + away * step;
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
