import { isDeepStrictEqual } from 'node:util';
import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf } from '../../../kernel/actors.js';
import { ApiError } from '../../../kernel/errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { entryTime, publishEntries, writerOf } from '../activity/activity.js';
import { feedStore } from '../activity/feed.store.js';
import { notifyOfChanges } from '../activity/notices.js';
import { type BoardServiceOptions, lockBoardOfCard } from '../board/board-access.js';
import { boardStore } from '../board/boards.store.js';
import type { Column } from '../board/columns.js';
import { cardNotFound, cardTwice, notForMany, versionMismatch } from '../boards.errors.js';
import { shortenChanges } from './card-changes.js';
import { checkCardInput, isSimple, isWithinRow, resolveReferences } from './card-input.js';
import {
  type CardWrite,
  type PlannedPatch,
  planPatch,
  receiptOf,
  requireEditor,
  writeCards,
} from './card-writing.js';
import type { CardChange, CardOutcome, CardPatch, FullCard, Receipt, StandardCard } from './cards.schemas.js';
import { getCard } from './cards.service.js';
import { cardStore } from './cards.store.js';

/** Weak tags never match. */
export function matchesVersion(ifMatch: string | undefined, version: number): boolean {
  if (ifMatch === undefined) return true;
  return ifMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim() === versionTag(version));
}

export const versionTag = (version: number): string => `"${version}"`;

/** The lowest named version. */
export function expectedVersion(ifMatch: string): number | undefined {
  const versions = [...ifMatch.matchAll(/"(\d{1,9})"/g)].map((match) => Number(match[1]));
  return versions.length > 0 ? Math.min(...versions) : undefined;
}

export interface PatchRequest {
  ifMatch: string | undefined;
  /** Return only the receipt, without reading the card again. */
  receiptOnly: boolean;
}

export interface ChangedCard {
  receipt: Receipt;
  version: number;
  card: FullCard | undefined;
}

export function createPatchService(options: BoardServiceOptions) {
  const { db, clock } = options;

  const versionCheck =
    (
      reader: Db | Tx,
      { brandId }: MemberCaller,
      { id, version }: StandardCard,
      ifMatch: string | undefined,
    ) =>
    async (): Promise<void> => {
      if (ifMatch === undefined || matchesVersion(ifMatch, version)) return;
      const expected = expectedVersion(ifMatch);
      const fields =
        expected === undefined ? [] : await feedStore(reader, brandId).listFieldsChangedSince(id, expected);
      throw versionMismatch(version, fields);
    };

  /**
   * Prepares the change without a lock and applies it only if card and columns are unchanged, else returns
   * undefined. Writers of one board then wait for a single statement.
   */
  async function changeQuickly(
    caller: MemberCaller,
    cardId: string,
    input: CardPatch,
    request: PatchRequest,
  ): Promise<ChangedCard | undefined> {
    const draft = await cardStore(db, caller.brandId).findDraft(cardId, caller.userId);
    if (!draft) throw cardNotFound();
    requireEditor(caller, draft, input);
    const { card, layout } = draft;
    const at = entryTime(draft, clock);
    const requireVersion = versionCheck(db, caller, card, request.ifMatch);
    const planned = await planPatch(caller, draft, { input, people: NOBODY, at, requireVersion });
    const { plan } = planned;
    if (!plan) return describeOutcome(db, caller, request, card, planned);

    return inTransaction(db, async (tx) => {
      const { action, changed } = plan;
      const entry = {
        boardId: card.board_id,
        action,
        taskId: cardId,
        ref: card.ref,
        changes: shortenChanges(changed),
      };
      const recorded = await cardStore(tx, caller.brandId).tryChange({
        ...entry,
        layout,
        version: card.version,
        at,
        actor: actorIdsOf(caller),
        row: plan.row,
      });
      if (!recorded) return undefined;
      await publishEntries(options, tx, writerOf(caller), [entry], [recorded]);
      const place = { boardId: card.board_id, taskId: cardId, at: recorded.at };
      await notifyOfChanges(options, tx, caller, [{ place, changed }]);
      return describeOutcome(tx, caller, request, card, planned);
    });
  }

  /** Locks the board from the read to the commit. */
  async function changeCarefully(
    tx: Tx,
    caller: MemberCaller,
    cardId: string,
    input: CardPatch,
    request: PatchRequest,
  ): Promise<ChangedCard> {
    const board = await lockBoardOfCard(tx, caller, cardId);
    requireEditor(caller, board, input);
    const found = await getCard(tx, caller, cardId);
    const { card } = found;
    const columns = await boardStore(tx, caller.brandId).listColumns(board.board_id);
    const people = await resolveReferences(tx, caller, board.board_id, input, cardId);
    const at = entryTime(board, clock);
    const requireVersion = versionCheck(tx, caller, card, request.ifMatch);
    const planned = await planPatch(
      caller,
      { ...found, columns },
      { input, people, at, requireVersion, orderIn: tx },
    );
    const { plan } = planned;
    if (plan) {
      const news = await writeCards(options, tx, writerOf(caller), [{ board, card, at, plan }]);
      await notifyOfChanges(options, tx, caller, news);
    }
    return describeOutcome(tx, caller, request, card, planned);
  }

  return {
    async changeCard(
      caller: MemberCaller,
      cardId: string,
      input: CardPatch,
      request: PatchRequest,
    ): Promise<ChangedCard> {
      checkCardInput(input, options);
      const quick = isSimple(input) ? await changeQuickly(caller, cardId, input, request) : undefined;
      return quick ?? inTransaction(db, (tx) => changeCarefully(tx, caller, cardId, input, request));
    },
  };
}

