import { isDeepStrictEqual } from 'node:util';
import type { Place, Status } from '../board/columns.js';
import { excerptOf } from '../board/text.js';
import type { Action, Changes } from '../boards.schemas.js';
import {
  type Bodies,
  type BodyColumn,
  type ChangeableName,
  columnOf,
  FIELD_NAMES,
  fieldOf,
} from './card-fields.js';
import { type CardValues, keptAs } from './card-input.js';
import type { FullCard, StandardCard } from './cards.schemas.js';

const BODY_NAMES = FIELD_NAMES.filter((name): name is BodyColumn => fieldOf(name).kept === 'body');

/** Texts from which agents learn, unless a guest wrote them. */
const TEXT_NAMES: readonly string[] = FIELD_NAMES.filter((name) => fieldOf(name).words);

/** The names of the texts that a guest wrote last, after a write of `names`. */
export function guestWritten(
  before: readonly string[],
  names: readonly string[],
  values: Readonly<Record<string, unknown>>,
  byGuest: boolean,
): string[] {
  const texts = names.filter((name) => TEXT_NAMES.includes(name));
  const kept = before.filter((name) => !texts.includes(name));
  return (byGuest ? [...kept, ...texts.filter((name) => saysSomething(values[name]))] : kept).toSorted();
}

const saysSomething = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined && value !== '';

export interface Writing {
  byGuest: boolean;
  guestWritten: readonly string[];
  build?: string;
  at: Date;
}

export interface ChangePlan {
  action: Extract<Action, 'task.updated' | 'task.moved'>;
  /** Full values, from which a client can undo the change. */
  changed: Changes;
  row: Record<string, unknown>;
  bodies: Bodies | undefined;
  blockedBy: string[] | undefined;
}

/** Undefined when nothing changes. */
export function planChange(
  card: StandardCard & Partial<Bodies>,
  from: Place,
  to: Place,
  values: CardValues,
  writing: Writing,
): ChangePlan | undefined {
  const before: Record<string, unknown> = { ...card, ...from };
  const after: Record<string, unknown> = { ...values, ...to };
  const differing = Object.keys(after).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  ) as ChangeableName[];
  if (differing.length === 0) return undefined;

  const changed: Changes = {};
  for (const name of differing)
    changed[name] = { from: receiptValue(name, before[name]), to: receiptValue(name, after[name]) };
  return {
    action: changed['column'] ? 'task.moved' : 'task.updated',
    changed,
    row: {
      ...rowOf(differing, after, card, writing.at),
      guest_written: guestWritten(writing.guestWritten, differing, after, writing.byGuest),
      ...(changed['status'] && { status_of_build: writing.build ?? null }),
    },
    bodies: changedBodies(card, changed),
    blockedBy: changed['blocked_by']?.to as string[] | undefined,
  };
}

const receiptValue = (name: ChangeableName, value: unknown): unknown =>
  fieldOf(name).receipt === 'name' ? (value as { name: string }).name : value;

export function rowOf(
  names: readonly ChangeableName[],
  values: Record<string, unknown>,
  before: Pick<FullCard, 'started_at'>,
  at: Date,
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const name of names) Object.assign(row, keptAs(name, values[name]));
  return Object.assign(row, consequences(new Set<string>(names), values, before, at));
}

/** Columns that follow from the changed fields. */
function consequences(
  names: ReadonlySet<string>,
  values: Record<string, unknown>,
  before: Pick<FullCard, 'started_at'>,
  at: Date,
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  const now = at.toISOString();
  const status = names.has('status') ? (values['status'] as Status) : undefined;
  if (status === 'in_progress' && before.started_at === null) row['started_at'] = now;
  if (status) row['completed_at'] = status === 'done' ? now : null;
  if (names.has('assignee_agent_id')) row['queued_at'] = values['assignee_agent_id'] === null ? null : now;
  if (names.has('environment_id')) row['claimed_at'] = values['environment_id'] === null ? null : now;
  if (names.has('progress_percent') && values['progress_percent'] !== null) row['last_heartbeat_at'] = now;
  if (names.has('instructions'))
    row['description_excerpt'] = excerptOf(values['instructions'] as string | null);
  return row;
}

function changedBodies(card: Partial<Bodies>, changed: Changes): Bodies | undefined {
  if (!BODY_NAMES.some((name) => changed[name])) return undefined;
  const next = (name: BodyColumn) => (changed[name] ? changed[name].to : (card[name] ?? null));
  return Object.fromEntries(BODY_NAMES.map((name) => [name, next(name)])) as Bodies;
}

/** Entries hold only the start of long texts, so that pages stay small. */
export const shortenChanges = (changed: Changes): Changes =>
  Object.fromEntries(
    Object.entries(changed).map(([name, { from, to }]) => [
      name,
      fieldOf(name as ChangeableName).inActivity === 'beginning'
        ? { from: excerptOf(from as string | null), to: excerptOf(to as string | null) }
        : { from, to },
    ]),
  );

export const deletionOf = (card: { title: string; status: string; column: string }): Changes =>
  Object.fromEntries(Object.entries(card).map(([field, from]) => [field, { from, to: null }]));

export interface NewCard {
  cardId: string;
  boardId: string;
  brandId: number;
  number: number;
  /** Null when the service created the card. */
  reporterId: number | null;
  place: Place;
  at: Date;
  byGuest?: boolean;
}

export function newCardRow(card: NewCard): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const name of FIELD_NAMES) {
    const { empty } = fieldOf(name);
    const column = columnOf(name);
    if (column && empty) row[column] = empty(card);
  }
  return Object.assign(row, {
    card_id: card.cardId,
    board_id: card.boardId,
    brand_id: card.brandId,
    number: card.number,
    column_id: card.place.column.id,
    status: card.place.status,
    reporter_user_id: card.reporterId,
    created_at: card.at.toISOString(),
    updated_at: card.at.toISOString(),
    version: 1,
    guest_written: [],
  });
}

export function filledCardRow(card: NewCard, values: CardValues): Record<string, unknown> {
  const given: Record<string, unknown> = { ...values, ...card.place };
  const names = Object.keys(given) as ChangeableName[];
  return {
    ...newCardRow(card),
    ...rowOf(names, given, { started_at: null }, card.at),
    guest_written: guestWritten([], names, given, card.byGuest === true),
  };
}

export function describeCreation(values: CardValues, place: Place): Changes {
  const shown = { ...values, status: place.status, column: place.column.name };
  return Object.fromEntries(
    Object.entries(shown)
      .filter(([, value]) => value !== null)
      .map(([field, value]) => [field, { from: null, to: value }]),
  );
}
