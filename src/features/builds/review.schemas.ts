import { type Static, Type } from 'typebox';
import { NOTE_KINDS } from '../../code/diff-analysis/notes.js';
import {
  Actor,
  Closed,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../platform/http/declaration/schemas.js';

export const GateNote = Named(
  'GateNote',
  Closed({
    kind: OneOf(NOTE_KINDS),
    path: Type.Optional(Type.String()),
    count: Type.Optional(Type.Integer()),
    text: Type.String(),
  }),
);
export type GateNote = Static<typeof GateNote>;

export const Gate = Named('BuildGate', Closed({ notes: Type.Array(GateNote) }));
export type Gate = Static<typeof Gate>;

export const Risk = Named(
  'BuildRisk',
  Closed({
    score: Type.Integer({ minimum: 0, maximum: 100 }),
    reasons: Type.Array(Closed({ reason: Type.String(), points: Type.Integer() })),
  }),
);
export type Risk = Static<typeof Risk>;

export function withReason({ reasons }: Risk, added: Risk['reasons'][number]): Risk {
  const all = [...reasons.filter(({ reason }) => reason !== added.reason), added];
  const sum = all.reduce((total, { points }) => total + points, 0);
  return { score: Math.min(100, sum), reasons: all.sort((one, other) => other.points - one.points) };
}

/** From this score on, a reviewer is asked. */
export const RISKY = 50;

export interface Analysis {
  notes: GateNote[];
  risk: Risk;
}

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
    body: Type.String({ minLength: 1, maxLength: LONGEST_REMARK, description: 'The comment.' }),
    severity: OneOf(SEVERITIES, { description: 'How much it matters.' }),
  }),
);
export type Remark = Static<typeof Remark>;

export const Verdict = Named(
  'ReviewVerdict',
  Closed({
    verdict: OneOf(VERDICTS, { description: 'The verdict on the change.' }),
    comments: Type.Array(Remark, { maxItems: MOST_REMARKS, description: 'Comments on lines.' }),
  }),
);
export type Verdict = Static<typeof Verdict>;

/** The verdict is missing while the review runs, or if it ended without one. */
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

const SIDES = ['old', 'new'] as const;
export type Side = (typeof SIDES)[number];

export const CommentPath = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: 'A file, as the diff names it.',
});
export const CommentLine = Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'A line of it.' });
export const LONGEST_BODY = 20_000;
const CommentBody = Type.String({
  minLength: 1,
  maxLength: LONGEST_BODY,
  pattern: '\\S',
  rule: 'must not be blank',
  description: 'The comment, as Markdown.',
});

export const BuildComment = Named(
  'BuildComment',
  Closed({
    comment_id: Uuid,
    build_id: Uuid,
    attempt: Type.Integer(),
    reply_to: Nullable(Uuid),
    path: Nullable(Type.String()),
    line: Nullable(Type.Integer()),
    side: OneOf(SIDES),
    outdated: Type.Boolean({ description: 'The line is gone.' }),
    context: Nullable(Type.String()),
    body: Type.String(),
    draft: Type.Boolean(),
    author: Nullable(Actor),
    created_at: Timestamp,
    resolved: Nullable(Closed({ by: Nullable(Actor), at: Timestamp })),
  }),
);
export type BuildComment = Static<typeof BuildComment>;

export const BuildCommentList = Named(
  'BuildCommentList',
  Closed({ comments: Type.Array(BuildComment), total: Type.Integer() }),
);
export type BuildCommentList = Static<typeof BuildCommentList>;

export const NewComment = Named(
  'BuildCommentInput',
  Closed({
    path: Type.Optional(CommentPath),
    line: Type.Optional(CommentLine),
    side: Type.Optional(OneOf(SIDES, { default: 'new', description: 'Of the base, or of the new file.' })),
    body: CommentBody,
    draft: Type.Optional(Type.Boolean({ description: 'Seen by you alone until you send it.' })),
    reply_to: Type.Optional(Type.String({ format: 'uuid', description: 'The comment that it answers.' })),
  }),
);
export type NewComment = Static<typeof NewComment>;

export const CommentPatch = Named(
  'BuildCommentPatch',
  Closed({
    body: Type.Optional(CommentBody),
    resolved: Type.Optional(Type.Boolean({ description: 'Of its thread.' })),
  }),
);
export type CommentPatch = Static<typeof CommentPatch>;

export const ReviewBody = Named(
  'BuildReview',
  Closed({
    decision: OneOf(['accept', 'rework'], {
      description: '`accept` pushes the branch. `rework` starts another attempt from it.',
    }),
    comments: Type.Optional(
      Type.Array(
        Closed({
          path: Type.Optional(CommentPath),
          line: Type.Optional(CommentLine),
          body: Type.String({ minLength: 1, maxLength: LONGEST_BODY, description: 'The comment.' }),
        }),
        {
          minItems: 1,
          maxItems: 100,
          description: 'Comments for the rework, in addition to unresolved ones.',
        },
      ),
    ),
  }),
);
export type ReviewBody = Static<typeof ReviewBody>;
