import { noContent } from '../../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { buildParams } from '../builds.schemas.js';
import { BuildComment, BuildCommentList, CommentPatch, NewComment } from './comments.schemas.js';
import type { CommentService } from './comments.service.js';

const COMMENTS = '/api/v1/factory/builds/{build_id}/comments';
const tags: [string] = ['Builds'];
const one = { ...buildParams, comment_id: uuidParam('Comment not found', { description: 'The comment.' }) };
const writes = () => memberAccess({ beyondReading: true });
const missing = error(404, 'No such build, or no such comment');

export const buildCommentRoutes = (comments: CommentService): Route[] => [
  route({
    name: 'add_build_comment',
    method: 'POST',
    path: COMMENTS,
    creates: {},
    summary: 'Comment on what a build brought',
    description: 'On a line, a file or all of it, or as an answer.',
    tags,
    access: writes(),
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
    description: 'By place; those on earlier attempts too, at the line they belong to now.',
    tags,
    access: memberAccess(),
    params: buildParams,
    responses: { 200: BuildCommentList },
    errors: [missing],
    handler: ({ caller, params }) => comments.list(caller, params.build_id),
  }),
  route({
    name: 'update_build_comment',
    method: 'PATCH',
    path: `${COMMENTS}/{comment_id}`,
    summary: 'Change a comment on a build, or resolve it',
    description: '`body` by its writer, `resolved` by anybody.',
    tags,
    access: writes(),
    params: one,
    body: CommentPatch,
    responses: { 200: BuildComment },
    errors: [missing, error(403, "It is another's comment")],
    handler: ({ caller, params, body }) => comments.change(caller, params.build_id, params.comment_id, body),
  }),
  route({
    name: 'delete_build_comment',
    method: 'DELETE',
    path: `${COMMENTS}/{comment_id}`,
    summary: 'Delete a comment on a build',
    description: "The writer's own, as long as nobody answered.",
    tags,
    access: writes(),
    params: one,
    responses: { 204: null },
    errors: [missing, error(403, "It is another's comment"), error(409, 'It was answered')],
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
    description: 'All at once; a review sends them too.',
    tags,
    access: writes(),
    params: buildParams,
    responses: { 200: BuildCommentList },
    errors: [missing],
    handler: ({ caller, params }) => comments.send(caller, params.build_id),
  }),
];
