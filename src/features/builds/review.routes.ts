import { Type } from 'typebox';
import { answer, bytes, noContent } from '../../platform/http/answer/answers.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../platform/http/declaration/route.js';
import { ImpactAnswer } from '../lessons/index.js';
import { Build, BuildOpenDetail, buildParams, DecidedDetail } from './builds.schemas.js';
import type { BuildService } from './builds.service.js';
import { DiffQuery, DiffTooLarge, FileQuery, FileView } from './commits/commits.schemas.js';
import { BuildComment, BuildCommentList, CommentPatch, NewComment, ReviewBody } from './review.schemas.js';

const BUILD = '/api/v1/factory/builds/{build_id}';
const COMMENTS = `${BUILD}/comments`;
const tags: [string] = ['Builds'];
const reads = memberAccess();
const writes = memberAccess({ beyondReading: true });
const notArrived = error(404, 'No such build, or no commits of it have arrived');
const repositoryAway = [
  error(502, 'The repository is not reachable'),
  error(504, 'No answer within 30 seconds'),
];
const commitsAway = [
  error(409, 'The project has no repository any more, or the commits cannot be restored'),
  ...repositoryAway,
];

export const reviewRoutes = (builds: BuildService): Route[] => [
  ...diffRoutes(builds),
  ...commentRoutes(builds),
  route({
    name: 'review_build',
    method: 'POST',
    path: `${BUILD}/review`,
    creates: {},
    summary: 'Accept a build or send it back',
    description:
      'One decision for each build that succeeded. `accept` pushes its branch, and retries a failed push. `rework` answers a new build that continues it with all unresolved comments. Sends your drafts.',
    tags,
    access: writes,
    params: buildParams,
    body: ReviewBody,
    responses: { 200: Build, 201: Build },
    errors: [
      error(403, 'Builds are switched off in this workspace'),
      error(
        409,
        'It did not succeed, was decided otherwise, another one is open, or its project cannot be built',
        Type.Union([Type.String(), BuildOpenDetail, DecidedDetail]),
      ),
      error(429, 'The workspace allows no more builds at once, or today'),
      ...repositoryAway,
    ],
    prepare: ({ caller, params, body }) => builds.reviews.prepare(caller, params.build_id, body),
    handler: async ({ caller, params, body, prepared }) => {
      const { created, build } = await builds.reviews.review(caller, params.build_id, body, { prepared });
      return answer(created ? 201 : 200, build);
    },
  }),
];

const diffRoutes = ({ commits }: BuildService): Route[] => [
  route({
    name: 'get_build_diff',
    method: 'GET',
    path: `${BUILD}/diff`,
    summary: 'Get the diff of a build',
    description:
      'Includes the attempts that it continues, unless `from` says otherwise. Over 1 MiB, ask for one `path`.',
    tags,
    access: reads,
    params: buildParams,
    query: DiffQuery,
    responses: { 200: { contentType: 'text/x-diff', description: 'A unified diff' } },
    errors: [notArrived, error(413, 'The diff exceeds 1 MiB', DiffTooLarge), ...commitsAway],
    handler: async ({ caller, params, query }) =>
      bytes(await commits.readDiff(caller.brandId, params.build_id, query), 'text/x-diff; charset=utf-8'),
  }),
  route({
    name: 'read_build_file',
    method: 'GET',
    path: `${BUILD}/file`,
    summary: 'Read lines of a file of a build',
    description: 'Returns at most 500 lines and 256 KiB. Continue with `from`.',
    tags,
    access: reads,
    params: buildParams,
    query: FileQuery,
    responses: { 200: FileView },
    errors: [
      error(404, 'No such build or file, or no commits of it have arrived'),
      error(413, 'The file has more than 5 MiB'),
      error(422, 'A binary file, or `to` is less than `from`'),
      ...commitsAway,
    ],
    handler: ({ caller, params, query }) => commits.readFile(caller.brandId, params.build_id, query),
  }),
  route({
    name: 'get_build_impact',
    method: 'GET',
    path: `${BUILD}/impact`,
    summary: 'Get the lessons that a build affects',
    description:
      'Lessons that its commits make stale, move or touch. Works like get_lessons_impact, from its base to its head.',
    tags,
    access: reads,
    params: buildParams,
    responses: { 200: ImpactAnswer },
    errors: [notArrived, ...commitsAway],
    handler: ({ caller, params }) => commits.foreseeImpact(caller.brandId, params.build_id),
  }),
];

const commentParams = {
  ...buildParams,
  comment_id: uuidParam('Comment not found', { description: 'The comment.' }),
};
const missing = error(404, 'No such build, or no such comment');
const otherAuthor = error(403, 'Another person wrote the comment');

const commentRoutes = ({ comments }: BuildService): Route[] => [
  route({
    name: 'add_build_comment',
    method: 'POST',
    path: COMMENTS,
    creates: {},
    summary: 'Comment on a build',
    description: 'On a line, on a file or on the whole build, or as an answer.',
    tags,
    access: writes,
    params: buildParams,
    body: NewComment,
    responses: { 201: BuildComment },
    errors: [missing, error(409, 'No commits, or too many comments')],
    prepare: ({ caller, params, body }) => comments.prepare(caller, params.build_id, body),
    handler: ({ caller, params, body, prepared }) => comments.add(caller, params.build_id, body, prepared),
  }),
  route({
    name: 'list_build_comments',
    method: 'GET',
    path: COMMENTS,
    summary: 'List the comments on a build',
    description: 'Sorted by place. Includes those on earlier attempts, at the line where they belong now.',
    tags,
    access: reads,
    params: buildParams,
    responses: { 200: BuildCommentList },
    errors: [missing],
    handler: ({ caller, params }) => comments.list(caller, params.build_id),
  }),
  route({
    name: 'update_build_comment',
    method: 'PATCH',
    path: `${COMMENTS}/{comment_id}`,
    summary: 'Change or resolve a comment on a build',
    description: 'Only the author can change `body`. Anyone who can review can change `resolved`.',
    tags,
    access: writes,
    params: commentParams,
    body: CommentPatch,
    responses: { 200: BuildComment },
    errors: [missing, otherAuthor],
    handler: ({ caller, params, body }) => comments.change(caller, params.build_id, params.comment_id, body),
  }),
  route({
    name: 'delete_build_comment',
    method: 'DELETE',
    path: `${COMMENTS}/{comment_id}`,
    summary: 'Delete a comment on a build',
    description: 'Only the author can delete a comment, and only while it has no replies.',
    tags,
    access: writes,
    params: commentParams,
    responses: { 204: null },
    errors: [missing, otherAuthor, error(409, 'It was answered')],
    handler: async ({ caller, params }) => {
      await comments.remove(caller, params.build_id, params.comment_id);
      return noContent();
    },
  }),
  route({
    name: 'send_build_comments',
    method: 'POST',
    path: `${COMMENTS}:send`,
    summary: 'Send your drafts on a build',
    description: 'Sends all of them at once. A review sends them too.',
    tags,
    access: writes,
    params: buildParams,
    responses: { 200: BuildCommentList },
    errors: [missing],
    handler: ({ caller, params }) => comments.send(caller, params.build_id),
  }),
];
