import { badRequest, notFound, unprocessable } from '../../kernel/errors.js';

export const itemNotFound = () => notFound('Item not found');
export const notACursor = () => badRequest('cursor is not a cursor this endpoint issued');
export const nothingToChange = () => badRequest('No fields to update');
export const notASnooze = () => unprocessable('snoozed_until must be ahead, by a year at most');
