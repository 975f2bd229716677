import { Type } from 'typebox';
import { buildAccess, type Route, route } from '../../../platform/http/declaration/route.js';
import { Closed, Named, Success } from '../../../platform/http/declaration/schemas.js';
import { Verdict } from '../review.schemas.js';
import type { CoderService } from './coder.service.js';

const tags: [string] = ['Builds'];

const ProgressBody = Named(
  'BuildProgress',
  Closed({
    percent: Type.Integer({ minimum: 0, maximum: 100, description: 'How far the card is, 0 to 100.' }),
    note: Type.Optional(
      Type.String({ maxLength: 2000, description: 'Something people should read: a comment on the card.' }),
    ),
  }),
);

const DoneBody = Named('BuildDone', Type.Partial(Verdict, { additionalProperties: false }));

/** Tools for running coders, available through MCP only. */
export const coderTools = (coders: CoderService): Route[] => [
  route({
    name: 'progress',
    method: 'POST',
    path: '/mcp/progress',
    agents: 'direct',
    summary: 'Report progress',
    description: 'Shows on the card how far you are. Call it when you have come a step further.',
    tags,
    access: buildAccess(),
    body: ProgressBody,
    responses: { 200: Success },
    errors: [],
    handler: async ({ caller, body }) => {
      await coders.noteProgress(caller, body.percent, body.note);
      return { success: true };
    },
  }),
  route({
    name: 'done',
    method: 'POST',
    path: '/mcp/done',
    agents: 'direct',
    summary: 'Say that the card is done',
    description:
      'Call it once, at the end, when you have done what the card asks for. A reviewer gives its verdict with it.',
    tags,
    access: buildAccess(),
    body: DoneBody,
    responses: { 200: Success },
    errors: [],
    handler: async ({ caller, body: { verdict, comments = [] } }) => {
      await coders.confirm(caller, verdict && { verdict, comments });
      return { success: true };
    },
  }),
];
