import { noContent } from '../../../platform/http/answer/answers.js';
import {
  error,
  integerParam,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import {
  SpaceBody,
  SpaceGuestBody,
  SpaceGuestSchema,
  SpaceListSchema,
  SpaceSchema,
} from '../workspaces.schemas.js';
import type { DocsSpaceService } from './docs-spaces.service.js';

const tags: [string] = ['Docs'];
const SPACES = '/api/v1/docs/spaces';
const noSpace = error(404, 'Not found');

export function docsSpaceRoutes(spaces: DocsSpaceService): Route[] {
  return [
    route({
      name: 'create_docs_space',
      method: 'POST',
      path: SPACES,
      creates: {},
      summary: 'Create a docs space',
      description: 'Add guests with put_docs_space_guest.',
      tags,
      access: memberAccess(),
      body: SpaceBody,
      responses: { 201: SpaceSchema },
      errors: [],
      handler: ({ caller, body }) => spaces.createSpace(caller, body.name),
    }),
    route({
      name: 'list_docs_spaces',
      method: 'GET',
      path: SPACES,
      summary: 'List docs spaces',
      description: 'A guest sees those they were invited to.',
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
      name: 'get_docs_space',
      method: 'GET',
      path: `${SPACES}/{space_id}`,
      summary: 'Read a docs space',
      description: 'Returns the name of one docs space.',
      tags,
      access: memberAccess({ role: 'guest' }),
      params: {
        space_id: uuidParam('Docs space not found', { description: 'As list_docs_spaces shows it.' }),
      },
      responses: { 200: SpaceSchema },
      errors: [error(403, 'A guest who was not invited to it'), noSpace],
      handler: ({ caller, params }) => spaces.getSpace(caller, params.space_id),
    }),
    route({
      name: 'put_docs_space_guest',
      method: 'PUT',
      path: `${SPACES}/{space_id}/guests/{user_id}`,
      summary: 'Add a guest to a docs space or change their level',
      description: '`viewer` reads, `commenter` also comments, `editor` also writes.',
      tags,
      access: memberAccess({ role: 'admin' }),
      params: {
        space_id: uuidParam('Docs space not found', { description: 'As list_docs_spaces shows it.' }),
        user_id: integerParam('User not found', { description: 'A person outside the workspace.' }),
      },
      body: SpaceGuestBody,
      responses: { 200: SpaceGuestSchema },
      errors: [error(404, 'No such docs space or person'), error(409, 'The person is a member already')],
      handler: ({ caller, params, body }) =>
        spaces.putGuest(caller, params.space_id, params.user_id, body.role),
    }),
    route({
      name: 'remove_docs_space_guest',
      method: 'DELETE',
      path: `${SPACES}/{space_id}/guests/{user_id}`,
      summary: 'Remove a guest from a docs space',
      description:
        'A guest who loses their last board or space also loses their sessions and pending invitation.',
      tags,
      access: memberAccess({ role: 'admin' }),
      params: {
        space_id: uuidParam('Docs space not found', { description: 'As list_docs_spaces shows it.' }),
        user_id: integerParam('Guest not found', {
          description: 'The guest, as list_guests shows them.',
        }),
      },
      responses: { 204: null },
      errors: [error(404, 'No such docs space, or not a guest of it')],
      handler: async ({ caller, params }) => {
        await spaces.withdrawGuest(caller, params.space_id, params.user_id);
        return noContent();
      },
    }),
  ];
}
