import { error, memberAccess, type Route, route } from '../../../platform/http/declaration/route.js';
import { deskOnly, outcomeOfPerson } from '../builds.errors.js';
import { buildParams, missingBuild } from '../builds.schemas.js';
import { bundleBody, bundleRefusals, ReceivedCommits } from '../commits/commits.routes.js';
import type { BuildCommits } from '../commits/commits.service.js';
import { personWorker } from '../record/worker.js';
import { FinishAnswer, FinishBody } from './desk.schemas.js';
import type { RunService } from './run.service.js';

const tags: [string] = ['Builds'];
const access = memberAccess({ beyondReading: true });
const refusals = [
  missingBuild,
  error(403, 'Only who began this build may hand it in'),
  error(409, 'The build is finished, or in the hands of a desk'),
];

/** What a person hands in of a build on their own machine, judged and kept as what desks hand in. */
export const localRoutes = ({ commits, run }: { commits: BuildCommits; run: RunService }): Route[] => [
  route({
    name: 'hand_in_commits',
    method: 'PUT',
    path: '/api/v1/factory/builds/{build_id}/commits',
    agents: 'never',
    summary: 'Hand in the commits of a build on your own machine',
    description: 'As put_build_commits.',
    tags,
    access,
    params: buildParams,
    rawBody: bundleBody,
    responses: { 200: ReceivedCommits },
    errors: [...refusals, ...bundleRefusals],
    handler: ({ caller, params, bytes }) => commits.receive(personWorker(caller), params.build_id, bytes),
  }),
  route({
    name: 'hand_in_build',
    method: 'POST',
    path: '/api/v1/factory/builds/{build_id}/finish',
    summary: 'Say how a build on your own machine ended',
    description: 'After its commits; `succeeded` or `failed`.',
    tags,
    access,
    params: buildParams,
    body: FinishBody,
    responses: { 200: FinishAnswer },
    errors: [...refusals, error(502, 'The repository is not reachable')],
    handler: ({ caller, params, body }) =>
      run.finish(personWorker(caller), params.build_id, readHandIn(body)),
  }),
];

/** What a person may say of an end: a conversation would teach an agent, and a hold keeps a desk from work. */
function readHandIn(body: FinishBody): FinishBody {
  if (body.outcome !== 'succeeded' && body.outcome !== 'failed') throw outcomeOfPerson();
  if (body.conversation?.length || body.held_until) throw deskOnly();
  return body;
}
