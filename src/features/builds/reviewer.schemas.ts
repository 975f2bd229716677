import { type Static, Type } from 'typebox';
import { Closed, Named, Nullable, OneOf, Uuid } from '../../platform/http/declaration/schemas.js';

export const VERDICTS = ['pass', 'concerns', 'fail'] as const;

const SEVERITIES = ['info', 'minor', 'major', 'critical'] as const;

export const LONGEST_REMARK = 4000;
export const MOST_REMARKS = 50;

export const Remark = Named(
  'ReviewRemark',
  Closed({
    path: Type.String({ minLength: 1, maxLength: 1000, description: 'A file, as the diff names it.' }),
    line: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, maximum: 10_000_000 }), { description: 'A line of it.' }),
    ),
    body: Type.String({ minLength: 1, maxLength: LONGEST_REMARK, description: 'What is to be said of it.' }),
    severity: OneOf(SEVERITIES, { description: 'How much it matters.' }),
  }),
);
export type Remark = Static<typeof Remark>;

/** What a reviewer comes to. It decides nothing alone. */
export const Verdict = Named(
  'ReviewVerdict',
  Closed({
    verdict: OneOf(VERDICTS, { description: 'What the change is worth.' }),
    comments: Type.Array(Remark, { maxItems: MOST_REMARKS, description: 'Beside the lines.' }),
  }),
);
export type Verdict = Static<typeof Verdict>;

/** A review as the build that it is about shows it; without a verdict while it runs, or where it came to none. */
export const ShownReview = Named(
  'BuildReviewByCoder',
  Closed({
    build_id: Uuid,
    verdict: Nullable(OneOf(VERDICTS)),
    comments: Type.Optional(Type.Array(Remark)),
  }),
);
export type ShownReview = Static<typeof ShownReview>;

const reviewerFields = {
  profile: Type.String({ maxLength: 64, description: 'Whose coder reads.' }),
  on: OneOf(['all', 'risky', 'none'], { description: '`risky` is a risk of 50 and more.' }),
  same_family: Type.Optional(Type.Boolean({ description: 'Whether it may review its own family.' })),
};

export const Reviewer = Named('BuildReviewer', Closed(reviewerFields));
export type Reviewer = Static<typeof Reviewer>;
