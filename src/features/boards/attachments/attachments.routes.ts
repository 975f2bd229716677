import { Answer, answer, noContent, notModified } from '../../../platform/http/answer/answers.js';
import { namesTag } from '../../../platform/http/answer/ready-answer.js';
import { error, type Route, route, uuidParam } from '../../../platform/http/declaration/route.js';
import {
  Attachment,
  AttachmentList,
  AttachQuery,
  closedCard,
  LARGEST_ATTACHMENT,
  MOST_ATTACHMENTS,
  noCard,
  onCard,
  openToGuests,
  ReadQuery,
  TASK,
  task,
} from '../boards.schemas.js';
import type { createAttachmentService } from './attachments.service.js';

type AttachmentService = ReturnType<typeof createAttachmentService>;

const PATH = `${TASK}/attachments`;
const attachment = {
  ...task,
  attachment_id: uuidParam('Attachment not found', {
    description: 'As list_attachments shows it.',
  }),
};
const noAttachment = error(404, 'No such card, or no such attachment on it');
const unreachable = error(502, 'The file storage is not reachable');
const notConfigured = error(503, '`File storage not configured`');

export function attachmentRoutes(boards: AttachmentService): Route[] {
  return [
    route({
      name: 'add_attachment',
      method: 'POST',
      path: PATH,
      creates: {},
      agents: 'never',
      summary: 'Attach a file to a card',
      description: 'Takes one file of up to 25 MiB. Its type is detected from its bytes.',
      ...onCard,
      query: AttachQuery,
      upload: {
        field: 'file',
        maxBytes: LARGEST_ATTACHMENT,
        description: 'Any file, up to 25 MiB',
        onDisk: true,
      },
      responses: { 201: Attachment },
      errors: [
        error(403, "Not at the guest's level, not your comment, or no room left in the plan"),
        error(404, 'No such card, or no such comment on it'),
        error(409, `The card has ${MOST_ATTACHMENTS} attachments`),
        unreachable,
        notConfigured,
      ],
      permit: ({ caller, params }) => boards.permitAttachment(caller, params.task_id),
      prepare: ({ caller, params, query, spooled }) =>
        boards.storeFile(caller, placeOf(params, query), spooled!),
      handler: async ({ caller, params, query, spooled, prepared }) => {
        const place = placeOf(params, query);
        const file = prepared ?? (await boards.storeFile(caller, place, spooled!));
        return answer(201, await boards.addAttachment(caller, place, file));
      },
    }),
    route({
      name: 'list_attachments',
      method: 'GET',
      path: PATH,
      summary: 'List the files on a card',
      description: 'Includes files on its comments, oldest first.',
      ...onCard,
      responses: { 200: AttachmentList },
      errors: [closedCard, noCard],
      handler: ({ caller, params }) => boards.listAttachments(caller, params.task_id),
    }),
    route({
      name: 'get_attachment',
      method: 'GET',
      path: `${PATH}/{attachment_id}`,
      agents: 'never',
      summary: 'Download a file of a card',
      description: 'Serves images inline and other files as downloads.',
      ...openToGuests,
      params: attachment,
      query: ReadQuery,
      headers: ['If-None-Match', 'ETag', 'Cache-Control'],
      responses: {
        200: {
          contentType: 'application/octet-stream',
          description: 'The file, with the content type of its bytes',
        },
      },
      errors: [closedCard, noAttachment, unreachable, notConfigured],
      handler: async ({ caller, params, query, headers }) => {
        const row = await boards.findAttachment(caller, params.task_id, params.attachment_id);
        const etag = `"${row.id}${query.size === 'thumb' ? '.thumb' : ''}"`;
        const caching = { 'cache-control': 'private, no-cache', etag };
        if (namesTag(headers['if-none-match'], etag)) return notModified(caching);
        const opened = await boards.openAttachment(caller, row, query.size);
        const { chunks, contentType } = opened;
        return new Answer(200, { kind: 'stream', chunks, contentType }, { ...caching, ...opened.headers });
      },
    }),
    route({
      name: 'delete_attachment',
      method: 'DELETE',
      path: `${PATH}/{attachment_id}`,
      summary: 'Delete a file of a card',
      description: 'Its uploader or an admin can delete it.',
      ...openToGuests,
      params: attachment,
      responses: { 204: null },
      errors: [error(403, 'Attached by another and you are no admin, or not at your level'), noAttachment],
      handler: async ({ caller, params }) => {
        await boards.deleteAttachment(caller, params.task_id, params.attachment_id);
        return noContent();
      },
    }),
  ];
}

const placeOf = (params: { task_id: string }, query: { comment_id?: string }) => ({
  cardId: params.task_id,
  commentId: query.comment_id?.toLowerCase() ?? null,
});
