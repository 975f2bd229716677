import { type KeyboardEvent, useCallback, useMemo, useRef } from 'react';
import { usePages } from '../api/resource.js';
import { addressOfCard, type FoundCard, findCards } from '../api/work.js';
import { CardList } from '../boards/list/card-list.js';
import type { RowParts } from '../boards/list/card-row.js';
import type { Sort } from '../boards/list/sort.js';
import { useFieldKeys } from '../boards/list/use-field-keys.js';
import { SelectionBar } from '../boards/selection/selection-bar.js';
import { useBatch } from '../boards/selection/use-batch.js';
import { useSelection } from '../boards/selection/use-selection.js';
import { useSelectionKeys } from '../boards/selection/use-selection-keys.js';
import { type CardFocus, useCardFocus } from '../boards/use-card-focus.js';
import { type Command, useCommands } from '../shell/commands.js';
import { navigate, usePlace } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Empty, Loaded, More } from '../ui/feedback.js';
import { describeChips, FilterChips } from '../ui/filter-chips.js';
import { WorkIcon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { chipsOf } from './chips.js';
import { FilterBar } from './filter-bar.js';
import { type Filters, type Grouping, questionOf, readFilters, writeFilters } from './filters.js';
import { groupCards } from './grouping.js';
import { useDirectory } from './use-directory.js';
import { usePlaceKept } from './use-place-kept.js';
import { ViewBar } from './view-bar.js';
import { WORK, workShelf } from './work-shelf.js';

const LIST = 'work';

export function WorkPage() {
  const { query } = usePlace();
  const { filters, group, sort } = useMemo(() => readFilters(query), [query]);
  const directory = useDirectory();
  const address = writeFilters(filters, group, sort);
  const found = usePages(
    WORK + address,
    (cursor, signal) => findCards(questionOf(filters, group, sort), cursor, signal),
    { keep: true, pollMs: 15_000 },
  );
  const show = (next: Filters, by: Grouping, sorted: Sort | undefined = sort) =>
    navigate(`/dashboard/work?${writeFilters(next, by, sorted)}`, { replace: true });

  const groups = useMemo(
    () =>
      groupCards(
        (found.data ?? []).flatMap((page) => page.items),
        group,
        directory.nameAgent,
        found.data?.[0] ?? { total: 0 },
      ),
    [found.data, group, directory],
  );
  const cards = useMemo(() => groups.flatMap((each) => each.cards), [groups]);
  const list = useWorkList(cards, address, directory);
  const chips = chipsOf(filters, directory, (next) => show(next, group));
  const clear = () => show({}, group);

  return (
    <Page wide title="Work" lead="Cards of all boards.">
      <ViewBar query={address} />
      <FilterBar filters={filters} group={group} directory={directory} onChange={show} />
      <FilterChips chips={chips} onClear={clear} />
      <Loaded of={found}>
        {(pages) =>
          cards.length === 0 ? (
            <Empty
              title="No cards here"
              icon={<WorkIcon size={28} />}
              action={chips.length > 0 && <Button onClick={clear}>Clear the filters</Button>}
            >
              {chips.length > 0 ? `No cards match ${describeChips(chips)}.` : 'No cards yet.'}
            </Empty>
          ) : (
            <>
              <CardList
                {...list.props}
                groups={groups}
                sort={sort}
                onSort={(next) => show(filters, group, next)}
              />
              <More
                shown={cards.length}
                total={pages[0]?.total}
                noun="cards"
                readMore={found.readMore}
                busy={found.readingMore}
              />
            </>
          )
        }
      </Loaded>
      {list.bar}
    </Page>
  );
}

/** The page's main element scrolls, and it exists before the list does. */
const scroller = {
  get current() {
    return document.querySelector<HTMLElement>('.main');
  },
};

function useWorkList(cards: FoundCard[], address: string, directory: ReturnType<typeof useDirectory>) {
  const focus = useCardFocus(useMemo(() => new Map([[LIST, cards]]), [cards]));
  const canEdit = useCallback(
    ({ board_id }: FoundCard) => directory.rightsOn(board_id)?.edit ?? false,
    [directory],
  );
  const editable = useMemo(() => cards.filter(canEdit), [cards, canEdit]);
  const selection = useSelection(editable);
  const change = useBatch(workShelf);
  const leave = usePlaceKept(address, scroller, cards.length > 0, focus.focusCard);
  const agents = cards.every(({ board_id }) => directory.rightsOn(board_id)?.direct !== false);
  const latest = useRef({ cards, leave, selection });
  latest.current = { cards, leave, selection };

  const parts = useMemo<RowParts<FoundCard>>(
    () => ({
      directory: directory.everybody,
      addressOf: addressOfCard,
      onOpen: ({ id }) => latest.current.leave(id),
      canEdit,
      agents,
      actions: {
        mark(cardId, range) {
          if (range) latest.current.selection.extendTo(cardId);
          else latest.current.selection.toggle(cardId);
        },
      },
      set: (card, wishOf, words) => void change([card], wishOf, words),
    }),
    [directory.everybody, canEdit, agents, change],
  );
  const current = useCallback(() => {
    const card = focus.current();
    return card && canEdit(card) ? card.id : undefined;
  }, [focus, canEdit]);
  useSelectionKeys({ group: 'Work', enabled: editable.length > 0, selection, current });
  useFieldKeys('Work', editable.length > 0, current);
  useWalkCommands(latest, focus);

  function onKeyDown(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    if (!target.matches('[data-title]') || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = cards.findIndex(({ id }) => id === focus.current()?.id);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: cards.length - 1 }[event.key];
    if (to === undefined || at === -1) return;
    event.preventDefault();
    const next = cards[to];
    if (!next) return;
    if (event.shiftKey) selection.add([cards[at]!, next].filter(canEdit).map(({ id }) => id));
    focus.focusCard(next.id);
  }

  const { onReveal } = focus;
  const selected = cards.filter(({ id }) => selection.ids.has(id));
  return {
    props: {
      selected: selection.ids,
      parts,
      scroller,
      onKeyDown,
      onFocus: focus.note,
      focusCard: focus.focusCard,
      onReveal: useCallback<Parameters<typeof CardList>[0]['onReveal']>(
        (reveal) => onReveal(LIST, reveal),
        [onReveal],
      ),
      cell: LIST,
    },
    bar: (
      <SelectionBar
        cards={selected}
        selection={selection}
        directory={directory.everybody}
        labels={cards.flatMap(({ labels }) => labels)}
        agents={agents}
        change={change}
      />
    ),
  };
}

function useWalkCommands(
  latest: React.RefObject<{ cards: FoundCard[]; leave(cardId: string): void }>,
  focus: CardFocus<FoundCard>,
): void {
  const commands = useMemo<Command[]>(() => {
    const group = 'Work';
    const walk = (by: 1 | -1) => () => {
      const { cards } = latest.current;
      const at = cards.findIndex(({ id }) => id === focus.current()?.id);
      const next = at === -1 ? cards[0] : cards[at + by];
      if (next) focus.focusCard(next.id);
    };
    return [
      { id: 'work-next', label: 'Next', group, keys: 'j', perform: walk(1) },
      { id: 'work-previous', label: 'Previous', group, keys: 'k', perform: walk(-1) },
      {
        id: 'work-open',
        label: 'Open the card',
        group,
        keys: 'o',
        perform: () => {
          const card = focus.current();
          if (!card) return;
          latest.current.leave(card.id);
          navigate(addressOfCard(card));
        },
      },
    ];
  }, [latest, focus]);
  useCommands(commands);
}
