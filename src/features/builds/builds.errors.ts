import {
  badRequest,
  conflict,
  forbidden,
  notFound,
  tooLarge,
  tooManyRequests,
  unprocessable,
} from '../../kernel/errors.js';
import type { Coder } from '../../kernel/plans.js';
import type { BuildStatus } from './builds.schemas.js';

export const buildNotFound = () => notFound('Build not found');
export const noBriefYet = () => notFound('This build has not been given a brief yet');
export const cursorRefused = () => badRequest('cursor must be a next_cursor of this list');

// --- asking for one -------------------------------------------------------------------------------

export const unknownCoder = (coder: string) =>
  unprocessable(`coder ${coder} is not one that this workspace can use`);
export const unknownProfile = (profile: string) =>
  unprocessable(`profile ${profile} is not one that this workspace can use`);
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
  tooManyRequests(`This workspace has begun ${limit} of ${limit} builds a day`, retryAfterSeconds);

export const alreadyFinished = (status: BuildStatus) => conflict(`This build is finished: ${status}`);

export const buildOfDesk = () => conflict('This build is in the hands of a desk');
export const outcomeOfPerson = () => unprocessable('outcome must be one of: succeeded, failed');
export const deskOnly = () => unprocessable('conversation and held_until are for desks to say');
export const buildOfAnother = () => forbidden('Only who began this build may hand it in');

// --- what a workspace allows ----------------------------------------------------------------------

export const abovePlan = (field: string, limit: number) =>
  unprocessable(`${field} must be at most ${limit}, which is what the plan allows`);

export const unknownReviewer = (profile: string) =>
  unprocessable(`reviewer.profile ${profile} is not one that this workspace can use`);
export const ownFamily = (coder: Coder) =>
  unprocessable(
    `reviewer.profile must be of another coder than ${coder}, which writes the changes; same_family: true allows it`,
  );

// --- what a desk is told --------------------------------------------------------------------------

export const claimLost = (message = 'This claim is not, or no longer, the one of the build') =>
  conflict({ error: 'claim_lost', message });
export const verdictRequired = () => unprocessable('verdict is required to finish a review');
export const notStarted = () => conflict('This build has not been started');
export const finishedByDesk = () => conflict('This build is finished');
export const finishedOtherwise = () => conflict('This build was finished with another result');
export const logGap = (expected: number) =>
  conflict({ error: 'gap', expected, message: `The next piece of the log is ${expected}` });
export const logFull = (pieces: number) => tooLarge(`The log of a build has at most ${pieces} pieces`);
export const emptyPiece = () => unprocessable('A piece of the log must not be empty');
