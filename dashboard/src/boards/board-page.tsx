import { type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import { type Board, type Column, exportAddress, type TileCard } from '../api/boards.js';
import { type Command, useCommands } from '../shell/commands.js';
import { history, navigate, usePlace, withParameters } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Loaded } from '../ui/feedback.js';
import { PlusIcon, PulseIcon } from '../ui/icons.js';
import { Menu } from '../ui/menu.js';
import { Page } from '../ui/page.js';
import { ActivityPanel } from './activity-panel.js';
import { BoardColumns } from './board-columns.js';
import { type Rights, rightsOf } from './board-rights.js';
import { BoardSettingsDialog, DeleteBoardDialog } from './board-settings.js';
import { CardDrawer } from './card-drawer.js';
import { matcherOf, readFilter } from './card-filter.js';
import { groupCards } from './card-order.js';
import { FilterBar } from './filter-bar.js';
import { NewCardDialog } from './new-card-dialog.js';
import { type Activity, useActivity } from './use-activity.js';
import { type BoardHandle, useBoard } from './use-board.js';
import { useCardFocus } from './use-card-focus.js';
import { useDeeds, walkCards } from './use-deeds.js';
import { useDirectory } from './use-directory.js';
import { useLiveCards } from './use-live-cards.js';

/** All five usual columns fit beside the feed. */
const ROOMY = '(min-width: 1640px)';

export function BoardPage({ boardId }: { boardId: string }) {
  const handle = useBoard(boardId);
  const { board } = handle;
  const [showActivity, setShowActivity] = useState(() => matchMedia(ROOMY).matches);
  const [adding, setAdding] = useState<Column>();
  const activity = useActivity(boardId, useLiveCards(boardId, handle));
  const rights = board.data && rightsOf(board.data);
  const madeCard = useRef<(cardId: string) => void>(undefined);
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
            onAdd={() => setAdding(board.data?.columns[0])}
          />
        )
      }
    >
      <div className={showActivity ? 'board-frame board-with-activity' : 'board-frame'}>
        <Loaded of={board} rows={6}>
          {(data) => <BoardBody board={data} handle={handle} onAdd={setAdding} onMade={madeCard} />}
        </Loaded>
        {showActivity && (
          <ActivityPanel
            activity={activity}
            onOpenCard={(cardId) => navigate(withParameters({ card: cardId }))}
            onClose={() => setShowActivity(false)}
          />
        )}
      </div>
      {adding && board.data && (
        <NewCardDialog
          board={board.data}
          column={adding}
          handle={handle}
          onClose={() => setAdding(undefined)}
          onMade={(cardId) => madeCard.current?.(cardId)}
        />
      )}
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
  const latest = useRef({ onActivity, onAdd });
  latest.current = { onActivity, onAdd };
  const commands = useMemo<Command[]>(
    () => [
      {
        id: 'board-activity',
        label: 'Show or hide the activity',
        group: 'Board',
        keys: 'v',
        perform: () => latest.current.onActivity(),
      },
      ...(rights.edit
        ? [
            {
              id: 'card-new',
              label: 'New card',
              group: 'Board',
              keys: 'c',
              words: 'create add make',
              perform: () => latest.current.onAdd(),
            },
          ]
        : []),
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
    [rights.edit, rights.arrange],
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
  /** Set to what a card that was made here is to be shown by. */
  onMade: RefObject<((cardId: string) => void) | undefined>;
}

function BoardBody({ board, handle, onAdd, onMade }: BodyProps) {
  const { query } = usePlace();
  const { user } = useSession();
  const { cards } = handle;
  const filterText = new URLSearchParams([...query].filter(([name]) => name !== 'card')).toString();
  const filter = useMemo(() => readFilter(new URLSearchParams(filterText)), [filterText]);
  const groups = useMemo(
    () => groupCards(board, cards.data ?? [], matcherOf(filter, user.user_id)),
    [board, cards.data, filter, user.user_id],
  );
  const yourRole = board.your_role;
  const rights = useMemo(() => rightsOf({ your_role: yourRole }), [yourRole]);
  const directory = useDirectory(cards.data);
  const focus = useCardFocus(groups);
  const { focusCard } = focus;
  onMade.current = focusCard;
  const drawer = useDrawer(focusCard);
  const deeds = useDeeds({ board, handle, groups, focus, rights, open: drawer.open });
  const step = (by: 1 | -1) => {
    const next = walkCards(board, groups, drawer.cardId ?? undefined, by);
    return next && next.id !== drawer.cardId ? () => drawer.replace(next.id) : undefined;
  };

  return (
    <div className="board-main">
      <FilterBar filter={filter} cards={cards.data ?? []} directory={directory} />
      <Loaded of={cards} rows={6}>
        {() => (
          <BoardColumns
            board={board}
            handle={handle}
            groups={groups}
            rights={rights}
            focus={focus}
            deeds={deeds}
            directory={directory}
            onAdd={onAdd}
          />
        )}
      </Loaded>
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
          onCopyLink={(card) => void deeds.copyLink(card)}
          onClose={drawer.close}
          onDeleted={() => drawer.leave(walkCards(board, groups, drawer.cardId ?? undefined, 1)?.id)}
        />
      )}
    </div>
  );
}

/** The open card stands in the address. Closed, the way back does not open it again, and the focus is on its card. */
function useDrawer(focusCard: (cardId: string) => void) {
  const { query } = usePlace();
  const cardId = query.get('card');
  const openedHere = useRef(false);
  const open = useCallback((id: string) => {
    openedHere.current = true;
    navigate(withParameters({ card: id }));
  }, []);
  const replace = useCallback((id: string) => navigate(withParameters({ card: id }), { replace: true }), []);
  /** Closes it and puts the focus on a card, on its own unless another is named. */
  const leave = (focusId: string | undefined) => {
    if (openedHere.current) history.back();
    else navigate(withParameters({ card: null }), { replace: true });
    openedHere.current = false;
    focusCard(focusId ?? '');
  };
  return { cardId, open, replace, leave, close: () => leave(cardId ?? undefined) };
}
