import { accepted } from '../../../platform/http/answer/answers.js';
import {
  ANY_TYPE,
  error,
  publicAccess,
  type Route,
  route,
  textParam,
} from '../../../platform/http/declaration/route.js';
import type { HookService } from './hooks.service.js';

const LARGEST_DELIVERY = 5 * 1024 * 1024;

/** The webhook of repository hosts. */
export const hookRoutes = (hooks: HookService): Route[] => [
  route({
    name: 'receive_forge_hook',
    method: 'POST',
    path: '/api/v1/hooks/{project_id}',
    agents: 'never',
    summary: 'The webhook of a host of repositories',
    description: 'Taken by its signature alone; what it names is asked about soon.',
    tags: ['Projects'],
    access: publicAccess(),
    params: { project_id: textParam(undefined, { description: 'The project.' }) },
    rawBody: {
      contentType: ANY_TYPE,
      maxBytes: LARGEST_DELIVERY,
      description: 'As the host sends it.',
      signed: true,
    },
    responses: { 202: null },
    errors: [error(401, 'Not signed with the secret of this hook')],
    handler: async ({ params: { project_id: projectId }, headers, bytes, clientAddress }) => {
      await hooks.receive({ projectId, headers, bytes, clientAddress });
      return accepted();
    },
  }),
];
