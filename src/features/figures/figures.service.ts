import { type Clock, dayOf, lastWeeks } from '../../kernel/clock.js';
import type { BoardService } from '../boards/index.js';
import type { BuildService } from '../builds/index.js';
import type { MemoryService } from '../memory/index.js';
import type { WorkstationService } from '../workstations/index.js';
import type { FiguresAnswer } from './figures.routes.js';

interface FiguresOptions {
  clock: Clock;
  boards: Pick<BoardService, 'listCardWeeks'>;
  builds: Pick<BuildService, 'listBuildWeeks'>;
  memory: Pick<MemoryService, 'listWeeklyTotals'>;
  desks: Pick<WorkstationService, 'availability'>;
}

/** Combines the figures of a workspace; each feature computes its own. */
export const createFiguresService = ({ clock, boards, builds, memory, desks }: FiguresOptions) => ({
  async readFigures(brandId: number, count: number): Promise<FiguresAnswer> {
    const starts = lastWeeks(clock.now(), count);
    const weeks = starts.map(dayOf);
    const since = starts[0]!;
    const [cards, built, memories, available] = await Promise.all([
      boards.listCardWeeks(brandId, since),
      builds.listBuildWeeks(brandId, since),
      memory.listWeeklyTotals(brandId, count),
      desks.availability.listAvailability(brandId),
    ]);
    const cardsOf = new Map(cards.map((each) => [each.week, each]));
    return {
      weeks,
      cards: weeks.map((week) => cardsOf.get(week) ?? { week, made: 0, done: 0 }),
      builds: built,
      memories,
      desks: available,
    };
  },
});
