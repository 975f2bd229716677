import { unprocessable } from '../../../kernel/errors.js';
import type { Coder } from '../../../kernel/plans.js';

export const verdictRequired = () => unprocessable('verdict is required to finish a review');
export const unknownReviewer = (profile: string) =>
  unprocessable(`reviewer.profile ${profile} is not one that this workspace can use`);
export const ownFamily = (coder: Coder) =>
  unprocessable(
    `reviewer.profile must be of another coder than ${coder}, which writes the changes; same_family: true allows it`,
  );
