import { useCallback, useEffect, useRef } from 'react';
import { type ActivityEntry, readCard, type TileCard } from '../api/boards.js';
import { amendResource, isReading, refresh } from '../api/resource.js';
import { useSession } from '../shell/session.js';
import { applyEntry, cardsKey, putCard } from './card-state.js';
import type { BoardHandle } from './use-board.js';

/** A build reports each step as a change of its card, so refreshes are delayed and combined. */
const BUILDS_PAUSE_MS = 400;
/** If more cards than this changed during a board read, the whole board is reloaded. */
const READ_SINGLY = 20;

export function useLiveCards(boardId: string, { board, cards, change }: BoardHandle) {
  const { user } = useSession();
  const latest = useRef({ board: board.data, cards: cards.data });
  latest.current = { board: board.data, cards: cards.data };
  const waiting = useRef<ActivityEntry[]>([]);
  const touched = useRef(new Set<string>());
  const refreshBuilds = useDelayed(() => refresh('builds:open'), BUILDS_PAUSE_MS);

  const key = cardsKey(boardId);
  const look = useCallback(
    (cardId: string) =>
      readCard(cardId).then(
        (card) => change((all) => putCard(all, card)),
        // The card was deleted or is no longer visible to this user.
        () => refresh(key),
      ),
    [change, key],
  );

  const changeSoon = useGathered(change);
  const take = useCallback(
    (entry: ActivityEntry) => {
      const cardId = entry.task_id;
      const current = latest.current.board;
      if (!cardId || !current) return;
      refresh(`card:${cardId}`);
      refresh(`card-activity:${cardId}`);
      if (entry.action === 'task.commented') refresh(`comments:${cardId}`);
      // Deleting a comment also deletes its attachments.
      if (entry.changes['attachment'] || entry.action === 'task.commented') refresh(`attachments:${cardId}`);
      if (entry.changes['build']) refresh(`builds:card:${cardId}`);
      refreshBuilds();
      const isOwn = entry.actor?.user_id === user.user_id && entry.actor.agent_id === null;
      const known = latest.current.cards ?? [];
      const edit = (all: TileCard[]) => applyEntry(all, entry, current, isOwn) ?? all;
      if (isReading(key)) {
        // Apply the entry now and reload the card afterwards, because the running read may be older.
        touched.current.add(cardId);
        amendResource<TileCard[]>(key, (all) => all && edit(all));
      } else if (applyEntry(known, entry, current, isOwn)) changeSoon(edit);
      else void look(cardId);
    },
    [key, changeSoon, look, refreshBuilds, user.user_id],
  );

  const { refreshing } = cards;
  useEffect(() => {
    if (refreshing || touched.current.size === 0) return;
    const again = [...touched.current];
    touched.current.clear();
    if (again.length > READ_SINGLY) refresh(key);
    else for (const cardId of again) void look(cardId);
  }, [refreshing, key, look]);

  // Apply the entries that arrived during the first read, which may not include them.
  const isReady = board.data !== undefined && cards.data !== undefined;
  useEffect(() => {
    if (isReady) for (const entry of waiting.current.splice(0)) take(entry);
  }, [isReady, take]);

  return useCallback(
    (entry: ActivityEntry) => {
      if (entry.action.startsWith('board.')) {
        refresh(`board:${boardId}`);
        refresh(key);
      }
      if (latest.current.board && latest.current.cards) take(entry);
      else waiting.current.push(entry);
    },
    [boardId, key, take],
  );
}

type Edit = (cards: TileCard[]) => TileCard[];

/** A batch change sends one entry per card, so entries of the same moment are rendered together. */
function useGathered(change: (edit: Edit) => void): (edit: Edit) => void {
  const edits = useRef<Edit[]>([]);
  return useCallback(
    (edit) => {
      edits.current.push(edit);
      if (edits.current.length > 1) return;
      setTimeout(() => {
        const all = edits.current.splice(0);
        change((cards) => all.reduce((shown, each) => each(shown), cards));
      });
    },
    [change],
  );
}

function useDelayed(perform: () => void, pauseMs: number): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(perform);
  latest.current = perform;
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(), pauseMs);
  }, [pauseMs]);
}
