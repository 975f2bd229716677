import {
  error,
  integerParam,
  memberAccess,
  type Route,
  route,
} from '../../../platform/http/declaration/route.js';
import { GuestListSchema, GuestRemovedSchema, InvitationSchema } from './guests.schemas.js';
import type { GuestService } from './guests.service.js';
import { invitationRefusals } from './invitations.routes.js';
import type { InvitationService } from './invitations.service.js';

const tags: [string] = ['Workspace settings'];
const GUESTS = '/api/v1/brands/{brand_id}/guests';

const administer = memberAccess({ scope: 'brand:admin', role: 'admin' });
const boardsFailed = error(502, '`The boards service returned an invalid response`');

export function guestRoutes(guests: GuestService, invitations: InvitationService): Route[] {
  return [
    route({
      name: 'list_guests',
      method: 'GET',
      path: GUESTS,
      summary: 'List the guests of the workspace',
      description: 'People outside the workspace, and what they can open.',
      tags,
      access: administer,
      responses: { 200: GuestListSchema },
      errors: [boardsFailed],
      handler: async ({ caller }) => {
        const list = await guests.listGuests(caller.brandId);
        return { guests: list, total: list.length };
      },
    }),
    route({
      name: 'invite_guest_as_member',
      method: 'POST',
      path: `${GUESTS}/{user_id}/make-member`,
      creates: {},
      summary: 'Invite a guest to become a member',
      description: 'Mails a link. What they can open stays until they accept.',
      tags,
      access: administer,
      params: {
        user_id: integerParam('Guest not found', {
          description: 'The guest, as list_guests shows them.',
        }),
      },
      responses: { 201: InvitationSchema },
      errors: [...invitationRefusals, error(404, '`Guest not found`')],
      handler: ({ caller, params }) => invitations.inviteGuest(caller, params.user_id),
    }),
    route({
      name: 'remove_guest',
      method: 'DELETE',
      path: `${GUESTS}/{user_id}`,
      summary: 'Remove a guest from every board and docs space',
      description: 'What they wrote stays. A pending invitation is revoked.',
      tags,
      access: administer,
      params: {
        user_id: integerParam('Guest not found', {
          description: 'The guest, as list_guests shows them.',
        }),
      },
      responses: { 200: GuestRemovedSchema },
      errors: [error(404, '`Guest not found`'), boardsFailed],
      handler: ({ caller, params }) => guests.removeGuest(caller, params.user_id),
    }),
  ];
}
