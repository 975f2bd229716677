import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { focusHeading } from '../../ui/row-focus.js';
import { cardAt, type Reveal, useRangeWith } from '../card-cell.js';
import type { ListedCard } from '../selection/listed-card.js';
import { CardRow, nameRow, type RowParts } from './card-row.js';
import { nextSort, type Sort, type SortName } from './sort.js';

export interface CardGroup<C extends ListedCard> {
  name: string;
  /** The total, including cards that are not loaded yet; undefined when unknown. */
  count: number | undefined;
  cards: readonly C[];
}

interface ListProps<C extends ListedCard> {
  /** A group without a name has no heading. */
  groups: readonly CardGroup<C>[];
  selected: ReadonlySet<string>;
  parts: RowParts<C>;
  sort: Sort | undefined;
  onSort(sort: Sort): void;
  scroller?: RefObject<HTMLElement | null>;
  onKeyDown(event: KeyboardEvent): void;
  onFocus(cardId: string): void;
  focusCard(cardId: string): void;
  onReveal(reveal: Reveal | undefined): void;
  /** Cell id that the focus handling uses to find the list. */
  cell?: string;
}

type Item<C> =
  | { kind: 'heading'; name: string; count: number | undefined }
  | { kind: 'row'; card: C; at: number };

const ROW_HEIGHT = 43;
const HEADING_HEIGHT = 48;
const BEYOND_SIGHT = 8;

const HEADS: [SortName, string][] = [
  ['title', 'Title'],
  ['status', 'Status'],
  ['assignee', 'Assignee'],
  ['priority', 'Priority'],
  ['due', 'Due'],
  ['estimate', 'Estimate'],
  ['updated', 'Changed'],
];

/** A virtualized list: only rows near the viewport are mounted. */
export function CardList<C extends ListedCard>(props: ListProps<C>) {
  const { groups, selected, parts, sort, onSort, scroller, onKeyDown, onFocus, focusCard, onReveal, cell } =
    props;
  const own = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLUListElement>(null);
  const [focusedId, setFocusedId] = useState<string>();
  const [margin, setMargin] = useState(0);
  const items = useMemo(() => itemsOf(groups), [groups]);
  const noteFocus = useFocusHeld(items, focusCard);
  const total = groups.reduce((sum, { cards }) => sum + cards.length, 0);
  const focusedAt =
    focusedId === undefined
      ? -1
      : items.findIndex((item) => item.kind === 'row' && item.card.id === focusedId);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller?.current ?? own.current,
    estimateSize: (index) => (items[index]?.kind === 'heading' ? HEADING_HEIGHT : ROW_HEIGHT),
    getItemKey: (index) => keyOf(items[index]!),
    overscan: BEYOND_SIGHT,
    scrollMargin: margin,
    scrollPaddingStart: 40,
    scrollPaddingEnd: 72,
    useFlushSync: false,
    rangeExtractor: useRangeWith(focusedAt),
  });
  // Measures the list's offset in the scroll container, which changes with the content above it.
  useLayoutEffect(() => {
    const outer = scroller?.current ?? own.current;
    if (!outer || !body.current) return;
    const top =
      body.current.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop;
    if (Math.abs(top - margin) > 1) setMargin(top);
  });
  useEffect(() => {
    onReveal((index) => virtualizer.scrollToIndex(indexOfRow(items, index), { align: 'auto' }));
    return () => onReveal(undefined);
  });

  return (
    <div className="card-list" ref={own} data-own={!scroller || undefined} data-cell={cell}>
      <div className="list-head">
        {HEADS.map(([by, label]) => {
          const chosen = sort?.by === by;
          return (
            <button
              key={by}
              type="button"
              className={`list-sort list-sort-${by}`}
              aria-pressed={chosen}
              onClick={() => onSort(nextSort(sort, by))}
            >
              <span className="off-screen">Sort by </span>
              {label}
              {chosen && <span aria-hidden="true">{sort.descending ? ' ↓' : ' ↑'}</span>}
              {chosen && (
                <span className="off-screen">{sort.descending ? ', descending' : ', ascending'}</span>
              )}
            </button>
          );
        })}
      </div>
      <ul
        className="list-rows"
        ref={body}
        style={{ height: virtualizer.getTotalSize() }}
        data-selecting={selected.size > 0 || undefined}
        onKeyDown={(event) => {
          if (event.key !== 'F2') return onKeyDown(event);
          event.preventDefault();
          nameRow((event.target as Element).closest('[data-card]'));
        }}
        onFocus={(event) => {
          const cardId = cardAt(event.target);
          setFocusedId(cardId);
          noteFocus(cardId);
          if (cardId) onFocus(cardId);
        }}
        onBlur={(event) => {
          setFocusedId(undefined);
          // A blur caused by removing the row does not count as leaving it.
          if (event.target.isConnected) noteFocus(undefined);
        }}
      >
        {virtualizer.getVirtualItems().map((place) => {
          const item = items[place.index]!;
          const style = { transform: `translateY(${place.start - margin}px)` };
          const shared = {
            className: 'list-item',
            'data-index': place.index,
            ref: virtualizer.measureElement,
            style,
          };
          return item.kind === 'heading' ? (
            <li key={place.key} {...shared}>
              <h2 className="list-group">
                {item.name} {item.count !== undefined && <span className="count">{item.count}</span>}
              </h2>
            </li>
          ) : (
            <li
              key={place.key}
              {...shared}
              data-card={item.card.id}
              data-row={item.at}
              aria-setsize={total}
              aria-posinset={item.at + 1}
            >
              <CardRow
                card={item.card}
                selected={selected.has(item.card.id)}
                parts={parts as unknown as RowParts}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Focuses the row that replaced the focused one, since a changed card may no longer match the list. */
function useFocusHeld<C extends ListedCard>(items: Item<C>[], focusCard: (cardId: string) => void) {
  const held = useRef<{ cardId: string; at: number }>(undefined);
  useEffect(() => {
    const was = held.current;
    if (!was || document.activeElement !== document.body) return;
    const rows = items.filter((item) => item.kind === 'row');
    if (rows.some(({ card }) => card.id === was.cardId)) return;
    const next = rows[Math.min(was.at, rows.length - 1)];
    held.current = undefined;
    if (next) focusCard(next.card.id);
    else focusHeading();
  }, [items, focusCard]);
  return (cardId: string | undefined): void => {
    const row = items.find((item) => item.kind === 'row' && item.card.id === cardId);
    held.current = cardId && row?.kind === 'row' ? { cardId, at: row.at } : undefined;
  };
}

function itemsOf<C extends ListedCard>(groups: readonly CardGroup<C>[]): Item<C>[] {
  let at = 0;
  return groups.flatMap(({ name, count, cards }): Item<C>[] => [
    ...(name ? [{ kind: 'heading' as const, name, count }] : []),
    ...cards.map((card) => ({ kind: 'row' as const, card, at: at++ })),
  ]);
}

const keyOf = <C extends ListedCard>(item: Item<C>): string =>
  item.kind === 'row' ? item.card.id : `heading ${item.name}`;

const indexOfRow = <C,>(items: Item<C>[], row: number): number =>
  items.findIndex((item) => item.kind === 'row' && item.at === row);
