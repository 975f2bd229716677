import { badRequest, conflict, forbidden, notFound } from '../../kernel/errors.js';

export const MOST_VIEWS = 50;

export const viewNotFound = () => notFound('View not found');
export const tooManyViews = () => conflict(`You have ${MOST_VIEWS} views already; delete one first`);
export const notYourView = () => forbidden('Only its owner and admins change a shared view');
export const guestsDoNotShare = () => forbidden('Guests cannot share views');
export const nothingToChange = () => badRequest('No fields to update');
