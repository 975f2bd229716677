import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type Board, type Column, exportAddress, type TileCard } from '../api/boards.js';
import { type Command, useCommands } from '../shell/commands.js';
import { onCardMade, openComposer } from '../shell/composer-state.js';
import { history, navigate, usePlace, withParameters } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { describeChips, FilterChips } from '../ui/filter-chips.js';
import { PlusIcon, PulseIcon } from '../ui/icons.js';
import { Menu } from '../ui/menu.js';
import { Page } from '../ui/page.js';
import { ActivityPanel } from './activity-panel.js';
import { BoardColumns } from './board-columns.js';
import { type Rights, rightsOf } from './board-rights.js';
import { BoardSettingsDialog, DeleteBoardDialog } from './board-settings.js';
import { useBoardShelf } from './board-shelf.js';
import { CardDrawer } from './card-drawer.js';
import { matcherOf, readFilter } from './card-filter.js';
import { chipsOf, clearFilter, FilterBar } from './filter-bar.js';
import { readView, stepFrom, useLayout } from './layout.js';
import { BoardList } from './list/board-list.js';
import { statusUpdate } from './selection/card-updates.js';
import { SelectionBar } from './selection/selection-bar.js';
import { useBatch } from './selection/use-batch.js';
import { useSelection } from './selection/use-selection.js';
import { useSelectionKeys } from './selection/use-selection-keys.js';
import { type Activity, useActivity } from './use-activity.js';
import { type BoardHandle, useBoard } from './use-board.js';
import { useCardActions } from './use-card-actions.js';
import { useCardFocus } from './use-card-focus.js';
import { useCollapsed } from './use-collapsed.js';
import { useDirectory } from './use-directory.js';
import { useLiveCards } from './use-live-cards.js';

/** Wide enough for the five default columns next to the activity feed. */
const ROOMY = '(min-width: 1640px)';

export function BoardPage({ boardId }: { boardId: string }) {
  const handle = useBoard(boardId);
  const { board } = handle;
  const [showActivity, setShowActivity] = useState(() => matchMedia(ROOMY).matches);
  const activity = useActivity(boardId, useLiveCards(boardId, handle));
  const rights = board.data && rightsOf(board.data);
  const madeCard = useRef<(cardId: string) => void>(undefined);
  useEffect(() => onCardMade((cardId) => madeCard.current?.(cardId)), []);
  const add = (column?: Column) => openComposer({ boardId, columnId: column?.id });
  const openId = usePlace().query.get('card');
  const opened = handle.cards.data?.find(({ id }) => id === openId);

  return (
    <Page
      full
      title={board.data?.name ?? 'Board'}
      tabTitle={opened && `${opened.ref} ${opened.title}`}
      back={{ to: '/dashboard/boards', label: 'Boards' }}
      lead={board.data && <Lead cards={handle.cards.data} activity={activity} rights={rights} />}
      actions={
        board.data &&
        rights && (
          <Actions
            board={board.data}
            rights={rights}
            showActivity={showActivity}
            onActivity={() => setShowActivity((shown) => !shown)}
            onAdd={() => add()}
          />
        )
      }
    >
      <div className={showActivity ? 'board-frame board-with-activity' : 'board-frame'}>
        <Loaded of={board} rows={6}>
          {(data) => <BoardBody board={data} handle={handle} onAdd={add} onMade={madeCard} />}
        </Loaded>
        {showActivity && (
          <ActivityPanel
            activity={activity}
            onOpenCard={(cardId) => navigate(withParameters({ card: cardId }))}
            onClose={() => setShowActivity(false)}
          />
        )}
      </div>
    </Page>
  );
}

interface LeadProps {
  cards: TileCard[] | undefined;
  activity: Activity;
  rights: Rights | undefined;
}

function Lead({ cards, activity, rights }: LeadProps) {
  const count = cards?.filter(({ archived }) => !archived).length;
  return (
    <span className="board-lead">
      {count !== undefined && <span>{count === 1 ? '1 card' : `${count} cards`}</span>}
      <span className={activity.live ? 'live live-on' : 'live'}>{activity.live ? 'Live' : 'Connecting'}</span>
      {rights?.words && <span>{rights.words}</span>}
    </span>
  );
}

interface ActionsProps {
  board: Board;
  rights: Rights;
  showActivity: boolean;
  onActivity(): void;
  onAdd(): void;
}

function Actions({ board, rights, showActivity, onActivity, onAdd }: ActionsProps) {
  const [dialog, setDialog] = useState<'settings' | 'delete'>();
  const download = (detail: 'summary' | 'standard') => {
    const link = document.createElement('a');
    link.href = exportAddress(board.board_id, detail);
    link.download = `${board.key}.md`;
    link.click();
  };
  const latest = useRef({ onActivity });
  latest.current = { onActivity };
  const commands = useMemo<Command[]>(
    () => [
      {
        id: 'board-activity',
        label: 'Show or hide the activity',
        group: 'Board',
        keys: 'v',
        perform: () => latest.current.onActivity(),
      },
      ...(rights.arrange
        ? [
            {
              id: 'board-settings',
              label: 'Name and columns of this board',
              group: 'Board',
              words: 'rename settings',
              perform: () => setDialog('settings'),
            },
          ]
        : []),
    ],
    [rights.arrange],
  );
  useCommands(commands);
  return (
    <>
      <Button tone="quiet" icon={<PulseIcon size={16} />} aria-pressed={showActivity} onClick={onActivity}>
        Activity
      </Button>
      <Menu
        label="More on this board"
        items={[
          ...(rights.arrange ? [{ label: 'Name and columns…', perform: () => setDialog('settings') }] : []),
          { label: 'Export the list', perform: () => download('summary') },
          { label: 'Export the cards', perform: () => download('standard') },
          ...(rights.remove
            ? [{ label: 'Delete board…', tone: 'danger' as const, perform: () => setDialog('delete') }]
            : []),
        ]}
      />
      {rights.edit && (
        <Button tone="primary" icon={<PlusIcon size={16} />} onClick={onAdd}>
          New card
        </Button>
      )}
      {dialog === 'settings' && <BoardSettingsDialog board={board} onClose={() => setDialog(undefined)} />}
      {dialog === 'delete' && <DeleteBoardDialog board={board} onClose={() => setDialog(undefined)} />}
    </>
  );
}

