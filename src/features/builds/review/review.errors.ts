import { conflict, unprocessable } from '../../../kernel/errors.js';
import type { BuildStatus } from '../builds.schemas.js';

export const notSucceeded = (status: BuildStatus) =>
  conflict(`Only a build that succeeded can be reviewed; this one is ${status}`);
export const commentsRequired = () => unprocessable('comments is required for a rework');
export const commentsOnlyForRework = () => unprocessable('comments belong to a rework only');
