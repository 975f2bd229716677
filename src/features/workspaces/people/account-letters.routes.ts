import { answer } from '../../../platform/http/answer/answers.js';
import { error, type Route, route, sessionAccess } from '../../../platform/http/declaration/route.js';
import { Closed, Named, OneOf } from '../../../platform/http/declaration/schemas.js';
import type { createAccountLetterService } from './account-letters.service.js';

const SentProof = Named('SentProof', Closed({ status: OneOf(['accepted']) }));

export const accountLetterRoutes = (letters: ReturnType<typeof createAccountLetterService>): Route[] => [
  route({
    name: 'send_proof_code',
    method: 'POST',
    path: '/api/v1/me/proof',
    agents: 'never',
    summary: 'Have a code mailed in place of a password',
    description: 'Eight digits for erase_my_account and remove_totp, good once, for ten minutes.',
    tags: ['Sign-in and tokens'],
    access: sessionAccess({ role: 'guest' }),
    responses: { 202: SentProof },
    errors: [
      error(409, 'You have a password'),
      error(429, 'More than five codes in 15 minutes'),
      error(502, 'The letter could not be sent'),
    ],
    handler: async ({ caller }) => {
      await letters.sendProofCode(caller);
      return answer(202, { status: 'accepted' });
    },
  }),
];
