import { DeadlineExceeded } from '../../../kernel/deadline.js';
import { errorCode, isConnectionFailure } from '../../../platform/database/connection/database-errors.js';

/** No answer in time, no connection, no resources, a lock that is held, damaged data: it is there and cannot be read now. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof DeadlineExceeded ||
  isConnectionFailure(error) ||
  /^(53|57|58|XX|55P03)/.test(errorCode(error) ?? '');
