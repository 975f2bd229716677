import {
  conflict,
  forbidden,
  notFound,
  paymentRequired,
  tooManyRequests,
  unprocessable,
} from '../../kernel/errors.js';

export const subscriptionInactive = () =>
  paymentRequired('This workspace has no active subscription, so it cannot hire');

export const employeeNotFound = () => notFound('Employee not found');
export const hireNotFound = () => notFound('Hire not found');
export const agentNotFound = () => notFound('Agent not found');

export const noDeployableTemplate = () => unprocessable('This employee has no deployable template yet');

export const alreadyHired = (hireId: string) =>
  conflict({
    error: 'already_hired',
    existing_hire_id: hireId,
    message: 'This workspace already holds an active hire of this employee',
  });

export const tooManyHires = (retryAfterSeconds: number) =>
  tooManyRequests('A workspace can hire 5 employees an hour; try again later', retryAfterSeconds);

export const tooManyGrants = (retryAfterSeconds: number) =>
  tooManyRequests('An admin can grant 50 hires an hour; try again later', retryAfterSeconds);

export const hireOfAnotherBrand = () => forbidden('This hire belongs to another brand');

export const notCancellable = () => conflict('This hire is not in a cancellable state');
