import { Type } from 'typebox';
import {
  deskAccess,
  error,
  memberAccess,
  type Route,
  route,
  textParam,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { Closed, Named, OneOf, Uuid } from '../../../platform/http/declaration/schemas.js';
import { LogPage, LogQuery, LogSeq, STATUSES } from '../builds.schemas.js';
import { CheckFinish, CheckReport, CheckStart } from '../checks/checks.schemas.js';
import { claimOf } from '../record/claim-check.js';
import type { CheckDesk } from './check-desk.service.js';
import { claimRefused, deskBuildParams, Gap, LARGEST_PIECE } from './desk.routes.js';
import { LogReceived } from './desk.schemas.js';

const BASE = '/api/v1/desk/builds/{build_id}/checks';
const tags: [string] = ['Desks'];
const name = textParam(Type.String({ maxLength: 255 }), {
  description: 'The name of the check, URL-encoded.',
});
const missing = error(404, 'Build not found, or Check not found');

const CheckFinished = Named('CheckFinished', Closed({ build_id: Uuid, status: OneOf(STATUSES) }));

/** The checks of a build on a desk, and what they printed for whoever looks. */
export const checkRoutes = (checks: CheckDesk): Route[] => [
  route({
    name: 'read_build_check_log',
    method: 'GET',
    path: '/api/v1/factory/builds/{build_id}/checks/{name}/log',
    summary: 'Read what a check printed',
    description: 'As read_build_log. A run that never ended begins again, and its log with it.',
    tags: ['Builds'],
    access: memberAccess(),
    params: { build_id: uuidParam('Build not found', { description: 'The build.' }), name },
    query: LogQuery,
    responses: { 200: LogPage },
    errors: [missing],
    handler: ({ caller, params: { build_id, name }, query }) =>
      checks.readLog(caller.brandId, build_id, name, query),
  }),
  route({
    name: 'start_build_checks',
    method: 'POST',
    path: `${BASE}/start`,
    summary: 'Start the checks of a build that were claimed',
    description: 'Only after this call may anything run. May be repeated.',
    tags,
    access: deskAccess(),
    params: deskBuildParams,
    responses: { 200: CheckStart },
    errors: [missing, claimRefused()],
    handler: ({ caller, params: { build_id }, headers }) =>
      checks.start({ caller, buildId: build_id, claim: claimOf(headers) }),
  }),
  route({
    name: 'append_build_check_log',
    method: 'PUT',
    path: `${BASE}/{name}/log`,
    summary: 'Add a piece to the log of a check',
    description: 'As append_build_log.',
    tags,
    access: deskAccess(),
    params: { ...deskBuildParams, name },
    query: Type.Object({ seq: LogSeq }),
    rawBody: { contentType: 'text/plain', maxBytes: LARGEST_PIECE, description: 'What the check printed.' },
    responses: { 200: LogReceived },
    errors: [missing, claimRefused([Gap]), error(413, 'Too large, or too many pieces')],
    handler: async ({ caller, params: { build_id, name }, query: { seq }, headers, bytes }) => {
      const parts: Buffer[] = [];
      for await (const part of bytes) parts.push(part);
      const claimed = { caller, buildId: build_id, claim: claimOf(headers) };
      return checks.appendLog(claimed, name, seq, Buffer.concat(parts));
    },
  }),
  route({
    name: 'report_build_check',
    method: 'POST',
    path: `${BASE}/{name}`,
    summary: 'Say how a check stands',
    description: 'May be repeated; what counts is the finish.',
    tags,
    access: deskAccess(),
    params: { ...deskBuildParams, name },
    body: CheckReport,
    responses: { 200: CheckReport },
    errors: [missing, claimRefused()],
    handler: ({ caller, params: { build_id, name }, headers, body }) =>
      checks.report({ caller, buildId: build_id, claim: claimOf(headers) }, name, body),
  }),
  route({
    name: 'finish_build_checks',
    method: 'POST',
    path: `${BASE}/finish`,
    summary: 'Say how the checks of a build ended',
    description: 'After their logs; may be repeated with the same body.',
    tags,
    access: deskAccess(),
    params: deskBuildParams,
    body: CheckFinish,
    responses: { 200: CheckFinished },
    errors: [missing, claimRefused()],
    handler: ({ caller, params: { build_id }, headers, body }) =>
      checks.finish({ caller, buildId: build_id, claim: claimOf(headers) }, body),
  }),
];
