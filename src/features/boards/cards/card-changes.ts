import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../activity/feed.schemas.js';
import type { Place, Status } from '../board/columns.js';
import { excerptOf } from '../board/excerpt.js';
import type { Changes } from '../boards.schemas.js';
import { type Bodies, type BodyColumn, type ChangeableName, FIELD_NAMES, fieldOf } from './card-fields.js';
import { type CardValues, keptAs } from './card-values.js';
import type { FullCard, StandardCard } from './cards.schemas.js';

const BODY_NAMES = FIELD_NAMES.filter((name): name is BodyColumn => fieldOf(name).kept === 'body');

/** Agents learn from texts of people and agents of the workspace, never from a guest's. */
const TEXT_NAMES: readonly string[] = FIELD_NAMES.filter((name) => fieldOf(name).words);

/** The texts that a guest wrote last, after somebody wrote `names` of these values. An empty text says nothing. */
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

/** Who writes, and which texts of the card are a guest's so far. */
export interface Writing {
  byGuest: boolean;
  guestWritten: readonly string[];
  /** For which build it is written; left out, somebody writes it. */
  build?: string;
  at: Date;
}

export interface ChangePlan {
  action: Extract<Action, 'task.updated' | 'task.moved'>;
  /** Field by field, whole values: whoever holds it can undo the write. */
  changed: Changes;
  /** Columns of the card's row. */
  row: Record<string, unknown>;
  bodies: Bodies | undefined;
  blockedBy: string[] | undefined;
}

/** What a write would change, or undefined when the card already is as asked. */
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

/** Values of a card in the columns of its row, with what follows from them. */
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

/** What the service keeps by itself: it follows from what was changed and is never sent. */
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

/** The feed tells of long texts by their beginnings: a page of it must stay small. */
export const shortenChanges = (changed: Changes): Changes =>
  Object.fromEntries(
    Object.entries(changed).map(([name, { from, to }]) => [
      name,
      fieldOf(name as ChangeableName).told === 'beginning'
        ? { from: excerptOf(from as string | null), to: excerptOf(to as string | null) }
        : { from, to },
    ]),
  );

/** What is told of a card that is gone. */
export const deletionOf = (card: { title: string; status: string; column: string }): Changes =>
  Object.fromEntries(Object.entries(card).map(([field, from]) => [field, { from, to: null }]));
