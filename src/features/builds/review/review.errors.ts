import { conflict, unprocessable } from '../../../kernel/errors.js';
import type { BuildReviewView, BuildStatus } from '../builds.schemas.js';

export const notSucceeded = (status: BuildStatus) =>
  conflict(`Only a build that succeeded can be reviewed; this one is ${status}`);
export const commentsRequired = () =>
  unprocessable('comments is required for a rework that has nothing unresolved to answer');
export const commentsOnlyForRework = () => unprocessable('comments belong to a rework only');

export const lineWithoutPath = () => unprocessable('comments[].line needs a path');

const DONE = { accept: 'accepted', rework: 'sent back for rework' } as const;

/** A build is decided of once. */
export const decided = ({ decision, by, at }: BuildReviewView) =>
  conflict({
    error: 'decided',
    decision,
    by,
    at,
    message: `This build was ${DONE[decision]} already${by ? ` by ${by.name}` : ''}`,
  });
export const reviewOfReview = () => conflict('This is a review: decide about the build that it looked at');
