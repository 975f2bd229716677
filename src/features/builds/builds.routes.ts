import { eventStream, noContent, text } from '../../platform/http/answer/answers.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../platform/http/declaration/route.js';
import { CARD_WORDS, CardId } from '../boards/index.js';
import { budgetRoutes } from './budget/budget.routes.js';
import { deskOnly, outcomeOfPerson } from './builds.errors.js';
import {
  Build,
  BuildList,
  BuildOpenDetail,
  BuildQuery,
  buildParams,
  CoderList,
  LogChunk,
  LogPage,
  LogQuery,
  missingBuild,
  NewBuildBody,
} from './builds.schemas.js';
import type { BuildService } from './builds.service.js';
import { coderTools } from './coder/coder.routes.js';
import { bundleBody, bundleRefusals, ReceivedCommits } from './commits/commits.schemas.js';
import { deskRoutes } from './desk/desk.routes.js';
import { FinishAnswer, FinishBody } from './desk/desk.schemas.js';
import { BuildPolicy, BuildPolicyInput } from './policy/policy.schemas.js';
import { questionRoutes } from './questions/questions.routes.js';
import { personWorker } from './record/build-access.js';
import { reviewRoutes } from './review.routes.js';

const BASE = '/api/v1/factory/builds';
const BUILD = `${BASE}/{build_id}`;
const tags: [string] = ['Builds'];
const writes = memberAccess({ beyondReading: true });
const cardParams = {
  task_id: uuidParam('Card not found', { description: CARD_WORDS, schema: CardId }),
};
const repositoryAway = error(502, 'The repository is not reachable');

export const buildRoutes = (builds: BuildService): Route[] => [
  ...recordRoutes(builds),
  ...policyRoutes(builds),
  ...logRoutes(builds),
  ...briefRoutes(builds),
  ...localRoutes(builds),
  ...holdRoutes(builds),
  ...questionRoutes(builds.questions),
  ...reviewRoutes(builds),
  ...budgetRoutes(builds),
  ...deskRoutes(builds),
];

/** Tools that only the coder of a running build can call. */
export const buildTools = (builds: BuildService): Route[] => coderTools(builds.coders);

function recordRoutes(builds: BuildService): Route[] {
  return [
    route({
      name: 'create_build',
      method: 'POST',
      path: '/api/v1/board/tasks/{task_id}/builds',
      creates: {},
      agents: 'direct',
      summary: 'Start a build of a card',
      description:
        'A suitable desk takes it. Follow it with get_build and read_build_log. The card changes with it.',
      tags,
      access: writes,
      params: cardParams,
      body: NewBuildBody,
      responses: { 201: Build },
      errors: [
        error(403, 'Builds are switched off in this workspace'),
        error(404, 'Card not found, or Workstation not found'),
        error(
          409,
          'The desk is suspended; project, repository or ready index is missing; or a build is open',
          BuildOpenDetail,
        ),
        error(422, 'The coder, profile, desk, base_branch or build to continue does not fit'),
        error(429, 'The workspace allows no more builds at once, or today'),
        repositoryAway,
        error(504, 'No answer within 30 seconds'),
      ],
      prepare: ({ caller, params: { task_id }, body }) => builds.prepareBuild(caller, task_id, body),
      handler: ({ caller, params: { task_id }, body, prepared }) =>
        builds.createBuild(caller, task_id, body, { prepared }),
    }),
    route({
      name: 'list_builds',
      method: 'GET',
      path: BASE,
      summary: 'List builds, newest first',
      description: 'Filter them by card, status, desk, coder or review.',
      mayLag: true,
      tags,
      access: memberAccess(),
      query: BuildQuery,
      pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'builds' },
      responses: { 200: BuildList },
      errors: [],
      handler: ({ caller, query }) => builds.listBuilds(caller.brandId, query),
    }),
    route({
      name: 'list_coders',
      method: 'GET',
      path: '/api/v1/factory/coders',
      summary: 'List the coders of your desks',
      description:
        'The built-in coders, and further ones that a desk reported in the last 30 days, with their versions.',
      tags,
      access: memberAccess(),
      responses: { 200: CoderList },
      errors: [],
      handler: ({ caller }) => builds.listCoders(caller.brandId),
    }),
    route({
      name: 'get_build',
      method: 'GET',
      path: BUILD,
      agents: 'direct',
      summary: 'Get a build',
      description: 'Its status, the reason it waits, its input and its result.',
      tags,
      access: memberAccess(),
      params: buildParams,
      responses: { 200: Build },
      errors: [missingBuild],
      handler: ({ caller, params: { build_id } }) => builds.getBuild(caller.brandId, build_id),
    }),
    route({
      name: 'cancel_build',
      method: 'POST',
      path: `${BUILD}/cancel`,
      creates: {},
      effect: 'destroy',
      summary: 'Cancel a build',
      description: 'A queued build ends at once. A running build ends when its desk has stopped it.',
      tags,
      access: writes,
      params: buildParams,
      responses: { 202: Build },
      errors: [missingBuild, error(409, 'The build is finished')],
      handler: ({ caller, params: { build_id } }) => builds.cancelBuild(caller, build_id),
    }),
  ];
}

