import { isDeepStrictEqual } from 'node:util';
import { type BODY_FIELDS, excerptOf, type Status } from './boards.card-fields.js';
import {
  BODY_LIMIT_BYTES,
  type CardInput,
  type CardPatch,
  DATE_FIELDS,
  FIELD_DEFAULTS,
  FREE_FIELD_NAMES,
  type FreeField,
  type PersonInput,
} from './boards.card-input.js';
import { type Column, findColumn, type Place, placeCard } from './boards.columns.js';
import { columnNeeded, fieldRefused } from './boards.errors.js';
import type { Action, Changes, FullCard, Person, StandardCard } from './boards.schemas.js';

type BodyField = (typeof BODY_FIELDS)[number];
export type Bodies = Record<BodyField, string | null>;
type FieldValues = Partial<Record<FreeField | 'title', unknown>>;

const CONTEXT_LIMIT_BYTES = 16_384;

/** The rules of a body that a schema cannot tell, judged before anything is looked up. */
export function checkCardInput(input: CardPatch, isProfileKey: (key: string) => boolean): void {
  for (const field of ['instructions', 'result'] as const) {
    const body = input[field];
    if (body && Buffer.byteLength(body) > BODY_LIMIT_BYTES)
      throw fieldRefused(field, 'must have at most 1 MiB');
  }
  for (const field of DATE_FIELDS) {
    const value = input[field];
    if (value && !isStorableInstant(value))
      throw fieldRefused(field, 'must be a time of the years 1 to 9999');
  }
  const context = input.agent_context;
  if (!context) return;
  if (typeof context.profile === 'string' && !isProfileKey(context.profile)) {
    throw fieldRefused('agent_context.profile', 'must be the key of a coder profile');
  }
  if (Buffer.byteLength(JSON.stringify(context)) > CONTEXT_LIMIT_BYTES) {
    throw fieldRefused('agent_context', 'must have at most 16 KiB');
  }
}

function isStorableInstant(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= 9999;
}

const userIdOf = (person: PersonInput): number => (typeof person === 'number' ? person : person.user_id);

/** People and cards that a body refers to: they have to be looked up before it can be judged. */
export function listReferences(input: CardPatch): { userIds: number[]; cardIds: string[] } {
  const people = [input.assignee, input.reporter, ...(input.watchers ?? [])];
  const cards = [input.parent_id, ...(input.blocked_by ?? [])];
  return {
    userIds: [...new Set(people.flatMap((person) => (person ? [userIdOf(person)] : [])))],
    cardIds: [...new Set(cards.flatMap((id) => (id ? [id.toLowerCase()] : [])))],
  };
}

/** A body's fields as the card would show them. */
export function readFields(
  input: CardPatch,
  people: ReadonlyMap<number, string>,
  number: number,
): FieldValues {
  const values: FieldValues = {};
  if (input.title !== undefined) values.title = input.title;
  for (const field of FREE_FIELD_NAMES) {
    const given = input[field];
    if (given !== undefined)
      values[field] = given === null ? emptyValue(field, number) : shownValue(field, given, people);
  }
  return values;
}

function emptyValue(field: FreeField, number: number): unknown {
  if (field === 'position') return number;
  return field in FIELD_DEFAULTS
    ? structuredClone(FIELD_DEFAULTS[field as keyof typeof FIELD_DEFAULTS])
    : null;
}

function shownValue(field: FreeField, given: unknown, people: ReadonlyMap<number, string>): unknown {
  const toPerson = (id: number): Person => {
    const name = people.get(id);
    if (name === undefined) throw fieldRefused(field, 'must name people who can open this board');
    return { user_id: id, name };
  };
  switch (field) {
    case 'assignee':
    case 'reporter':
      return toPerson(userIdOf(given as PersonInput));
    case 'watchers':
      return [...new Set((given as PersonInput[]).map(userIdOf))].map(toPerson);
    case 'labels':
      return [...new Set(given as string[])];
    case 'blocked_by':
      return [...new Set((given as string[]).map((id) => id.toLowerCase()))].sort();
    case 'parent_id':
    case 'project_id':
    case 'environment_id':
    case 'hire_id':
      return (given as string).toLowerCase();
    case 'due_at':
    case 'start_at':
    case 'merged_at':
      return new Date(given as string).toISOString();
    default:
      return given;
  }
}

