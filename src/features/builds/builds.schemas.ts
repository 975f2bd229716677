import { type Static, Type } from 'typebox';
import { CODER_NAME, CODERS } from '../../kernel/plans.js';
import { error, uuidParam } from '../../platform/http/declaration/route.js';
import {
  Actor,
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../platform/http/declaration/schemas.js';
import { CardId } from '../boards/index.js';
import { BuildCheck, FailedSetup } from './checks/checks.schemas.js';
import { Gate, Risk, ShownReview } from './review.schemas.js';

export const OUTCOMES = ['succeeded', 'failed', 'canceled', 'timed_out', 'lost'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const DESK_OUTCOMES = ['succeeded', 'failed', 'canceled', 'timed_out'] as const;

export const OPEN_STATUSES = ['queued', 'claimed', 'running', 'waiting', 'checking'] as const;
export const STATUSES = [...OPEN_STATUSES, ...OUTCOMES] as const;
export type BuildStatus = (typeof STATUSES)[number];

export const WAITING_REASONS = ['desk', 'slot', 'hold', 'policy', 'budget', 'answer'] as const;
export type WaitingReason = (typeof WAITING_REASONS)[number];

export const KINDS = ['build', 'review'] as const;

const REVIEW_STATES = ['to_review', 'rework', 'accepted', 'pushed'] as const;

export const REWORK_REASONS = ['checks', 'changes_requested', 'conflict'] as const;
export type ReworkReason = (typeof REWORK_REASONS)[number];

const Count = Type.Integer({ minimum: 0 });

export const BuildLimits = Named(
  'BuildLimits',
  Closed({
    max_turns: Nullable(Type.Integer()),
    max_steps: Nullable(Type.Integer()),
    wall_minutes: Nullable(Type.Number()),
  }),
);

export const BuildSettingsView = Named(
  'BuildProfileSettings',
  Closed({
    version: Type.String(),
    model: Nullable(Type.String()),
    effort: Nullable(Type.String()),
    limits: BuildLimits,
    wall_minutes: Type.Number(),
  }),
);
export type BuildSettingsView = Static<typeof BuildSettingsView>;

export const BuildUsage = Named(
  'BuildUsage',
  Closed({
    tokens_in: Nullable(Count),
    tokens_out: Nullable(Count),
    cost_usd: Nullable(Type.Number({ minimum: 0 })),
  }),
);

export const DiffStat = Named('BuildDiffStat', Closed({ files: Count, insertions: Count, deletions: Count }));
export type DiffStat = Static<typeof DiffStat>;

export const DECISIONS = ['accept', 'rework'] as const;
export type Decision = (typeof DECISIONS)[number];

const reviewFields = { decision: OneOf(DECISIONS), by: Nullable(Actor), at: Timestamp };

export const BuildReviewView = Named('BuildDecision', Closed({ ...reviewFields, comments: Count }));
export type BuildReviewView = Static<typeof BuildReviewView>;

export const DecidedDetail = Closed({
  error: Type.Literal('decided'),
  ...reviewFields,
  message: Type.String(),
});

export const BuildOpenDetail = Named(
  'BuildOpen',
  Closed({ error: Type.Literal('build_open'), build_id: Uuid, message: Type.String() }),
);

export const Build = Named(
  'Build',
  Closed({
    build_id: Uuid,
    task_id: Uuid,
    ref: Type.String(),
    project_id: Uuid,
    attempt: Type.Integer({ minimum: 1 }),
    kind: OneOf(KINDS),
    status: OneOf(STATUSES),
    checks: Type.Array(BuildCheck),
    failed_setup: Type.Optional(FailedSetup),
    silent: Type.Boolean(),
    stalled: Type.Boolean(),
    waiting_for: Nullable(OneOf(WAITING_REASONS)),
    held_until: Nullable(Timestamp),
    waiting_reason: Nullable(Type.String()),
    coder: Type.String({ description: 'A built-in coder, or one that a desk reported.' }),
    profile: Nullable(Type.String()),
    settings: Nullable(BuildSettingsView),
    workstation_id: Nullable(Uuid),
    wanted_workstation_id: Nullable(Uuid),
    local: Type.Optional(Type.Boolean({ description: 'On the machine of the person who started it.' })),
    branch: Type.String(),
    pushed_branch: Type.Optional(Type.String()),
    base_branch: Type.String(),
    base_sha: Type.String(),
    head_sha: Nullable(Type.String()),
    continues: Nullable(Uuid),
    rework_of: Type.Optional(
      Type.Array(OneOf(REWORK_REASONS), {
        description: 'Why it started automatically. Null: a person started it.',
      }),
    ),
    note: Nullable(Type.String()),
    created_by: Nullable(Actor),
    queued_at: Timestamp,
    claimed_at: Nullable(Timestamp),
    started_at: Nullable(Timestamp),
    heard_at: Nullable(Timestamp),
    cancel_requested_at: Nullable(Timestamp),
    finished_at: Nullable(Timestamp),
    reason: Nullable(Type.String()),
    result: Nullable(Type.String()),
    confirmed: Type.Boolean(),
    diff: Nullable(DiffStat),
    usage: Nullable(BuildUsage),
    log_bytes: Count,
    brief_digest: Nullable(Type.String()),
    gate: Nullable(Gate),
    risk: Nullable(Risk),
    reviews: Type.Array(ShownReview),
    review: Nullable(BuildReviewView),
    pushed_at: Nullable(Timestamp),
    push_error: Nullable(Type.String()),
  }),
);
export type BuildView = Static<typeof Build>;

export const CoderList = Named(
  'CoderList',
  Closed({
    coders: Type.Array(
      Closed({
        name: Type.String(),
        builtin: Type.Boolean({ description: 'False for a coder that the owner of a desk added.' }),
        desks: Type.Array(
          Closed({
            workstation_id: Uuid,
            name: Type.String({ description: "The desk's name." }),
            version: Nullable(Type.String(), { description: 'Null when the desk does not know it.' }),
            ready: Type.Boolean(),
            missing: Nullable(Type.String(), { description: 'Why the desk cannot run it now.' }),
          }),
        ),
      }),
    ),
  }),
);
export type CoderList = Static<typeof CoderList>;

export const LONGEST_NOTE = 20_000;

export const NewBuildBody = Named(
  'BuildInput',
  Closed({
    coder: Type.Optional(
      Type.String({
        maxLength: 64,
        description: `${CODERS.join(', ')}, or another coder that a desk has (see list_coders). Left out, the profile's coder, else claude.`,
      }),
    ),
    profile: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          "Such as claude.coding; left out, the card's, else the coder's for the card's task type.",
      }),
    ),
    workstation_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'The one desk; left out, any that fits.' }),
    ),
    base_branch: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "The branch to start from; left out, the project's.",
      }),
    ),
    continues: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'A finished build of this card to start from.',
      }),
    ),
    local: Type.Optional(
      Type.Boolean({
        description: 'Starts at once on your own machine; you submit it.',
      }),
    ),
    note: Type.Optional(
      Type.String({
        maxLength: LONGEST_NOTE,
        description: 'Extra instructions for this attempt.',
      }),
    ),
  }),
);
export type NewBuild = Static<typeof NewBuildBody>;

