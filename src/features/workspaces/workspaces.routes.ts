import { markdownFacts } from '../../kernel/markdown.js';
import { FEATURES } from '../../kernel/plans.js';
import { answer } from '../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  oneOfParam,
  type Route,
  route,
  sessionAccess,
} from '../../platform/http/declaration/route.js';
import { Closed, Named, OneOf } from '../../platform/http/declaration/schemas.js';
import type { BrandService } from './brands/brands.service.js';
import { docsSpaceRoutes } from './docs-spaces/docs-spaces.routes.js';
import type { FeatureSwitchService } from './feature-switches/feature-switches.service.js';
import type { MailAddressService } from './mail-addresses/mail-addresses.service.js';
import { guestRoutes, invitationRoutes } from './people/guests.routes.js';
import type { MailService } from './people/mails.service.js';
import { memberRoutes } from './people/members.routes.js';
import type { WorkspaceAuditService } from './workspace-audit.service.js';
import {
  AvailabilitySchema,
  FeaturesSchema,
  MailAddressSchema,
  MailNameBody,
  MailNameQuery,
  OwnWorkspace,
  OwnWorkspacePatch,
  RenamedSchema,
  SwitchBody,
  WorkspaceAuditPage,
  WorkspaceAuditQuery,
} from './workspaces.schemas.js';
import type { WorkspaceService } from './workspaces.service.js';

const tags: [string] = ['Workspace settings'];

export const workspaceRoutes = (workspaces: WorkspaceService): Route[] => [
  ...brandRoutes(workspaces.brands),
  ...featureSwitchRoutes(workspaces.features),
  ...memberRoutes(workspaces),
  ...guestRoutes(workspaces.guests, workspaces.invitations),
  ...invitationRoutes(workspaces.invitations),
  ...docsSpaceRoutes(workspaces.docsSpaces),
  ...mailAddressRoutes(workspaces.mailAddresses),
  ...workspaceAuditRoutes(workspaces.audit),
  ...accountMailRoutes(workspaces.mails),
];

const brandRoutes = (brands: BrandService): Route[] => [
  route({
    name: 'get_workspace',
    method: 'GET',
    path: '/api/v1/brands/{brand_id}',
    summary: 'Get the workspace',
    description: 'Returns its plan and whether it requires two-factor sign-in.',
    tags,
    access: memberAccess({ scope: 'brand:read' }),
    responses: { 200: OwnWorkspace },
    errors: [],
    handler: ({ caller }) => brands.getOwn(caller),
  }),
  route({
    name: 'change_workspace',
    method: 'PATCH',
    path: '/api/v1/brands/{brand_id}',
    summary: "Change the workspace's name, time zone or two-factor requirement",
    description: 'Absent fields stay. Takes effect at once on every node.',
    tags,
    access: memberAccess({ scope: 'brand:admin', role: 'admin' }),
    body: OwnWorkspacePatch,
    responses: { 200: OwnWorkspace },
    errors: [error(400, '`No fields to update`')],
    handler: ({ caller, body }) => brands.changeOwn(caller, body),
  }),
];

const workspaceAuditRoutes = (audit: WorkspaceAuditService): Route[] => [
  route({
    name: 'list_workspace_audit',
    method: 'GET',
    path: '/api/v1/brands/{brand_id}/audit',
    pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'entries' },
    summary: 'List the audit log of the workspace',
    description: 'Changes and successful and failed sign-ins, newest first, with address and credential.',
    mayLag: true,
    tags: ['Workspace settings'],
    access: memberAccess({ scope: 'brand:admin', role: 'admin' }),
    query: WorkspaceAuditQuery,
    responses: { 200: WorkspaceAuditPage },
    errors: [],
    handler: ({ caller, query }) => audit.list(caller.brandId, query),
  }),
];

