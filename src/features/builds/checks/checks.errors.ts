import { badGateway, notFound, notReachable, tooLarge, unprocessable } from '../../../kernel/errors.js';

export const checkNotFound = () => notFound('Check not found');
export const checksUnread = () => badGateway(notReachable('The repository'));
export const checkLogFull = (pieces: number) => tooLarge(`The log of a check has at most ${pieces} pieces`);
export const checksDiffer = () => unprocessable('checks must name every check of the run once, and no other');
export const passedOtherwise = (name: string) =>
  unprocessable(`checks must not have ${name} as passed with another exit code than 0`);
