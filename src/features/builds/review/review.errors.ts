import { conflict, unprocessable } from '../../../kernel/errors.js';
import type { BuildReviewView, BuildStatus } from '../builds.schemas.js';

export const notSucceeded = (status: BuildStatus) =>
  conflict(`Only a build that succeeded can be reviewed; this one is ${status}`);
export const commentsRequired = () => unprocessable('comments is required for a rework');
export const commentsOnlyForRework = () => unprocessable('comments belong to a rework only');

export const lineWithoutPath = () => unprocessable('comments[].line needs a path');

const DONE = { accept: 'accepted', rework: 'sent back for rework' } as const;

/** A build is decided of once. */
export const decided = (review: BuildReviewView) =>
  conflict({
    error: 'decided',
    ...review,
    message: `This build was ${DONE[review.decision]} already${review.by ? ` by ${review.by.name}` : ''}`,
  });
