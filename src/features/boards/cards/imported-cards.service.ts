import type { MemberCaller } from '../../../kernel/access.js';
import { type ActorIds, nameActor } from '../../../kernel/actors.js';
import { newId } from '../../../kernel/ids.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { entryTime, nextEntry, publishEntries, type Writer } from '../activity/activity.js';
import { feedStore } from '../activity/feed.store.js';
import { type BoardServiceOptions, openBoard } from '../board/board-access.js';
import { boardStore, type LockedBoard } from '../board/boards.store.js';
import { type Column, placeCard, type Status } from '../board/columns.js';
import { guestLevelTooLow } from '../boards.errors.js';
import { insertNewBoard, newBoardRow } from './board-records.service.js';
import { describeCreation, filledCardRow, shortenChanges } from './card-changes.js';
import { readValues } from './card-input.js';
import type { CardInput, FullCard } from './cards.schemas.js';
import { referenceStore } from './cards.store.js';
import { bodiesBytes } from './export-markdown.js';
import { arrivalStore, type KnownPerson, type Row } from './imported-cards.store.js';

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

export interface ArrivingCard {
  cardId: string;
  values: ArrivingValues;
  /** The first column by default. */
  place?: { column: string } | { status: Status };
  createdAt?: string;
  completedAt?: string;
  comments: { author: ActorIds; at: string; body: string }[];
  /** Written by people outside the workspace, so agents do not learn from it. */
  byGuest: boolean;
}

function placeOf(columns: Column[], place: ArrivingCard['place']) {
  const first = columns[0]!;
  const current = { column: first, status: first.status };
  if (!place) return current;
  // Most boards have no column for canceled cards, so they go to the done column.
  if ('status' in place && place.status === 'canceled')
    return placeCard(columns, { ...current, column: lastOf(columns) }, place);
  if ('status' in place) return placeCard(columns, current, place);
  const column = columns.find(({ name }) => name === place.column) ?? first;
  return { column, status: column.status };
}

const lastOf = (columns: Column[]): Column =>
  columns.find(({ status }) => status === 'done') ?? columns.at(-1)!;

async function insertCards(
  options: BoardServiceOptions,
  tx: Tx,
  writer: Writer,
  board: LockedBoard,
  reporterId: number | null,
  cards: readonly ArrivingCard[],
): Promise<void> {
  const { brandId } = writer;
  const store = arrivalStore(tx, brandId);
  const columns = await boardStore(tx, brandId).listColumns(board.board_id);
  const at = entryTime(board, options.clock);
  const rows: Row[] = [];
  const bodies: Row[] = [];
  const comments: Row[] = [];
  const blockers: Row[] = [];
  const entries = cards.map(({ cardId, values, ...card }) => {
    board.last_number += 1;
    const number = board.last_number;
    const place = placeOf(columns, card.place);
    const { byGuest } = card;
    const boardId = board.board_id;
    rows.push({
      ...filledCardRow({ cardId, boardId, brandId, number, reporterId, place, at, byGuest }, values),
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
        by_guest: byGuest,
      });
    return nextEntry(writer.actor, board, at, {
      action: 'task.created',
      changes: shortenChanges(describeCreation(values, place)),
      task: { id: cardId, ref: `${board.key}-${number}`, version: 1 },
    });
  });
  if (entries.length === 0) return;
  await store.insertCards(rows, { bodies, comments, blockers });
  const recorded = await feedStore(tx, brandId).record(entries, board.last_number);
  await publishEntries(options, tx, writer, entries, recorded);
}

export function createArrivalsService(options: BoardServiceOptions) {
  const { db } = options;

  return {
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

    /** Locks the board. False when it is gone. */
    holdBoard: async (tx: Tx, brandId: number, boardId: string, userId: number): Promise<boolean> =>
      (await boardStore(tx, brandId).lockBoard(boardId, userId)) !== undefined,

    holdCards: (tx: Tx, brandId: number, boardId: string, cardIds: string[]) =>
      arrivalStore(tx, brandId).holdCards(boardId, cardIds),

    /**
     * Creates the cards in their order, with activity entries and webhook messages but without inbox
     * notifications. False when the board is gone.
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
      const actor = { user_id: by.userId, name: nameActor(by.person, by.agent), agent_id: by.agentId };
      await insertCards(options, tx, { brandId, actor }, board, by.userId, arriving);
      return true;
    },
  };
}

export interface Arrival {
  boardId: string;
  /** The reporter of the card, if they are still a member. */
  reporterId: number | null;
  input: Pick<CardInput, 'title' | 'instructions' | 'labels' | 'project_id' | 'source' | 'external_url'>;
}

/** Creates cards for issues of repository hosts. */
export function createArrivalService(options: BoardServiceOptions) {
  const { db, clock } = options;

  return {
    isOwnBoard: async (brandId: number, boardId: string, within: Db | Tx = db): Promise<boolean> =>
      (await boardStore(within, brandId).findOpened(boardId, NOBODY))?.own === true,

    /** Finds the oldest board of this name, or creates one. */
    async findOrMakeBoard(tx: Tx, brandId: number, name: string): Promise<string> {
      const store = boardStore(tx, brandId);
      const board = await newBoardRow(store, { name: name.slice(0, LONGEST_NAME).trim() }, clock.now());
      // The lock of `listTakenKeys` prevents a second board of this name.
      const present = (await store.listNames(null)).find((each) => each.name === board.name);
      if (present) return present.board_id;
      await insertNewBoard(options, tx, { brandId, actor: null }, board);
      return board.board_id;
    },

    /** Counts as written by a guest, so agents do not learn from it. Undefined when the board is gone. */
    async addArrival(
      tx: Tx,
      brandId: number,
      { boardId, reporterId, input }: Arrival,
    ): Promise<{ id: string; ref: string } | undefined> {
      const board = await boardStore(tx, brandId).lockBoard(boardId, NOBODY);
      if (!board) return undefined;
      const columns = await boardStore(tx, brandId).listColumns(boardId);
      const reporters = await referenceStore(tx, brandId).findPeople(
        reporterId === null ? [] : [reporterId],
        boardId,
      );
      const [reporter = null] = reporters.keys();
      const id = newId();
      const number = board.last_number + 1;
      const card: ArrivingCard = {
        cardId: id,
        values: readValues(input, reporters, { number }) as ArrivingValues,
        ...(columns.some(({ status }) => status === 'pending') && { place: { status: 'pending' } }),
        comments: [],
        byGuest: true,
      };
      await insertCards(options, tx, { brandId, actor: null }, board, reporter, [card]);
      return { id, ref: `${board.key}-${number}` };
    },
  };
}

const LONGEST_NAME = 200;
/** Used for callers without a level on the board. No user has this id. */
const NOBODY = 0;
