import { useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import {
  type ActivityEntry,
  type Board,
  type Column,
  exportAddress,
  readCard,
  type SummaryCard,
} from '../api/boards.js';
import { refresh } from '../api/resource.js';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Loaded } from '../ui/feedback.js';
import { DownloadIcon, PlusIcon, PulseIcon, SearchIcon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { ActivityPanel } from './activity-panel.js';
import { BoardColumn } from './board-column.js';
import { CardDrawer } from './card-drawer.js';
import { applyEntry, cardsKey, putCard } from './card-state.js';
import { NewCardDialog } from './new-card-dialog.js';
import { useActivity } from './use-activity.js';
import { type BoardHandle, useBoard } from './use-board.js';

/** All five usual columns fit beside the feed. */
const ROOMY = '(min-width: 1640px)';

export function BoardPage({ boardId }: { boardId: string }) {
  const handle = useBoard(boardId);
  const { board } = handle;
  const { query } = usePlace();
  const [showActivity, setShowActivity] = useState(() => matchMedia(ROOMY).matches);
  const [adding, setAdding] = useState<Column>();
  const [filter, setFilter] = useState('');
  const activity = useActivity(boardId, useLiveCards(boardId, handle));
  const openCard = query.get('card');
  const open = useCallback((cardId: string) => navigate(withParameters({ card: cardId })), []);

  return (
    <Page
      full
      title={board.data?.name ?? 'Board'}
      back={{ to: '/dashboard/boards', label: 'Boards' }}
      actions={
        <>
          <label className="search-box">
            <SearchIcon size={15} />
            <span className="off-screen">Filter cards</span>
            <input
              type="search"
              placeholder="Filter cards"
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
            />
          </label>
          <a
            className="button button-quiet"
            href={exportAddress(boardId, 'summary')}
            download={`${board.data?.key ?? 'board'}.md`}
          >
            <DownloadIcon size={16} /> <span className="button-text">Export</span>
          </a>
          <Button
            tone="quiet"
            icon={<PulseIcon size={16} />}
            aria-pressed={showActivity}
            onClick={() => setShowActivity(!showActivity)}
          >
            Activity
          </Button>
          <Button
            tone="primary"
            icon={<PlusIcon size={16} />}
            disabled={!board.data}
            onClick={() => setAdding(board.data?.columns[0])}
          >
            New card
          </Button>
        </>
      }
    >
      <div className={showActivity ? 'board-frame board-with-activity' : 'board-frame'}>
        <Loaded of={board} rows={6}>
          {(data) => <Columns board={data} handle={handle} filter={filter} onOpen={open} onAdd={setAdding} />}
        </Loaded>
        {showActivity && (
          <ActivityPanel activity={activity} onOpenCard={open} onClose={() => setShowActivity(false)} />
        )}
      </div>
      {openCard && board.data && (
        <CardDrawer
          key={openCard}
          cardId={openCard}
          board={board.data}
          handle={handle}
          onClose={() => navigate(withParameters({ card: null }))}
        />
      )}
      {adding && board.data && (
        <NewCardDialog
          board={board.data}
          column={adding}
          handle={handle}
          onClose={() => setAdding(undefined)}
        />
      )}
    </Page>
  );
}

/** Applies what others do to the cards on screen. */
function useLiveCards(boardId: string, { board, cards, change, forgetVersion }: BoardHandle) {
  const { user } = useSession();
  const latest = useRef({ board: board.data, cards: cards.data });
  latest.current = { board: board.data, cards: cards.data };
  return useCallback(
    (entry: ActivityEntry) => {
      const cardId = entry.task_id;
      const current = latest.current.board;
      if (entry.action.startsWith('board.')) refresh(`board:${boardId}`);
      if (!cardId || !current || !latest.current.cards) return;
      // One's own change has already given its version.
      if (entry.actor?.user_id !== user.user_id) forgetVersion(cardId);
      const next = applyEntry(latest.current.cards, entry, current);
      if (next) change((all) => applyEntry(all, entry, current) ?? all);
      else
        void readCard(cardId).then(
          (card) => change((all) => putCard(all, card)),
          () => refresh(cardsKey(boardId)),
        );
    },
    [boardId, change, forgetVersion, user.user_id],
  );
}

interface ColumnsProps {
  board: Board;
  handle: BoardHandle;
  filter: string;
  onOpen(cardId: string): void;
  onAdd(column: Column): void;
}

function Columns({ board, handle, filter, onOpen, onAdd }: ColumnsProps) {
  const { cards, move, learnVersion } = handle;
  const words = useDeferredValue(filter.trim().toLowerCase());
  const byColumn = useMemo(() => groupCards(board, cards.data ?? [], words), [board, cards.data, words]);
  const known = useRef(cards.data);
  known.current = cards.data;
  const drop = useCallback(
    (cardId: string, column: Column) => {
      const card = known.current?.find(({ id }) => id === cardId);
      if (card) void move(card, column);
    },
    [move],
  );
  const startMove = useCallback((card: SummaryCard, column: Column) => void move(card, column), [move]);
  const grab = useCallback(
    (card: SummaryCard) => void learnVersion(card).catch(() => undefined),
    [learnVersion],
  );

  return (
    <Loaded of={cards} rows={6}>
      {() => (
        <div className="columns">
          {board.columns.map((column) => (
            <BoardColumn
              key={column.id}
              column={column}
              columns={board.columns}
              cards={byColumn.get(column.id) ?? []}
              onOpen={onOpen}
              onMove={startMove}
              onDrop={drop}
              onGrab={grab}
              onAdd={onAdd}
            />
          ))}
        </div>
      )}
    </Loaded>
  );
}

function groupCards(board: Board, cards: SummaryCard[], words: string): Map<string, SummaryCard[]> {
  const groups = new Map<string, SummaryCard[]>(board.columns.map(({ id }) => [id, []]));
  for (const card of cards) {
    const text = `${card.ref} ${card.title} ${card.assignee?.name ?? ''} ${card.branch ?? ''}`.toLowerCase();
    if (text.includes(words)) groups.get(card.column.id)?.push(card);
  }
  return groups;
}
