import type { SearchAnswer, SearchHit } from '../../../client/src/index.js';
import { guildhall } from './client.js';
import { addressOfCard } from './work.js';

export type { SearchHit };
export type SearchKind = SearchHit['kind'];
export type SearchGroup = SearchAnswer['groups'][number];

export const KIND_NAMES: Record<SearchKind, string> = {
  card: 'Cards',
  board: 'Boards',
  person: 'People',
  agent: 'Agents',
  memory: 'Memories',
  lesson: 'Lessons',
  build: 'Builds',
  project: 'Projects',
};

export const isKind = (text: string | null): text is SearchKind => text !== null && text in KIND_NAMES;

/** The service rejects longer queries. */
export const LONGEST_QUESTION = 200;

export interface Found extends SearchAnswer {
  asked: string;
}

export async function searchEverything(
  asked: string,
  { limit, kind }: { limit: number; kind?: SearchKind },
  signal?: AbortSignal,
): Promise<Found> {
  const answer = await guildhall.searchEverything(
    { q: asked, limit, ...(kind && { kinds: kind }) },
    { signal },
  );
  return { asked, ...answer };
}

/** Finds a card by its exact reference, if this user can open it. */
export async function findCardByRef(ref: string, signal?: AbortSignal): Promise<SearchHit | null> {
  const { groups } = await guildhall.searchEverything({ q: ref, kinds: 'card', limit: 1 }, { signal });
  const hit = groups[0]?.hits[0];
  return hit?.ref?.toLowerCase() === ref.toLowerCase() ? hit : null;
}

const part = encodeURIComponent;

export function addressOfHit(hit: SearchHit): string {
  switch (hit.kind) {
    case 'card':
      return addressOfCard({ board_id: hit.board_id ?? '', id: hit.id });
    case 'board':
      return `/dashboard/boards/${hit.id}`;
    case 'person':
      return hit.status === 'guest' ? '/dashboard/settings/guests' : `/dashboard/work?assignee=${hit.id}`;
    case 'agent':
      return `/dashboard/memory/${part(hit.id)}`;
    case 'memory':
      return `/dashboard/memory/${part(hit.agent_id ?? '')}?memory=${hit.id}`;
    case 'lesson':
      return `/dashboard/lessons/${hit.project_id}?lesson=${part(hit.path ?? '')}`;
    case 'build':
      return `/dashboard/builds/${hit.id}`;
    case 'project':
      return `/dashboard/lessons/${hit.id}`;
  }
}
