import { error, memberAccess, uuidParam } from '../../http/declaration/route.js';

/** What the declarations of every room here have in common. */

export const BOARDS = '/api/v1/board/boards';
export const BOARD = `${BOARDS}/{board_id}`;
export const TASK = '/api/v1/board/tasks/{task_id}';
export const tags: [string] = ['Boards'];

export const board = {
  board_id: uuidParam('Board not found', {
    description: 'The board, by the board_id that list_boards shows.',
  }),
};
export const task = {
  task_id: uuidParam('Card not found', {
    description: 'The card, by its id (a UUID).',
  }),
};

/** Guests get in here; what they may do is a matter of their level on the board. */
export const anybody = () => memberAccess({ role: 'guest' });
export const admins = () => memberAccess({ role: 'admin' });

export const closedBoard = error(
  403,
  'The board belongs to another workspace, or is not open to the guest at this level',
);
export const closedCard = error(403, "The guest's level on the board does not allow it");
export const noBoard = error(404, 'Board not found');
export const noCard = error(404, 'Card not found');
