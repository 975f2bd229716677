import { noContent } from '../../../platform/http/answer/answers.js';
import { error, type Route, route, uuidParam } from '../../../platform/http/declaration/route.js';
import {
  Comment,
  CommentInput,
  CommentList,
  closedCard,
  ListQuery,
  noCard,
  onCard,
  openToGuests,
  TASK,
  task,
} from '../boards.schemas.js';
import type { createCommentService } from './comments.service.js';

type CommentService = ReturnType<typeof createCommentService>;

const comment = {
  ...task,
  comment_id: uuidParam('Comment not found', {
    description: 'As list_comments shows it.',
  }),
};
const noComment = error(404, 'No such card, or no such comment on it');

export function commentRoutes(boards: CommentService): Route[] {
  return [
    route({
      name: 'add_comment',
      openToBuilds: { own: { task_id: 'task_id' } },
      method: 'POST',
      path: `${TASK}/comments`,
      creates: {},
      agents: 'direct',
      summary: 'Comment on a card',
      description: "Adds a comment, which also appears in the board's activity.",
      ...onCard,
      body: CommentInput,
      responses: { 201: Comment },
      errors: [closedCard, noCard],
      permit: ({ caller, params }) => boards.permitComment(caller, params.task_id),
      handler: ({ caller, params, body }) => boards.addComment(caller, params.task_id, body.body),
    }),
    route({
      name: 'list_comments',
      openToBuilds: { own: { task_id: 'task_id' } },
      method: 'GET',
      path: `${TASK}/comments`,
      agents: 'direct',
      pagination: { style: 'page', parameter: 'page', size: 'per_page', items: 'comments' },
      summary: 'List the comments on a card',
      description: 'Lists comments, oldest first.',
      ...onCard,
      query: ListQuery,
      queryStatus: 400,
      responses: { 200: CommentList },
      errors: [closedCard, noCard],
      handler: ({ caller, params, query }) => boards.listComments(caller, params.task_id, query),
    }),
    route({
      name: 'update_comment',
      method: 'PATCH',
      path: `${TASK}/comments/{comment_id}`,
      summary: 'Change a comment',
      description: 'Only its author can change it. It keeps its position and time.',
      ...openToGuests,
      params: comment,
      body: CommentInput,
      responses: { 200: Comment },
      errors: [error(403, "Another's comment, or not at the guest's level"), noComment],
      handler: ({ caller, params, body }) =>
        boards.changeComment(caller, params.task_id, params.comment_id, body.body),
    }),
    route({
      name: 'delete_comment',
      method: 'DELETE',
      path: `${TASK}/comments/{comment_id}`,
      summary: 'Delete a comment',
      description: 'Its author or an admin can delete it.',
      ...openToGuests,
      params: comment,
      responses: { 204: null },
      errors: [error(403, "Another's comment and you are no admin, or not at the guest's level"), noComment],
      handler: async ({ caller, params }) => {
        await boards.deleteComment(caller, params.task_id, params.comment_id);
        return noContent();
      },
    }),
  ];
}
