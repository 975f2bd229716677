import { conflict, notFound, unprocessable } from '../../kernel/errors.js';

export const userNotFound = () => notFound('User not found');
export const memberNotFound = () => notFound('Member not found');
export const tokenNotFound = () => notFound('Token not found');
export const jobNotFound = () => notFound('No job has that name');
export const catalogProfileNotFound = () => notFound('No catalog employee has that id');
export const emailTaken = () => conflict('A user with this email already exists');
export const mailNameTaken = () => conflict('This Guildhall address is not available');
export const twoMailboxes = () => unprocessable('mail_name and mail_address exclude each other');
export const agentTaken = () => conflict('An agent with this agent_id already exists');
export const packageInstalled = () => conflict('This package is already installed');
export const notACursor = () => unprocessable('cursor is not one that this endpoint issued');
