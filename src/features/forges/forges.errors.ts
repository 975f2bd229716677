import {
  badGateway,
  conflict,
  notFound,
  unauthorized,
  unavailable,
  unprocessable,
} from '../../kernel/errors.js';
import type { ForgeFailed } from './adapter/forge.js';

export const projectNotFound = () => notFound('Project not found');
export const forgeNotFound = () => notFound('This project has no repository host');
export const apiUrlMalformed = () => unprocessable('api_url must be an https address');
export const apiUrlNotEncrypted = () =>
  unprocessable('api_url must start with https; http is allowed on loopback only');
export const apiUrlWithMore = () =>
  unprocessable('api_url must have no user name, password, query or fragment');
export const repositoryMalformed = (form: string) => unprocessable(`repository must be written ${form}`);
export const notFollowing = (fields: readonly string[]) =>
  unprocessable(
    `${fields.join(' and ')} must be given: ${fields.length > 1 ? 'they do' : 'it does'} not follow from the address of the project's repository`,
  );
export const labelBlank = () => unprocessable('issues.label must not be blank');
export const tokenUnsendable = () => unprocessable('token must be one word of printable ASCII characters');
export const boardUnknown = () => unprocessable('issues.board_id must be a board of this workspace');
export const hostUnreachable = () => unprocessable('The repository host cannot be reached at this api_url');
export const hostBusy = () => unprocessable('The repository host limits requests right now. Try again later');
export const tokenRefused = () => unprocessable('The repository host rejected this token');
export const repositoryUnknown = () =>
  unprocessable('The repository does not exist on this host, or the token cannot see it');
export const mayNotPush = () => unprocessable('The token is not allowed to push to this repository');
export const mayNotOpen = () =>
  unprocessable('The token is not allowed to open pull requests in this repository');
export const hostPuzzling = () => unprocessable('The host does not respond like the given kind of host');

/** The same sentence for every fault, so that it does not reveal which projects exist. */
export const deliveryRefused = () => unauthorized('The delivery is not signed with the secret of this hook');
export const tooMuchAtOnce = () => unavailable('Too many deliveries at once', 5);
export const noPullRequest = (why?: string) =>
  notFound(why ? `This card has no pull request: ${why}` : 'This card has no pull request');
export const noForge = () => notFound("The card's project has no repository host");
export const nameOne = () => unprocessable('Send either the url or the number of the pull request');
export const notOfRepository = (repository: string) =>
  unprocessable(`This is not the address of a pull request of ${repository}`);
export const unknownPullRequest = (repository: string) => notFound(`${repository} has no such pull request`);
export const tiedElsewhere = () => conflict('This pull request is tied to another card');
export const hasOpenOne = (number: number) =>
  conflict(`This card already has an open pull request: #${number}`);
export const isBeingOpened = () =>
  conflict('A pull request for this card is being opened. Try again in a moment');
export const hostFailed = ({ message }: ForgeFailed) => badGateway(message);
