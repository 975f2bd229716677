import { Type } from 'typebox';
import { answer } from '../../../platform/http/answer/answers.js';
import { error, memberAccess, type Route, route } from '../../../platform/http/declaration/route.js';
import { Build, BuildOpenDetail, buildParams, DecidedDetail } from '../builds.schemas.js';
import { ReviewBody } from './review.schemas.js';
import type { ReviewService } from './review.service.js';

export const reviewRoutes = (reviews: ReviewService): Route[] => [
  route({
    name: 'review_build',
    method: 'POST',
    path: '/api/v1/factory/builds/{build_id}/review',
    creates: {},
    summary: 'Accept what a build brought, or send it back',
    description:
      'Once for each build that succeeded. `accept` pushes its branch, again where that failed. `rework` answers a new build that continues it with all unresolved comments. Sends your drafts.',
    tags: ['Builds'],
    access: memberAccess({ beyondReading: true }),
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
      error(502, 'The repository is not reachable'),
      error(504, 'No answer within 30 seconds'),
    ],
    prepare: ({ caller, params, body }) => reviews.prepare(caller, params.build_id, body),
    handler: async ({ caller, params, body, prepared }) => {
      const { created, build } = await reviews.review(caller, params.build_id, body, { prepared });
      return answer(created ? 201 : 200, build);
    },
  }),
];
