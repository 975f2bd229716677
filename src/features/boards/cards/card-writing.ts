import type { MemberCaller } from '../../../kernel/access.js';
import type { Tx } from '../../../platform/database/database.js';
import type { NewEntry } from '../activity/feed.store.js';
import { nextEntry, tellOfEntries, type Writer } from '../activity/happenings.js';
import { requireLevel } from '../board/board-access.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import type { LockedBoard } from '../board/boards.store.js';
import type { Column, Place } from '../board/columns.js';
import type { Changes } from '../boards.schemas.js';
import type { CardNews } from '../people/notices.js';
import { type ChangePlan, planChange, shortenChanges } from './card-changes.js';
import type { Bodies } from './card-fields.js';
import { namesNeighbour, placeBeside } from './card-order.js';
import { readPlace, readValues, requireOpenFields } from './card-values.js';
import type { CardPatch, Receipt, StandardCard } from './cards.schemas.js';
import { cardStore } from './cards.store.js';

/** What a change is judged by. */
export interface JudgedCard {
  card: StandardCard & Partial<Bodies>;
  columns: readonly Column[];
  guestWritten: readonly string[];
}

export interface Judged {
  /** Undefined when the card already is as asked. */
  plan: ChangePlan | undefined;
  from: Place;
  to: Place;
}

export function requireEditor(
  caller: MemberCaller,
  board: Pick<LockedBoard, 'guest_level'>,
  input: CardPatch,
): void {
  requireLevel(caller, board.guest_level, 'editor', 'change cards');
  requireOpenFields(caller, input);
}

/** Where the card stands now. */
export const placeOf = ({ card, columns }: JudgedCard): Place => ({
  column: columns.find(({ id }) => id === card.column.id)!,
  status: card.status,
});

/** What the patch means for the card as it was read: first what the body got wrong, then the version, then the state. */
export async function judgePatch(
  caller: MemberCaller,
  found: JudgedCard,
  patch: {
    input: CardPatch;
    people: ReadonlyMap<number, string>;
    at: Date;
    requireVersion?: () => Promise<void>;
    /** The transaction that holds the board, where other cards may have to make room. */
    orderIn?: Tx;
  },
): Promise<Judged> {
  const { card, columns, guestWritten } = found;
  const { input, at, orderIn } = patch;
  const from = placeOf(found);
  const readTarget = readPlace(input, columns, from);
  const values = readValues(input, patch.people, card);
  await patch.requireVersion?.();
  const to = readTarget();
  if (orderIn && namesNeighbour(input))
    values.position = await placeBeside(orderIn, caller.brandId, to.column.id, card, input);
  const writing = { byGuest: caller.role === 'guest', guestWritten, at };
  return { plan: planChange(card, from, to, values, writing), from, to };
}

/** A change of a card whose board the writer holds. */
export interface CardWrite {
  board: LockedBoard;
  card: Pick<StandardCard, 'id' | 'ref' | 'version'>;
  at: Date;
  plan: ChangePlan | undefined;
  /** Columns of the card's row beside those of the plan. */
  row?: Record<string, unknown>;
  /** What the entry tells beside changes of fields. */
  told?: Changes;
}

/** Writes the changes with one entry each, which the feed and those outside are told; answers what people may be told. */
export async function writeCards(
  options: BoardServiceOptions,
  tx: Tx,
  writer: Writer,
  writes: readonly CardWrite[],
): Promise<CardNews[]> {
  if (writes.length === 0) return [];
  const store = cardStore(tx, writer.brandId);
  const changes: { entry: NewEntry; row: Record<string, unknown> }[] = [];
  for (const { board, card, at, plan, row, told } of writes) {
    if (plan?.bodies) await store.saveBodies(card.id, plan.bodies);
    if (plan?.blockedBy) await store.saveBlockers(card.id, plan.blockedBy);
    const entry = nextEntry(writer.actor, board, at, {
      action: plan?.action ?? 'task.updated',
      changes: { ...shortenChanges(plan?.changed ?? {}), ...told },
      task: { id: card.id, ref: card.ref, version: card.version + 1 },
    });
    changes.push({ entry, row: { ...plan?.row, ...row } });
  }
  const entries = changes.map(({ entry }) => entry);
  await tellOfEntries(options, tx, writer, entries, await store.changeCards(changes));
  return writes.map(({ board, card, at, plan }) => ({
    place: { boardId: board.board_id, taskId: card.id, at },
    changed: plan?.changed ?? {},
  }));
}

export function receiptOf(taskId: string, { plan, from, to }: Judged): Receipt {
  const moved = from.column.id !== to.column.id;
  return {
    task_id: taskId,
    changed: plan?.changed ?? {},
    from_column: moved ? from.column.name : null,
    to_column: moved ? to.column.name : null,
  };
}
