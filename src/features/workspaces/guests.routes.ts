import { noContent } from '../../http/answers.js';
import { error, integerParam, memberAccess, type Route, route } from '../../http/route.js';
import {
  GuestListSchema,
  GuestRemovedSchema,
  InvitationListSchema,
  InvitationSchema,
} from './guests.schemas.js';
import type { GuestService } from './guests.service.js';
import type { InvitationService } from './invitations.service.js';

const tags: [string] = ['Workspace settings'];
const GUESTS = '/api/v1/brands/{brand_id}/guests';
const INVITATIONS = '/api/v1/brands/{brand_id}/invitations';

const administer = memberAccess({ scope: 'brand:admin', role: 'admin' });
const boardsFailed = error(502, '`The boards service returned an invalid response`');

export function guestRoutes(guests: GuestService, invitations: InvitationService): Route[] {
  return [
    route({
      method: 'GET',
      path: GUESTS,
      summary: 'List the guests of the workspace and what they can open',
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
      method: 'POST',
      path: `${GUESTS}/{user_id}/make-member`,
      summary: 'Invite a guest to become a member',
      description: 'E-mails the link. What the guest can open stays until the invitation is accepted.',
      tags,
      access: administer,
      params: { user_id: integerParam('Guest not found') },
      responses: { 201: InvitationSchema },
      errors: [
        error(
          400,
          '`User is already a member of this brand`, or `An invitation is already pending for this email`',
        ),
        error(404, '`Guest not found`'),
        error(502, '`Failed to send invitation email`; nothing is pending then'),
      ],
      handler: ({ caller, params }) => invitations.inviteGuest(caller, params.user_id),
    }),
    route({
      method: 'DELETE',
      path: `${GUESTS}/{user_id}`,
      summary: 'Remove a guest from every board and docs space',
      description: 'Cards, comments and pages they wrote stay. A pending invitation of theirs is revoked.',
      tags,
      access: administer,
      params: { user_id: integerParam('Guest not found') },
      responses: { 200: GuestRemovedSchema },
      errors: [error(404, '`Guest not found`'), boardsFailed],
      handler: ({ caller, params }) => guests.removeGuest(caller, params.user_id),
    }),
    route({
      method: 'GET',
      path: INVITATIONS,
      summary: 'List invitations, newest first',
      tags,
      access: administer,
      responses: { 200: InvitationListSchema },
      errors: [],
      handler: ({ caller }) => invitations.listInvitations(caller.brandId),
    }),
    route({
      method: 'DELETE',
      path: `${INVITATIONS}/{invitation_id}`,
      summary: 'Revoke a pending invitation',
      tags,
      access: administer,
      params: { invitation_id: integerParam('Invitation not found') },
      responses: { 204: null },
      errors: [error(404, 'No pending invitation with that id')],
      handler: async ({ caller, params }) => {
        await invitations.revokeInvitation(caller, params.invitation_id);
        return noContent();
      },
    }),
  ];
}
