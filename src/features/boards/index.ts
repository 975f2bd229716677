export type { Attachment } from './attachments/attachments.schemas.js';
export { cardNotFound } from './boards.errors.js';
export { boardJobs } from './boards.jobs.js';
export { boardRoutes } from './boards.routes.js';
export { BOARD_WORDS, BoardId, CARD_WORDS, CardId } from './boards.schemas.js';
export {
  type ArrivingCard,
  type BoardService,
  createBoardService,
  STATUSES,
  type Status,
} from './boards.service.js';
export type { FollowedChange } from './cards/card-following.service.js';
export type { FullCard } from './cards/cards.schemas.js';
export type { CommentListener } from './comments/comments.service.js';
