import { error, integerParam, memberAccess, type Route, route, uuidParam } from '../../http/route.js';
import {
  SpaceBody,
  SpaceGuestBody,
  SpaceGuestSchema,
  SpaceListSchema,
  SpaceSchema,
} from './docs-spaces.schemas.js';
import type { DocsSpaceService } from './docs-spaces.service.js';

const tags: [string] = ['Docs'];
const SPACES = '/api/v1/docs/spaces';
const noSpace = error(404, 'No such docs space in the workspace');

export function docsSpaceRoutes(spaces: DocsSpaceService): Route[] {
  return [
    route({
      method: 'POST',
      path: SPACES,
      summary: 'Make a docs space',
      tags,
      access: memberAccess(),
      body: SpaceBody,
      responses: { 201: SpaceSchema },
      errors: [],
      handler: ({ caller, body }) => spaces.createSpace(caller, body.name),
    }),
    route({
      method: 'GET',
      path: SPACES,
      summary: 'List docs spaces',
      description: 'A guest sees the ones they were invited to.',
      tags,
      access: memberAccess({ role: 'guest' }),
      responses: { 200: SpaceListSchema },
      errors: [],
      handler: async ({ caller }) => {
        const list = await spaces.listSpaces(caller);
        return { spaces: list, total: list.length };
      },
    }),
    route({
      method: 'GET',
      path: `${SPACES}/{space_id}`,
      summary: 'Read a docs space',
      tags,
      access: memberAccess({ role: 'guest' }),
      params: { space_id: uuidParam('Docs space not found') },
      responses: { 200: SpaceSchema },
      errors: [error(403, 'A guest who was not invited to it'), noSpace],
      handler: ({ caller, params }) => spaces.getSpace(caller, params.space_id),
    }),
    route({
      method: 'PUT',
      path: `${SPACES}/{space_id}/guests/{user_id}`,
      summary: 'Let somebody outside the workspace into a docs space, or change their level',
      tags,
      access: memberAccess({ role: 'admin' }),
      params: { space_id: uuidParam('Docs space not found'), user_id: integerParam('User not found') },
      body: SpaceGuestBody,
      responses: { 200: SpaceGuestSchema },
      errors: [
        error(404, 'No such docs space, or no such person'),
        error(409, 'The person is a member already'),
      ],
      handler: ({ caller, params, body }) =>
        spaces.putGuest(caller, params.space_id, params.user_id, body.role),
    }),
  ];
}
