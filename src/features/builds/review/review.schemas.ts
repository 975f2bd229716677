import { type Static, Type } from 'typebox';
import { Closed, Named, OneOf } from '../../../platform/http/declaration/schemas.js';
import { CommentLine, CommentPath, LONGEST_BODY } from '../comments/comments.schemas.js';

export const ReviewBody = Named(
  'BuildReview',
  Closed({
    decision: OneOf(['accept', 'rework'], {
      description: 'Take it, or have another attempt go on from it.',
    }),
    comments: Type.Optional(
      Type.Array(
        Closed({
          path: Type.Optional(CommentPath),
          line: Type.Optional(CommentLine),
          body: Type.String({ minLength: 1, maxLength: LONGEST_BODY, description: 'What to change.' }),
        }),
        {
          minItems: 1,
          maxItems: 100,
          description: 'Of a rework, beside what is unresolved.',
        },
      ),
    ),
  }),
);
export type ReviewBody = Static<typeof ReviewBody>;
