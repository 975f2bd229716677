import {
  draggable,
  dropTargetForElements,
  monitorForElements,
} from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter';
import { combine } from '@atlaskit/pragmatic-drag-and-drop/utils/combine';
import type { Neighbour } from './card-order.js';

/** Drop position relative to the card under the pointer. */
export type Edge = 'before' | 'after' | undefined;

const CARD = 'card';
const COLUMN = 'column';

interface CardWatch {
  onEdge(edge: Edge): void;
  onDragged(dragged: boolean): void;
}

/** Makes a card draggable and reports on which side a dragged card would be inserted. */
export function attachCard(
  element: HTMLElement,
  cardId: string,
  { onEdge, onDragged }: CardWatch,
): () => void {
  return combine(
    draggable({
      element,
      getInitialData: () => ({ kind: CARD, cardId }),
      onDragStart: () => onDragged(true),
      onDrop: () => onDragged(false),
    }),
    dropTargetForElements({
      element,
      canDrop: ({ source }) => source.data['kind'] === CARD && source.data['cardId'] !== cardId,
      getData: ({ input }) => ({ kind: CARD, cardId, edge: edgeAt(element, input.clientY) }),
      onDrag: ({ self }) => onEdge(self.data['edge'] as Edge),
      onDragLeave: () => onEdge(undefined),
      onDrop: () => onEdge(undefined),
    }),
  );
}

function edgeAt(element: HTMLElement, y: number): Edge {
  const { top, height } = element.getBoundingClientRect();
  return y < top + height / 2 ? 'before' : 'after';
}

/** Dragging within this many pixels of a column's top or bottom edge scrolls the column. */
const BRINK = 56;
const STEP = 12;

export function attachColumn(
  element: HTMLElement,
  cellId: string,
  { list, onOver }: { list(): HTMLElement | null; onOver(over: boolean): void },
): () => void {
  return dropTargetForElements({
    element,
    canDrop: ({ source }) => source.data['kind'] === CARD,
    getData: () => ({ kind: COLUMN, cellId }),
    onDragEnter: () => onOver(true),
    onDragLeave: () => onOver(false),
    onDrop: () => onOver(false),
    onDrag: ({ location }) => scrollNearBrink(list(), location.current.input.clientY),
  });
}

function scrollNearBrink(list: HTMLElement | null, y: number): void {
  if (!list) return;
  const { top, bottom } = list.getBoundingClientRect();
  if (y < top + BRINK) list.scrollTop -= STEP;
  else if (y > bottom - BRINK) list.scrollTop += STEP;
}

/** Calls `onDrop` for each dropped card; an empty neighbor appends the card to the cell. */
export function watchDrops(onDrop: (cardId: string, cellId: string, beside: Neighbour) => void): () => void {
  return monitorForElements({
    canMonitor: ({ source }) => source.data['kind'] === CARD,
    onDrop: ({ source, location }) => {
      const targets = location.current.dropTargets.map(({ data }) => data);
      const column = targets.find(({ kind }) => kind === COLUMN);
      if (!column) return;
      const card = targets.find(({ kind }) => kind === CARD);
      const beside: Neighbour = card ? { [card['edge'] as string]: card['cardId'] as string } : {};
      onDrop(source.data['cardId'] as string, column['cellId'] as string, beside);
    },
  });
}
