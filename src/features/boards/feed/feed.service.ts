import type { MemberCaller } from '../../../kernel/access.js';
import { ApiError } from '../../../kernel/errors.js';
import { createFollowers } from '../../../platform/events/live-followers.js';
import type { ServerSentEvent } from '../../../platform/http/answer/event-stream.js';
import { feedStore, toEntry, writeEntry } from '../activity/feed.store.js';
import {
  emptyStretchAt,
  extendTo,
  feedCursors,
  planNextPage,
  type Stretch,
} from '../activity/feed-cursor.js';
import { ACTIVITY_CHANNEL } from '../activity/happenings.js';
import { rememberEntries } from '../activity/known-entries.js';
import { openBoard } from '../board/board-access.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import { cardNotFound } from '../boards.errors.js';
import type { PageWish } from '../boards.schemas.js';
import { cardStore } from '../cards/cards.store.js';
import { findLastEntry } from '../cards/deletion.js';

const STREAM_BATCH = 100;

export function createFeedService({ db, notifications, cursorSecret, holdsStill }: BoardServiceOptions) {
  const live = createFollowers<string>(notifications, ACTIVITY_CHANNEL, (boardId) => [boardId]);
  const entriesOfCards = rememberEntries();

  /** Entries after the stretch, oldest first, each with the cursor that a reader holds once it has it. */
  async function* readOn(
    caller: MemberCaller,
    boardId: string,
    seen: Stretch,
    last: number,
  ): AsyncGenerator<[Stretch, ServerSentEvent]> {
    const cursors = feedCursors(cursorSecret, boardId);
    for (let from = seen.newest; from < last; from += STREAM_BATCH) {
      const run = { oldest: from + 1, newest: Math.min(from + STREAM_BATCH, last) };
      const rows = await feedStore(db, caller.brandId).listEntries(boardId, [run]);
      for (const row of rows.reverse()) {
        const reached = extendTo(seen, row.sequence);
        yield [reached, { id: cursors.encode(reached), event: row.action, data: toEntry(row) }];
      }
    }
  }

  async function* follow(
    caller: MemberCaller,
    boardId: string,
    start: Stretch,
    signal: AbortSignal,
  ): AsyncGenerator<ServerSentEvent> {
    const follower = live.follow(boardId, signal);
    let seen = start;
    try {
      // A stream that breaks before its first entry goes on from where it began.
      yield { id: feedCursors(cursorSecret, boardId).encode(start) };
      do {
        // A stream outlives the request's own check, so it asks again before it tells more.
        if (!(await holdsStill(caller))) return;
        const board = await openBoard(db, caller, boardId);
        for await (const [reached, event] of readOn(caller, boardId, seen, board.last_sequence)) {
          yield event;
          seen = reached;
        }
      } while ((await follower.next()) !== 'end');
    } catch (error) {
      // The board is no longer open to the reader: the stream ends as if it had never been, or with the end of the board.
      if (!(error instanceof ApiError)) throw error;
      const last = await findLastEntry(db, caller.brandId, boardId);
      const id = feedCursors(cursorSecret, boardId).encode(extendTo(seen, seen.newest + 1));
      if (last) yield { id, event: last.action, data: last };
    } finally {
      follower.close();
    }
  }

  return {
    /** Entries as JSON, as those of a card. */
    async listActivity(
      caller: MemberCaller,
      boardId: string,
      { limit, since }: { limit: number; since?: string },
    ) {
      const cursors = feedCursors(cursorSecret, boardId);
      const before = since === undefined ? undefined : cursors.decode(since);
      const board = await openBoard(db, caller, boardId);
      const { runs, seen } = planNextPage(before, board.last_sequence, limit);
      const rows = runs.length === 0 ? [] : await feedStore(db, caller.brandId).listEntries(boardId, runs);
      return { items: rows.map(writeEntry), next_cursor: cursors.encode(seen) };
    },

    async listCardActivity(caller: MemberCaller, cardId: string, { page, per_page }: PageWish) {
      const boardId = await cardStore(db, caller.brandId).findBoardOfCard(cardId);
      if (!boardId) throw cardNotFound();
      const board = await openBoard(db, caller, boardId);
      const { rows, known } = await feedStore(db, caller.brandId).listEntriesOfCard(
        { boardId, cardId, known: entriesOfCards.of(cardId, board.last_sequence) },
        per_page,
        (page - 1) * per_page,
      );
      entriesOfCards.note(cardId, known);
      return { items: rows.map(writeEntry), total: known.total };
    },

    /** Checks the request at once; the events come as they happen. Without a cursor the stream begins now. */
    async followActivity(
      caller: MemberCaller,
      boardId: string,
      since: string | undefined,
      signal: AbortSignal,
    ) {
      const before = since === undefined ? undefined : feedCursors(cursorSecret, boardId).decode(since);
      const board = await openBoard(db, caller, boardId);
      return follow(caller, boardId, before ?? emptyStretchAt(board.last_sequence), signal);
    },
  };
}
