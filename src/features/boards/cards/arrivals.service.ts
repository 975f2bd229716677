import type { MemberCaller } from '../../../kernel/access.js';
import { type ActorIds, nameActor } from '../../../kernel/actors.js';
import { newId } from '../../../kernel/ids.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { feedStore } from '../activity/feed.store.js';
import { entryTime, nextEntry, tellOfEntries } from '../activity/happenings.js';
import { openBoard } from '../board/board-access.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import { boardStore } from '../board/boards.store.js';
import { type Column, placeCard, type Status } from '../board/columns.js';
import { guestLevelTooLow } from '../boards.errors.js';
import { arrivalStore, type KnownPerson, type Row } from './arrivals.store.js';
import { shortenChanges } from './card-changes.js';
import type { FullCard } from './cards.schemas.js';
import { bodiesBytes } from './export-markdown.js';
import { describeCreation, filledCardRow } from './new-card.js';

export type ArrivingValues = Partial<
  Pick<
    FullCard,
    | 'title'
    | 'instructions'
    | 'labels'
    | 'priority'
    | 'assignee'
    | 'reporter'
    | 'watchers'
    | 'parent_id'
    | 'blocked_by'
    | 'due_at'
    | 'estimate_points'
    | 'checklist_done'
    | 'checklist_total'
    | 'source'
    | 'external_url'
    | 'archived'
  >
>;

/** A card that comes from elsewhere, with what was said of it there. */
export interface ArrivingCard {
  cardId: string;
  values: ArrivingValues;
  /** A column by its name, or a status; left out, the first column. */
  place?: { column: string } | { status: Status };
  createdAt?: string;
  completedAt?: string;
  comments: { author: ActorIds; at: string; body: string }[];
  /** Words of people who do not belong to the workspace: nobody learns from them. */
  byGuest: boolean;
}

/** Many cards that come at once. */
export function createArrivalsService(options: BoardServiceOptions) {
  const { db, clock } = options;

  function placeOf(columns: Column[], place: ArrivingCard['place']) {
    const first = columns[0]!;
    const current = { column: first, status: first.status };
    if (!place) return current;
    // Most boards have no column for what was canceled: it stands with what is done, not with what is to be done.
    if ('status' in place && place.status === 'canceled')
      return placeCard(columns, { ...current, column: lastOf(columns) }, place);
    if ('status' in place) return placeCard(columns, current, place);
    const column = columns.find(({ name }) => name === place.column) ?? first;
    return { column, status: column.status };
  }

  const lastOf = (columns: Column[]): Column =>
    columns.find(({ status }) => status === 'done') ?? columns.at(-1)!;

  return {
    /** The board with its columns, for somebody of the workspace. */
    async openForArrivals(caller: MemberCaller, boardId: string, within: Db | Tx = db): Promise<Column[]> {
      await openBoard(within, caller, boardId);
      if (caller.role === 'guest') throw guestLevelTooLow('import cards');
      return boardStore(within, caller.brandId).listColumns(boardId);
    },

    listColumns: (within: Db | Tx, brandId: number, boardId: string): Promise<Column[]> =>
      boardStore(within, brandId).listColumns(boardId),

    findPeopleByMail: (
      within: Db | Tx,
      brandId: number,
      boardId: string,
      emails: string[],
    ): Promise<KnownPerson[]> => arrivalStore(within, brandId).findPeople(emails, boardId),

    findMember: (within: Db | Tx, brandId: number, userId: number, agentId: string | null) =>
      arrivalStore(within, brandId).findMember(userId, agentId),

    findCardsByAddress: (within: Db | Tx, brandId: number, boardId: string, urls: string[]) =>
      arrivalStore(within, brandId).findByAddress(boardId, urls),

    /** Against other writers, before anything is looked up that they could change; false when there is no such board. */
    holdBoard: async (tx: Tx, brandId: number, boardId: string, userId: number): Promise<boolean> =>
      (await boardStore(tx, brandId).lockBoard(boardId, userId)) !== undefined,

    holdCards: (tx: Tx, brandId: number, boardId: string, cardIds: string[]) =>
      arrivalStore(tx, brandId).holdCards(boardId, cardIds),

    /**
     * Makes the cards in one go, in their order. The feed and those outside are told of each, live pages once; nobody's inbox
     * is: what is brought along is no news. False when there is no such board any more.
     */
    async addArrivals(
      tx: Tx,
      brandId: number,
      by: ActorIds & { person: string; agent: string | null },
      boardId: string,
      arriving: readonly ArrivingCard[],
    ): Promise<boolean> {
      const board = await boardStore(tx, brandId).lockBoard(boardId, by.userId);
      if (!board) return false;
      const store = arrivalStore(tx, brandId);
      const columns = await boardStore(tx, brandId).listColumns(boardId);
      const at = entryTime(board, clock);
      const actor = { user_id: by.userId, name: nameActor(by.person, by.agent), agent_id: by.agentId };
      const rows: Row[] = [];
      const bodies: Row[] = [];
      const comments: Row[] = [];
      const blockers: Row[] = [];
      const entries = arriving.map(({ cardId, values, ...card }) => {
        board.last_number += 1;
        const number = board.last_number;
        const place = placeOf(columns, card.place);
        const made = {
          cardId,
          boardId,
          brandId,
          number,
          reporterId: by.userId,
          place,
          at,
          byGuest: card.byGuest,
        };
        rows.push({
          ...filledCardRow(made, values),
          ...(card.createdAt && { created_at: card.createdAt }),
          ...(place.status === 'done' && card.completedAt && { completed_at: card.completedAt }),
          comment_count: card.comments.length,
        });
        const { instructions, blocked_by = [] } = values;
        for (const blockerId of blocked_by) blockers.push({ card_id: cardId, blocker_id: blockerId });
        if (instructions) {
          const text = { instructions, result: null };
          bodies.push({ card_id: cardId, ...text, export_bytes: bodiesBytes(text) });
        }
        for (const { author, at: saidAt, body } of card.comments)
          comments.push({
            comment_id: newId(),
            card_id: cardId,
            author_user_id: author.userId,
            author_agent_id: author.agentId,
            body,
            created_at: saidAt,
            by_guest: card.byGuest,
          });
        return nextEntry(actor, board, at, {
          action: 'task.created',
          changes: shortenChanges(describeCreation(values, place)),
          task: { id: cardId, ref: `${board.key}-${number}`, version: 1 },
        });
      });
      if (entries.length === 0) return true;
      await store.insertCards(rows, { bodies, comments, blockers });
      const recorded = await feedStore(tx, brandId).record(entries, board.last_number);
      await tellOfEntries(options, tx, { brandId, actor }, entries, recorded);
      return true;
    },
  };
}
