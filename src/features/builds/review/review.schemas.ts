import { type Static, Type } from 'typebox';
import { Closed, Named, OneOf } from '../../../http/declaration/schemas.js';

export const ReviewBody = Named(
  'BuildReview',
  Closed({
    decision: OneOf(['accept', 'rework'], {
      description:
        '`accept`: the branch goes into the repository of the project. `rework`: a new build goes on from this one.',
    }),
    comments: Type.Optional(
      Type.Array(
        Closed({
          path: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 1000,
              description: 'The file that the comment is about, as the diff names it; left out, all of it.',
            }),
          ),
          line: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'The line in the new file.' }),
          ),
          body: Type.String({
            minLength: 1,
            maxLength: 20_000,
            description: 'What is to be changed, and why.',
          }),
        }),
        {
          minItems: 1,
          maxItems: 100,
          description: 'Of a rework: what the next attempt has to answer; the coder finds it in its brief.',
        },
      ),
    ),
  }),
);
export type ReviewBody = Static<typeof ReviewBody>;
