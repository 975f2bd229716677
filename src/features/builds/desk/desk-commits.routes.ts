import { Type } from 'typebox';
import { Answer } from '../../../platform/http/answer/answers.js';
import { deskAccess, error, type Route, route, uuidParam } from '../../../platform/http/declaration/route.js';
import { Closed } from '../../../platform/http/declaration/schemas.js';
import { BUNDLE, bundleBody, bundleRefusals, ReceivedCommits } from '../commits/commits.routes.js';
import type { BuildCommits } from '../commits/commits.service.js';
import { claimOf } from '../record/claim-check.js';
import { deskWorker } from '../record/worker.js';
import type { CheckDesk } from './check-desk.service.js';

const order = {
  build_id: uuidParam('Build not found', { description: 'The build of the order.' }),
};
const Refusal = Closed({ error: Type.String(), message: Type.String() });
const claimRefused = error(
  409,
  'The claim is dead or missing, or the build is not at work',
  Type.Union([Type.String(), Refusal]),
);

/** Commits on their way to a desk and back. */
export const deskCommitRoutes = (commits: BuildCommits, checks: Pick<CheckDesk, 'findCheckout'>): Route[] => [
  route({
    name: 'get_build_base',
    method: 'GET',
    path: '/api/v1/desk/builds/{build_id}/base',
    summary: 'Fetch what a build starts from',
    description:
      'A git bundle that holds base_sha, or under the claim of a check head_sha, as refs/heads/base.',
    tags: ['Desks'],
    access: deskAccess(),
    params: order,
    responses: { 200: { contentType: BUNDLE, description: 'A git bundle' } },
    errors: [
      claimRefused,
      error(502, 'The repository is not reachable'),
      error(504, 'No answer within 30 seconds'),
    ],
    handler: async ({ caller, params, headers, signal }) => {
      const claim = claimOf(headers);
      const checked = await checks.findCheckout({ caller, buildId: params.build_id, claim });
      const chunks = checked
        ? await commits.readHead(checked.build, checked.sha, signal)
        : await commits.readBase(deskWorker(caller, claim), params.build_id, signal);
      return new Answer(200, { kind: 'stream', chunks, contentType: BUNDLE });
    },
  }),
  route({
    name: 'put_build_commits',
    method: 'PUT',
    path: '/api/v1/desk/builds/{build_id}/commits',
    summary: 'Hand in the commits of a build',
    description: 'A git bundle of the branch alone, on top of base_sha. The last one counts.',
    tags: ['Desks'],
    access: deskAccess(),
    params: order,
    rawBody: bundleBody,
    responses: { 200: ReceivedCommits },
    errors: [claimRefused, ...bundleRefusals],
    handler: ({ caller, params, headers, bytes: body }) =>
      commits.receive(deskWorker(caller, claimOf(headers)), params.build_id, body),
  }),
];
