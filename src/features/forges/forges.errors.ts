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
export const forgeNotFound = () => notFound('This project has no host connected');

export const apiUrlMalformed = () => unprocessable('api_url must be an https address');
export const apiUrlNotEncrypted = () =>
  unprocessable('api_url must begin with https; plain http is for loopback only');
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

export const hostUnreachable = () => unprocessable('The host is not reachable at this api_url');
export const hostBusy = () => unprocessable('The host asks for a pause; try again later');
export const tokenRefused = () => unprocessable('The host does not take this token');
export const repositoryUnknown = () =>
  unprocessable('The host knows no such repository, or not for this token');
export const mayNotPush = () => unprocessable('The token is not allowed to push to this repository');
export const mayNotOpen = () =>
  unprocessable('The token is not allowed to open pull requests in this repository');
export const hostPuzzling = () =>
  unprocessable('The host does not answer like the kind of host that was named');

/** The same sentence for every fault, so that it does not tell which projects exist. */
export const deliveryRefused = () => unauthorized('The delivery is not signed with the secret of this hook');

export const tooMuchAtOnce = () => unavailable('Too many deliveries at once', 5);

export const noPullRequest = (why?: string) =>
  notFound(why ? `This card has no pull request: ${why}` : 'This card has no pull request');

export const noForge = () => notFound("The card's project has no host connected");

export const nameOne = () => unprocessable('Name the pull request by its url or by its number');

export const notOfRepository = (repository: string) =>
  unprocessable(`This is not the address of a pull request of ${repository}`);

export const unknownPullRequest = (repository: string) => notFound(`${repository} has no such pull request`);

export const tiedElsewhere = () => conflict('This pull request is tied to another card');

export const hasOpenOne = (number: number) =>
  conflict(`This card has an open pull request already: #${number}`);

export const isBeingOpened = () => conflict('A pull request of this card is being opened');

export const hostFailed = ({ message }: ForgeFailed) => badGateway(message);
