import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf, actorOf } from '../../../kernel/actors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { feedStore } from '../activity/feed.store.js';
import { entryTime, nextEntry, tellOfEntries, writerOf } from '../activity/happenings.js';
import { lockBoardOfCard, requireLevel } from '../board/board-access.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import type { Column, Place } from '../board/columns.js';
import { cardNotFound, versionMismatch } from '../boards.errors.js';
import { tellOfChange } from '../people/notices.js';
import { type ChangePlan, planChange, shortenChanges } from './card-changes.js';
import type { Bodies } from './card-fields.js';
import { namesNeighbour, placeBeside } from './card-order.js';
import { resolveReferences } from './card-references.js';
import { checkCardInput, isSimple, readPlace, readValues, requireOpenFields } from './card-values.js';
import type { CardPatch, FullCard, Receipt, StandardCard } from './cards.schemas.js';
import { getCardOnBoard } from './cards.service.js';
import { cardStore } from './cards.store.js';
import { expectedVersion, matchesVersion } from './precondition.js';

export interface PatchWish {
  ifMatch: string | undefined;
  /** The whole card is read only when it is asked for. */
  receiptOnly: boolean;
}

export interface ChangedCard {
  receipt: Receipt;
  version: number;
  card: FullCard | undefined;
}

/** What a change is judged by. */
interface Readable {
  card: StandardCard & Partial<Bodies>;
  columns: Column[];
  guestWritten: string[];
}

interface Judged {
  plan: ChangePlan | undefined;
  from: Place;
  to: Place;
}

