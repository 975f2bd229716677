import { badRequest, conflict, notFound, unprocessable } from '../../kernel/errors.js';

export const projectNotFound = () => notFound('Project not found');
export const invalidAnchor = (field: string) =>
  unprocessable(
    `${field} must be a repository path, <path>#<Symbol.name> or a folder, without .. and without a leading slash`,
  );
export const wrongStartCount = () =>
  unprocessable('paths and node_ids together must name 1 to 50 start points');
export const anchorRequired = () => unprocessable('anchor is required unless stale is true');
export const notACursor = () => badRequest('cursor is not one that this endpoint issued');
export const blankText = () => unprocessable('text must not be empty');
export const unknownCommit = (field: 'base' | 'head') =>
  unprocessable(`${field} must be a branch or a commit of the repository`);
export const noSuchCode = () => notFound('No code of the index has that path');
export const noReadyIndex = () => conflict('The code of this project has not been indexed yet');
export const kindsUnknown = () => unprocessable('kinds must be any of: import, call, contains');
