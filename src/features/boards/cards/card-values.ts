import type { MemberCaller } from '../../../kernel/access.js';
import type { Column, Place } from '../board/columns.js';
import { findColumn, placeCard } from '../board/columns.js';
import { columnNeeded, guestMayNotSet, placesDiffer } from '../boards.errors.js';
import { type ChangeableName, columnOf, FIELD_NAMES, fieldOf, isChangeable } from './card-fields.js';
import { namesNeighbour } from './card-order.js';
import type { CardPatch } from './cards.schemas.js';
import type { KnownElsewhere } from './field-kinds.js';

/** Column and status follow from each other and are read apart from the rest. */
type PlaceName = 'column' | 'status';
type FreeName = Exclude<ChangeableName, PlaceName>;

const isPlace = (name: string): name is PlaceName => name === 'column' || name === 'status';
const FREE_NAMES = FIELD_NAMES.filter(isChangeable).filter((name): name is FreeName => !isPlace(name));

/** Fields as a card shows them. */
export type CardValues = Partial<Record<FreeName, unknown>>;

/** The rules of a body that a schema cannot tell, judged before anything is looked up. */
const CHECKED = FREE_NAMES.filter((name) => fieldOf(name).check);
export function checkCardInput(input: CardPatch, known: KnownElsewhere): void {
  if ([input.position, input.before, input.after].filter((place) => place !== undefined).length > 1)
    throw placesDiffer();
  for (const name of CHECKED) {
    const given = input[name];
    if (given !== undefined && given !== null) fieldOf(name).check?.(given, name, known);
  }
}

/** Some fields are for people and agents of the workspace alone: they decide what is run, where, and what is learned. */
const MEMBERS_NAMES = FREE_NAMES.filter((name) => fieldOf(name).changedBy === 'members');
export function requireOpenFields(caller: MemberCaller, input: CardPatch): void {
  if (caller.role !== 'guest') return;
  const closed = MEMBERS_NAMES.find((name) => input[name] !== undefined);
  if (closed) throw guestMayNotSet(closed);
}

/** A body's fields as the card would show them; whoever is named there is known by now. */
export function readValues(
  input: CardPatch,
  people: ReadonlyMap<number, string>,
  card: { number: number },
): CardValues {
  const values: CardValues = {};
  for (const name of FREE_NAMES) {
    const given = input[name];
    if (given !== undefined) values[name] = readValue(name, given, people, card);
  }
  return values;
}

function readValue(
  name: FreeName,
  given: unknown,
  people: ReadonlyMap<number, string>,
  card: { number: number },
): unknown {
  const { empty, read } = fieldOf(name);
  if (given === null) return empty?.(card);
  return read ? read(given, people) : given;
}

/** A change of the card's own row alone: nothing has to be looked up for it, and nothing else is written. */
const SLOW_NAMES = FREE_NAMES.filter((name) => fieldOf(name).names || fieldOf(name).kept !== 'card');
export const isSimple = (input: CardPatch): boolean =>
  !namesNeighbour(input) && SLOW_NAMES.every((name) => input[name] === undefined);

/** What can be written for many cards at once: it stands in the card's own row, and names no other card. */
const OF_ROW = FREE_NAMES.filter(
  (name) => fieldOf(name).kept === 'card' && fieldOf(name).names !== 'parent',
) as string[];
export const isWithinRow = (name: string): boolean =>
  [...OF_ROW, 'column', 'column_id', 'column_name', 'status'].includes(name);

/** A value in the column that keeps it; none for what is kept apart from the card's row. */
export function keptAs(name: ChangeableName, value: unknown): Record<string, unknown> {
  const column = columnOf(name);
  if (!column) return {};
  const { keep } = fieldOf(name);
  return { [column]: keep ? keep(value) : value };
}

/** The place that a body asks for, given where the card stands (for a new one: the first column). */
export function readPlace(input: CardPatch, columns: readonly Column[], current: Place): () => Place {
  const { column, column_id, column_name, status } = input;
  const named = findColumn(columns, { column, column_id, column_name });
  if (!named && column !== undefined) throw columnNeeded();
  // Whether both agree is a matter of state, which is judged after the version that the caller expects.
  return () => placeCard(columns, current, { column: named, status });
}
