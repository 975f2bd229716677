import {
  error,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { buildParams, missingBuild } from '../builds.schemas.js';
import { AnswerInput, Question, QuestionList } from './questions.schemas.js';
import type { QuestionService } from './questions.service.js';

const QUESTIONS = '/api/v1/factory/builds/{build_id}/questions';
const tags: [string] = ['Builds'];

export const questionRoutes = (questions: QuestionService): Route[] => [
  route({
    name: 'list_build_questions',
    method: 'GET',
    path: QUESTIONS,
    summary: 'List the questions of a build',
    description: 'Oldest first, with their answers.',
    tags,
    access: memberAccess(),
    params: buildParams,
    responses: { 200: QuestionList },
    errors: [missingBuild],
    handler: ({ caller, params: { build_id } }) => questions.list(caller.brandId, build_id),
  }),
  route({
    name: 'answer_build_question',
    method: 'POST',
    path: `${QUESTIONS}/{question_id}/answer`,
    summary: 'Answer a question of a coder',
    description: 'The first answer counts. The build continues when none of its questions is open.',
    tags,
    access: memberAccess({ beyondReading: true }),
    params: {
      ...buildParams,
      question_id: uuidParam('Question not found', { description: 'The question.' }),
    },
    body: AnswerInput,
    responses: { 200: Question },
    errors: [
      error(404, 'Build not found, or Question not found'),
      error(409, 'The question is answered or expired, or the build is finished'),
      error(422, 'choice or text is missing, or choice is not one of the choices'),
    ],
    handler: ({ caller, params: { build_id, question_id }, body }) =>
      questions.answer(caller, build_id, question_id, body),
  }),
];
