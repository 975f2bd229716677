export type { CommentListener } from './board/board-access.js';
export { cardNotFound } from './boards.errors.js';
export { boardRoutes } from './boards.routes.js';
export type { Attachment } from './boards.schemas.js';
export { BOARD_WORDS, BoardId, CARD_WORDS, CardId } from './boards.schemas.js';
export {
  type ArrivingCard,
  type BoardService,
  boardJobs,
  createBoardService,
  STATUSES,
  type Status,
} from './boards.service.js';
export type { FollowedChange } from './cards/card-following.service.js';
export type { FullCard } from './cards/cards.schemas.js';
