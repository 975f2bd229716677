import { parseIntegerId } from '../../../kernel/ids.js';
import { bytes, noContent, notModified } from '../../../platform/http/answer/answers.js';
import { namesTag } from '../../../platform/http/answer/ready-answer.js';
import {
  error,
  integerParam,
  memberAccess,
  type PathParam,
  type Route,
  route,
} from '../../../platform/http/declaration/route.js';
import { Success } from '../../../platform/http/declaration/schemas.js';
import { notAPhoto } from '../workspaces.errors.js';
import {
  DoneSchema,
  MemberBody,
  MemberListSchema,
  MemberSchema,
  PhotoSchema,
  SetPasswordBody,
} from '../workspaces.schemas.js';
import type { MemberPasswordService } from './member-passwords.service.js';
import { LARGEST_PHOTO, type MemberPhotoService } from './member-photos.service.js';
import type { MemberService } from './members.service.js';

const tags: [string] = ['Workspace settings'];
const MEMBERS = '/api/v1/brands/{brand_id}/members';
const MEMBER = `${MEMBERS}/{user_id}`;

const read = memberAccess({ scope: 'brand:read' });
const administer = memberAccess({ scope: 'brand:admin', role: 'admin' });
const noMember = error(404, '`Member not found`');

const member = { description: 'The member, as list_members shows them.' };

/** Accepts text that is not a number, so that the service checks the rest of the request before it returns 404. */
const looseUserId: PathParam<number | undefined> = {
  ...integerParam(undefined, member),
  read: parseIntegerId,
};

export interface MemberServices {
  members: MemberService;
  photos: MemberPhotoService;
  passwords: MemberPasswordService;
}

export const memberRoutes = (services: MemberServices): Route[] => [
  ...recordRoutes(services.members),
  ...photoRoutes(services.photos),
  ...passwordRoutes(services.passwords),
];

const recordRoutes = (members: MemberService): Route[] => [
  route({
    name: 'list_members',
    method: 'GET',
    path: MEMBERS,
    summary: 'List the members of the workspace',
    description: "With their role. A `user_id` can be a card's assignee.",
    tags,
    access: read,
    ready: true,
    headers: ['If-None-Match', 'ETag'],
    responses: { 200: MemberListSchema, 304: null },
    errors: [],
    handler: async ({ caller }) => {
      const list = await members.listMembers(caller.brandId);
      return { members: list, total: list.length };
    },
  }),
  route({
    name: 'get_member',
    method: 'GET',
    path: MEMBER,
    summary: 'Read a member',
    description: 'Returns role, position and photo.',
    tags,
    access: read,
    params: { user_id: looseUserId },
    responses: { 200: MemberSchema },
    errors: [noMember],
    handler: ({ caller, params }) => members.getMember(caller.brandId, params.user_id),
  }),
  route({
    name: 'update_member',
    method: 'PATCH',
    path: MEMBER,
    summary: "Change a member's role or position",
    description: 'Absent fields stay. A position of null clears it.',
    tags,
    access: administer,
    params: { user_id: looseUserId },
    body: MemberBody,
    responses: { 200: Success },
    errors: [
      error(400, "`Role must be 'admin' or 'member'`, or `No fields to update`"),
      noMember,
      error(409, '`The last workspace admin cannot be changed to a member`'),
    ],
    handler: async ({ caller, params, body }) => {
      await members.changeMember(caller, params.user_id, body);
      return { success: true };
    },
  }),
  route({
    name: 'remove_member',
    method: 'DELETE',
    path: MEMBER,
    summary: 'Remove a member from the workspace',
    description: 'Ends their sessions, tokens and streams in this workspace.',
    tags,
    access: administer,
    params: { user_id: integerParam('Member not found', member) },
    responses: { 204: null },
    errors: [noMember, error(409, '`The last workspace admin cannot be removed`')],
    handler: async ({ caller, params }) => {
      await members.removeMember(caller, params.user_id);
      return noContent();
    },
  }),
];

const photoRoutes = (photos: MemberPhotoService): Route[] => [
  route({
    name: 'get_member_photo',
    method: 'GET',
    path: `${MEMBER}/photo`,
    agents: 'never',
    summary: "Read a member's photo",
    description: 'The bytes of the picture, with an ETag.',
    tags,
    access: read,
    params: { user_id: looseUserId },
    headers: ['If-None-Match', 'ETag', 'Cache-Control'],
    responses: { 200: { contentType: 'image/*', description: 'The picture' }, 304: null },
    errors: [
      error(404, 'No such member, or no photo'),
      error(502, 'The image storage is not reachable'),
      error(503, '`Image storage not configured`'),
    ],
    handler: async ({ caller, params, headers }) => {
      const { image, tag } = await photos.readPhoto(caller.brandId, params.user_id);
      const caching = { 'cache-control': 'private, no-cache', etag: tag };
      if (namesTag(headers['if-none-match'], tag)) return notModified(caching);
      return bytes(image.bytes, image.contentType, caching);
    },
  }),
  route({
    name: 'set_member_photo',
    method: 'POST',
    path: `${MEMBER}/photo`,
    agents: 'never',
    summary: "Set a member's photo",
    description: 'The content decides the type. The photo is stored without its metadata.',
    tags,
    access: administer,
    params: { user_id: looseUserId },
    upload: {
      field: 'file',
      maxBytes: LARGEST_PHOTO,
      description: 'PNG, JPG or GIF, up to 5 MB',
      missing: notAPhoto,
    },
    responses: { 200: PhotoSchema },
    errors: [
      error(400, '`File must be PNG, JPG or GIF`, or `File too large (max 5MB)`'),
      noMember,
      error(502, 'The image storage is not reachable'),
      error(503, '`Image storage not configured`'),
    ],
    handler: ({ caller, params, file }) => photos.setPhoto(caller, params.user_id, file!),
  }),
  route({
    name: 'remove_member_photo',
    method: 'DELETE',
    path: `${MEMBER}/photo`,
    summary: "Remove a member's photo",
    description: 'Answers `photo: null`.',
    tags,
    access: administer,
    params: { user_id: looseUserId },
    responses: { 200: PhotoSchema },
    errors: [noMember],
    handler: ({ caller, params }) => photos.removePhoto(caller, params.user_id),
  }),
];

const passwordRoutes = (passwords: MemberPasswordService): Route[] => [
  route({
    name: 'send_password_reset',
    method: 'POST',
    path: `${MEMBER}/reset-password`,
    agents: 'never',
    summary: 'Mail a member a password reset link',
    description: 'Mails a link; the person chooses the password.',
    tags,
    access: administer,
    params: { user_id: integerParam('Member not found', member) },
    responses: { 200: DoneSchema },
    errors: [noMember, error(502, '`Failed to send password reset email`')],
    handler: async ({ caller, params }) => ({
      success: true,
      message: await passwords.sendResetLink(caller, params.user_id),
    }),
  }),
  route({
    name: 'set_member_password',
    method: 'POST',
    path: `${MEMBER}/set-password`,
    agents: 'never',
    summary: "Set a member's password",
    description: 'Only for people of no other workspace. Their sessions end.',
    tags,
    access: administer,
    params: { user_id: integerParam('Member not found', member) },
    body: SetPasswordBody,
    responses: { 200: DoneSchema },
    errors: [
      error(400, '`User has no auth account`'),
      noMember,
      error(409, "`Send a reset link instead of setting this person's password.`"),
      error(502, '`Failed to set password`'),
    ],
    handler: async ({ caller, params, body }) => ({
      success: true,
      message: await passwords.setPassword(caller, params.user_id, body.password, body.send_email ?? false),
    }),
  }),
];
