import { noContent } from '../../platform/http/answer/answers.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../platform/http/declaration/route.js';
import { View, ViewInput, ViewList, ViewPatch } from './views.schemas.js';
import type { ViewService } from './views.service.js';

const VIEWS = '/api/v1/me/views';
const tags: [string] = ['Me'];
const access = () => memberAccess({ role: 'guest' });
const view = {
  view_id: uuidParam('View not found', { description: 'The view, as list_my_views shows it.' }),
};
const notYours = error(403, 'The view belongs to someone else, or the caller is a guest');
const noView = error(404, 'Not found');

export const viewRoutes = (views: ViewService): Route[] => [
  route({
    name: 'list_my_views',
    method: 'GET',
    path: VIEWS,
    summary: 'List saved views',
    description:
      'Lists your views and those shared in the workspace, oldest first. Guests see only their own.',
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
    description: 'Stores the query string of a page under a name.',
    tags,
    access: access(),
    body: ViewInput,
    responses: { 201: View },
    errors: [error(403, 'Guests cannot share views'), error(409, 'You have 50 views already')],
    handler: ({ caller, body }) => views.createView(caller, body),
  }),
  route({
    name: 'update_my_view',
    method: 'PATCH',
    path: `${VIEWS}/{view_id}`,
    summary: 'Rename, change or share a saved view',
    description: 'Keeps the fields that you leave out. Admins can also change shared views of others.',
    tags,
    access: access(),
    params: view,
    body: ViewPatch,
    responses: { 200: View },
    errors: [error(400, '`No fields to update`'), notYours, noView],
    handler: ({ caller, params, body }) => views.changeView(caller, params.view_id, body),
  }),
  route({
    name: 'delete_my_view',
    method: 'DELETE',
    path: `${VIEWS}/{view_id}`,
    summary: 'Delete a saved view',
    description: 'Deletes the view but not its cards. Admins can also delete shared views of others.',
    tags,
    access: access(),
    params: view,
    responses: { 204: null },
    errors: [notYours, noView],
    handler: async ({ caller, params }) => {
      await views.deleteView(caller, params.view_id);
      return noContent();
    },
  }),
];
