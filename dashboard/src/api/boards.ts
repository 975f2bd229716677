import type {
  BoardColumn,
  CardReceipt,
  CardSummary,
  CreateBoardArguments,
  CreateTaskArguments,
  UpdateTaskArguments,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type {
  ActivityEntry,
  Board,
  Changes,
  FullCard,
} from '../../../client/src/index.js';
export type Column = BoardColumn;
export type SummaryCard = CardSummary;
export type Receipt = CardReceipt;
export type BoardType = NonNullable<CreateBoardArguments['board_type']>;
export type Status = CardSummary['status'];
export type NewCard = Omit<CreateTaskArguments, 'board_id'>;
export type CardPatch = Omit<UpdateTaskArguments, 'task_id' | 'return'>;

export const STATUSES: readonly Status[] = [
  'pending',
  'in_progress',
  'in_review',
  'blocked',
  'done',
  'canceled',
];
export const TASK_TYPES = ['coding', 'docs', 'research', 'design', 'test'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

const LARGEST_PAGE = 500;

export const listBoards = (signal?: AbortSignal) => guildhall.listBoards({}, { signal });

export const readBoard = (board_id: string, signal?: AbortSignal) =>
  guildhall.getBoard({ board_id }, { signal });

export const createBoard = (board: CreateBoardArguments) => guildhall.createBoard(board);

/** Every card of a board, page by page. */
export async function listCards(board_id: string, signal?: AbortSignal): Promise<SummaryCard[]> {
  const cards: SummaryCard[] = [];
  const page = { board_id, detail: 'summary', per_page: LARGEST_PAGE } as const;
  for await (const card of guildhall.iterate('listBoardTasks', page, { signal })) cards.push(card);
  return cards;
}

export const createCard = (board_id: string, card: NewCard) => guildhall.createTask({ ...card, board_id });

export const readCard = (task_id: string, signal?: AbortSignal) => guildhall.getTask({ task_id }, { signal });

/** Conditional on the version the person saw; the answer says what changed, which is what an undo needs. */
export async function changeCard(
  task_id: string,
  patch: CardPatch,
  version: number,
): Promise<{ receipt: Receipt; version: number }> {
  let etag: string | null = null;
  const receipt = await guildhall.updateTask(
    { ...patch, task_id, return: 'receipt' },
    {
      headers: { 'if-match': `"${version}"` },
      onResponse: ({ headers }) => {
        etag = headers.get('etag');
      },
    },
  );
  return { receipt: receipt as Receipt, version: Number(String(etag).replaceAll('"', '')) };
}

export const deleteCard = (task_id: string) => guildhall.deleteTask({ task_id });

export const listComments = (task_id: string, signal?: AbortSignal) =>
  guildhall.listComments({ task_id }, { signal });

export const addComment = (task_id: string, body: string) => guildhall.addComment({ task_id, body });

export const listActivity = (board_id: string, since: string | undefined, signal?: AbortSignal) =>
  guildhall.listBoardActivity({ board_id, since, limit: 40 }, { signal });

export const followActivity = (
  board_id: string,
  since: string,
  options: { signal: AbortSignal; onState(state: 'open' | 'lost'): void },
) => guildhall.stream('streamBoardActivity', { board_id, since }, options);

/** A link that the browser opens by itself. */
export const exportAddress = (boardId: string, detail: 'summary' | 'standard'): string =>
  `/api/v1/board/boards/${encodeURIComponent(boardId)}/export?detail=${detail}`;
