import {
  badGateway,
  conflict,
  forbidden,
  gatewayTimeout,
  notFound,
  unavailable,
  unprocessable,
} from '../../kernel/errors.js';

export const memoryNotFound = () => notFound('Memory not found');
export const sourceNotFound = () => notFound('Source not found');

/** The same words whoever owns the agent, and whether or not it exists. */
export const agentNotOwned = () => forbidden('This agent does not belong to the workspace');

export const agentIdInvalid = (name = 'agent_id') =>
  unprocessable(`${name} must have 1 to 255 letters, digits, _ or -`);

export const sourceQuotaExceeded = (limit: number, current: number) =>
  forbidden({
    error: 'quota_exceeded',
    limit,
    current,
    message: `The workspace plan allows ${limit} conversation sources, and there are ${current}`,
  });

export const sourcePathInvalid = () =>
  unprocessable('config.path must name an existing folder inside the folder for conversation sources');

export const kindsUnknown = (kinds: readonly string[]) =>
  unprocessable(`kinds must be any of: ${kinds.join(', ')}`);

export const queryRequired = () => unprocessable('query must not be empty');

export const ownershipUnknown = () =>
  unavailable('The owner of the agent could not be checked; nothing was created');

export const nothingToUnmerge = () =>
  conflict('This memory was not made by consolidation, or its sources are back already');

export const memoryUnreachable = () => badGateway('The memory service is not reachable; try again shortly');
export const memoryTooSlow = () => gatewayTimeout('The memory service did not answer within 30 seconds');
