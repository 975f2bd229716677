import { text } from '../../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { CARD_WORDS, CardId } from '../../boards/index.js';
import type { BriefService } from './brief.service.js';

const MARKDOWN = 'text/markdown';
const tags: [string] = ['Builds'];
const answerBrief = (brief: string) => text(200, brief, `${MARKDOWN}; charset=utf-8`);

export const briefRoutes = (briefs: BriefService): Route[] => [
  route({
    name: 'preview_brief',
    method: 'GET',
    path: '/api/v1/board/tasks/{task_id}/brief',
    summary: 'Read what a coder would be given for a card now',
    description:
      'The card, the live lessons near the code that it names, what the assigned agent remembers about it, and how to finish. Nothing is stored.',
    tags,
    access: memberAccess(),
    params: {
      task_id: uuidParam('Card not found', { description: CARD_WORDS, schema: CardId }),
    },
    responses: { 200: { contentType: MARKDOWN, description: 'The brief' } },
    errors: [error(404, 'Card not found')],
    handler: async ({ caller, params }) => answerBrief(await briefs.previewBrief(caller, params.task_id)),
  }),
  route({
    name: 'get_build_brief',
    method: 'GET',
    path: '/api/v1/factory/builds/{build_id}/brief',
    summary: 'Read what the coder of a build was given',
    description: 'Byte for byte; `brief_digest` of the build is its SHA-256.',
    tags,
    access: memberAccess(),
    params: {
      build_id: uuidParam('Build not found', {
        description: 'The build, as list_builds shows its build_id.',
      }),
    },
    responses: { 200: { contentType: MARKDOWN, description: 'The brief' } },
    errors: [error(404, 'No such build, or it has not started yet')],
    handler: async ({ caller, params }) => answerBrief(await briefs.readBrief(caller, params.build_id)),
  }),
];
