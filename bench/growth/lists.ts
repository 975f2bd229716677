import { AGENT, type Filled, type Size } from './fill.js';

export interface Place extends Filled {
  brandId: number;
  cards: number;
}

export interface List {
  name: string;
  path: (place: Place) => string;
  /** Requested with the operator's key. */
  operator?: boolean;
  /** An aggregate rather than a list, so it has to read all records. */
  sum?: true;
  /** Returns a total, so its time grows with the number of matching records. */
  counts?: true;
  /** How to request the next page, and the page size that reaches a deep page fastest. */
  next?: Paging;
}

export type Paging =
  | { cursor: 'cursor' | 'since'; largest: string }
  /** Pages by number. The function returns the number of records. */
  | { page: (size: Size) => number }
  /** Pages by the id of the last record, in the list called `before`, or in the answer itself if null. */
  | { before: string | null; largest: string };

const cursor = (largest: string): Paging => ({ cursor: 'cursor', largest });

const board = ({ boardId }: Place) => `/board/boards/${boardId}`;
const master = (query: string) => ({
  path: () => `/board/master/tasks?limit=50&${query}`,
  next: cursor('limit=1000'),
});
const builds = (query: string) => ({
  path: () => `/factory/builds?limit=50&${query}`,
  next: cursor('limit=200'),
});
const memories = (query: string) => ({
  path: () => `/memory/memories?agent_id=${AGENT}&limit=50${query}`,
  next: cursor('limit=200'),
  counts: true as const,
});
const lessons = (query: string) => ({
  path: ({ projectId }: Place) => `/memory/entries?project_id=${projectId}&limit=50${query}`,
  next: cursor('limit=200'),
  counts: true as const,
});
const inbox = (query: string) => ({
  path: () => `/me/inbox?limit=50${query}`,
  next: cursor('limit=200'),
  counts: true as const,
});
const search = (q: string, kinds = '') => ({
  path: () => `/search?q=${encodeURIComponent(q)}${kinds && `&kinds=${kinds}`}`,
});
/** Matches one card in any workspace, because no other number starts with these digits. */
const oneCard = ({ cards }: Place) => `number ${Math.ceil(cards * 0.9)}`;

