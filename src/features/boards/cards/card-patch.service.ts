import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf } from '../../../kernel/actors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { feedStore } from '../activity/feed.store.js';
import { entryTime, tellOfEntries, writerOf } from '../activity/happenings.js';
import { lockBoardOfCard } from '../board/board-access.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import { cardNotFound, versionMismatch } from '../boards.errors.js';
import { tellOfChanges } from '../people/notices.js';
import { shortenChanges } from './card-changes.js';
import { resolveReferences } from './card-references.js';
import { checkCardInput, isSimple } from './card-values.js';
import { type Judged, judgePatch, receiptOf, requireEditor, writeCards } from './card-writing.js';
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
    requireEditor(caller, draft, input);
    const { card, layout } = draft;
    const at = entryTime(draft, clock);
    const requireVersion = versionCheck(db, caller, card, wish.ifMatch);
    const judged = await judgePatch(caller, draft, { input, people: NOBODY, at, requireVersion });
    const { plan } = judged;
    if (!plan) return describeOutcome(db, caller, wish, card, judged);

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
      await tellOfEntries(options, tx, writerOf(caller), [entry], [recorded]);
      const place = { boardId: card.board_id, taskId: cardId, at: recorded.at };
      await tellOfChanges(options, tx, caller, [{ place, changed }]);
      return describeOutcome(tx, caller, wish, card, judged);
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
    requireEditor(caller, board, input);
    const found = await getCardOnBoard(tx, caller, cardId);
    const { card } = found;
    const people = await resolveReferences(tx, caller, board.board_id, input, cardId);
    const at = entryTime(board, clock);
    const requireVersion = versionCheck(tx, caller, card, wish.ifMatch);
    const judged = await judgePatch(caller, found, { input, people, at, requireVersion, orderIn: tx });
    const { plan } = judged;
    if (plan) {
      const news = await writeCards(options, tx, writerOf(caller), [{ board, card, at, plan }]);
      await tellOfChanges(options, tx, caller, news);
    }
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
  judged: Judged,
): Promise<ChangedCard> {
  const card = receiptOnly ? undefined : (await getCardOnBoard(reader, caller, id)).card;
  return {
    card,
    version: card?.version ?? (judged.plan ? version + 1 : version),
    receipt: receiptOf(id, judged),
  };
}