function policyRoutes(builds: BuildService): Route[] {
  return [
    route({
      name: 'get_build_policy',
      method: 'GET',
      path: `${BASE}/policy`,
      summary: 'Get the build policy of the workspace',
      description: 'A limit of null means the limit of the plan.',
      tags,
      access: memberAccess(),
      responses: { 200: BuildPolicy },
      errors: [],
      handler: ({ caller }) => builds.getPolicy(caller.brandId),
    }),
    route({
      name: 'set_build_policy',
      method: 'PUT',
      path: `${BASE}/policy`,
      summary: 'Change the build policy of the workspace',
      description:
        'Omitted fields keep their value, and null means the limit of the plan. While builds are off, no desk gets any.',
      tags,
      access: memberAccess({ role: 'admin' }),
      body: BuildPolicyInput,
      responses: { 200: BuildPolicy },
      errors: [
        error(
          422,
          'A number is above the limit of the plan, or the reviewer is of the family that writes the changes',
        ),
      ],
      handler: ({ caller, body }) => builds.setPolicy(caller, body),
    }),
  ];
}

function logRoutes({ log, getRow }: BuildService): Route[] {
  return [
    route({
      name: 'read_build_log',
      method: 'GET',
      path: `${BUILD}/log`,
      summary: 'Read the log of a build',
      description:
        'Pass `next` as `after` to continue, until `finished`. A long log keeps its first and last part.',
      tags,
      access: memberAccess(),
      params: buildParams,
      query: LogQuery,
      responses: { 200: LogPage },
      errors: [missingBuild],
      handler: ({ caller, params: { build_id }, query }) => log.readLog(caller.brandId, build_id, query),
    }),
    route({
      name: 'stream_build_log',
      method: 'GET',
      path: `${BUILD}/log/stream`,
      agents: 'never',
      summary: 'Stream the log of a build',
      description:
        '`id` is the number of the piece, `Last-Event-ID` continues after it, and `end` is the last event.',
      tags,
      access: memberAccess(),
      params: buildParams,
      headers: ['Last-Event-ID'],
      responses: {
        200: {
          contentType: 'text/event-stream',
          description: 'One event for each piece, then `end`',
          event: LogChunk,
        },
      },
      errors: [missingBuild],
      handler: async ({ caller, params: { build_id }, headers, signal }) => {
        await getRow(caller.brandId, build_id);
        return eventStream(log.follow(caller, build_id, lastSeen(headers['last-event-id']), signal));
      },
    }),
  ];
}

/** The stream starts at the first piece when the header holds no piece number. */
function lastSeen(header: string | string[] | undefined): number {
  const value = typeof header === 'string' ? header : '';
  return /^\d{1,9}$/.test(value) ? Number(value) : 0;
}

const MARKDOWN = 'text/markdown';
const answerBrief = (brief: string) => text(200, brief, `${MARKDOWN}; charset=utf-8`);

