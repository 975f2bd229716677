import type { MemberCaller } from '../../../kernel/access.js';
import type { Tx } from '../../../platform/database/database.js';
import { type Column, findColumn, type Place, placeCard } from '../board/columns.js';
import { columnNeeded, fieldRefused, guestMayNotSet, placesDiffer } from '../boards.errors.js';
import { type ChangeableName, columnOf, FIELD_NAMES, fieldOf, isChangeable } from './card-fields.js';
import { namesNeighbour } from './card-order.js';
import type { CardPatch } from './cards.schemas.js';
import { referenceStore } from './cards.store.js';
import { type KnownElsewhere, type Thing, userIdsIn } from './field-kinds.js';

/** Column and status depend on each other and are read separately. */
type PlaceName = 'column' | 'status';
type FreeName = Exclude<ChangeableName, PlaceName>;

const isPlace = (name: string): name is PlaceName => name === 'column' || name === 'status';
const FREE_NAMES = FIELD_NAMES.filter(isChangeable).filter((name): name is FreeName => !isPlace(name));

export type CardValues = Partial<Record<FreeName, unknown>>;

/** Rules that a schema cannot express, checked before any lookup. */
const CHECKED = FREE_NAMES.filter((name) => fieldOf(name).check);
export function checkCardInput(input: CardPatch, known: KnownElsewhere): void {
  if ([input.position, input.before, input.after].filter((place) => place !== undefined).length > 1)
    throw placesDiffer();
  for (const name of CHECKED) {
    const given = input[name];
    if (given !== undefined && given !== null) fieldOf(name).check?.(given, name, known);
  }
}

/** Guests cannot decide what is run, where it runs and what is learned. */
const MEMBERS_NAMES = FREE_NAMES.filter((name) => fieldOf(name).changedBy === 'members');
export function requireOpenFields(caller: MemberCaller, input: CardPatch): void {
  if (caller.role !== 'guest') return;
  const closed = MEMBERS_NAMES.find((name) => input[name] !== undefined);
  if (closed) throw guestMayNotSet(closed);
}

/** The fields of a body in the form in which cards show them. */
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

/** Whether a change needs no lookup and no other table. */
const SLOW_NAMES = FREE_NAMES.filter((name) => fieldOf(name).names || fieldOf(name).kept !== 'card');
export const isSimple = (input: CardPatch): boolean =>
  !namesNeighbour(input) && SLOW_NAMES.every((name) => input[name] === undefined);

/** Fields that a batch may set: they are in the card's row and name no other card. */
const OF_ROW = FREE_NAMES.filter(
  (name) => fieldOf(name).kept === 'card' && fieldOf(name).names !== 'parent',
) as string[];
export const isWithinRow = (name: string): boolean =>
  [...OF_ROW, 'column', 'column_id', 'column_name', 'status'].includes(name);

/** Empty for fields stored elsewhere. */
export function keptAs(name: ChangeableName, value: unknown): Record<string, unknown> {
  const column = columnOf(name);
  if (!column) return {};
  const { keep } = fieldOf(name);
  return { [column]: keep ? keep(value) : value };
}

/** Finds the column now. The returned function places the card later, after the version check. */
export function readPlace(input: CardPatch, columns: readonly Column[], current: Place): () => Place {
  const { column, column_id, column_name, status } = input;
  const named = findColumn(columns, { column, column_id, column_name });
  if (!named && column !== undefined) throw columnNeeded();
  return () => placeCard(columns, current, { column: named, status });
}

const PEOPLE_NAMES = FIELD_NAMES.filter(isChangeable).filter((name) => fieldOf(name).names === 'person');

const THINGS: Record<Thing, string> = {
  project: 'a project',
  environment: 'an environment',
  hire: 'a hire',
  agent: 'an agent',
};
const THING_NAMES = FIELD_NAMES.filter(isChangeable).flatMap((name) => {
  const { names } = fieldOf(name);
  return names && names in THINGS ? [{ name, thing: names as Thing }] : [];
});

/** Checks everything that a body names and returns the names of its people. */
export async function resolveReferences(
  tx: Tx,
  caller: MemberCaller,
  boardId: string,
  input: CardPatch,
  cardId?: string,
): Promise<Map<number, string>> {
  await requireThings(tx, caller, input);
  await requireCards(tx, caller, boardId, input, cardId);
  return requirePeople(tx, caller, boardId, input);
}

/** Items of other workspaces are refused like unknown ones, so that their existence is not revealed. */
async function requireThings(tx: Tx, caller: MemberCaller, input: CardPatch): Promise<void> {
  const named = THING_NAMES.filter(({ name }) => input[name] !== undefined && input[name] !== null);
  if (named.length === 0) return;
  const wanted = Object.fromEntries(named.map(({ name, thing }) => [thing, input[name]]));
  const found = await referenceStore(tx, caller.brandId).findThings(wanted);
  const missing = named.find(({ thing }) => !found.has(thing));
  if (missing) throw fieldRefused(missing.name, `must name ${THINGS[missing.thing]} of this workspace`);
}

async function requirePeople(
  tx: Tx,
  caller: MemberCaller,
  boardId: string,
  input: CardPatch,
): Promise<Map<number, string>> {
  const named = PEOPLE_NAMES.map((name) => ({ name, userIds: peopleIn(name, input) }));
  const userIds = [...new Set(named.flatMap((each) => each.userIds))];
  const people = await referenceStore(tx, caller.brandId).findPeople(userIds, boardId);
  // Without this, guests could enumerate the members.
  const unseen = caller.role === 'guest' ? await listUnseen(tx, caller, boardId, [...people.keys()]) : [];
  for (const userId of unseen) people.delete(userId);
  const unknown = named.find((each) => each.userIds.some((id) => !people.has(id)));
  if (unknown) throw fieldRefused(unknown.name, 'must name people who can open this board');
  return people;
}

async function listUnseen(tx: Tx, { brandId, userId }: MemberCaller, boardId: string, userIds: number[]) {
  const others = userIds.filter((id) => id !== userId);
  const shown = await referenceStore(tx, brandId).listShownPeople(others, boardId);
  return others.filter((id) => !shown.has(id));
}

const peopleIn = (name: ChangeableName, input: CardPatch): number[] => {
  const given = input[name];
  return given === undefined || given === null ? [] : userIdsIn(given);
};

async function requireCards(
  tx: Tx,
  caller: MemberCaller,
  boardId: string,
  input: CardPatch,
  cardId: string | undefined,
): Promise<void> {
  const store = referenceStore(tx, caller.brandId);
  const parentId = input.parent_id?.toLowerCase();
  const blockerIds = (input.blocked_by ?? []).map((id) => id.toLowerCase());
  const boards = await store.findBoardsOfCards([...(parentId ? [parentId] : []), ...blockerIds]);
  if (parentId !== undefined) {
    if (boards.get(parentId) !== boardId) throw fieldRefused('parent_id', 'must be a card of the same board');
    if (cardId && (await store.descendsFrom(parentId, cardId)))
      throw fieldRefused('parent_id', 'must not be the card itself or one below it');
  }
  for (const blockerId of blockerIds) {
    const place = boards.get(blockerId);
    if (place === undefined || (caller.role === 'guest' && place !== boardId))
      throw fieldRefused('blocked_by', 'must name cards of this workspace');
    if (blockerId === cardId) throw fieldRefused('blocked_by', 'must not name the card itself');
  }
}
