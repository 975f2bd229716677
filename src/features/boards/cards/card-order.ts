import type { Tx } from '../../../platform/database/database.js';
import { fieldRefused } from '../boards.errors.js';
import { cardOrderStore, type PlacedCard } from './card-order.store.js';

export interface Neighbours {
  before?: string;
  after?: string;
}

interface OrderedCard {
  id: string;
  position: number;
  column: { id: string };
}

const FIRST_STRETCH = 16;
/** Smaller gaps would collide again soon, and large numbers need larger gaps. */
const leastStep = (largest: number): number => Math.max(2 ** -16, largest * 2 ** -50);

export const namesNeighbour = ({ before, after }: Neighbours): boolean =>
  before !== undefined || after !== undefined;

/**
 * The position directly before or after another card. When two positions have no number between them, as few
 * cards as needed are moved.
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

  const previous = field === 'after' ? neighbour : await store.findBeside(neighbour, 'before');
  const next = field === 'before' ? neighbour : await store.findBeside(neighbour, 'after');
  const current = { card_id: card.id, position: card.position };
  if (card.column.id === columnId && isBetween(previous, current, next)) return card.position;
  if (!previous) return next!.position - 1;
  if (!next) return previous.position + 1;
  return middleOf(previous.position, next.position) ?? respace(previous, next);

  /** Respaces the cards on one side and returns the free position next to them. */
  async function respace(low: PlacedCard, high: PlacedCard): Promise<number> {
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

/** Undefined when no number lies between the two. */
function middleOf(low: number, high: number): number | undefined {
  const middle = low + (high - low) / 2;
  return low < middle && middle < high ? middle : undefined;
}

const isBetween = (
  previous: PlacedCard | undefined,
  card: PlacedCard,
  next: PlacedCard | undefined,
): boolean => (!previous || comesBefore(previous, card)) && (!next || comesBefore(card, next));

const comesBefore = (a: PlacedCard, b: PlacedCard): boolean =>
  a.position < b.position || (a.position === b.position && a.card_id < b.card_id);
