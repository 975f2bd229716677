import { conflict, notFound, unprocessable } from '../../../kernel/errors.js';

export const noCommitsYet = () => notFound('No commits of this build have arrived');
export const projectGone = () => conflict('The project of this build has no repository any more');
export const baseGone = () =>
  conflict('The commit that this build starts from is not in the repository any more');
export const commitsGone = () => conflict('The commits of this build cannot be made again');
export const noSuchFile = () => notFound('The build has no such file on that side');
export const noLines = () => unprocessable('A binary file has no lines to read');
export const linesBackwards = () => unprocessable('to must not be less than from');
