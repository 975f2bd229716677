import type { MemberCaller } from '../../../kernel/access.js';
import type { Tx } from '../../../platform/database/database.js';
import { fieldRefused } from '../boards.errors.js';
import { type ChangeableName, FIELD_NAMES, fieldOf, isChangeable } from './card-fields.js';
import type { CardPatch } from './cards.schemas.js';
import { type Thing, userIdsIn } from './field-kinds.js';
import { referenceStore } from './references.store.js';

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

/** Checks whatever a body names and answers the names of the people among it. */
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

/** Another workspace's thing is refused in the words of one that is not there. */
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
  // A guest who could name anybody would learn who works here, number by number.
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
    // A guest learns nothing about boards beyond the ones they were invited to.
    if (place === undefined || (caller.role === 'guest' && place !== boardId))
      throw fieldRefused('blocked_by', 'must name cards of this workspace');
    if (blockerId === cardId) throw fieldRefused('blocked_by', 'must not name the card itself');
  }
}
