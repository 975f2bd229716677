import { error, memberAccess, type Route, route } from '../../../platform/http/declaration/route.js';
import {
  AvailabilitySchema,
  MailAddressSchema,
  MailNameBody,
  MailNameQuery,
  RenamedSchema,
} from './mail-addresses.schemas.js';
import type { MailAddressService } from './mail-addresses.service.js';

const tags: [string] = ['Workspace settings'];
const noAddress = error(404, 'No address on the mail domain');

export function mailAddressRoutes(addresses: MailAddressService): Route[] {
  return [
    route({
      name: 'get_mail_address',
      method: 'GET',
      path: '/api/v1/me/mail/address',
      summary: 'Your mail address, and the old ones that forward to it',
      description: 'An old one forwards until its `until`.',
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
      summary: 'Ask whether a mail name is available',
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
