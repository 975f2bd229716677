import { noContent } from '../../http/answer/answers.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../http/declaration/route.js';
import { View, ViewInput, ViewList, ViewPatch } from './views.schemas.js';
import type { ViewService } from './views.service.js';

const VIEWS = '/api/v1/me/views';
const tags: [string] = ['Me'];
const access = () => memberAccess({ role: 'guest' });
const view = {
  view_id: uuidParam('View not found', { description: 'The view, as list_my_views shows it.' }),
};
const noView = error(404, 'View not found');

export const viewRoutes = (views: ViewService): Route[] => [
  route({
    name: 'list_my_views',
    method: 'GET',
    path: VIEWS,
    summary: 'List your saved views',
    description: 'Yours in this workspace, oldest first; nobody else sees them.',
    tags,
    access: access(),
    responses: { 200: ViewList },
    errors: [],
    handler: ({ caller }) => views.listViews(caller),
  }),
  route({
    name: 'create_my_view',
    method: 'POST',
    path: VIEWS,
    creates: {},
    summary: 'Save a view',
    description: 'Keeps the query string of a page under a name.',
    tags,
    access: access(),
    body: ViewInput,
    responses: { 201: View },
    errors: [error(409, 'You have 50 views already')],
    handler: ({ caller, body }) => views.createView(caller, body),
  }),
  route({
    name: 'update_my_view',
    method: 'PATCH',
    path: `${VIEWS}/{view_id}`,
    summary: 'Rename or change a saved view',
    description: 'What is left out stays.',
    tags,
    access: access(),
    params: view,
    body: ViewPatch,
    responses: { 200: View },
    errors: [error(400, '`No fields to update`'), noView],
    handler: ({ caller, params, body }) => views.changeView(caller, params.view_id, body),
  }),
  route({
    name: 'delete_my_view',
    method: 'DELETE',
    path: `${VIEWS}/{view_id}`,
    summary: 'Delete a saved view',
    description: 'The cards that it shows stay as they are.',
    tags,
    access: access(),
    params: view,
    responses: { 204: null },
    errors: [noView],
    handler: async ({ caller, params }) => {
      await views.deleteView(caller, params.view_id);
      return noContent();
    },
  }),
];