export function createPatchService(options: BoardServiceOptions) {
  const { db, clock } = options;

  async function requireVersion(
    reader: Db | Tx,
    caller: MemberCaller,
    card: StandardCard,
    ifMatch: string | undefined,
  ) {
    if (ifMatch === undefined || matchesVersion(ifMatch, card.version)) return;
    const expected = expectedVersion(ifMatch);
    const feed = feedStore(reader, caller.brandId);
    const fields = expected === undefined ? [] : await feed.listFieldsChangedSince(card.id, expected);
    throw versionMismatch(card.version, fields);
  }

  /** What the patch means for the card as it was read: first what the body got wrong, then the version, then the state. */
  async function judge(
    reader: Db | Tx,
    caller: MemberCaller,
    { card, columns, guestWritten }: Readable,
    patch: {
      input: CardPatch;
      people: ReadonlyMap<number, string>;
      ifMatch: string | undefined;
      at: Date;
      /** The transaction that holds the board, where other cards may have to make room. */
      orderIn?: Tx;
    },
  ): Promise<Judged> {
    const column = columns.find(({ id }) => id === card.column.id)!;
    const from: Place = { column, status: card.status };
    const readTarget = readPlace(patch.input, columns, from);
    const values = readValues(patch.input, patch.people, card);
    await requireVersion(reader, caller, card, patch.ifMatch);
    const to = readTarget();
    if (patch.orderIn && namesNeighbour(patch.input))
      values.position = await placeBeside(patch.orderIn, caller.brandId, to.column.id, card, patch.input);
    const writing = { byGuest: caller.role === 'guest', guestWritten, at: patch.at };
    return { plan: planChange(card, from, to, values, writing), from, to };
  }

  /**
   * Prepares the change without holding the board, then writes it if nobody was faster; undefined when somebody was.
   * Writers of different cards of one board wait for each other only for a statement.
   */
  async function changeQuickly(
    caller: MemberCaller,
    cardId: string,
    input: CardPatch,
    wish: PatchWish,
  ): Promise<ChangedCard | undefined> {
    const draft = await cardStore(db, caller.brandId).findDraft(cardId, caller.userId);
    if (!draft) throw cardNotFound();
    requireLevel(caller, draft.guest_level, 'editor', 'change cards');
    requireOpenFields(caller, input);
    const { card, layout } = draft;
    const at = entryTime(draft, clock);
    const { plan, ...places } = await judge(db, caller, draft, {
      input,
      people: NOBODY,
      ifMatch: wish.ifMatch,
      at,
    });
    if (!plan) return describeOutcome(db, caller, wish, card, { plan, ...places });

    return inTransaction(db, async (tx) => {
      const changes = shortenChanges(plan.changed);
      const recorded = await cardStore(tx, caller.brandId).tryChange({
        boardId: card.board_id,
        layout,
        cardId,
        ref: card.ref,
        version: card.version,
        at,
        action: plan.action,
        actor: actorIdsOf(caller),
        changes,
        row: plan.row,
      });
      if (!recorded) return undefined;
      const told = { boardId: card.board_id, action: plan.action, taskId: cardId, ref: card.ref, changes };
      await tellOfEntries(options, tx, writerOf(caller), [told], [recorded]);
      const place = { boardId: card.board_id, taskId: cardId, at: recorded.at };
      await tellOfChange(options, tx, caller, place, plan.changed);
      return describeOutcome(tx, caller, wish, card, { plan, ...places });
    });
  }

  /** Holds the board from the first look to the commit. */
  async function changeCarefully(
    tx: Tx,
    caller: MemberCaller,
    cardId: string,
    input: CardPatch,
    wish: PatchWish,
  ): Promise<ChangedCard> {
    const board = await lockBoardOfCard(tx, caller, cardId);
    requireLevel(caller, board.guest_level, 'editor', 'change cards');
    requireOpenFields(caller, input);
    const found = await getCardOnBoard(tx, caller, cardId);
    const { card } = found;
    const people = await resolveReferences(tx, caller, board.board_id, input, cardId);
    const at = entryTime(board, clock);
    const judged = await judge(tx, caller, found, {
      input,
      people,
      ifMatch: wish.ifMatch,
      at,
      orderIn: tx,
    });
    const { plan } = judged;
    if (!plan) return describeOutcome(tx, caller, wish, card, judged);

    const store = cardStore(tx, caller.brandId);
    if (plan.bodies) await store.saveBodies(cardId, plan.bodies);
    if (plan.blockedBy) await store.saveBlockers(cardId, plan.blockedBy);
    const entry = nextEntry(actorOf(caller), board, at, {
      action: plan.action,
      changes: shortenChanges(plan.changed),
      task: { id: cardId, ref: card.ref, version: card.version + 1 },
    });
    const recorded = await store.changeCards([{ entry, row: plan.row }]);
    await tellOfEntries(options, tx, writerOf(caller), [entry], recorded);
    const place = { boardId: board.board_id, taskId: cardId, at };
    await tellOfChange(options, tx, caller, place, plan.changed);
    return describeOutcome(tx, caller, wish, card, judged);
  }

  return {
    async changeCard(
      caller: MemberCaller,
      cardId: string,
      input: CardPatch,
      wish: PatchWish,
    ): Promise<ChangedCard> {
      checkCardInput(input, options);
      const quick = isSimple(input) ? await changeQuickly(caller, cardId, input, wish) : undefined;
      return quick ?? inTransaction(db, (tx) => changeCarefully(tx, caller, cardId, input, wish));
    },
  };
}

const NOBODY: ReadonlyMap<number, string> = new Map();

async function describeOutcome(
  reader: Db | Tx,
  caller: MemberCaller,
  { receiptOnly }: PatchWish,
  { id, version }: StandardCard,
  { plan, from, to }: Judged,
): Promise<ChangedCard> {
  const moved = from.column.id !== to.column.id;
  const card = receiptOnly ? undefined : (await getCardOnBoard(reader, caller, id)).card;
  return {
    card,
    version: card?.version ?? (plan ? version + 1 : version),
    receipt: {
      task_id: id,
      changed: plan?.changed ?? {},
      from_column: moved ? from.column.name : null,
      to_column: moved ? to.column.name : null,
    },
  };
}
