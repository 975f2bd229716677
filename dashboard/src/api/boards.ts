import type {
  BoardColumn,
  Build,
  Card,
  CardOutcome,
  CardReceipt,
  CardSummary,
  ColumnPatch,
  CreateBoardArguments,
  CreateTaskArguments,
  UpdateTaskArguments,
  UpdateTasksArguments,
} from '../../../client/src/index.js';
import { GuildhallError, guildhall } from './client.js';
import { listWords } from './words.js';

export type {
  ActivityEntry,
  Board,
  CardOutcome,
  Changes,
  Comment,
  FullCard,
  Person,
} from '../../../client/src/index.js';
export type { ColumnPatch };
export type Column = BoardColumn;
export type Receipt = CardReceipt;
export type BoardType = NonNullable<CreateBoardArguments['board_type']>;
export type Status = CardSummary['status'];
export type TaskType = Card['task_type'];
export type NewCard = Omit<CreateTaskArguments, 'board_id'>;
export type CardChange = UpdateTasksArguments['tasks'][number];
export type CardPatch = Omit<UpdateTaskArguments, 'task_id' | 'return'>;

/** Card fields that a board shows in addition to the summary. */
export const TILE_FIELDS = [
  'position',
  'version',
  'priority',
  'labels',
  'assignee_agent_id',
  'due_at',
  'cost_usd',
  'progress_percent',
  'comment_count',
  'attachment_count',
  'error_code',
  'review_state',
  'archived',
  'parent_id',
  'estimate_points',
  'estimate_minutes',
  'completed_at',
  'updated_at',
] as const;
export type TileCard = CardSummary & Pick<Card, (typeof TILE_FIELDS)[number]>;

export const STATUSES = listWords<Status>({
  pending: true,
  in_progress: true,
  in_review: true,
  blocked: true,
  done: true,
  canceled: true,
});
export const TASK_TYPES = listWords<TaskType>({
  coding: true,
  docs: true,
  research: true,
  design: true,
  test: true,
});
export const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const;

const LARGEST_PAGE = 500;
const PAGES_AT_ONCE = 3;
const COMMENTS_PAGE = 50;
const ENTRIES_PAGE = 25;

/** Includes each board's card count and time of last activity. */
export const listBoards = (signal?: AbortSignal) => guildhall.listBoards({ with_counts: true }, { signal });

export const readBoard = (board_id: string, signal?: AbortSignal) =>
  guildhall.getBoard({ board_id }, { signal });

export const createBoard = (board: CreateBoardArguments) => guildhall.createBoard(board);

export const renameBoard = (board_id: string, name: string) => guildhall.updateBoard({ board_id, name });

export const changeColumns = (board_id: string, columns: ColumnPatch[]) =>
  guildhall.updateBoard({ board_id, columns });

export const deleteBoard = (board_id: string) => guildhall.deleteBoard({ board_id });

/** Reads all cards of a board. Calls `onFirst` with the first page, then reads the others in parallel. */
export async function listCards(
  board_id: string,
  signal: AbortSignal | undefined,
  onFirst: (cards: TileCard[]) => void,
): Promise<TileCard[]> {
  const read = async (page: number) => {
    const answer = await guildhall.listBoardTasks(
      { board_id, detail: 'summary', with: TILE_FIELDS.join(), per_page: LARGEST_PAGE, page },
      { signal },
    );
    return { total: answer.total, items: answer.items as unknown as TileCard[] };
  };
  const first = await read(1);
  const last = Math.ceil(first.total / LARGEST_PAGE);
  if (last > 1) onFirst(first.items);
  const pages: TileCard[][] = [first.items];
  let next = 2;
  const work = async () => {
    while (next <= last) {
      const page = next++;
      pages[page - 1] = (await read(page)).items;
    }
  };
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, work));
  // A card that moves during the reads can be on two pages.
  return [...new Map(pages.flat().map((card) => [card.id, card])).values()];
}

export const createCard = (board_id: string, card: NewCard) => guildhall.createTask({ ...card, board_id });