interface BodyProps {
  board: Board;
  handle: BoardHandle;
  onAdd(column: Column): void;
  /** The board stores its function for focusing a new card here. */
  onMade: RefObject<((cardId: string) => void) | undefined>;
}

const NO_CARDS: TileCard[] = [];

function BoardBody({ board, handle, onAdd, onMade }: BodyProps) {
  const { query } = usePlace();
  const { user } = useSession();
  const { cards } = handle;
  const text = new URLSearchParams([...query].filter(([name]) => name !== 'card')).toString();
  const filter = useMemo(() => readFilter(new URLSearchParams(text)), [text]);
  const view = useMemo(() => readView(new URLSearchParams(text)), [text]);
  const matches = useMemo(() => matcherOf(filter, user.user_id), [filter, user.user_id]);
  const yourRole = board.your_role;
  const rights = useMemo(() => rightsOf({ your_role: yourRole }), [yourRole]);
  const directory = useDirectory(cards.data, board.board_id);
  const { isCollapsed, toggle } = useCollapsed(board.board_id);
  const layout = useLayout({ board, cards: cards.data ?? NO_CARDS, matches, view, directory, isCollapsed });
  const focus = useCardFocus(layout.groups);
  const { focusCard } = focus;
  onMade.current = focusCard;
  const drawer = useDrawer(focusCard);
  const selection = useSelection(layout.order);
  const actions = useCardActions({ board, handle, layout, focus, rights, selection, open: drawer.open });
  const change = useBatch(useBoardShelf(board, handle));
  const current = useCallback(() => focus.current()?.id, [focus]);
  useSelectionKeys({ group: 'Board', enabled: rights.edit, selection, current });
  const selected = useMemo(
    () => layout.order.filter(({ id }) => selection.ids.has(id)),
    [layout.order, selection.ids],
  );
  const chips = chipsOf(filter, directory);
  const step = (by: 1 | -1) => {
    const next = stepFrom(layout.order, drawer.cardId ?? undefined, by);
    return next && next.id !== drawer.cardId ? () => drawer.replace(next.id) : undefined;
  };
  const shown = { board, handle, layout, rights, focus, actions, selection, directory };
  const isEmpty = chips.length > 0 && [...layout.columns.values()].every((group) => group.length === 0);

  return (
    <div className="board-main">
      <div>
        <FilterBar filter={filter} cards={cards.data ?? NO_CARDS} directory={directory} view={view} />
        <FilterChips chips={chips} onClear={clearFilter} />
      </div>
      <Loaded of={cards} rows={6}>
        {() =>
          isEmpty ? (
            <Empty
              title="No cards match the filter"
              action={<Button onClick={clearFilter}>Clear the filter</Button>}
            >
              {describeChips(chips)}
            </Empty>
          ) : view.list ? (
            <BoardList {...shown} sort={view.sort} change={change} />
          ) : (
            <BoardColumns {...shown} isCollapsed={isCollapsed} onAdd={onAdd} onFold={toggle} />
          )
        }
      </Loaded>
      <SelectionBar
        cards={selected}
        selection={selection}
        directory={directory}
        labels={labelsOf(cards.data ?? NO_CARDS)}
        agents={rights.direct}
        change={change}
        onStatus={(card, status) => statusUpdate(card, status, board.columns)}
      />
      {drawer.cardId && (
        <CardDrawer
          key={drawer.cardId}
          cardId={drawer.cardId}
          board={board}
          handle={handle}
          rights={rights}
          directory={directory}
          next={step(1)}
          previous={step(-1)}
          onOpen={drawer.replace}
          onCopyLink={(card) => void actions.copyLink(card)}
          onClose={drawer.close}
          onDeleted={() => drawer.leave(stepFrom(layout.order, drawer.cardId ?? undefined, 1)?.id)}
        />
      )}
    </div>
  );
}

const labelsOf = (cards: readonly TileCard[]): string[] => [
  ...new Set(cards.flatMap(({ labels }) => labels)),
];

/** Keeps the open card in the URL. Closing it leaves no history entry and focuses its tile. */
function useDrawer(focusCard: (cardId: string) => void) {
  const { query } = usePlace();
  const cardId = query.get('card');
  const openedHere = useRef(false);
  const open = useCallback((id: string) => {
    openedHere.current = true;
    navigate(withParameters({ card: id }));
  }, []);
  const replace = useCallback((id: string) => navigate(withParameters({ card: id }), { replace: true }), []);
  /** Closes the drawer and focuses the given card, or the closed one by default. */
  const leave = (focusId: string | undefined) => {
    if (openedHere.current) history.back();
    else navigate(withParameters({ card: null }), { replace: true });
    openedHere.current = false;
    focusCard(focusId ?? '');
  };
  return { cardId, open, replace, leave, close: () => leave(cardId ?? undefined) };
}
