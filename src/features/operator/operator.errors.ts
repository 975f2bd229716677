import { badRequest, conflict, notFound, unprocessable } from '../../kernel/errors.js';

export const tokenNotFound = () => notFound('Token not found');
export const jobNotFound = () => notFound('No job has that name');
export const catalogProfileNotFound = () => notFound('No catalog employee has that id');
export const emailTaken = () => conflict('A user with this email already exists');
export const twoMailboxes = () => unprocessable('mail_name and mail_address exclude each other');
export const agentTaken = () => conflict('An agent with this agent_id already exists');
export const packageInstalled = () => conflict('This package is already installed');
export const notACursor = () => badRequest('cursor is not one that this endpoint issued');