export const readCard = (task_id: string, signal?: AbortSignal) => guildhall.getTask({ task_id }, { signal });

/** Sends the version that the user saw and returns a receipt of the changes, which undo needs. */
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

const MOST_AT_ONCE = 500;
const TRIES = 4;
const PAUSE_MS = 700;

/** Changes cards in batches; retries while the service is busy. */
export async function changeCards(changes: CardChange[]): Promise<CardOutcome[]> {
  const outcomes: CardOutcome[] = [];
  for (let from = 0; from < changes.length; from += MOST_AT_ONCE) {
    const tasks = changes.slice(from, from + MOST_AT_ONCE);
    try {
      outcomes.push(...(await patiently(() => guildhall.updateTasks({ tasks }))).results);
    } catch (error) {
      // Earlier batches stay written and can be undone.
      if (outcomes.length === 0) throw error;
      const refused = (error as Error).message;
      outcomes.push(...changes.slice(from).map(({ task_id }) => ({ ...UNTOUCHED, task_id, refused })));
      break;
    }
  }
  return outcomes;
}

const UNTOUCHED = { changed: {}, from_column: null, to_column: null, version: null, kept: [] };

async function patiently<T>(perform: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await perform();
    } catch (error) {
      const isBusy = error instanceof GuildhallError && [409, 429, 503].includes(error.status);
      if (!isBusy || tried === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * tried));
    }
  }
}

export const deleteCard = (task_id: string) => guildhall.deleteTask({ task_id });

export const searchCards = (q: string, signal?: AbortSignal) =>
  guildhall.findTasks({ ...(q && { q }), limit: 20 }, { signal });

export async function listComments(task_id: string, pages: number, signal?: AbortSignal) {
  const read = (page: number) =>
    guildhall.listComments({ task_id, page, per_page: COMMENTS_PAGE }, { signal });
  const answers = await Promise.all(Array.from({ length: pages }, (_, index) => read(index + 1)));
  return { comments: answers.flatMap(({ comments }) => comments), total: answers[0]?.total ?? 0 };
}

export const addComment = (task_id: string, body: string) => guildhall.addComment({ task_id, body });

export const changeComment = (task_id: string, comment_id: string, body: string) =>
  guildhall.updateComment({ task_id, comment_id, body });

export const deleteComment = (task_id: string, comment_id: string) =>
  guildhall.deleteComment({ task_id, comment_id });

export const listActivity = (board_id: string, since: string | undefined, signal?: AbortSignal) =>
  guildhall.listBoardActivity({ board_id, since, limit: 40 }, { signal });

/** Reads the latest pages as one list. */
export async function listCardActivity(task_id: string, pages: number, signal?: AbortSignal) {
  const read = (page: number) =>
    guildhall.listTaskActivity({ task_id, page, per_page: ENTRIES_PAGE }, { signal });
  const answers = await Promise.all(Array.from({ length: pages }, (_, index) => read(index + 1)));
  return { items: answers.flatMap(({ items }) => items), total: answers[0]?.total ?? 0 };
}

export const followActivity = (
  board_id: string,
  since: string,
  options: { signal: AbortSignal; onState(state: 'open' | 'lost'): void },
) => guildhall.stream('streamBoardActivity', { board_id, since }, options);

const OPEN_STATES = ['queued', 'claimed', 'running', 'waiting', 'checking'] as const;

export async function listOpenBuilds(signal?: AbortSignal): Promise<Map<string, Build>> {
  const pages = await Promise.all(
    OPEN_STATES.map((status) => guildhall.listBuilds({ status, limit: 100 }, { signal })),
  );
  return new Map(pages.flatMap(({ builds }) => builds.map((build) => [build.task_id, build])));
}

/** A URL that the browser downloads. */
export const exportAddress = (boardId: string, detail: 'summary' | 'standard'): string =>
  `/api/v1/board/boards/${encodeURIComponent(boardId)}/export?detail=${detail}`;
