import { type Static, Type } from 'typebox';
import {
  Actor,
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';

const MOST_CHOICES = 20;
const LONGEST_CHOICE = 200;
const LONGEST_TEXT = 10_000;
const MOST_MINUTES = 30 * 24 * 60;

export const QuestionInput = Named(
  'QuestionInput',
  Closed({
    key: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The same key within a build is the same question.',
    }),
    question: Type.String({
      minLength: 1,
      maxLength: LONGEST_TEXT,
      pattern: '\\S',
      rule: 'must not be blank',
      description: 'The question. Markdown.',
    }),
    choices: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: LONGEST_CHOICE }), {
        minItems: 1,
        maxItems: MOST_CHOICES,
        uniqueItems: true,
        description: 'The answers to choose from. Default: any text.',
      }),
    ),
    minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_MINUTES,
        description: "How long to wait for an answer. Default and maximum: the policy's `question_hours`.",
      }),
    ),
  }),
);
export type QuestionInput = Static<typeof QuestionInput>;

export const QuestionAsked = Named('QuestionAsked', Closed({ question_id: Uuid }));

export const AnswerInput = Named(
  'AnswerInput',
  Closed({
    choice: Type.Optional(Type.String({ maxLength: LONGEST_CHOICE, description: 'One of the choices.' })),
    text: Type.Optional(
      Type.String({ maxLength: LONGEST_TEXT, description: 'The answer in your own words.' }),
    ),
  }),
);
export type AnswerInput = Static<typeof AnswerInput>;

export const Question = Named(
  'Question',
  Closed({
    question_id: Uuid,
    question: Type.String(),
    choices: Nullable(Type.Array(Type.String())),
    status: OneOf(['open', 'answered', 'expired']),
    asked_at: Timestamp,
    expires_at: Described('When the coder continues without an answer.', Timestamp),
    answer: Nullable(
      Closed({
        choice: Nullable(Type.String()),
        text: Nullable(Type.String()),
        by: Nullable(Actor),
        at: Timestamp,
      }),
    ),
  }),
);
export type Question = Static<typeof Question>;

export const QuestionList = Named('QuestionList', Closed({ questions: Type.Array(Question) }));
export type QuestionList = Static<typeof QuestionList>;
