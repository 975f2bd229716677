import { eventStream } from '../../platform/http/answer/event-stream.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../platform/http/declaration/route.js';
import { CARD_WORDS, CardId } from '../boards/index.js';
import { moneyRoutes } from './budget/budget.routes.js';
import {
  Build,
  BuildList,
  BuildOpenDetail,
  BuildQuery,
  buildParams,
  LogChunk,
  LogPage,
  LogQuery,
  missingBuild,
  NewBuildBody,
} from './builds.schemas.js';
import type { BuildService } from './builds.service.js';
import { checkRoutes } from './desk/check-desk.routes.js';
import { deskBuildRoutes } from './desk/desk.routes.js';
import { holdRoutes } from './desk/holds.routes.js';
import { usageRoutes } from './desk/usage.routes.js';
import { BuildPolicy, BuildPolicyInput } from './policy/policy.schemas.js';

const BASE = '/api/v1/factory/builds';
const tags: [string] = ['Builds'];
export const buildRoutes = (builds: BuildService): Route[] => [
  ...recordRoutes(builds),
  ...policyRoutes(builds),
  ...logRoutes(builds),
  ...deskBuildRoutes(builds),
  ...checkRoutes(builds.checks),
  ...holdRoutes(builds.holds),
  ...usageRoutes(builds.usage),
  ...moneyRoutes(builds),
];

function recordRoutes(builds: BuildService): Route[] {
  return [
    route({
      name: 'create_build',
      method: 'POST',
      path: '/api/v1/board/tasks/{task_id}/builds',
      creates: {},
      agents: 'direct',
      summary: 'Hand a card to a coder on a desk',
      description:
        'A desk that fits takes it. Follow it with get_build and read_build_log; the card follows by itself.',
      tags,
      access: memberAccess({ beyondReading: true }),
      params: {
        task_id: uuidParam('Card not found', { description: CARD_WORDS, schema: CardId }),
      },
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
        error(502, 'The repository is not reachable'),
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
      description: 'Of the workspace, one card, one state or one desk.',
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
      name: 'get_build',
      method: 'GET',
      path: `${BASE}/{build_id}`,
      agents: 'direct',
      summary: 'Read a build',
      description: 'Its status, why it waits, what it was given and what came of it.',
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
      path: `${BASE}/{build_id}/cancel`,
      creates: {},
      effect: 'destroy',
      summary: 'Cancel a build',
      description: 'A queued build ends at once; otherwise its desk stops it.',
      tags,
      access: memberAccess({ beyondReading: true }),
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
      summary: 'Read what the workspace allows of builds',
      description: 'A number that is null is what the plan allows.',
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
      summary: 'Say what the workspace allows of builds',
      description:
        'Omitted fields stay; null is what the plan allows. While builds are off, no desk gets any.',
      tags,
      access: memberAccess({ role: 'admin' }),
      body: BuildPolicyInput,
      responses: { 200: BuildPolicy },
      errors: [
        error(
          422,
          'A number is above what the plan allows, or the reviewer is of the family that writes the changes',
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
      path: `${BASE}/{build_id}/log`,
      summary: 'Read what the coder printed',
      description:
        'Pass `next` as `after` to go on, until `finished`. Of a long log beginning and end are kept.',
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
      path: `${BASE}/{build_id}/log/stream`,
      agents: 'never',
      summary: 'Follow what the coder prints',
      description: '`id` numbers the piece, `Last-Event-ID` continues after it, `end` is the last event.',
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

/** A header that is no number of a piece names none: the stream begins at the beginning. */
function lastSeen(header: string | string[] | undefined): number {
  const text = typeof header === 'string' ? header : '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
