import { useCallback, useEffect, useRef } from 'react';
import {
  type Board,
  type CardPatch,
  type Column,
  changeCard,
  type FullCard,
  listCards,
  type Receipt,
  readBoard,
  readCard,
  type TileCard,
} from '../api/boards.js';
import { GuildhallError } from '../api/client.js';
import { peekResource, putResource, queryClient, refresh, useResource } from '../api/resource.js';
import { type Toast, useToast } from '../ui/toast.js';
import { groupCards, type Neighbour, placeCard } from './card-order.js';
import { cardsKey, putCard, replaceCard, undoOf } from './card-state.js';
import type { LaneChange } from './lanes.js';

type Body = CardPatch & Neighbour;
type Seen = Partial<FullCard> | Partial<TileCard>;
type Known = Pick<TileCard, 'id' | 'ref'>;

interface Change {
  card: Known;
  body: Body;
  /** Optimistic state of the card, shown before the service confirms it. */
  shown: Partial<FullCard>;
  done: string;
  offer?: Toast['offer'];
}

/** The feed reports every change, so cached cards stay valid while the page listens. */
const FRESH_MS = 5 * 60_000;

/** A board with its cards and their changes. Every write sends the card version it is based on. */
export function useBoard(boardId: string) {
  const board = useResource<Board>(`board:${boardId}`, (signal) => readBoard(boardId, signal));
  const cards = useCards(boardId);
  const key = cardsKey(boardId);
  const toast = useToast();
  const queues = useRef(new Map<string, Promise<unknown>>());
  const latestBoard = useRef(board.data);
  latestBoard.current = board.data;

  const change = useCallback(
    (edit: (cards: TileCard[]) => TileCard[]) =>
      putResource<TileCard[]>(key, (known) => (known ? edit(known) : known)),
    [key],
  );
  const find = useCallback(
    (cardId: string) => peekResource<TileCard[]>(key)?.find(({ id }) => id === cardId),
    [key],
  );

  const show = useCallback(
    (card: FullCard) => {
      change((all) => putCard(all, card));
      putResource<FullCard>(`card:${card.id}`, () => card);
    },
    [change],
  );

  const alter = useCallback(
    (cardId: string, fields: Partial<FullCard>) => {
      change((all) => all.map((each) => (each.id === cardId ? pickKnown(each, fields) : each)));
      putResource<FullCard>(`card:${cardId}`, (full) => (full ? { ...full, ...fields } : full));
    },
    [change],
  );

  /**
   * Sends one change at a time per card, so that each uses the version of the previous response. On a version
   * conflict it retries once, provided that the other user changed different fields.
   */
  const send = useCallback(
    (cardId: string, body: Body, seen: Seen) => {
      const before = queues.current.get(cardId) ?? Promise.resolve();
      const sent = before.then(async () => {
        try {
          return await changeCard(cardId, body, versionOf(find(cardId), cardId));
        } catch (error) {
          if (!(error instanceof GuildhallError) || error.status !== 412) throw error;
          const fresh = await readCard(cardId);
          if (!isAsSeen(body, seen, fresh)) {
            show(fresh);
            throw error;
          }
          return await changeCard(cardId, body, fresh.version);
        }
      });
      queues.current.set(
        cardId,
        sent.catch(() => undefined),
      );
      return sent;
    },
    [find, show],
  );

  const undo = useCallback(
    async ({ id, ref }: Known, receipt: Receipt) => {
      try {
        await send(id, undoOf(receipt), afterOf(receipt));
        show(await readCard(id));
        toast({ text: `${ref} was not changed` });
      } catch (error) {
        toast({ text: `Not undone: ${describe(error)}`, tone: 'error' });
      }
    },
    [send, show, toast],
  );

  /** Returns whether the change succeeded; on failure it reverts the card and shows an error. */
  const apply = useCallback(
    async ({ card, body, shown, done, offer }: Change): Promise<boolean> => {
      const seen: Seen = peekResource<FullCard>(`card:${card.id}`) ?? find(card.id) ?? {};
      const before = Object.fromEntries(
        Object.keys(shown).map((field) => [field, seen[field as keyof Seen]]),
      ) as Partial<FullCard>;
      alter(card.id, shown);
      try {
        const { receipt, version } = await send(card.id, body, seen);
        alter(card.id, { version, ...placeIn(receipt) });
        if (Object.keys(receipt.changed).length > 0) {
          const perform = () => void undo(card, receipt);
          toast({ text: done, action: { label: 'Undo', perform }, ...(offer && { offer }) });
        }
        return true;
      } catch (error) {
        const tile = find(card.id);
        // Revert only if the card still shows this change, to keep changes by other people.
        if (tile && stillShows(tile, shown)) alter(card.id, before);
        toast({ text: `${card.ref} was not changed: ${describe(error)}`, tone: 'error' });
        return false;
      }
    },
    [alter, find, send, toast, undo],
  );

  const move = useCallback(
    async (
      card: TileCard,
      column: Column,
      neighbour: Neighbour = {},
      lane?: LaneChange,
    ): Promise<boolean> => {
      const isElsewhere = card.column.id !== column.id;
      if (!isElsewhere && !neighbour.before && !neighbour.after && !lane) return false;
      const all = peekResource<TileCard[]>(key) ?? [];
      const placed = placeCard(all, card, column, neighbour);
      const rank = rankOf(latestBoard.current, replaceCard(all, placed), placed);
      return apply({
        card,
        body: { ...(isElsewhere && { column_id: column.id }), ...neighbour, ...lane?.body },
        shown: {
          column: placed.column,
          status: placed.status,
          position: placed.position,
          completed_at: placed.completed_at,
          ...lane?.shown,
        },
        done: lane
          ? `${card.ref}: ${lane.words}${isElsewhere ? `, moved to ${column.name}` : ''}`
          : isElsewhere
            ? `${card.ref} moved to ${column.name}`
            : `${card.ref} is ${rank} in ${column.name}`,
      });
    },
    [apply, key],
  );

  return { board, cards, change, show, send, apply, undo, move, find };
}

