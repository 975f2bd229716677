import { badGateway, conflict, notFound, unprocessable } from '../../../kernel/errors.js';
import type { ForgeFailed } from '../adapter/forge.js';

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
