import { useMemo } from 'react';
import type { Board, CardOutcome, TileCard } from '../api/boards.js';
import { refresh } from '../api/resource.js';
import { applyOutcomes } from './card-state.js';
import type { ListedCard } from './selection/listed-card.js';
import type { Shelf } from './selection/use-batch.js';
import type { BoardHandle } from './use-board.js';

export function useBoardShelf(board: Board, { change }: BoardHandle): Shelf {
  return useMemo(
    () => ({
      preview(fields) {
        const before = new Map<string, TileCard>();
        change((all) =>
          all.map((card) => {
            const shown = fields.get(card.id);
            if (!shown) return card;
            before.set(card.id, card);
            return withShown(card, shown);
          }),
        );
        // Revert only cards that still have the previewed version; others may have changed since.
        return () =>
          change((all) =>
            all.map((card) => {
              const shown = fields.get(card.id);
              const was = before.get(card.id);
              return shown && was && card.version === was.version ? was : card;
            }),
          );
      },
      settle(outcomes: readonly CardOutcome[]) {
        change((all) => applyOutcomes(all, outcomes, board));
        for (const { task_id } of outcomes) refresh(`card:${task_id}`);
      },
    }),
    [board, change],
  );
}

const withShown = (card: TileCard, shown: Partial<ListedCard>): TileCard => ({
  ...card,
  ...shown,
  ...(shown.status && { completed_at: shown.status === 'done' ? new Date().toISOString() : null }),
});