export type BoardHandle = ReturnType<typeof useBoard>;

function useCards(boardId: string) {
  const key = cardsKey(boardId);
  // Refresh on mount: the page received no feed entries while it was closed.
  useEffect(() => {
    if (peekResource(key)) refresh(key);
  }, [key]);
  return useResource<TileCard[]>(
    key,
    (signal) =>
      listCards(boardId, signal, (first) => {
        if (!queryClient.getQueryData([key])) queryClient.setQueryData([key], first);
      }),
    { freshMs: FRESH_MS },
  );
}

export const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const versionOf = (tile: TileCard | undefined, cardId: string): number =>
  Math.max(tile?.version ?? 1, peekResource<FullCard>(`card:${cardId}`)?.version ?? 1);

function pickKnown(tile: TileCard, fields: Partial<FullCard>): TileCard {
  const known = Object.entries(fields).filter(([field]) => field in tile);
  return { ...tile, ...Object.fromEntries(known) };
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Whether the changed fields still have the values that the user saw. */
function isAsSeen(body: Body, seen: Seen, fresh: FullCard): boolean {
  return Object.keys(body).every((name) => {
    const field = (name === 'column_id' ? 'column' : name) as keyof FullCard;
    if (!(field in seen)) return true;
    const [before, now] = [seen[field as keyof Seen], fresh[field]];
    return field === 'column' ? nameOf(before) === nameOf(now) : isSame(before, now);
  });
}

const nameOf = (column: unknown): unknown => (column as { name?: string } | undefined)?.name ?? column;

const stillShows = (tile: TileCard, shown: Partial<FullCard>): boolean =>
  Object.entries(shown).every(
    ([field, value]) => !(field in tile) || isSame(tile[field as keyof TileCard], value),
  );

const afterOf = ({ changed }: Receipt): Seen =>
  Object.fromEntries(Object.entries(changed).map(([field, { to }]) => [field, to]));

const placeIn = ({ changed }: Receipt): Partial<FullCard> =>
  changed['position'] ? { position: changed['position'].to as number } : {};

function rankOf(board: Board | undefined, cards: TileCard[], card: TileCard): string {
  if (!board) return '';
  const column = groupCards(board, cards, () => true).get(card.column.id) ?? [];
  return `${column.findIndex(({ id }) => id === card.id) + 1} of ${column.length}`;
}
