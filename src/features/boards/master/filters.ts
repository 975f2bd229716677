import type { MemberCaller } from '../../../kernel/access.js';
import { parseIntegerId } from '../../../kernel/ids.js';
import { anywhere } from '../../../platform/database/schema/sql-fragments.js';
import { guestIdOf } from '../board/board-access.js';
import type { Ref } from '../board/boards.store.js';
import { nameKey } from '../board/columns.js';
import { isRef, readRef } from '../board/refs.js';
import { parseInstant, splitList } from '../board/text.js';
import { notAnInstant, notPeople } from '../boards.errors.js';
import type { FindTasksQuery } from './master.schemas.js';

export interface Owners<T> {
  ids: T[];
  nobody: boolean;
}

/** Filters that the tallies answer without reading cards. */
export interface CountedFilters {
  boardIds: string[] | null;
  boardTypes: string[] | null;
  columnKeys: string[] | null;
  statuses: string[] | null;
  hasPr: boolean | null;
  /** Null when the caller is not a guest. */
  guestId: number | null;
}

export interface Filters extends CountedFilters {
  since: Date | null;
  people: Owners<number> | null;
  agents: Owners<string> | 'any' | null;
  priorities: string[] | null;
  labels: string[] | null;
  dueBefore: Date | null;
  search: Search | null;
  cardIds: string[] | null;
}

/** All words must be in the title, or one is the card's ref and the others are in the title. */
export interface Search {
  words: string[];
  /** Words long enough for the trigram index. */
  indexed: string[];
  /** Searches all workspaces and filters the results, because this workspace has most of the cards. */
  amongAll: boolean;
  ref: Ref | null;
  otherWords: string[];
}

const SHORTEST_INDEXED = 3;
const MOST_INDEXED = 8;

export function readFilters(caller: MemberCaller, query: FindTasksQuery): Omit<Filters, 'cardIds'> {
  return {
    boardIds: splitList(query.board_ids?.toLowerCase()) ?? null,
    boardTypes: splitList(query.board_type) ?? null,
    columnKeys: splitList(query.column_names)?.map(nameKey) ?? null,
    statuses: splitList(query.status) ?? null,
    hasPr: query.has_pr ?? null,
    since: readInstant('since', query.since),
    guestId: guestIdOf(caller),
    people: readPeople(caller, splitList(query.assignee)),
    agents: readAgents(splitList(query.agent)),
    priorities: splitList(query.priority) ?? null,
    labels: splitList(query.labels) ?? null,
    dueBefore: readInstant('due_before', query.due_before),
    search: readSearch(query.query),
  };
}

/** Filters that must read the cards. The tallies answer the others. */
const READS_CARDS: Record<keyof Filters, boolean> = {
  boardIds: false,
  boardTypes: false,
  columnKeys: false,
  statuses: false,
  hasPr: false,
  guestId: false,
  since: false,
  people: true,
  agents: true,
  priorities: true,
  labels: true,
  dueBefore: true,
  search: true,
  cardIds: true,
};
const FILTERS_OF_CARDS = (Object.keys(READS_CARDS) as (keyof Filters)[]).filter((name) => READS_CARDS[name]);

export const readsCards = (filters: Filters): boolean =>
  FILTERS_OF_CARDS.some((name) => filters[name] !== null);

function readInstant(parameter: string, text: string | undefined): Date | null {
  const instant = text === undefined ? null : parseInstant(text);
  if (instant === undefined) throw notAnInstant(parameter);
  return instant;
}

function readPeople(caller: MemberCaller, names: string[] | undefined): Owners<number> | null {
  if (!names) return null;
  const ids = names
    .filter((name) => name !== 'none')
    .map((name) => (name === 'me' ? caller.userId : parseIntegerId(name)));
  if (ids.includes(undefined)) throw notPeople();
  return { ids: ids as number[], nobody: names.includes('none') };
}

function readAgents(names: string[] | undefined): Filters['agents'] {
  if (!names) return null;
  const nobody = names.includes('none');
  // Every card has an agent or none, so this is no filter.
  if (names.includes('any')) return nobody ? null : 'any';
  return { ids: names.filter((name) => name !== 'none'), nobody };
}

function readSearch(text: string | undefined): Search | null {
  const given = (text ?? '').split(/\s+/).filter((word) => word !== '');
  if (given.length === 0) return null;
  const longest = given
    .filter(({ length }) => length >= SHORTEST_INDEXED)
    .toSorted((a, b) => b.length - a.length);
  const refWord = given.find(isRef);
  return {
    words: given.map(anywhere),
    indexed: longest.slice(0, MOST_INDEXED),
    amongAll: false,
    ref: (refWord && readRef(refWord)) || null,
    otherWords: given.filter((word) => word !== refWord).map(anywhere),
  };
}

export const readRefs = (text: string | undefined): Ref[] | undefined =>
  splitList(text)?.flatMap((word) => readRef(word) ?? []);