const NOBODY: ReadonlyMap<number, string> = new Map();

async function describeOutcome(
  reader: Db | Tx,
  caller: MemberCaller,
  { receiptOnly }: PatchRequest,
  { id, version }: StandardCard,
  planned: PlannedPatch,
): Promise<ChangedCard> {
  const card = receiptOnly ? undefined : (await getCard(reader, caller, id)).card;
  return {
    card,
    version: card?.version ?? (planned.plan ? version + 1 : version),
    receipt: receiptOf(id, planned),
  };
}

type People = ReadonlyMap<number, string>;

const PLACE_NAMES = ['column', 'column_id', 'column_name', 'status'] as const;

export function createBatchService(options: BoardServiceOptions) {
  const { db, clock } = options;

  async function planAll(tx: Tx, caller: MemberCaller, changes: CardChange[]) {
    const ids = changes.map(({ task_id }) => task_id);
    const store = boardStore(tx, caller.brandId);
    const locked = await store.lockBoardsOfCards(ids, caller.userId);
    const boards = new Map(locked.map((board) => [board.board_id, board]));
    const columnsOf = new Map<string, Column[]>();
    // Read after the lock, because another writer may have changed the columns while this one waited.
    for (const { board_id } of locked) columnsOf.set(board_id, await store.listColumns(board_id));
    const found = await cardStore(tx, caller.brandId).listCardsOnBoards(ids);
    const cards = new Map(found.map((each) => [each.card.id, each]));
    const findPeople = peopleFinder(tx, caller);
    const writes: CardWrite[] = [];

    async function planOne(request: CardChange): Promise<CardOutcome> {
      const known = cards.get(request.task_id.toLowerCase());
      if (!known) throw cardNotFound();
      const { card } = known;
      const board = boards.get(card.board_id)!;
      requireEditor(caller, board, request.set);
      const { input, kept } = withoutChangedSince(request, card);
      const people = await findPeople(board.board_id, input);
      const at = entryTime(board, clock);
      const planned = await planPatch(
        caller,
        { ...known, columns: columnsOf.get(card.board_id)! },
        { input, people, at },
      );
      const { plan } = planned;
      if (plan) writes.push({ board, card, at, plan });
      const version = plan ? card.version + 1 : card.version;
      return { ...receiptOf(card.id, planned), version, kept, refused: null };
    }

    const results: CardOutcome[] = [];
    for (const request of changes)
      results.push(await planOne(request).catch((error) => refusal(request, error)));
    return { results, writes };
  }

  return {
    /** One transaction for all cards. A refused card does not affect the others. */
    async changeCards(caller: MemberCaller, changes: CardChange[]): Promise<{ results: CardOutcome[] }> {
      const seen = new Set<string>();
      for (const { task_id, set } of changes) {
        const id = task_id.toLowerCase();
        if (seen.has(id)) throw cardTwice(task_id);
        seen.add(id);
        const closed = Object.keys(set).find((name) => !isWithinRow(name));
        if (closed) throw notForMany(closed);
        checkCardInput(set, options);
      }
      return inTransaction(db, async (tx) => {
        const { results, writes } = await planAll(tx, caller, changes);
        await notifyOfChanges(options, tx, caller, await writeCards(options, tx, writerOf(caller), writes));
        return { results };
      });
    },
  };
}

/** Cached, because cards of a batch often name the same people and items. */
function peopleFinder(tx: Tx, caller: MemberCaller) {
  const known = new Map<string, Promise<People>>();
  return (boardId: string, input: CardPatch): Promise<People> => {
    const { assignee, reporter, watchers, assignee_agent_id, project_id, environment_id, hire_id } = input;
    const named = { assignee, reporter, watchers, assignee_agent_id, project_id, environment_id, hire_id };
    const key = JSON.stringify([boardId, named]);
    const asked = known.get(key) ?? resolveReferences(tx, caller, boardId, named);
    known.set(key, asked);
    return asked;
  };
}

/** Removes fields that have changed since they were seen. Column and status count as one field. */
function withoutChangedSince({ set, seen = {} }: CardChange, card: StandardCard) {
  const input: Record<string, unknown> = { ...set };
  const kept: string[] = [];
  for (const [name, value] of Object.entries(seen)) {
    const shown = card[name as keyof StandardCard];
    const now = name === 'column' ? card.column.name : shown;
    if (isDeepStrictEqual(now, value)) continue;
    const names = name === 'column' || name === 'status' ? PLACE_NAMES : [name];
    if (!names.some((each) => each in input)) continue;
    for (const each of names) delete input[each];
    kept.push(name);
  }
  return { input: input as CardPatch, kept };
}

function refusal({ task_id }: CardChange, error: unknown): CardOutcome {
  if (!(error instanceof ApiError)) throw error;
  const nothing = { changed: {}, from_column: null, to_column: null, version: null, kept: [] };
  return { task_id, ...nothing, refused: error.message };
}
