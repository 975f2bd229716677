import type { MemberCaller } from '../../../kernel/access.js';
import { ApiError } from '../../../kernel/errors.js';
import { createFollowers } from '../../../platform/events/live-followers.js';
import type { ServerSentEvent } from '../../../platform/http/answer/answers.js';
import { ACTIVITY_CHANNEL } from '../activity/activity.js';
import { feedStore, toEntry, writeEntry } from '../activity/feed.store.js';
import {
  createEntryCounts,
  type EntryRange,
  extendRange,
  feedCursors,
  planNextPage,
  startAt,
} from '../activity/feed-cursor.js';
import { type BoardServiceOptions, openBoard } from '../board/board-access.js';
import { cardNotFound } from '../boards.errors.js';
import type { PageQuery } from '../boards.schemas.js';
import { findLastEntry } from '../cards/board-records.service.js';
import { cardStore } from '../cards/cards.store.js';

const STREAM_BATCH = 100;

export function createFeedService({ db, notifications, cursorSecret, isStillValid }: BoardServiceOptions) {
  const live = createFollowers<string>(notifications, ACTIVITY_CHANNEL, (boardId) => [boardId]);
  const entryCounts = createEntryCounts();

  /** New entries, oldest first, each with the cursor that follows it. */
  async function* readOn(
    caller: MemberCaller,
    boardId: string,
    seen: EntryRange,
    last: number,
  ): AsyncGenerator<[EntryRange, ServerSentEvent]> {
    const cursors = feedCursors(cursorSecret, boardId);
    for (let from = seen.newest; from < last; from += STREAM_BATCH) {
      const run = { oldest: from + 1, newest: Math.min(from + STREAM_BATCH, last) };
      const rows = await feedStore(db, caller.brandId).listEntries(boardId, [run]);
      for (const row of rows.reverse()) {
        const reached = extendRange(seen, row.sequence);
        yield [reached, { id: cursors.encode(reached), event: row.action, data: toEntry(row) }];
      }
    }
  }

  async function* follow(
    caller: MemberCaller,
    boardId: string,
    start: EntryRange,
    signal: AbortSignal,
  ): AsyncGenerator<ServerSentEvent> {
    const follower = live.follow(boardId, signal);
    let seen = start;
    try {
      // Lets a client that loses the stream before the first entry resume here.
      yield { id: feedCursors(cursorSecret, boardId).encode(start) };
      do {
        // The stream outlives the request's authentication, so the credential is checked again.
        if (!(await isStillValid(caller))) return;
        const board = await openBoard(db, caller, boardId);
        for await (const [reached, event] of readOn(caller, boardId, seen, board.last_sequence)) {
          yield event;
          seen = reached;
        }
      } while ((await follower.next()) !== 'end');
    } catch (error) {
      // The reader lost access, or the board was deleted and has a final entry.
      if (!(error instanceof ApiError)) throw error;
      const last = await findLastEntry(db, caller.brandId, boardId);
      const id = feedCursors(cursorSecret, boardId).encode(extendRange(seen, seen.newest + 1));
      if (last) yield { id, event: last.action, data: last };
    } finally {
      follower.close();
    }
  }

  return {
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

    async listCardActivity(caller: MemberCaller, cardId: string, { page, per_page }: PageQuery) {
      const boardId = await cardStore(db, caller.brandId).findBoardOfCard(cardId);
      if (!boardId) throw cardNotFound();
      const board = await openBoard(db, caller, boardId);
      const { rows, known } = await feedStore(db, caller.brandId).listEntriesOfCard(
        { boardId, cardId, known: entryCounts.of(cardId, board.last_sequence) },
        per_page,
        (page - 1) * per_page,
      );
      entryCounts.note(cardId, known);
      return { items: rows.map(writeEntry), total: known.total };
    },

    /** Checks access before the stream starts. Without a cursor, the stream starts at the present. */
    async followActivity(
      caller: MemberCaller,
      boardId: string,
      since: string | undefined,
      signal: AbortSignal,
    ) {
      const before = since === undefined ? undefined : feedCursors(cursorSecret, boardId).decode(since);
      const board = await openBoard(db, caller, boardId);
      return follow(caller, boardId, before ?? startAt(board.last_sequence), signal);
    },
  };
}
