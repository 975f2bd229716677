import {
  ApiError,
  badRequest,
  conflict,
  forbidden,
  gatewayTimeout,
  notFound,
  notReachable,
  OUTAGE_RETRY_SECONDS,
  retryAfter,
  unavailable,
  unprocessable,
} from '../../kernel/errors.js';
import {
  errorCode,
  isConnectionFailure,
  isQueryTimeout,
} from '../../platform/database/connection/database-errors.js';
import type { AnswerDeadline } from '../../platform/http/answer/error-answer.js';
import { error } from '../../platform/http/declaration/route.js';

export const memoryNotFound = () => notFound('Memory not found');
export const sourceNotFound = () => notFound('Source not found');

export const conversationNotFound = () => notFound('Conversation not found');
export const conversationNotRetried = (status: string) =>
  conflict(`Only a conversation that failed or waits can be tried again; this one is ${status}`);
export const notACursor = () => badRequest('cursor is not one that this endpoint issued');

/** The same message whether or not the agent exists. */
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
  unprocessable(
    'config.path must name an existing folder inside the workspace’s own folder for conversation sources',
  );

export const sourceConfigTooLarge = (characters: number, levels: number) =>
  unprocessable(`config must have at most ${characters} characters as JSON, and at most ${levels} levels`);

export const kindsUnknown = (kinds: readonly string[]) =>
  unprocessable(`kinds must be any of: ${kinds.join(', ')}`);

export const queryRequired = () => unprocessable('query must not be empty');

export const ownershipUnknown = () =>
  unavailable('The owner of the agent could not be checked; nothing was created', OUTAGE_RETRY_SECONDS);

export const supersededUnknown = () => unprocessable('supersedes must name memories of this agent');

export const supersedesItself = () => unprocessable('supersedes must not name the memory itself');

/** A guest's words must not replace what the agent knows. */
export const notByGuestWords = () =>
  forbidden("A build that was given a guest's words may not replace memories");

export const memoryOfAnotherAgent = () =>
  forbidden(
    "An agent's token may delete only memories of that agent; archive this one instead: update it with status archived",
  );

export const nothingToUnmerge = () =>
  conflict('This memory was not made by consolidation, or its sources are back already');

const memoryUnreachable = () =>
  new ApiError(502, notReachable('The memory service'), retryAfter(OUTAGE_RETRY_SECONDS));
const memoryTooSlow = () => gatewayTimeout('The memory service did not answer within 30 seconds');

const STATEMENT_CANCELED = '57014';
const DEADLINE_MS = 30_000;
/** Authentication has already used part of the caller's 30 seconds. */
const HEAD_START_MS = 500;

/** The deadline of all memory and lesson routes: 504 when it passes, 502 when the database is unreachable. */
export const memoryDeadline: AnswerDeadline = {
  milliseconds: DEADLINE_MS - HEAD_START_MS,
  late: memoryTooSlow,
  translateFailure(error) {
    if (isQueryTimeout(error) || errorCode(error) === STATEMENT_CANCELED) return memoryTooSlow();
    return isConnectionFailure(error) ? memoryUnreachable() : undefined;
  },
};

export const memoryOutages = [
  error(502, 'The memory service is not reachable'),
  error(504, 'No answer within 30 seconds'),
];
