import type { InfiniteData } from '@tanstack/react-query';
import { amendAll, refresh } from '../api/resource.js';
import type { FoundCard, FoundCards } from '../api/work.js';
import type { ListedCard } from '../boards/selection/listed-card.js';
import type { Shelf } from '../boards/selection/use-batch.js';

export const WORK = 'work:';

type Answer = InfiniteData<FoundCards>;

export const workShelf: Shelf = {
  preview: (fields) =>
    amendAll<Answer>(WORK, (answer) => mapCards(answer, (card) => withShown(card, fields.get(card.id)))),
  // Refreshing removes cards that no longer match the filters.
  settle: () => refresh(WORK),
};

const withShown = (card: FoundCard, shown: Partial<ListedCard> | undefined): FoundCard =>
  shown ? { ...card, ...shown } : card;

const mapCards = (answer: Answer, change: (card: FoundCard) => FoundCard): Answer => ({
  ...answer,
  pages: answer.pages.map((page) => ({ ...page, items: page.items.map(change) })),
});
