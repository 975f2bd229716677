import { answer } from '../../../platform/http/answer/answers.js';
import { error, publicAccess, type Route, route } from '../../../platform/http/declaration/route.js';
import { Success } from '../../../platform/http/declaration/schemas.js';
import { ForgottenBody, ResetBody, TAGS, TOO_EASY, TOO_MANY } from '../identity.schemas.js';
import type { DoorCookies } from '../sessions/door-cookies.js';
import type { createForgottenPasswordService } from './forgotten.service.js';
import type { createPasswordService } from './passwords.service.js';

type PasswordServices = ReturnType<typeof createPasswordService> & {
  forgotten: ReturnType<typeof createForgottenPasswordService>;
};

export const passwordRoutes = (identity: PasswordServices, cookies: DoorCookies): Route[] => [
  route({
    name: 'request_password_reset',
    method: 'POST',
    path: '/api/v1/auth/forgot-password',
    summary: 'Have a password reset mailed',
    description: 'The same answer whether there is an account or not.',
    tags: TAGS,
    access: publicAccess(),
    body: ForgottenBody,
    responses: { 202: Success },
    errors: [],
    handler: async ({ body, ...request }) => {
      await identity.forgotten.requestReset(body.email, cookies.visitorOf(request));
      return answer(202, { success: true });
    },
  }),
  route({
    name: 'reset_password',
    method: 'POST',
    path: '/api/v1/auth/reset-password',
    summary: 'Choose a new password with a mailed link',
    description: 'With the secret of a mailed link. It works once; sign in with the new password then.',
    tags: TAGS,
    access: publicAccess(),
    body: ResetBody,
    responses: { 200: Success },
    errors: [error(400, '`This link is no longer valid`'), TOO_EASY, TOO_MANY],
    handler: async ({ body, clientAddress }) => {
      await identity.resetPassword(body.token, body.password, clientAddress);
      return { success: true };
    },
  }),
];
