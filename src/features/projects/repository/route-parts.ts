import { error, memberAccess, uuidParam } from '../../../platform/http/declaration/route.js';

/** What the declarations of this feature have in common. */
export const tags: [string] = ['Projects'];
export const reading = memberAccess({ scope: 'code:read' });
export const administering = memberAccess({ scope: 'brand:admin', role: 'admin' });
export const params = {
  project_id: uuidParam('Project not found', {
    description: 'The project, as list_projects shows it.',
  }),
};
export const missing = error(404, 'Not found');
