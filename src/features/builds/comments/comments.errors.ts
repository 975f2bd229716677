import { conflict, forbidden, notFound, unprocessable } from '../../../kernel/errors.js';

export const commentNotFound = () => notFound('Comment not found');
export const notTheWriter = () => forbidden('Only its writer may change or delete a comment');
export const lineNeedsPath = () => unprocessable('line needs a path');
export const answerHasNoPlace = () =>
  unprocessable('path belongs to the first comment of a thread, not to an answer');
export const replyRefused = () => unprocessable('reply_to must be a comment on this build that was sent');
export const nothingToChange = () => unprocessable('body or resolved is required');
export const draftUnresolved = () =>
  unprocessable('resolved is for comments that were sent, and this is a draft');
export const nothingToCommentOn = () =>
  conflict('No commits of this build have arrived; a comment without a path can be made');
export const unknownPath = () => unprocessable('path must be a file of this build');
export const lineBeyondEnd = (total: number) =>
  unprocessable(`line must be at most ${total}, which is the last line of the file`);
export const answered = () => conflict('This comment was answered; resolve it instead');
export const tooManyComments = (most: number) =>
  conflict(`The attempts of this build have ${most} comments, which is as many as they may have`);
