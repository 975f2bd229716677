import { notFound } from '../../../kernel/errors.js';

export const noBriefYet = () => notFound('This build has not been given a brief yet');
