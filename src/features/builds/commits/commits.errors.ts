import { conflict, notFound } from '../../../kernel/errors.js';

export const noCommitsYet = () => notFound('No commits of this build have arrived');
export const projectGone = () => conflict('The project of this build has no repository any more');
export const baseGone = () =>
  conflict('The commit that this build starts from is not in the repository any more');
export const commitsGone = () => conflict('The commits of this build cannot be made again');
