import { deskAccess, error, type Route, route } from '../../../platform/http/declaration/route.js';
import { UsageInput } from '../budget/budget.schemas.js';
import { BuildUsage } from '../builds.schemas.js';
import { claimOf } from '../record/claim-check.js';
import { claimRefused, deskBuildParams } from './desk.routes.js';
import type { UsageService } from './usage.service.js';

/** What a desk says of money while a build runs. */
export const usageRoutes = (usage: UsageService): Route[] => [
  route({
    name: 'report_build_usage',
    method: 'POST',
    path: '/api/v1/desk/builds/{build_id}/usage',
    summary: 'Say what a build has used so far',
    description: 'Totals, which never fall. May be repeated.',
    tags: ['Desks'],
    access: deskAccess(),
    params: deskBuildParams,
    body: UsageInput,
    responses: { 200: BuildUsage },
    errors: [error(404, 'Build not found'), claimRefused()],
    handler: ({ caller, params: { build_id }, headers, body }) =>
      usage.report(caller, build_id, claimOf(headers), body),
  }),
];