const CAREFUL_FIELDS = [
  'assignee',
  'reporter',
  'watchers',
  'parent_id',
  'blocked_by',
  'instructions',
  'result',
] as const;

/** A change of the card's own row alone: nothing has to be looked up for it, and nothing else is written. */
export const isSimple = (input: CardPatch): boolean =>
  CAREFUL_FIELDS.every((field) => input[field] === undefined);

/** The place that a body asks for, given where the card stands (for a new one: the first column). */
export function readPlace(input: CardPatch, columns: readonly Column[], current: Place): () => Place {
  const { column, column_id, column_name, status } = input;
  const named = findColumn(columns, { column, column_id, column_name });
  if (!named && column !== undefined) throw columnNeeded();
  // Whether both agree is a matter of state, which is judged after the version that the caller expects.
  return () => placeCard(columns, current, { column: named, status });
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
  values: FieldValues,
  at: Date,
): ChangePlan | undefined {
  const changed: Changes = {};
  for (const [field, value] of Object.entries(values)) {
    const before = card[field as keyof FullCard];
    if (!isDeepStrictEqual(before, value)) changed[field] = { from: before, to: value };
  }
  if (from.status !== to.status) changed['status'] = { from: from.status, to: to.status };
  const moved = from.column.id !== to.column.id;
  if (moved) changed['column'] = { from: from.column.name, to: to.column.name };
  if (Object.keys(changed).length === 0) return undefined;

  const next = (field: BodyField) =>
    changed[field] ? (changed[field].to as string | null) : (card[field] ?? null);
  const bodies = { instructions: next('instructions'), result: next('result') };
  return {
    action: moved ? 'task.moved' : 'task.updated',
    changed,
    row: { ...rowOf(changed, to), ...stampsOf(changed, card, at) },
    bodies: changed['instructions'] || changed['result'] ? bodies : undefined,
    blockedBy: changed['blocked_by']?.to as string[] | undefined,
  };
}

function rowOf(changed: Changes, place: Place): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [field, { to }] of Object.entries(changed)) Object.assign(row, columnsOf(field, to, place));
  return row;
}

/** A field in the columns that keep it. */
export function columnsOf(field: string, value: unknown, place: Place): Record<string, unknown> {
  switch (field) {
    case 'assignee':
    case 'reporter':
      return { [`${field}_user_id`]: (value as Person | null)?.user_id ?? null };
    case 'watchers':
      return { watcher_user_ids: (value as Person[]).map((person) => person.user_id) };
    case 'column':
      return { column_id: place.column.id };
    case 'instructions':
      return { description_excerpt: excerptOf(value as string | null) };
    case 'result':
    case 'blocked_by':
      return {};
    default:
      return { [field]: value };
  }
}

/** Times that the service keeps: they follow from what was changed and are never sent. */
export function stampsOf(
  changed: Changes,
  before: Pick<FullCard, 'started_at'>,
  at: Date,
): Record<string, unknown> {
  const stamps: Record<string, unknown> = {};
  const now = at.toISOString();
  const status = changed['status']?.to as Status | undefined;
  if (status === 'in_progress' && before.started_at === null) stamps['started_at'] = now;
  if (status) stamps['completed_at'] = status === 'done' ? now : null;
  if (changed['assignee_agent_id'])
    stamps['queued_at'] = changed['assignee_agent_id'].to === null ? null : now;
  if (changed['environment_id']) stamps['claimed_at'] = changed['environment_id'].to === null ? null : now;
  if (changed['progress_percent']) stamps['last_heartbeat_at'] = now;
  return stamps;
}

const LONG_FIELDS = new Set(['instructions', 'result', 'error_message']);

/** The feed tells of long texts by their beginnings: a page of it must stay small. */
export function shortenChanges(changed: Changes): Changes {
  const entries = Object.entries(changed).map(([field, { from, to }]) =>
    LONG_FIELDS.has(field)
      ? [field, { from: excerptOf(from as string | null), to: excerptOf(to as string | null) }]
      : [field, { from, to }],
  );
  return Object.fromEntries(entries);
}

export type { CardInput, CardPatch };
