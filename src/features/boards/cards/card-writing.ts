import type { MemberCaller } from '../../../kernel/access.js';
import type { Tx } from '../../../platform/database/database.js';
import { nextEntry, publishEntries, type Writer } from '../activity/activity.js';
import type { NewEntry } from '../activity/feed.store.js';
import type { CardUpdate } from '../activity/notices.js';
import { type BoardServiceOptions, requireLevel } from '../board/board-access.js';
import type { LockedBoard } from '../board/boards.store.js';
import type { Column, Place } from '../board/columns.js';
import type { Changes } from '../boards.schemas.js';
import { type ChangePlan, planChange, shortenChanges } from './card-changes.js';
import type { Bodies } from './card-fields.js';
import { readPlace, readValues, requireOpenFields } from './card-input.js';
import { namesNeighbour, placeBeside } from './card-order.js';
import type { CardPatch, Receipt, StandardCard } from './cards.schemas.js';
import { cardStore } from './cards.store.js';

export interface ReadCard {
  card: StandardCard & Partial<Bodies>;
  columns: readonly Column[];
  guestWritten: readonly string[];
}

export interface PlannedPatch {
  /** Undefined when nothing changes. */
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

export const placeOf = ({ card, columns }: Pick<ReadCard, 'card' | 'columns'>): Place => ({
  column: columns.find(({ id }) => id === card.column.id)!,
  status: card.status,
});

/** Checks the body first, then the version, then the state. */
export async function planPatch(
  caller: MemberCaller,
  found: ReadCard,
  patch: {
    input: CardPatch;
    people: ReadonlyMap<number, string>;
    at: Date;
    requireVersion?: () => Promise<void>;
    /** The transaction that has locked the board. Needed to place a card next to another. */
    orderIn?: Tx;
  },
): Promise<PlannedPatch> {
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

/** The caller has locked the board. */
export interface CardWrite {
  board: LockedBoard;
  card: Pick<StandardCard, 'id' | 'ref' | 'version'>;
  at: Date;
  plan: ChangePlan | undefined;
  /** More columns of the card's row. */
  row?: Record<string, unknown>;
  /** More changes for the activity entry. */
  told?: Changes;
}

/** Writes the changes with one activity entry each. Returns the changes that people may be notified of. */
export async function writeCards(
  options: BoardServiceOptions,
  tx: Tx,
  writer: Writer,
  writes: readonly CardWrite[],
): Promise<CardUpdate[]> {
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
  await publishEntries(options, tx, writer, entries, await store.changeCards(changes));
  return writes.map(({ board, card, at, plan }) => ({
    place: { boardId: board.board_id, taskId: card.id, at },
    changed: plan?.changed ?? {},
  }));
}

export function receiptOf(taskId: string, { plan, from, to }: PlannedPatch): Receipt {
  const moved = from.column.id !== to.column.id;
  return {
    task_id: taskId,
    changed: plan?.changed ?? {},
    from_column: moved ? from.column.name : null,
    to_column: moved ? to.column.name : null,
  };
}
