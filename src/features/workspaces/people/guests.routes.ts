import { noContent } from '../../../platform/http/answer/answers.js';
import {
  error,
  integerParam,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { BOARD_WORDS, BoardId } from '../../boards/index.js';
import {
  GuestInvitationBody,
  GuestListSchema,
  GuestRemovedSchema,
  InvitationBody,
  InvitationListSchema,
  InvitationSchema,
} from '../workspaces.schemas.js';
import type { GuestService } from './guests.service.js';
import type { InvitationService } from './invitations.service.js';

const tags: [string] = ['Workspace settings'];
const INVITATIONS = '/api/v1/brands/{brand_id}/invitations';
const administer = memberAccess({ scope: 'brand:admin', role: 'admin' });

const invitationRefusals = [
  error(
    400,
    '`User is already a member of this brand`, or `An invitation is already pending for this email`',
  ),
  error(429, 'Too many invitations in an hour'),
  error(502, '`Failed to send invitation email`; nothing is pending then'),
];

export const invitationRoutes = (invitations: InvitationService): Route[] => [
  route({
    name: 'invite_member',
    method: 'POST',
    path: INVITATIONS,
    creates: {},
    summary: 'Invite a person to the workspace by e-mail',
    description: "Mails a link, good for seven days. Only the address's owner can accept.",
    tags,
    access: administer,
    body: InvitationBody,
    responses: { 201: InvitationSchema },
    errors: invitationRefusals,
    handler: ({ caller, body }) => invitations.inviteMember(caller, body),
  }),
  route({
    name: 'list_invitations',
    method: 'GET',
    path: INVITATIONS,
    summary: 'List invitations, newest first',
    description: 'Pending, accepted, revoked and expired ones.',
    tags,
    access: administer,
    responses: { 200: InvitationListSchema },
    errors: [],
    handler: ({ caller }) => invitations.listInvitations(caller.brandId),
  }),
  route({
    name: 'revoke_invitation',
    method: 'DELETE',
    path: `${INVITATIONS}/{invitation_id}`,
    summary: 'Revoke a pending invitation',
    description: 'Its link stops working at once.',
    tags,
    access: administer,
    params: {
      invitation_id: integerParam('Invitation not found', {
        description: 'As list_invitations shows it.',
      }),
    },
    responses: { 204: null },
    errors: [error(404, 'Not found')],
    handler: async ({ caller, params }) => {
      await invitations.revokeInvitation(caller, params.invitation_id);
      return noContent();
    },
  }),
  ...guestInvitationRoutes(invitations),
];

function guestInvitationRoutes(invitations: InvitationService): Route[] {
  const access = memberAccess({ role: 'admin' });
  const description =
    'Mails a link. Boards and spaces join one pending invitation, which ends with the last of them.';
  return [
    route({
      name: 'invite_board_guest',
      method: 'POST',
      path: '/api/v1/board/boards/{board_id}/guests',
      creates: {},
      summary: 'Invite a guest to a board by e-mail',
      description,
      tags: ['Boards'],
      access,
      params: {
        board_id: uuidParam('Board not found', { description: BOARD_WORDS, schema: BoardId }),
      },
      body: GuestInvitationBody,
      responses: { 201: InvitationSchema },
      errors: [
        ...invitationRefusals,
        error(403, 'The board belongs to another workspace'),
        error(404, 'Not found'),
      ],
      handler: ({ caller, params, body }) => invitations.inviteToBoard(caller, params.board_id, body),
    }),
    route({
      name: 'invite_docs_space_guest',
      method: 'POST',
      path: '/api/v1/docs/spaces/{space_id}/guests',
      creates: {},
      summary: 'Invite a guest to a docs space by e-mail',
      description,
      tags: ['Docs'],
      access,
      params: {
        space_id: uuidParam('Docs space not found', { description: 'As list_docs_spaces shows it.' }),
      },
      body: GuestInvitationBody,
      responses: { 201: InvitationSchema },
      errors: [...invitationRefusals, error(404, 'Not found')],
      handler: ({ caller, params, body }) => invitations.inviteToSpace(caller, params.space_id, body),
    }),
  ];
}

const GUESTS = '/api/v1/brands/{brand_id}/guests';

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
      description: 'Mails a link. They keep their access until they accept.',
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
      description: 'Their texts stay. A pending invitation is revoked.',
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
