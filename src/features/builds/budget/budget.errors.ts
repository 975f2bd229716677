import { notFound, unprocessable } from '../../../kernel/errors.js';

export const projectNotFound = () => notFound('Project not found');
export const agentNotFound = () => notFound('Agent not found');
export const daysInOrder = () => unprocessable('to must not be before from');
export const tooManyDays = (most: number) => unprocessable(`from and to may be ${most} days apart at most`);
export const noSuchDay = (field: string) => unprocessable(`${field} is no day of the calendar`);
export const priceTwice = (model: string, from: string) =>
  unprocessable(`prices: ${model} from ${from} is there twice`);
