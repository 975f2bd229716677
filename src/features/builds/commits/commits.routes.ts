import { Type } from 'typebox';
import { bytes } from '../../../platform/http/answer/answers.js';
import { error, memberAccess, type Route, route } from '../../../platform/http/declaration/route.js';
import { Closed, Named, Nullable, OneOf } from '../../../platform/http/declaration/schemas.js';
import { ImpactAnswer } from '../../lessons/index.js';
import { buildParams } from '../builds.schemas.js';
import { FileQuery, FileView } from './commits.schemas.js';
import type { BuildCommits } from './commits.service.js';

export const LARGEST_BUNDLE = 64 * 1024 * 1024;
export const BUNDLE = 'application/x-git-bundle';
const tags: [string] = ['Builds'];
const notArrived = error(404, 'No such build, or no commits of it have arrived');
const away = [
  error(409, 'The project has no repository any more, or the commits cannot be made again'),
  error(502, 'The repository is not reachable'),
  error(504, 'No answer within 30 seconds'),
];
const DiffTooLarge = Closed({
  error: Type.Literal('diff_too_large'),
  message: Type.String(),
  actual_bytes: Type.Integer(),
  limit_bytes: Type.Integer(),
  retry_with: Nullable(Closed({ path: Type.String() })),
  paths: Type.Array(Type.String(), { description: 'The files that changed, up to 1,000.' }),
});

const DiffQuery = Type.Object({
  path: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'Only what changed in this file or folder, such as `src/billing.ts`.',
    }),
  ),
  from: Type.Optional(
    OneOf(['base', 'previous'], {
      default: 'base',
      description: '`base`: from where the first attempt started. `previous`: from the attempt before.',
    }),
  ),
});

export const ReceivedCommits = Named('ReceivedCommits', Closed({ head_sha: Type.String() }));

/** Commits that are handed in, whoever brings them. */
export const bundleBody = {
  contentType: BUNDLE,
  maxBytes: LARGEST_BUNDLE,
  description: 'A git bundle, up to 64 MiB.',
};
export const bundleRefusals = [
  error(
    422,
    'Not a bundle, not that branch, not on that base, refs beside it, or objects that are not allowed',
  ),
  error(502, 'The repository is not reachable'),
  error(504, 'No answer within 30 seconds'),
];

/** What a build changed, for members. */
export const diffRoutes = (commits: BuildCommits): Route[] => [
  route({
    name: 'get_build_diff',
    method: 'GET',
    path: '/api/v1/factory/builds/{build_id}/diff',
    summary: 'Read what a build changed',
    description: 'Of its line of attempts, or of this one (`from`). Over 1 MiB, ask for one `path`.',
    tags,
    access: memberAccess(),
    params: buildParams,
    query: DiffQuery,
    responses: { 200: { contentType: 'text/x-diff', description: 'A unified diff' } },
    errors: [notArrived, error(413, 'The diff exceeds 1 MiB', DiffTooLarge), ...away],
    handler: async ({ caller, params, query }) =>
      bytes(await commits.readDiff(caller.brandId, params.build_id, query), 'text/x-diff; charset=utf-8'),
  }),
  route({
    name: 'read_build_file',
    method: 'GET',
    path: '/api/v1/factory/builds/{build_id}/file',
    summary: 'Read lines of a file that a build left, or began from',
    description: 'At most 500 lines and 256 KiB an answer: continue with `from`.',
    tags,
    access: memberAccess(),
    params: buildParams,
    query: FileQuery,
    responses: { 200: FileView },
    errors: [
      error(404, 'No such build or file, or no commits of it have arrived'),
      error(413, 'The file has more than 5 MiB'),
      error(422, 'A binary file, or `to` is less than `from`'),
      ...away,
    ],
    handler: ({ caller, params, query }) => commits.readFile(caller.brandId, params.build_id, query),
  }),
  route({
    name: 'get_build_impact',
    method: 'GET',
    path: '/api/v1/factory/builds/{build_id}/impact',
    summary: 'Tell which lessons the commits of a build would make stale, move or touch',
    description: 'As get_lessons_impact, from its base to its head.',
    tags,
    access: memberAccess(),
    params: buildParams,
    responses: { 200: ImpactAnswer },
    errors: [notArrived, ...away],
    handler: ({ caller, params }) => commits.foreseeImpact(caller.brandId, params.build_id),
  }),
];
