import type { MemberCaller } from '../../../kernel/access.js';
import { parseIntegerId } from '../../../kernel/ids.js';
import { anywhere } from '../../../kernel/like-pattern.js';
import { guestIdOf } from '../board/board-access.js';
import { nameKey } from '../board/columns.js';
import { parseInstant, splitList } from '../board/query-values.js';
import { notAnInstant, notPeople } from '../boards.errors.js';
import { isRef, type Ref, readRef } from '../names/names.store.js';
import type { MasterQuery } from './master.schemas.js';

/** Whose cards: those of any of the ids, and those of nobody. */
export interface Owners<T> {
  ids: T[];
  nobody: boolean;
}

/** What the tallies of a board's cards answer by themselves. */
export interface CountedFilters {
  boardIds: string[] | null;
  boardTypes: string[] | null;
  columnKeys: string[] | null;
  statuses: string[] | null;
  hasPr: boolean | null;
  /** A guest sees the boards they were invited to; null: everything. */
  guestId: number | null;
}

export interface Filters extends CountedFilters {
  since: Date | null;
  people: Owners<number> | null;
  /** `any`: of whichever agent. */
  agents: Owners<string> | 'any' | null;
  priorities: string[] | null;
  labels: string[] | null;
  dueBefore: Date | null;
  search: Search | null;
  /** Those that are named by their refs. */
  cardIds: string[] | null;
}

/** Words as patterns: all of them stand in the title, or one of them is the card's ref and the others do. */
export interface Search {
  words: string[];
  /** Those of them that an index can look for, as they were written. */
  indexed: string[];
  /** They are looked up in the titles of all workspaces, and whose each is is asked of what is found. */
  amongAll: boolean;
  ref: Ref | null;
  besideRef: string[];
}

/** The index knows titles by three letters in a row. */
const SHORTEST_INDEXED = 3;
const MOST_INDEXED = 8;

export function readFilters(caller: MemberCaller, query: MasterQuery): Omit<Filters, 'cardIds'> {
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

/** Which filters look at the cards; the others ask where a card stands, how, and since when, which is counted beside them. */
const LOOKS_AT_CARDS: Record<keyof Filters, boolean> = {
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
const OF_CARDS = (Object.keys(LOOKS_AT_CARDS) as (keyof Filters)[]).filter((name) => LOOKS_AT_CARDS[name]);

export const looksAtCards = (filters: Filters): boolean => OF_CARDS.some((name) => filters[name] !== null);

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
  // With an agent or without one: that is every card.
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
    besideRef: given.filter((word) => word !== refWord).map(anywhere),
  };
}

/** What is no ref names no card. */
export const readRefs = (text: string | undefined): Ref[] | undefined =>
  splitList(text)?.flatMap((word) => readRef(word) ?? []);
