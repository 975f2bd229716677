import { badRequest, conflict, forbidden, notFound, unprocessable } from '../../kernel/errors.js';

export const webhookNotFound = () => notFound('Webhook not found');
export const deliveryNotFound = () => notFound('Delivery not found');
export const cursorInvalid = () => badRequest('cursor is not one that this list gave out');
export const webhookDisabled = () => conflict('The webhook is disabled; enable it first');
export const webhookQuotaExceeded = (limit: number, current: number) =>
  forbidden({
    error: 'quota_exceeded',
    limit,
    current,
    message: `The workspace plan allows ${limit} webhooks, and there are ${current}`,
  });
export const urlMalformed = () =>
  unprocessable('url must be a complete https address such as https://hooks.example.com/guildhall');
export const urlNotEncrypted = () => unprocessable('url must begin with https://');
export const urlWithCredentials = () => unprocessable('url must not contain a user name or password');
export const urlNotPublic = () =>
  unprocessable('url must not lead to a loopback, private, link-local, multicast or metadata address');