const briefRoutes = ({ briefs }: BuildService): Route[] => [
  route({
    name: 'preview_brief',
    method: 'GET',
    path: '/api/v1/board/tasks/{task_id}/brief',
    summary: 'Preview the brief of a card',
    description:
      'The brief a coder would get now: the card, the live lessons near the code that it names, the memories of the assigned agent, and how to finish. Nothing is stored.',
    tags,
    access: memberAccess(),
    params: cardParams,
    responses: { 200: { contentType: MARKDOWN, description: 'The brief' } },
    errors: [error(404, 'Card not found')],
    handler: async ({ caller, params }) => answerBrief(await briefs.previewBrief(caller, params.task_id)),
  }),
  route({
    name: 'get_build_brief',
    method: 'GET',
    path: `${BUILD}/brief`,
    summary: 'Read the brief of a build',
    description: 'Byte for byte as the coder got it. `brief_digest` of the build is its SHA-256.',
    tags,
    access: memberAccess(),
    params: buildParams,
    responses: { 200: { contentType: MARKDOWN, description: 'The brief' } },
    errors: [error(404, 'No such build, or it has not started yet')],
    handler: async ({ caller, params }) => answerBrief(await briefs.readBrief(caller, params.build_id)),
  }),
];

const localRefusals = [
  missingBuild,
  error(403, 'Only the person who started this build can submit its commits'),
  error(409, 'The build is finished, or runs on a desk'),
];

/** Builds on a person's own machine pass the same validation as builds of desks. */
const localRoutes = ({ commits, run }: BuildService): Route[] => [
  route({
    name: 'hand_in_commits',
    method: 'PUT',
    path: `${BUILD}/commits`,
    agents: 'never',
    summary: 'Submit the commits of a build on your own machine',
    description: 'Works like put_build_commits.',
    tags,
    access: writes,
    params: buildParams,
    rawBody: bundleBody,
    responses: { 200: ReceivedCommits },
    errors: [...localRefusals, ...bundleRefusals],
    handler: ({ caller, params, bytes }) => commits.receive(personWorker(caller), params.build_id, bytes),
  }),
  route({
    name: 'hand_in_build',
    method: 'POST',
    path: `${BUILD}/finish`,
    summary: 'Report the outcome of a build on your own machine',
    description: 'Send it after the commits, as `succeeded` or `failed`.',
    tags,
    access: writes,
    params: buildParams,
    body: FinishBody,
    responses: { 200: FinishAnswer },
    errors: [...localRefusals, repositoryAway],
    handler: ({ caller, params, body }) => {
      if (body.outcome !== 'succeeded' && body.outcome !== 'failed') throw outcomeOfPerson();
      // A conversation would teach an agent, and a hold would stop a desk from taking work.
      if (body.conversation?.length || body.held_until) throw deskOnly();
      return run.finish(personWorker(caller), params.build_id, body);
    },
  }),
];

const machineParams = {
  machine_id: uuidParam(undefined, { description: 'The machine: the workstation_id of its desk.' }),
};
const missingMachine = error(404, 'No such machine in the workspace');

const holdRoutes = ({ holds }: BuildService): Route[] => [
  route({
    name: 'retry_desk_logins',
    method: 'POST',
    path: '/api/v1/machines/{machine_id}/logins:retry',
    summary: 'Retry the refused logins of a desk',
    description: 'Call this after signing in on the desk.',
    tags,
    access: writes,
    params: machineParams,
    responses: { 204: null },
    errors: [missingMachine],
    handler: async ({ caller, params }) => {
      await holds.retryLogins(caller, params.machine_id);
      return noContent();
    },
  }),
  route({
    name: 'lift_desk_hold',
    method: 'POST',
    path: '/api/v1/machines/{machine_id}/hold:lift',
    summary: 'Lift the hold of a desk',
    description: 'Builds that wait for the desk are handed out at once.',
    tags,
    access: memberAccess({ role: 'admin' }),
    params: machineParams,
    responses: { 204: null },
    errors: [missingMachine],
    handler: async ({ caller, params }) => {
      await holds.liftHold(caller, params.machine_id);
      return noContent();
    },
  }),
];