export const LARGEST_PAGE = 200;

export const BuildQuery = Type.Object({
  task_id: Type.Optional(Described('Only builds of this card, by ref or id.', CardId)),
  status: Type.Optional(OneOf(STATUSES, { description: 'Only builds in this state.' })),
  workstation_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Only builds that this desk claimed.' }),
  ),
  state: Type.Optional(
    OneOf(['open', 'finished'], {
      description: '`open` for queued and running builds, `finished` for the others.',
    }),
  ),
  coder: Type.Optional(
    Type.String({
      pattern: CODER_NAME,
      rule: 'must be the name of a coder',
      description: 'Only builds of this coder.',
    }),
  ),
  review: Type.Optional(
    OneOf(REVIEW_STATES, {
      description:
        'Only builds with this review state. `to_review` and `accepted` list the longest wait first.',
    }),
  ),
  sort: Type.Optional(OneOf(['risk'], { description: 'The riskiest first.' })),
  with: Type.Optional(OneOf(['tasks'], { description: 'Adds `tasks`: what their cards are called.' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LARGEST_PAGE,
      default: 50,
      description: 'How many on a page.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 500, description: 'Where the last page ended: its next_cursor.' }),
  ),
});
export type BuildQuery = Static<typeof BuildQuery>;

export const BuildList = Named(
  'BuildList',
  Closed({
    builds: Type.Array(Build),
    total: Count,
    next_cursor: Nullable(Type.String()),
    tasks: Type.Optional(
      Type.Array(
        Closed({
          task_id: Uuid,
          board_id: Uuid,
          title: Type.String(),
          pr_number: Nullable(Type.Integer()),
          pr_url: Nullable(Type.String()),
          pr_state: Nullable(Type.String()),
        }),
      ),
    ),
  }),
);
export type BuildList = Static<typeof BuildList>;

export const LogChunk = Named(
  'BuildLogChunk',
  Closed({ seq: Type.Integer({ minimum: 1 }), at: Timestamp, text: Type.String() }),
);
export type LogChunk = Static<typeof LogChunk>;

export const LogPage = Named(
  'BuildLogPage',
  Closed({
    chunks: Type.Array(LogChunk),
    next: Count,
    finished: Type.Boolean(),
  }),
);
export type LogPage = Static<typeof LogPage>;

const LARGEST_SEQ = 2_147_483_647;

export const LogQuery = Type.Object({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LARGEST_SEQ,
      default: 0,
      description: 'Only pieces after this one: `next` of the answer before.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'How many pieces.' }),
  ),
});

export const LogSeq = Type.Integer({
  minimum: 1,
  maximum: LARGEST_SEQ,
  description: 'The number of the piece: 1 for the first, then one more each.',
});

export const buildParams = {
  build_id: uuidParam('Build not found', { description: 'The build, as list_builds shows its build_id.' }),
};
export const missingBuild = error(404, 'Build not found');
