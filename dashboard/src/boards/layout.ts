import { useMemo } from 'react';
import type { Board, Column, TileCard } from '../api/boards.js';
import { groupCards } from './card-order.js';
import {
  cellIdOf,
  type Groups,
  LANE_KINDS,
  type Lane,
  type LaneKind,
  laneIdOf,
  listLanes,
  splitByLane,
  splitCellId,
  walkCells,
} from './lanes.js';
import { readSort, type Sort, sortCards } from './list/sort.js';
import { locate } from './use-card-focus.js';
import type { Directory } from './use-directory.js';

/** The board view, stored in the URL so that it can be bookmarked and shared. */
export interface BoardView {
  list: boolean;
  sort: Sort | undefined;
  lanes: LaneKind | undefined;
}

export const readView = (query: URLSearchParams): BoardView => ({
  list: query.get('view') === 'list',
  sort: readSort(query.get('sort')),
  lanes: LANE_KINDS.find((kind) => kind === query.get('lanes')),
});

export interface Layout {
  groups: Groups;
  /** The field that defines the swimlanes; undefined without swimlanes. */
  kind: LaneKind | undefined;
  lanes: readonly Lane[] | undefined;
  order: readonly TileCard[];
  /** Cards by column, ignoring swimlanes. */
  columns: Groups;
  /** The cell of the card, or its cell if it moved to `columnId`. */
  cellOf(card: TileCard, columnId?: string): string;
  neighbourOf(cardId: string, key: string): TileCard | undefined;
}

export const LIST = 'list';

interface LayoutOptions {
  board: Board;
  cards: readonly TileCard[];
  matches(card: TileCard): boolean;
  view: BoardView;
  directory: Directory;
  isCollapsed(column: Column): boolean;
}

export function useLayout({ board, cards, matches, view, directory, isCollapsed }: LayoutOptions): Layout {
  return useMemo(() => {
    const columns = groupCards(board, cards, matches);
    if (view.list) return layOutList(board, columns, view.sort);
    const kind = view.lanes;
    if (!kind) return layOut(board, columns, columns, undefined, undefined, isCollapsed);
    const lanes = listLanes(kind, [...columns.values()].flat(), cards, directory);
    return layOut(board, columns, splitByLane(columns, kind, lanes), kind, lanes, isCollapsed);
  }, [board, cards, matches, view, directory, isCollapsed]);
}

function layOutList(board: Board, columns: Groups, sort: Sort | undefined): Layout {
  const flat = [...columns.values()].flat();
  const ids = board.columns.map(({ id }) => id);
  const order = sort ? sortCards(flat, sort, ids) : flat;
  const groups: Groups = new Map([[LIST, order]]);
  return {
    groups,
    kind: undefined,
    lanes: undefined,
    order,
    columns,
    cellOf: (card, columnId = card.column.id) => columnId,
    neighbourOf: (cardId, key) =>
      neighbourIn(
        order,
        order.findIndex(({ id }) => id === cardId),
        key,
      ),
  };
}

function layOut(
  board: Board,
  columns: Groups,
  groups: Groups,
  kind: LaneKind | undefined,
  lanes: readonly Lane[] | undefined,
  isCollapsed: (column: Column) => boolean,
): Layout {
  const open = new Set(board.columns.filter((column) => !isCollapsed(column)).map(({ id }) => id));
  const cells = walkCells(board, lanes).filter((cellId) => open.has(splitCellId(cellId).columnId));
  return {
    groups,
    kind,
    lanes,
    columns,
    order: cells.flatMap((cellId) => groups.get(cellId) ?? []),
    cellOf: (card, columnId = card.column.id) =>
      cellIdOf(kind === undefined ? undefined : laneIdOf(kind, card), columnId),
    neighbourOf(cardId, key) {
      const place = locate(groups, cardId);
      if (!place) return undefined;
      const beside = neighbourIn(groups.get(place.cellId) ?? [], place.index, key);
      if (beside || key === 'Home' || key === 'End') return beside;
      const { laneId, columnId } = splitCellId(place.cellId);
      const isSideways = key === 'ArrowLeft' || key === 'ArrowRight';
      const line = cells.filter((cellId) => {
        const other = splitCellId(cellId);
        return isSideways ? other.laneId === laneId : other.columnId === columnId;
      });
      const isForward = key === 'ArrowRight' || key === 'ArrowDown';
      const at = line.indexOf(place.cellId);
      const ahead = isForward ? line.slice(at + 1) : line.slice(0, Math.max(at, 0)).reverse();
      const others = ahead.map((cellId) => groups.get(cellId) ?? []).find((each) => each.length > 0);
      if (!others) return undefined;
      if (isSideways) return others[Math.min(place.index, others.length - 1)];
      return isForward ? others[0] : others.at(-1);
    },
  };
}

function neighbourIn(cards: readonly TileCard[], at: number, key: string): TileCard | undefined {
  if (key === 'ArrowDown') return cards[at + 1];
  if (key === 'ArrowUp') return cards[at - 1];
  if (key === 'Home') return cards[0];
  return key === 'End' ? cards.at(-1) : undefined;
}

export function stepFrom(order: readonly TileCard[], cardId: string | undefined, by: 1 | -1) {
  const at = order.findIndex(({ id }) => id === cardId);
  return at === -1 ? order[0] : order[at + by];
}
