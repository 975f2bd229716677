import { DeadlineExceeded, within } from '../../../kernel/deadline.js';
import type { ApiError } from '../../../kernel/errors.js';
import type { Route } from '../declaration/route.js';

export interface AnswerDeadline {
  milliseconds: number;
  late(): ApiError;
  /** The words that these routes have for failures of the rooms below. */
  translateFailure(error: unknown): ApiError | undefined;
}

/** The same endpoint, with an answer in time. */
export const answerWithin = (deadline: AnswerDeadline, declaration: Route): Route => ({
  ...declaration,
  translateFailure: deadline.translateFailure,
  handler: async (request) => {
    const work = Promise.resolve(request).then((asked) => declaration.handler(asked));
    return within(deadline.milliseconds, work).catch((error: unknown) => {
      throw error instanceof DeadlineExceeded ? deadline.late() : error;
    });
  },
});