/** Every GET endpoint that lists records, also with common filters. */
export const lists: List[] = [
  {
    name: 'cards of a board',
    path: (p) => `${board(p)}/tasks?detail=summary&per_page=50`,
    next: cursor('per_page=500'),
  },
  {
    name: 'cards of a board, full',
    path: (p) => `${board(p)}/tasks?detail=full&per_page=50`,
    next: cursor('per_page=500'),
  },
  { name: 'boards', path: () => '/board/boards?per_page=50', next: { page: (size) => size.boards } },
  { name: 'boards with counts', path: () => '/board/boards?per_page=50&with_counts=true' },
  { name: 'a board', path: (p) => board(p) },
  {
    name: 'feed of a board',
    path: (p) => `/board/activity/boards/${p.boardId}?limit=50`,
    next: { cursor: 'since', largest: 'limit=200' },
  },
  {
    name: 'changes of a card',
    path: (p) => `/board/tasks/${p.cardId}/activity?per_page=50`,
    next: { page: (size) => size.records },
  },
  {
    name: 'comments of a card',
    path: (p) => `/board/tasks/${p.cardId}/comments?per_page=50`,
    next: { page: (size) => size.records },
  },
  { name: 'attachments of a card', path: (p) => `/board/tasks/${p.cardId}/attachments` },
  { name: 'guests of a board', path: (p) => `${board(p)}/guests` },
  {
    name: 'rows of an import',
    path: (p) => `/board/imports/${p.importId}/rows?limit=50`,
    next: cursor('limit=200'),
  },
  { name: 'all cards', ...master('') },
  { name: 'all cards of columns with a PR', ...master('column_names=review,blocked&has_pr=true') },
  { name: 'all cards by status', ...master('status=in_progress') },
  { name: 'my cards', ...master('assignee=me'), counts: true },
  { name: 'all cards by label', ...master('labels=label-3'), counts: true },
  { name: 'all cards by priority', ...master('priority=urgent'), counts: true },
  { name: 'all cards that are due', ...master('due_before=2100-01-01T00:00:00Z'), counts: true },
  {
    name: 'all cards by words',
    path: (p) => `/board/master/tasks?limit=50&q=${encodeURIComponent(oneCard(p))}`,
  },
  { name: 'all cards, by title', ...master('sort=title') },
  { name: 'all cards, by due date', ...master('sort=due') },
  { name: 'all cards, counted by status', path: () => '/board/master/tasks?limit=50&count_by=status' },
  { name: 'members', path: (p) => `/brands/${p.brandId}/members` },
  { name: 'guests', path: (p) => `/brands/${p.brandId}/guests` },
  { name: 'invitations', path: (p) => `/brands/${p.brandId}/invitations` },
  { name: 'audit', path: (p) => `/brands/${p.brandId}/audit?limit=50`, next: cursor('limit=200') },
  { name: 'figures', path: (p) => `/brands/${p.brandId}/figures`, sum: true },
  { name: 'webhooks', path: (p) => `/brands/${p.brandId}/webhooks` },
  {
    name: 'deliveries',
    path: (p) => `/brands/${p.brandId}/webhooks/${p.webhookId}/deliveries`,
    next: cursor(''),
  },
  {
    name: 'deliveries that failed',
    path: (p) => `/brands/${p.brandId}/webhooks/${p.webhookId}/deliveries?status=failed`,
  },
  { name: 'desks', path: () => '/workstations' },
  { name: 'desks with what they hold', path: () => '/workstations?with=environment' },
  { name: 'a desk', path: (p) => `/workstations/${p.deskId}` },
  {
    name: 'events of a desk',
    path: (p) => `/environments/${p.deskId}/timeline?limit=50`,
    next: { before: 'items', largest: 'limit=200' },
  },
  { name: 'updates of a desk', path: (p) => `/machines/${p.deskId}/updates?limit=50`, counts: true },
  { name: 'desks to sign in again', path: () => '/environments/credentials/reauth-status', sum: true },
  { name: 'projects', path: () => '/projects' },
  { name: 'files of a project', path: (p) => `/projects/${p.projectId}/nodes?prefix=src/m1/&limit=50` },
  { name: 'checks of a project', path: (p) => `/projects/${p.projectId}/checks` },
  { name: 'lessons', ...lessons('') },
  { name: 'lessons that are stale', ...lessons('&stale=true') },
  {
    name: 'lessons of an anchor',
    path: (p) => `/memory/entries/search?project_id=${p.projectId}&anchor=growth/lesson-77.ts&limit=20`,
  },
  {
    name: 'lessons that are stale, by words',
    path: (p) => `/memory/entries/search?project_id=${p.projectId}&q=releases&stale=true&limit=20`,
  },
  { name: 'memories', ...memories('') },
  { name: 'memories of a kind', ...memories('&kind=decision') },
  { name: 'memories by words', ...memories('&q=Thursday') },
  { name: 'memories, counted', path: () => `/memory/memories/stats?agent_id=${AGENT}`, sum: true },
  { name: 'health of memories', path: () => `/memory/memories/health?agent_id=${AGENT}`, sum: true },
  { name: 'history of a memory', path: (p) => `/memory/memories/${p.memoryId}/history` },
  { name: 'agents', path: () => '/memory/agents' },
  {
    name: 'conversations',
    path: () => `/memory/conversations?agent_id=${AGENT}&limit=50`,
    next: cursor('limit=500'),
    counts: true,
  },
  {
    name: 'conversations that failed',
    path: () => '/memory/conversations?status=failed&limit=50',
    next: cursor('limit=500'),
  },
  { name: 'sources', path: () => `/memory/sources?agent_id=${AGENT}` },
  { name: 'builds', ...builds('') },
  { name: 'builds that failed', ...builds('status=failed') },
  { name: 'builds of a coder', ...builds('coder=codex') },
  {
    name: 'builds of a desk',
    path: (p) => `/factory/builds?limit=50&workstation_id=${p.deskId}`,
    next: cursor('limit=200'),
  },
  { name: 'builds that are open', ...builds('state=open') },
  { name: 'builds to review, by risk', ...builds('review=to_review&sort=risk&with=tasks') },
  { name: 'spending by day', path: () => '/factory/spend?by=day' },
  { name: 'spending by project', path: () => '/factory/spend?by=project' },
  { name: 'spending by card', path: () => '/factory/spend?by=card', sum: true },
  { name: 'coder profiles', path: () => '/factory/coder-profiles' },
  {
    name: 'changes of a coder profile',
    path: () => '/factory/coder-profiles/claude.coding/history?limit=50',
    next: { before: null, largest: 'limit=100' },
  },
  { name: 'hires', path: () => '/employees/hires?limit=50', next: { page: (size) => size.records } },
  { name: 'inbox', ...inbox('') },
  { name: 'inbox, done', ...inbox('&state=done') },
  { name: 'inbox of a board', path: (p) => `/me/inbox?limit=50&board_id=${p.boardId}`, counts: true },
  { name: 'saved views', path: () => '/me/views' },
  { name: 'my tokens', path: () => '/me/tokens' },
  { name: 'my sessions', path: () => '/me/sessions' },
  { name: 'docs spaces', path: () => '/docs/spaces' },
  { name: 'search, everywhere', path: (p) => search(oneCard(p)).path() },
  { name: 'search, a word of every card', ...search('card', 'card') },
  { name: 'search, a beginning', ...search('num', 'card') },
  {
    name: 'workspaces of the operator',
    path: () => '/admin/brands?limit=50',
    operator: true,
    counts: true,
    next: cursor('limit=200'),
  },
  {
    name: 'people of the operator',
    path: () => '/admin/users?limit=50',
    operator: true,
    next: cursor('limit=200'),
  },
  { name: 'people by name', path: () => '/admin/users?limit=50&q=person%2077', operator: true },
  {
    name: 'audit of the operator',
    path: () => '/admin/audit?limit=50',
    operator: true,
    next: cursor('limit=200'),
  },
  {
    name: 'members of the operator',
    path: (p) => `/admin/brands/${p.brandId}/members`,
    operator: true,
  },
  { name: 'tokens of the operator', path: (p) => `/admin/brands/${p.brandId}/tokens`, operator: true },
  { name: 'overview of the operator', path: () => '/admin/overview', operator: true, sum: true },
];
