import { call, callTagged, segment, withQuery } from './client.js';

export const STATUSES = ['pending', 'in_progress', 'in_review', 'blocked', 'done', 'canceled'] as const;
export type Status = (typeof STATUSES)[number];
export const TASK_TYPES = ['coding', 'docs', 'research', 'design', 'test'] as const;

export interface Person {
  user_id: number;
  name: string;
}

export interface Column {
  id: string;
  name: string;
  status: Status;
}

export interface Board {
  board_id: string;
  name: string;
  key: string;
  board_type: string;
  columns: Column[];
  created_at: string;
}

export interface SummaryCard {
  id: string;
  ref: string;
  title: string;
  status: Status;
  column: { id: string; name: string };
  assignee: Person | null;
  branch: string | null;
  pr_number: number | null;
  pr_url: string | null;
  pr_state: string | null;
  checks_state: string | null;
}

/** The fields of a full card that the drawer shows; the service sends more. */
export interface FullCard extends SummaryCard {
  board_id: string;
  task_type: string;
  priority: string;
  labels: string[];
  assignee_agent_id: string | null;
  reporter: Person | null;
  due_at: string | null;
  estimate_points: number | null;
  time_spent_minutes: number;
  agent_context: { profile?: string | null };
  runtime: string | null;
  attempt: number;
  max_attempts: number;
  progress_percent: number | null;
  started_at: string | null;
  completed_at: string | null;
  commit_sha: string | null;
  review_state: string | null;
  deploy_url: string | null;
  cost_usd: number;
  tokens_in: number;
  tokens_out: number;
  error_message: string | null;
  comment_count: number;
  checklist_done: number;
  checklist_total: number;
  created_at: string;
  updated_at: string;
  version: number;
  instructions: string | null;
  result: string | null;
}

export type Changes = Record<string, { from: unknown; to: unknown }>;

export interface Receipt {
  task_id: string;
  changed: Changes;
  from_column: string | null;
  to_column: string | null;
}

export interface ActivityEntry {
  id: string;
  action: string;
  created_at: string;
  task_id: string | null;
  ref: string | null;
  actor: Person | null;
  changes: Changes;
}

export interface Comment {
  id: string;
  author: Person | null;
  body: string;
  created_at: string;
}

export type CardPatch = Record<string, unknown>;

const BASE = '/api/v1/board';
const boardPath = (boardId: string) => `${BASE}/boards/${segment(boardId)}`;
const taskPath = (taskId: string) => `${BASE}/tasks/${segment(taskId)}`;
const activityPath = (boardId: string) => `${BASE}/activity/boards/${segment(boardId)}`;
const LARGEST_PAGE = 500;

export const listBoards = (signal?: AbortSignal) =>
  call<{ boards: Board[]; total: number }>('GET', `${BASE}/boards`, { signal });

export const readBoard = (boardId: string, signal?: AbortSignal) =>
  call<Board>('GET', boardPath(boardId), { signal });

export const createBoard = (body: { name: string; board_type: string }) =>
  call<Board>('POST', `${BASE}/boards`, { body });

/** Every card of a board, page by page. */
export async function listCards(boardId: string, signal?: AbortSignal): Promise<SummaryCard[]> {
  const cards: SummaryCard[] = [];
  for (let page = 1; ; page++) {
    const { items, total } = await call<{ items: SummaryCard[]; total: number }>(
      'GET',
      `${boardPath(boardId)}/tasks`,
      { query: { detail: 'summary', per_page: LARGEST_PAGE, page }, signal },
    );
    cards.push(...items);
    if (items.length === 0 || cards.length >= total) return cards;
  }
}

export const createCard = (boardId: string, body: CardPatch) =>
  call<FullCard>('POST', `${boardPath(boardId)}/tasks`, { body });

export const readCard = (taskId: string, signal?: AbortSignal) =>
  call<FullCard>('GET', taskPath(taskId), { signal });

/** Conditional on the version the person saw; the answer says what changed, which is what an undo needs. */
export const changeCard = (taskId: string, body: CardPatch, version: number) =>
  callTagged<Receipt>('PATCH', taskPath(taskId), {
    body,
    query: { return: 'receipt' },
    ifMatch: `"${version}"`,
  }).then(({ data, etag }) => ({ receipt: data, version: Number(etag?.replaceAll('"', '')) }));

export const deleteCard = (taskId: string) => call<void>('DELETE', taskPath(taskId));

export const listComments = (taskId: string, signal?: AbortSignal) =>
  call<{ comments: Comment[]; total: number }>('GET', `${taskPath(taskId)}/comments`, { signal });

export const addComment = (taskId: string, body: string) =>
  call<Comment>('POST', `${taskPath(taskId)}/comments`, { body: { body } });

export const listActivity = (boardId: string, since: string | undefined, signal?: AbortSignal) =>
  call<{ items: ActivityEntry[]; next_cursor: string }>('GET', activityPath(boardId), {
    query: { limit: 40, since },
    signal,
  });

export const activityStream = (boardId: string, since: string): string =>
  withQuery(`${activityPath(boardId)}/stream`, { since });

export const exportAddress = (boardId: string, detail: 'summary' | 'standard'): string =>
  withQuery(`${boardPath(boardId)}/export`, { detail });
