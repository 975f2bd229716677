import {
  badGateway,
  badRequest,
  conflict,
  forbidden,
  notFound,
  notReachable,
  tooLarge,
  tooManyRequests,
  unprocessable,
} from '../../kernel/errors.js';
import type { BuildReviewView, BuildStatus } from './builds.schemas.js';

export const buildNotFound = () => notFound('Build not found');
export const noBriefYet = () => notFound('This build has not been given a brief yet');
export const cursorRefused = () => badRequest('cursor must be a next_cursor of this list');

export const unknownCoder = (coder: string, available: readonly string[]) =>
  unprocessable(`coder ${coder} is not available in this workspace; available: ${available.join(', ')}`);
export const unknownProfile = (profile: string) =>
  unprocessable(`profile ${profile} is not available in this workspace`);
export const profileOfAnotherCoder = (profile: string, coder: string) =>
  unprocessable(`profile ${profile} is not one of the coder ${coder}`);
export const deskCannotRun = (coder: string) =>
  unprocessable(`workstation_id must name a desk whose runtime can run ${coder}`);
export const continuesRefused = () => unprocessable('continues must be a finished build of this card');
export const unknownBaseBranch = (branch: string) =>
  unprocessable(`base_branch ${branch} is not a branch of the repository`);
export const machineMissing = () => notFound('Not found');
export const localOnNoDesk = () =>
  unprocessable('workstation_id must be left out of a build on your own machine');
export const deskMissing = () => notFound('Workstation not found');
export const buildsOff = () => forbidden('Builds are switched off in this workspace');
export const deskSuspended = () => conflict('This desk is suspended');
export const cardWithoutProject = () => conflict('This card has no project');
export const projectWithoutRepository = () => conflict('The project of this card has no repository');
export const projectWithoutIndex = () => conflict('The project of this card has no ready index yet');
export const buildOpen = (buildId: string) =>
  conflict({
    error: 'build_open',
    build_id: buildId,
    message: 'This card has a build that is not finished yet',
  });
export const tooManyOpen = (limit: number, retryAfterSeconds: number) =>
  tooManyRequests(`This workspace has ${limit} of ${limit} builds open at once`, retryAfterSeconds);
export const tooManyToday = (limit: number, retryAfterSeconds: number) =>
  tooManyRequests(`This workspace has started ${limit} of ${limit} builds a day`, retryAfterSeconds);

export const alreadyFinished = (status: BuildStatus) => conflict(`This build is finished: ${status}`);

export const buildOfDesk = () => conflict('A desk runs this build');
export const outcomeOfPerson = () => unprocessable('outcome must be one of: succeeded, failed');
export const deskOnly = () => unprocessable('conversation and held_until can only be set by desks');
export const buildOfAnother = () =>
  forbidden('Only the person who started this build can submit its commits');

export const abovePlan = (field: string, limit: number) =>
  unprocessable(`${field} must be at most ${limit}, which is what the plan allows`);

export const unknownReviewer = (profile: string) =>
  unprocessable(`reviewer.profile ${profile} is not available in this workspace`);
export const ownFamily = (coder: string) =>
  unprocessable(
    `reviewer.profile must be of another coder than ${coder}, which writes the changes; same_family: true allows it`,
  );

export const claimLost = (message = 'The build has another claim') =>
  conflict({ error: 'claim_lost', message });
export const verdictRequired = () => unprocessable('verdict is required to finish a review');
export const questionNotFound = () => notFound('Question not found');
export const questionClosed = (how: string) => conflict(`This question is ${how}`);
export const tooManyQuestions = (most: number) => conflict(`A build can ask at most ${most} questions`);
export const answerMissing = () => unprocessable('choice or text is required');
export const notAChoice = (choices: readonly string[]) =>
  unprocessable(
    choices.length > 0
      ? `choice must be one of: ${choices.join(', ')}`
      : 'This question has no choices; send text',
  );
export const notStarted = () => conflict('This build has not been started');
export const finishedByDesk = () => conflict('This build is finished');
export const finishedOtherwise = () => conflict('This build was finished with another result');
export const logGap = (expected: number) =>
  conflict({ error: 'gap', expected, message: `The next piece of the log is ${expected}` });
export const logFull = (pieces: number) => tooLarge(`The log of a build has at most ${pieces} pieces`);
export const emptyPiece = () => unprocessable('A piece of the log must not be empty');

export const projectNotFound = () => notFound('Project not found');
export const agentNotFound = () => notFound('Agent not found');
export const daysInOrder = () => unprocessable('to must not be before from');
export const tooManyDays = (most: number) => unprocessable(`from and to may be ${most} days apart at most`);
export const noSuchDay = (field: string) => unprocessable(`${field} is no day of the calendar`);
export const priceTwice = (model: string, from: string) =>
  unprocessable(`prices: ${model} from ${from} is there twice`);

export const checkNotFound = () => notFound('Check not found');
export const checksUnread = () => badGateway(notReachable('The repository'));
export const checkLogFull = (pieces: number) => tooLarge(`The log of a check has at most ${pieces} pieces`);
export const checksDiffer = () => unprocessable('checks must name every check of the run once, and no other');
export const passedOtherwise = (name: string) =>
  unprocessable(`checks must not have ${name} as passed with another exit code than 0`);

export const commentNotFound = () => notFound('Comment not found');
export const notTheWriter = () => forbidden('Only its writer may change or delete a comment');
export const lineNeedsPath = () => unprocessable('line needs a path');
export const answerHasNoPlace = () =>
  unprocessable('path belongs to the first comment of a thread, not to an answer');
export const replyRefused = () => unprocessable('reply_to must be a comment on this build that was sent');
export const nothingToChange = () => unprocessable('body or resolved is required');
export const draftUnresolved = () =>
  unprocessable('resolved is for comments that were sent, and this is a draft');
export const nothingToCommentOn = () =>
  conflict('No commits of this build have arrived; a comment without a path can be made');
export const unknownPath = () => unprocessable('path must be a file of this build');
export const lineBeyondEnd = (total: number) =>
  unprocessable(`line must be at most ${total}, which is the last line of the file`);
export const answered = () => conflict('This comment was answered; resolve it instead');
export const tooManyComments = (most: number) =>
  conflict(`The attempts of this build have ${most} comments, which is as many as they may have`);

export const noCommitsYet = () => notFound('No commits of this build have arrived');
export const projectGone = () => conflict('The project of this build has no repository any more');
export const baseGone = () =>
  conflict('The commit that this build starts from is not in the repository any more');
export const commitsGone = () => conflict('The commits of this build cannot be made again');
export const noSuchFile = () => notFound('The build has no such file on that side');
export const noLines = () => unprocessable('A binary file has no lines to read');
export const linesBackwards = () => unprocessable('to must not be less than from');

export const notSucceeded = (status: BuildStatus) =>
  conflict(`Only a build that succeeded can be reviewed; this one is ${status}`);
export const commentsRequired = () =>
  unprocessable('comments is required for a rework that has nothing unresolved to answer');
export const commentsOnlyForRework = () => unprocessable('comments belong to a rework only');

export const lineWithoutPath = () => unprocessable('comments[].line needs a path');

const DONE = { accept: 'accepted', rework: 'sent back for rework' } as const;

export const decided = ({ decision, by, at }: BuildReviewView) =>
  conflict({
    error: 'decided',
    decision,
    by,
    at,
    message: `This build was ${DONE[decision]} already${by ? ` by ${by.name}` : ''}`,
  });
export const reviewOfReview = () => conflict('This is a review: decide about the build that it looked at');
