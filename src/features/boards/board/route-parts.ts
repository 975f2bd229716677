import { error, memberAccess, uuidParam } from '../../../platform/http/declaration/route.js';
import { BOARD_WORDS, BoardId, CARD_WORDS, CardId } from '../boards.schemas.js';

/** What the declarations of every room here have in common. */

export const BOARDS = '/api/v1/board/boards';
export const BOARD = `${BOARDS}/{board_id}`;
export const TASKS = '/api/v1/board/tasks';
export const TASK = `${TASKS}/{task_id}`;
export const tags: [string] = ['Boards'];

export const board = {
  board_id: uuidParam('Board not found', { description: BOARD_WORDS, schema: BoardId }),
};
export const task = {
  task_id: uuidParam('Card not found', { description: CARD_WORDS, schema: CardId }),
};

/** Guests get in here; what they may do is a matter of their level on the board. */
export const anybody = () => memberAccess({ role: 'guest' });
export const admins = () => memberAccess({ role: 'admin' });

export const closedBoard = error(403, "Another workspace's board, or not open to the guest at this level");
export const closedCard = error(403, "Not at the guest's level on the board");
export const noBoard = error(404, 'Not found');
export const noCard = error(404, 'Not found');