function featureSwitchRoutes(features: FeatureSwitchService): Route[] {
  return [
    route({
      name: 'get_features',
      method: 'GET',
      path: '/api/v1/brands/{brand_id}/features',
      summary: 'Read the feature switches of the workspace',
      description: 'Returns whether each is on, why, who set it and when, and what it holds.',
      tags,
      access: memberAccess({ scope: 'brand:read' }),
      formats: {
        allowed: ['yaml', 'md'],
        default: 'json',
        markdown: (data) => `# Features\n\n${markdownFacts(data)}`,
      },
      ready: true,
      headers: ['If-None-Match', 'ETag'],
      responses: { 200: FeaturesSchema, 304: null },
      errors: [],
      handler: ({ caller }) => features.readFeatures(caller.brandId),
    }),
    route({
      name: 'set_feature',
      method: 'PUT',
      path: '/api/v1/brands/{brand_id}/features/{key}',
      summary: 'Turn a feature on or off',
      description: 'Turning it off hides it from the dashboard and deletes nothing.',
      tags,
      access: memberAccess({ scope: 'brand:admin', role: 'admin' }),
      params: {
        key: oneOfParam('key', FEATURES, { description: 'As get_features names it.' }),
      },
      body: SwitchBody,
      responses: { 200: FeaturesSchema },
      errors: [error(409, '`This feature is not included in the workspace plan`')],
      handler: ({ caller, params, body }) => features.changeFeature(caller, params.key, body.on),
    }),
  ];
}

const noAddress = error(404, 'No address on the mail domain');

function mailAddressRoutes(addresses: MailAddressService): Route[] {
  return [
    route({
      name: 'get_mail_address',
      method: 'GET',
      path: '/api/v1/me/mail/address',
      summary: 'Get your mail address and the old ones that forward to it',
      description: 'Old addresses forward until `until`.',
      tags,
      access: memberAccess(),
      responses: { 200: MailAddressSchema },
      errors: [error(404, 'The person has no address')],
      handler: ({ caller }) => addresses.read(caller),
    }),
    route({
      name: 'check_mail_name',
      method: 'GET',
      path: '/api/v1/me/mail/address/availability',
      summary: 'Check whether a mail name is available',
      description: 'Nothing is reserved: rename_mail_address takes the name.',
      tags,
      access: memberAccess(),
      query: MailNameQuery,
      responses: { 200: AvailabilitySchema },
      errors: [noAddress],
      handler: ({ caller, query }) => addresses.checkAvailability(caller, query.name),
    }),
    route({
      name: 'rename_mail_address',
      method: 'PUT',
      path: '/api/v1/me/mail/address',
      summary: 'Rename your mail address',
      description: 'The old address forwards for 30 days.',
      tags,
      access: memberAccess(),
      body: MailNameBody,
      responses: { 200: RenamedSchema },
      errors: [
        noAddress,
        error(
          409,
          '`This Guildhall address is not available`, `This is already your Guildhall address`, or `This mailbox cannot be renamed`',
        ),
        error(429, 'Five old addresses forward already'),
      ],
      handler: ({ caller, body }) => addresses.rename(caller, body.name),
    }),
  ];
}

const SentProof = Named('SentProof', Closed({ status: OneOf(['accepted']) }));

const accountMailRoutes = (mails: MailService): Route[] => [
  route({
    name: 'send_proof_code',
    method: 'POST',
    path: '/api/v1/me/proof',
    agents: 'never',
    summary: 'Mail yourself a code to use instead of a password',
    description: 'Mails eight digits for erase_my_account and remove_totp. They work once, for ten minutes.',
    tags: ['Sign-in and tokens'],
    access: sessionAccess({ role: 'guest' }),
    responses: { 202: SentProof },
    errors: [
      error(409, 'You have a password'),
      error(429, 'More than five codes in 15 minutes'),
      error(502, 'The mail could not be sent'),
    ],
    handler: async ({ caller }) => {
      await mails.sendProofCode(caller);
      return answer(202, { status: 'accepted' });
    },
  }),
];
