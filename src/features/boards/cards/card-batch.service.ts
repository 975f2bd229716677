import { isDeepStrictEqual } from 'node:util';
import type { MemberCaller } from '../../../kernel/access.js';
import { ApiError } from '../../../kernel/errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { entryTime, writerOf } from '../activity/happenings.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import { boardStore } from '../board/boards.store.js';
import { cardNotFound, cardTwice, notForMany } from '../boards.errors.js';
import { tellOfChanges } from '../people/notices.js';
import type { CardChange, CardOutcome } from './card-batch.schemas.js';
import { resolveReferences } from './card-references.js';
import { checkCardInput, isWithinRow } from './card-values.js';
import { type CardWrite, judgePatch, receiptOf, requireEditor, writeCards } from './card-writing.js';
import type { CardPatch, StandardCard } from './cards.schemas.js';
import { cardStore } from './cards.store.js';

type People = ReadonlyMap<number, string>;

const PLACE_NAMES = ['column', 'column_id', 'column_name', 'status'] as const;

export function createBatchService(options: BoardServiceOptions) {
  const { db, clock } = options;

  /** Judges card by card, and gathers what is to be written. */
  async function judgeAll(tx: Tx, caller: MemberCaller, wishes: CardChange[]) {
    const ids = wishes.map(({ task_id }) => task_id);
    const held = await boardStore(tx, caller.brandId).lockBoardsOfCards(ids, caller.userId);
    const boards = new Map(held.map((board) => [board.board_id, board]));
    const found = await cardStore(tx, caller.brandId).listCardsOnBoards(ids);
    const cards = new Map(found.map((each) => [each.card.id, each]));
    const findPeople = peopleFinder(tx, caller);
    const writes: CardWrite[] = [];

    /** Throws where the card has to stay as it is. */
    async function judgeOne(wish: CardChange): Promise<CardOutcome> {
      const known = cards.get(wish.task_id.toLowerCase());
      if (!known) throw cardNotFound();
      const { card } = known;
      const board = boards.get(card.board_id)!;
      requireEditor(caller, board, wish.set);
      const { input, kept } = withoutChangedSince(wish, card);
      const people = await findPeople(board.board_id, input);
      const at = entryTime(board, clock);
      const judged = await judgePatch(caller, { ...known, columns: board.columns }, { input, people, at });
      const { plan } = judged;
      if (plan) writes.push({ board, card, at, plan });
      const version = plan ? card.version + 1 : card.version;
      return { ...receiptOf(card.id, judged), version, kept, refused: null };
    }

    const results: CardOutcome[] = [];
    for (const wish of wishes) results.push(await judgeOne(wish).catch((error) => refusal(wish, error)));
    return { results, writes };
  }

  return {
    /** One write for all; a card that has to stay as it is keeps none of the others from changing. */
    async changeCards(caller: MemberCaller, wishes: CardChange[]): Promise<{ results: CardOutcome[] }> {
      const seen = new Set<string>();
      for (const { task_id, set } of wishes) {
        const id = task_id.toLowerCase();
        if (seen.has(id)) throw cardTwice(task_id);
        seen.add(id);
        const closed = Object.keys(set).find((name) => !isWithinRow(name));
        if (closed) throw notForMany(closed);
        checkCardInput(set, options);
      }
      return inTransaction(db, async (tx) => {
        const { results, writes } = await judgeAll(tx, caller, wishes);
        await tellOfChanges(options, tx, caller, await writeCards(options, tx, writerOf(caller), writes));
        return { results };
      });
    },
  };
}

/** The same people and things are named again and again: each is looked up once. */
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

/** A field that somebody changed since it was seen is left to them; column and status go together. */
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
